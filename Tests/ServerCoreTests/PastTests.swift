import Dispatch
import Journal
import Synchronization
import TableEngine
import TestKit
import Testing
import Wire

@testable import ServerCore

extension VirtualServer {
    /// Plays rounds to their ends; everybody with a seat bets and stands.
    fileprivate func play(_ rounds: Int, _ connections: ConnectionID...) {
        for _ in 0..<rounds {
            for connection in connections { receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: connection) }
            for _ in 0..<20 {
                for connection in connections { receive(#"{"type":"act","action":"stand","turn":"now"}"#, from: connection) }
                for connection in connections { receive(#"{"type":"act","action":"decline","turn":"now"}"#, from: connection) }
                advance(100)
            }
        }
        _ = take()
    }

    fileprivate func history(_ connection: ConnectionID) throws -> HandHistory {
        advance(10_000)
        _ = take()
        let lines = answers(to: #"{"type":"history","id":1}"#, connection)
        #expect(lines.first == #"{"type":"ok","id":1,"to":"history"}"#)
        let line = try #require(lines.dropFirst().first)
        let message = try Array(line.utf8).withUnsafeBufferPointer { line throws(ProtocolError) in try ServerMessage(line: line) }
        guard case .history(let history) = message else { throw ProtocolError.lineTooLong(limit: 0) }
        return history
    }
}

/// A player's own past, asked for at the server.
struct PastTests {
    private let server = VirtualServer.plain { $0.requests = .unreached }

    @Test func theLastRounds_areShownNewestFirst_toTheirPlayerAlone() throws {
        server.seat("ann", 1)
        server.play(3, 1)
        server.seat("bob", 2)
        server.play(2, 1, 2)
        let (ann, bob) = (try server.history(1), try server.history(2))
        #expect(ann.rounds.map(\.round) == [5, 4, 3, 2, 1] && !ann.isCut)
        #expect(bob.rounds.map(\.round) == [5, 4])
        #expect(ann.rounds.allSatisfy { $0.seats.map(\.seat) == [1] } && bob.rounds.allSatisfy { $0.seats.map(\.seat) == [2] })
        #expect(ann.rounds.allSatisfy { $0.table == "main" && $0.dealer.count >= 2 && !$0.seats[0].hands[0].cards.isEmpty })
        server.receive(#"{"type":"history"}"#, from: 1)
        #expect(server.take().allSatisfy { if case .line(1, _) = $0 { true } else { false } }, "nobody else gets a line")
    }

    @Test func moreThanTwentyRounds_areCut() throws {
        server.seat("ann", 1)
        server.play(24, 1)
        let history = try server.history(1)
        #expect(history.rounds.count == WireLimits.historyRounds && history.isCut)
        #expect(history.rounds.first?.round == 24 && history.rounds.last?.round == 5)
    }

    @Test func aHandInPlay_isNotShown() throws {
        server.seat("ann", 1)
        let table = try #require(server.shard.hostedTables.first { _ in true })
        var tries = 0
        // A blackjack ends a round at once.
        repeat {
            server.play(1, 1)
            server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 1)
            tries += 1
        } while table.engine.handsInPlay == 0 && tries < 20
        let round = table.engine.round
        #expect(try server.history(1).rounds.map(\.round) == (1..<round).reversed())
    }

    @Test func guestsAndServersWithoutAJournal_haveNone() {
        server.connect(1, asGuest: "gus")
        _ = server.take()
        #expect(server.answers(to: #"{"type":"history"}"#, 1).first?.contains("account_needed") == true)
        server.seat("ann", 2)
        server.keepsHistory = false
        #expect(server.answers(to: #"{"type":"history"}"#, 2).first?.contains("not_found") == true)
    }

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

    @Test func aHistorySurvivesACrash() throws {
        server.seat("ann", 1)
        server.play(2, 1)
        let before = try server.history(1)
        let next = try VirtualServer(after: server, outage: 5000)
        next.connect(1, as: "ann")
        #expect(try next.history(1).rounds == before.rounds)
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
