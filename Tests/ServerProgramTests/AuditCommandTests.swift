import Foundation
import Journal
import Records
import TestKit
import Testing

@testable import ServerCore

/// `bjserver audit`: the journal of real rounds, recomputed.
@Suite(.ownThread) struct AuditCommandTests {
    private let scratch = DataScratch()

    /// A server with rounds of two bots.
    private func played() throws -> DataServer {
        let server = try DataServer(on: scratch)
        let play = try scratch.run("bjbots", ["play", "127.0.0.1:\(server.port)", "--bots", "2", "--rounds", "8"])
        try #require(play.status == 0, "\(play.errors)")
        return server
    }

    /// Writes the records of `data` into another folder, frame by frame.
    private func rewrite(to name: String, segment: Int, _ change: (String) -> String) throws {
        let snapshot = try DataSnapshot(folder: scratch.path("data"))
        var frames: [UInt64: String] = [:]
        try snapshot.lines { line, place in
            frames[place.sequence, default: ""] += change(String(decoding: line, as: UTF8.self)) + "\n"
        }
        let storage = try FileStorage(path: scratch.path(name), creating: true)
        let folder = try JournalFolder(locking: storage)
        let log = try DurableLog(
            folder, continuing: JournalEnd(), house: 7, configuration: JournalConfiguration(segmentBytes: segment),
            callbacks: .init(failed: { Issue.record("\($0)") }))
        for (_, lines) in frames.sorted(by: { $0.key < $1.key }) { _ = log.append(Array(lines.utf8)) }
        #expect(log.close())
    }

    @Test func aWrongPayout_isFoundWithFileFrameAndLine_althoughEveryChecksumIsRight() throws {
        try played().kill()
        var isChanged = false
        try rewrite(to: "forged", segment: 16 << 20) { line in
            guard !isChanged, let range = line.range(of: #""paid":"#) else { return line }
            isChanged = true
            return line.replacingCharacters(in: range, with: #""paid":1"#)
        }
        #expect(isChanged)
        let ending = try scratch.run("bjserver", ["audit", scratch.path("forged")])
        #expect(ending.status == 65)
        #expect(ending.errors.firstMatch(of: #/segment-0000000001\.log, frame [0-9]+, line [0-9]+: /#) != nil, "\(ending.errors)")
    }

    @Test func twoAccountsOfOneName_areAContradiction_notATrap() throws {
        try played().kill()
        var names: [Substring] = []
        try rewrite(to: "forged", segment: 16 << 20) { line in
            guard line.hasPrefix(#"{"type":"account""#), let name = line.firstMatch(of: /"name":"([^"]*)"/)?.output.1 else {
                return line
            }
            names.append(name)
            return line.replacing(#""name":"\#(name)""#, with: #""name":"\#(names[0].uppercased())""#)
        }
        #expect(names.count == 2)
        for words in [["audit", scratch.path("forged")], ["--listen", "127.0.0.1:0", "--data", scratch.path("forged")]] {
            let ending = try scratch.run("bjserver", words)
            #expect(ending.status == 65 && ending.errors.contains("accounts 1 and 2 have names that look alike"), "\(ending)")
        }
    }

    @Test func aCheckpoint_hasToBeTheStateThatTheRecordsGive() throws {
        try played().kill()
        try rewrite(to: "short", segment: 8192) { $0 }
        let folder = JournalFolder(reading: try FileStorage(path: scratch.path("short"), creating: false))
        let sealed = try folder.sealedThrough()
        var state = try SavedState.recover(from: folder, through: sealed).state
        try state.write(to: folder, at: sealed)
        #expect(try scratch.run("bjserver", ["audit", scratch.path("short")]).status == 0)
        // Its checksum and the sum of its chips are right.
        try state.apply(.issued(#require(state.accounts.keys.first), chips: 1, reason: .credit, time: state.time))
        try state.write(to: folder, at: sealed)
        let ending = try scratch.run("bjserver", ["audit", scratch.path("short")])
        #expect(ending.status == 65 && ending.errors.contains(".json differs from the state after frame \(sealed)"))
    }

    @Test func prunedHistory_isAuditedFromTheOldestCheckpoint() throws {
        try played().kill()
        try rewrite(to: "short", segment: 8192) { $0 }
        let folder = JournalFolder(reading: try FileStorage(path: scratch.path("short"), creating: false))
        let sealed = try folder.sealedThrough()
        // The two newest checkpoints stay.
        for frame in [sealed - 1, sealed] {
            try SavedState.recover(from: folder, through: frame).state.write(to: folder, at: frame)
        }
        #expect(try folder.prune(keeping: .size(bytes: 1)) > 0)
        let ending = try scratch.run("bjserver", ["audit", scratch.path("short")])
        #expect(ending.status == 0 && ending.output.contains("Starts at frame \(sealed): older history was removed"))
        let checkpoint = try #require(try scratch.files("short").sorted().first { $0.hasPrefix("checkpoint-") })
        try scratch.damage("short/\(checkpoint)", at: #""chips""#)
        let damaged = try scratch.run("bjserver", ["audit", scratch.path("short")])
        #expect(damaged.status == 65 && damaged.errors.contains("\(checkpoint) is damaged"))
    }
}
