import Dispatch
import Journal
import Synchronization
import TableEngine
import TestKit
import Testing
import Wire

@testable import ServerCore

/// A player's own past, asked for at the server.
struct PastTests {
    private let server = VirtualServer.plain { $0.requests = .unreached }

    @Test func whoeverAsksAgainAndAgain_isRefused_andTheNextConnectionAsksNoMore() throws {
        server.seat("ann", 1)
        // One question at a time.
        server.receive([#"{"type":"history"}"#, #"{"type":"history"}"#], from: 1)
        #expect(server.questions.count == 1)
        #expect(server.take(1).contains { $0.contains("rate_limited") && $0.contains("retryAfter") })
        for _ in 0..<100 { _ = server.answers(to: #"{"type":"history"}"#, 1) }
        let refused = server.answers(to: #"{"type":"history"}"#, 1)
        #expect(refused.count == 1 && refused[0].contains("rate_limited"))
        server.cut(1)
        server.connect(2, as: "ann")
        _ = server.take()
        #expect(server.answers(to: #"{"type":"history"}"#, 2).first?.contains("rate_limited") == true)
        server.advance(5000)
        #expect(server.answers(to: #"{"type":"history"}"#, 2).count == 2)
    }

    @Test func aFullQueue_refuses() {
        for number in ConnectionID(1)...7 { server.seat("p\(number)", number) }
        server.questions = (0..<HistoryReader.capacity).map { _ in
            PlayerQuestion(.history, of: PlayerID(1), from: 99, at: 0)
        }
        #expect(server.say(#"{"type":"history"}"#, 3).contains("rate_limited"))
    }

    @Test func theAnswerOfAPlayerWhoHasLeft_reachesNobody() {
        server.seat("ann", 1)
        server.receive(#"{"type":"history"}"#, from: 1)
        server.cut(1)
        server.connect(1, as: "bob")
        #expect(!server.take(1).contains { $0.contains(#""type":"history""#) })
    }
}

@Suite(.ownThread) struct HistoryReaderTests {
    @Test func aQuestionOfAnEndedConnection_takesNoPlace_andIsNotRead() throws {
        let folder = try JournalFolder(locking: FaultStorage())
        var journal = try JournalReader(folder)
        #expect(try journal.next() == nil)
        let log = try DurableLog(
            folder, continuing: #require(journal.end), house: 7, configuration: JournalConfiguration(),
            callbacks: DurableLog.Callbacks { _ in })
        let reader = HistoryReader(folder, log)
        let answered = Mutex<[Int]>([])
        let (isReading, goesOn, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let first = PlayerQuestion(.history, of: PlayerID(1), from: 1, at: 0)
        let asked = reader.ask(first) { _, _ in
            isReading.signal()
            goesOn.wait()
        }
        #expect(asked)
        isReading.wait()
        for number in 0..<HistoryReader.capacity {
            let gone = PlayerQuestion(.history, of: PlayerID(2), from: 2, at: 0)
            #expect(reader.ask(gone) { _, _ in answered.withLock { $0.append(number) } })
        }
        let last = PlayerQuestion(.history, of: PlayerID(3), from: 3, at: 0)
        let isTaken = reader.ask(last) { _, _ in isDone.signal() }
        goesOn.signal()
        try #require(isTaken)
        isDone.wait()
        #expect(answered.withLock { $0 } == [])
        withExtendedLifetime((first, last)) {}
        reader.stop()
        log.close()
    }
}
