import Foundation
import TestKit
import Testing

@testable import Journal

/// Checkpoints, history, backup.
struct CheckpointTests {
    private static func content(_ sequence: UInt64) -> [UInt8] { Array("{\"sequence\":\(sequence)}\n".utf8) }

    private static func write(_ journal: ScriptedJournal, at sequence: UInt64) throws {
        try journal.folder.writeCheckpoint(at: sequence) { writer throws(JournalError) in
            try writer.append(Self.content(sequence))
        }
    }

    private func read(_ folder: JournalFolder, _ sequence: UInt64) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try folder.readCheckpoint(at: sequence) { part throws(JournalError) in bytes += part }
        return bytes
    }

    /// Frames in segments of some five, a checkpoint after every fourth, at times of 1,000 ms each.
    private static func journal(frames: Int = 40) throws -> ScriptedJournal {
        var journal = try ScriptedJournal(FaultStorage())
        for frame in 1...frames {
            journal.storage.setTime(UInt64(frame) * 1000)
            journal.append(bytes: 250)
            journal.run()
            if frame % 4 == 0 { try Self.write(journal, at: UInt64(frame)) }
        }
        return journal
    }

    private let journal: ScriptedJournal

    init() throws { journal = try Self.journal() }

    private func sequences(_ folder: JournalFolder, from first: UInt64) throws -> [UInt64] {
        var reader = try JournalReader(folder, from: first)
        var sequences: [UInt64] = []
        while let frame = try reader.next() { sequences.append(frame.sequence) }
        return sequences
    }

    @Test func aCheckpointIsReadAsItWasWritten_whateverItsLength() throws {
        let journal = try ScriptedJournal(FaultStorage())
        for (sequence, lines) in [0, 1, 100, 60_000].enumerated() {
            let line = Array("{\"some\":\"line of a checkpoint\"}\n".utf8)
            try journal.folder.writeCheckpoint(at: UInt64(sequence)) { writer throws(JournalError) in
                for _ in 0..<lines { try writer.append(line) }
            }
            #expect(try read(journal.folder, UInt64(sequence)) == Array(repeatElement(line, count: lines).joined()))
        }
        #expect(try journal.folder.checkpoints() == [0, 1, 2, 3])
    }

    @Test func aFlipOrACutAnywhere_isDamage_andNothingIsHandedOut() throws {
        let journal = try ScriptedJournal(FaultStorage())
        try Self.write(journal, at: 12)
        let name = "checkpoint-00000000000000000012.json"
        let whole = try #require(journal.storage.content(of: name))
        let error = JournalError.damagedCheckpoint(file: name)
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 2
            for bytes in [damaged, Array(whole[..<index])] {
                journal.storage.setContent(bytes, of: name)
                #expect(throws: error) {
                    try journal.folder.readCheckpoint(at: 12) { _ throws(JournalError) in Issue.record("handed out") }
                }
            }
        }
    }

    @Test func sealedBytesAreCounted_afterACheckpoint() throws {
        let segments = try journal.folder.usedSegments()
        let sizes = segments.map { journal.storage.content(of: FileName.segment($0.number))?.count ?? 0 }
        #expect(segments.count > 5)
        for checkpoint: UInt64 in 0...40 {
            // Each sealed segment ends before the next one starts.
            let expected = zip(segments.dropFirst(), sizes).reduce(0) { $1.0.first - 1 > checkpoint ? $0 + $1.1 : $0 }
            #expect(try journal.folder.sealedBytes(after: checkpoint) == expected, "\(checkpoint)")
        }
        #expect(try JournalFolder(reading: FaultStorage()).sealedBytes(after: 0) == 0)
        let everything = try journal.storage.names().reduce(0) { $0 + (journal.storage.content(of: $1)?.count ?? 0) }
        let usage = try journal.folder.usage()
        #expect(usage.bytes == everything && usage.checkpointTime == 40_000)
    }

    @Test func anAbandonedCheckpoint_leavesNothing() throws {
        let journal = try ScriptedJournal(FaultStorage())
        #expect(throws: JournalError.overflow(bytes: 1)) {
            try journal.folder.writeCheckpoint(at: 1) { writer throws(JournalError) in
                try writer.append(Self.content(1))
                throw .overflow(bytes: 1)
            }
        }
        #expect(try journal.storage.names() == [FileName.anchor])
    }

    @Test func pruningBySize_keepsAsMuchAsFits_andRecoveryGoesOn() throws {
        for limit in [0, 5000, 10_000, 15_000, 100_000] {
            let journal = try Self.journal()
            let penultimate = try #require(try journal.folder.checkpoints().dropLast().last)
            func size() throws -> Int {
                try journal.storage.names().filter { $0 != FileName.anchor }.reduce(0) {
                    $0 + (journal.storage.content(of: $1)?.count ?? 0)
                }
            }
            let everything = try size()
            let removed = try journal.folder.prune(keeping: .size(bytes: limit))
            let kept = try size()
            #expect(everything - kept == removed)
            let start = try #require(try journal.folder.historyStart())
            // One segment is prepared, and the two newest checkpoints stay with theirs.
            #expect(kept <= limit + 2048 || start == penultimate)
            #expect((start == 0) == (limit == 100_000))
            #expect(try sequences(journal.folder, from: start + 1) == (start < 40 ? Array(start + 1...40) : []))
            #expect(try journal.folder.checkpoints().last == 40)
            let oldest = try #require(try journal.folder.checkpoints().first)
            #expect(start == 0 || oldest == start)
        }
    }

    @Test func keepingEverything_removesCheckpointsOnly_butTheNewestTwoAndSomeRecentOnes() throws {
        let all = try journal.folder.checkpoints()
        try journal.folder.prune(keeping: .everything)
        let kept = try journal.folder.checkpoints()
        #expect(kept.suffix(2) == [36, 40] && kept.count < all.count && kept.count <= 7)
        #expect(try sequences(journal.folder, from: 1) == Array(1...40))
        #expect(try journal.folder.historyStart() == 0)
    }

    @Test func readingTheRecentPast_beginsWhereItFits() throws {
        let segments = try journal.storage.names().filter { $0.hasPrefix("segment-") }.sorted()
        let sizes = segments.map { journal.storage.content(of: $0)?.count ?? 0 }
        #expect(try journal.folder.readingStart(within: sizes.reduce(0, +)) == 0)
        try journal.folder.prune(keeping: .everything)
        var last: UInt64 = 40
        for count in 0..<segments.count - 1 {
            let start = try journal.folder.readingStart(within: sizes.suffix(count).reduce(0, +))
            let checkpoints = try journal.folder.checkpoints()
            #expect(start <= last && (start == 0 || checkpoints.contains(start)), "\(count) segments: \(start)")
            last = start
        }
        #expect(try journal.folder.checkpoints().contains { (1..<36).contains($0) }, "a checkpoint of the recent past has stayed")
        #expect(try journal.folder.readingStart(within: 0) == 36, "the newest has hardly any past behind it")
    }

    @Test func nothingIsPruned_whenTheNewestCheckpointIsDamaged() throws {
        journal.storage.setContent([1, 2, 3], of: "checkpoint-00000000000000000040.json")
        let names = try journal.storage.names().sorted()
        #expect(throws: JournalError.self) { try journal.folder.prune(keeping: .size(bytes: 0)) }
        #expect(try journal.storage.names().sorted() == names)
    }

    @Test func aCrashWhilePruning_leavesARecoverableJournal() throws {
        let prunings = 30
        for operation in 0..<prunings {
            let storage = journal.storage.survivors(.everything, seed: 0)
            storage.inject(.crash(.pages), at: operation)
            _ = try? JournalFolder(reading: storage).prune(keeping: .size(bytes: 0))
            for loss in [FaultStorage.Loss.everything, .nothing] {
                let folder = JournalFolder(reading: storage.survivors(loss, seed: 0))
                #expect(try folder.checkpoints().last == 40)
                #expect(try sequences(folder, from: 41).isEmpty)
                let start = try #require(try folder.historyStart())
                #expect(try sequences(folder, from: start + 1).last ?? 40 == 40)
            }
        }
    }

    @Test func aBackup_holdsEveryFrameWritten_andIsContinuedLikeTheOriginal() throws {
        var journal = journal
        try journal.folder.prune(keeping: .size(bytes: 12_000))
        let start = try #require(try journal.folder.historyStart())
        // A write in progress is not copied.
        journal.append(bytes: 300)
        let batch = try journal.writer.batch()
        let file = try journal.storage.open("segment-\(String(10_000_000_000 + batch.segment).dropFirst()).log", forWriting: true)
        try journal.storage.write(batch.bytes.prefix(200), to: file, at: batch.offset)
        let target = FaultStorage()
        let end = try JournalFolder.backup(from: journal.folder, to: target)
        #expect(end.sequence == 40 && end.cut == nil)
        let copy = JournalFolder(reading: target.survivors(.everything, seed: 0))
        #expect(try copy.checkpoints() == journal.folder.checkpoints())
        #expect(try sequences(copy, from: start + 1) == sequences(journal.folder, from: start + 1))
        #expect(try read(copy, 40) == Self.content(40))
        #expect(throws: JournalError.notEmpty(folder: "memory")) { try JournalFolder.backup(from: journal.folder, to: target) }
        var reader = try JournalReader(copy, from: 41)
        #expect(try reader.next() == nil)
        var writer = JournalWriter(
            continuing: try #require(reader.end), house: 0, configuration: JournalConfiguration(segmentBytes: 2048))
        #expect(writer.house == ScriptedJournal.house && writer.append(Self.content(1)) == 41)
        guard case .prepare(let segment, _) = writer.next(now: 0) else { throw ScriptedJournal.Failure.order }
        #expect(segment > batch.segment)
    }

    @Test func aBackupOfACorruptJournal_isRefused() throws {
        try journal.storage.flip(at: 500, of: "segment-0000000003.log")
        #expect(throws: JournalError.self) { try JournalFolder.backup(from: journal.folder, to: FaultStorage()) }
    }

    @Test func aCut_keepsWhatPrecedesIt_andTheJournalGoesOnThere() throws {
        for kept: UInt64 in [1, 4, 5, 6, 23, 39] {
            let journal = try Self.journal()
            var reader = try JournalReader(journal.folder, through: kept)
            while try reader.next() != nil {}
            let (name, before) = (FileName.segment(try #require(reader.current)), reader.bytes)
            var damaged = before
            damaged[reader.offset + 20] ^= 1
            journal.storage.setContent(damaged, of: name)
            // A repair sets the anchor aside, which names what is cut.
            try journal.folder.setAside(FileName.anchor, ending: FileName.setAside)
            let files = try journal.folder.cut(at: reader.place, ending: FileName.setAside)
            #expect(files.first == name && journal.storage.content(of: name + FileName.setAside) == damaged)
            var lost: [UInt64] = []
            try journal.folder.lostFrames(after: reader.place, in: files, ending: FileName.setAside) { lost.append($0.sequence) }
            // The damaged frame is in that segment, unless it is the first of the next one.
            #expect(lost == Array(kept + 2..<41) || lost == Array(kept + 1..<41))
            #expect(try sequences(journal.folder, from: 1) == Array(1...kept))
            var again = try JournalReader(journal.folder)
            while try again.next() != nil {}
            let end = try #require(again.end)
            #expect(end.cut == nil && end.sequence == kept && end.segment?.offset == reader.offset)
        }
    }

    @Test func aBackupThatFails_leavesNothing() throws {
        for operation in 0..<40 {
            let target = FaultStorage()
            target.inject(.error(ENOSPC), at: operation)
            #expect(throws: JournalError.self) { try JournalFolder.backup(from: journal.folder, to: target) }
            #expect(try target.names().isEmpty, "\(operation)")
        }
    }
}
