import Journal
import Records
import Sockets
import TableModel
import TestKit
import Testing
import Wire

@testable import ServerCore

/// A player's whole past, page by page, out of a journal of several segments.
struct HistoryPageTests {
    /// The messages of an answer.
    private static func messages(_ lines: [UInt8]) throws -> [HandHistory] {
        try lines.split(separator: 10).map { line in
            guard case .history(let history) = try line.withUnsafeBufferPointer({ try ServerMessage(line: $0) }) else {
                preconditionFailure("it answers with a history")
            }
            return history
        }
    }

    @Test(arguments: [1, 7, 30, 500])
    func pages_haveEachRoundOnce_newestFirst_whereverTheyBegin(_ limit: Int) throws {
        let server = VirtualServer.plain { $0.requests = .unreached }
        server.seat("ann", 1)
        server.connect(2, as: "bob")
        server.receive(#"{"type":"sit"}"#, from: 2)
        let rounds = 60
        while server.shard.rounds < rounds {
            for connection in [1, 2] as [ConnectionID] {
                server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: connection)
            }
            for connection in [1, 2, 1, 2] as [ConnectionID] {
                for action in ["decline", "stand"] {
                    server.receive(#"{"type":"act","action":"\#(action)","turn":"now"}"#, from: connection)
                }
            }
            server.advance(40_000)
        }
        let ann = try #require(server.shard.sessions[1]?.account?.id)
        let folder = try JournalFolder(locking: FaultStorage())
        var journal = try JournalReader(folder)
        #expect(try journal.next() == nil)
        let log = try DurableLog(
            folder, continuing: #require(journal.end), house: 7, configuration: JournalConfiguration(segmentBytes: 1 << 14),
            callbacks: DurableLog.Callbacks { _ in })
        var (state, all) = (SavedState(house: "0000000000000007"), PlayerHistory(ann, nil, HistoryPage(limit: 500)))
        for (index, line) in server.records.split(separator: 10).enumerated() {
            let last = log.append(Array(line) + [10])
            log.waitUntilDurable(last)
            try line.withUnsafeBufferPointer {
                try state.apply(line: $0)
                try all.add($0, at: RecordPlace(sequence: last, line: 1))
            }
            // Also at the very moment of a round's end.
            let isEnd = String(decoding: line, as: UTF8.self).contains("\"roundEnded\"")
            if isEnd || index % 60 == 59 { try state.write(to: folder, at: last) }
        }
        let expected = try Self.messages(all.historyLines(at: 0)).flatMap(\.rounds)
        #expect(try folder.segmentStarts().count > 4 && expected.count >= rounds / 2)
        // Less than the journal: pages begin at checkpoints.
        let reader = HistoryReader(folder, log, bytes: 1 << 15)
        var (found, before): ([PastRound], Int64?) = ([], nil)
        for _ in 0...expected.count + 10 {
            let answer = try reader.read(ann, HistoryPage(before: before, limit: limit)).historyLines(at: 0)
            let messages = try Self.messages(answer)
            #expect(messages.count <= WireLimits.historyMessages && messages.dropLast().allSatisfy(\.isContinued))
            #expect(messages.flatMap(\.rounds).count <= limit && messages.last?.isContinued == false)
            found += messages.flatMap(\.rounds)
            before = messages.last?.next
            if before == nil { break }
        }
        #expect(found == expected)
        log.close()
    }
}
