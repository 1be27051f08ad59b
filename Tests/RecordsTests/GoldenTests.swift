import Foundation
import Testing

@testable import Records

/// The lines of every fact and record, as journals of this format hold them.
///
/// A change that cannot read them needs another number of the journal's format. A new record or fact adds lines: delete the file, and the test
/// records it.
struct GoldenTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    static func lines(_ name: String, ifMissing record: () throws -> [UInt8]) throws -> [[UInt8]] {
        let file = folder.appending(path: name)
        if !FileManager.default.fileExists(atPath: file.path) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(record()).write(to: file)
            Issue.record("\(name) was missing and is recorded: review it and run again")
        }
        return [UInt8](try Data(contentsOf: file)).split(separator: UInt8(ascii: "\n")).map { Array($0) + [UInt8(ascii: "\n")] }
    }

    @Test func everyRecord_isWrittenAsItAlwaysWas_andReadsBack() throws {
        let lines = try Self.lines("records.jsonl") { Samples.records.flatMap { $0.encoded() } }
        try #require(lines.count == Samples.records.count)
        for (line, record) in zip(lines, Samples.records) {
            #expect(try Record(line: line) == record)
            #expect(line == record.encoded(), "\(String(decoding: record.encoded(), as: UTF8.self))")
        }
    }

    /// A journal replays to the same state, and the engine still gives each of its facts.
    @Test func aRecordedJournal_replaysWithThisCode_andIsFoundInOrder() throws {
        let lines = try Self.lines("house.jsonl") {
            var house = RecordedHouse(seed: 1)
            house.run(steps: 6000)
            return house.records.flatMap { $0.encoded() }
        }
        var auditor = try Auditor(SavedState(house: "00112233aabbccdd"))
        for (index, line) in lines.enumerated() {
            let place = RecordPlace(sequence: 1, line: index + 1)
            try line.withUnsafeBufferPointer { try auditor.audit(Record(line: $0), at: place) }
        }
        let summary = try auditor.summary()
        #expect(summary.rounds > 9 && summary.records == lines.count)
        let checkpoint = ReplayTests.checkpoint(of: auditor.state, sequence: 1)
        let expected = try Self.lines("checkpoint.jsonl") { checkpoint }
        #expect(checkpoint == expected.flatMap { $0 })
        #expect(try ReplayTests.read(expected.flatMap { $0 }).state == auditor.state)
        // As 1.0.0 writes the last line.
        let former = checkpoint.dropLast(2) + ",\"check\":1009382967}\n".utf8
        #expect(try ReplayTests.read(Array(former)).state == auditor.state)
    }
}
