import Dispatch
import Journal
import Records
import Rules
import Sockets
import Synchronization
import TableEngine
import TableModel
import TestKit
import Testing
import Wire

@testable import ServerCore

@Test func whatIsMeasuredIsWhatThereIs() {
    let server = VirtualServer.small(tables: ["low", "high"])
    for (connection, name) in [(1, "ann"), (2, "bob")] as [(ConnectionID, String)] {
        server.connect(connection)
        server.receive(#"{"type":"login","name":"\#(name)","bot":\#(name == "bob")}"#, from: connection)
        server.receive(#"{"type":"sit","table":"low"}"#, from: connection)
    }
    server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 1)
    server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 2)
    server.cut(2)
    let seen = server.shard.metrics
    server.shard.measure()
    // Free, of players, of bots, of the absent.
    #expect(seen.seats.values == [12, 1, 1, 0], "a connection that was lost a moment ago is not away yet")
    server.advance(2000)
    server.shard.measure()
    #expect(seen.players.values == [1, 1] && seen.imbalance.value == 0 && seen.chipsInPlay.value == server.shard.ledger.tables)
    #expect(seen.tables.values.reduce(0, +) == 2 && seen.seats.values == [12, 1, 0, 1])
    server.advance(120_000)
    let text = server.shard.metrics.text
    #expect(server.shard.metrics.rounds.value >= 1 && server.shard.metrics.timeouts.value >= 1 && server.actions == 2)
    #expect(server.shard.metrics.hands.values.reduce(0, +) >= 2)
    #expect(text.contains("bj_connections 1\n"))
}

@Test func aSlowViewersCatchingUpIsMeasured() {
    let server = VirtualServer.small()
    server.connect(1, asGuest: "ann")
    server.connect(2, asGuest: "bob")
    server.receive(#"{"type":"watch"}"#, from: 2)
    server.congested = [2]
    // The line at which it turns out to be slow still goes to it: nothing is late before the next one.
    server.receive(#"{"type":"sit"}"#, from: 1)
    server.advance(1000)
    server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 1)
    server.advance(300)
    server.drain(2)
    #expect(server.shard.metrics.collapses.value == 1)
}

@Test func theListOfPlayersSentAway_isBounded() {
    var list = SentAway()
    for number in 1...1000 { list.insert(PlayerID(number), until: Int64(number) + SentAway.milliseconds) }
    let kept = (1...1000).filter { list.wait(of: PlayerID($0), at: 1000) != nil }
    #expect(kept == Array(1000 - SentAway.capacity + 1...1000))
    #expect(list.wait(of: PlayerID(1000), at: 1000 + SentAway.milliseconds) == nil)
}

/// A player's own past, asked for at the server.
struct PastTests {
    private let server = VirtualServer.plain { $0.requests = .unreached }

    @Test func aFullQueue_refuses() {
        for number in ConnectionID(1)...7 { server.seat("p\(number)", number) }
        server.questions = (0..<HistoryReader.capacity).map { _ in
            PlayerQuestion(.history(), of: PlayerID(1), from: 99, at: 0)
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
        let first = PlayerQuestion(.history(), of: PlayerID(1), from: 1, at: 0)
        let asked = reader.ask(first) { _, _ in
            isReading.signal()
            goesOn.wait()
        }
        #expect(asked)
        isReading.wait()
        for number in 0..<HistoryReader.capacity {
            let gone = PlayerQuestion(.history(), of: PlayerID(2), from: 2, at: 0)
            #expect(reader.ask(gone) { _, _ in answered.withLock { $0.append(number) } })
        }
        let last = PlayerQuestion(.history(), of: PlayerID(3), from: 3, at: 0)
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

/// The results of all players since the start of a server.
struct LeaderboardTests {
    /// Three players, one of them at two seats, who play rounds by a seed.
    private func played(rounds: Int) -> VirtualServer {
        var generator = SeededGenerator()
        let server = VirtualServer.small(requests: .unreached, ceremonies: false)
        for (connection, name) in zip(ConnectionID(1)..., ["ann", "bob", "cid"]) {
            server.seat(name, connection)
        }
        server.receive(#"{"type":"sit","seat":7}"#, from: 2)
        for _ in 0..<rounds {
            for (connection, seat) in [(1, 1), (2, 2), (2, 7), (3, 3)] as [(ConnectionID, Int)] {
                let bet = Int.random(in: 2...5, using: &generator) * 5
                server.receive(#"{"type":"bet","amount":\#(bet),"seat":\#(seat),"round":"now"}"#, from: connection)
            }
            for _ in 0..<40 {
                let action =
                    ["hit", "stand", "double", "split", "insurance", "decline"].randomElement(using: &generator) ?? "stand"
                let connection = ConnectionID.random(in: 1...3, using: &generator)
                server.receive(#"{"type":"act","action":"\#(action)","turn":"now"}"#, from: connection)
            }
            server.advance(60_000)
        }
        return server
    }

    @Test func whatIsCounted_isWhatTheChipsSay() throws {
        let server = played(rounds: 20)
        let leaderboard = server.shard.leaderboard
        #expect(leaderboard.results.count == 3 && leaderboard.results.values.allSatisfy { (1...20).contains($0.rounds) })
        let state = try replayed(server.records)
        for (player, result) in leaderboard.results {
            let account = try #require(state.accounts[player])
            let table = state.tables["main"]?.table
            let chips = account.chips + (table?.bankroll(of: player) ?? 0)
            #expect(result.net == chips - account.issued, "BJ_SEED=\(Seed.value) \(result)")
            #expect(result.biggestWin >= 0)
        }
        #expect(leaderboard.ranking.map(\.net) == leaderboard.ranking.map(\.net).sorted(by: >))
    }

    @Test func standings_areTheFirstOfTheRanking_andOnesOwnPlace() {
        var (leaderboard, random) = (Leaderboard(), SeededGenerator())
        for number in 1...100 {
            leaderboard.note(
                PlayerID(number), name: "p\(number)", isBot: number % 3 == 0, net: random.below(50) - 25, best: 0)
        }
        for isBot in [true, false] {
            let ranking = leaderboard.ranking.filter { $0.isBot == isBot }
            for (player, result) in leaderboard.results where result.isBot == isBot {
                let standings = leaderboard.standings(of: player)
                #expect((isBot ? standings.bots : standings.people) == Array(ranking.prefix(20)), "BJ_SEED=\(Seed.value)")
                #expect(leaderboard.final(player) == standings)
                #expect(standings.own == result && standings.place == 1 + ranking.count { $0.net > result.net })
            }
        }
        #expect(leaderboard.standings(of: nil).own == nil)
    }

    @Test func aDrain_tellsEveryPlayerTheirResult() throws {
        let server = played(rounds: 3)
        server.connect(4, as: "dee")
        _ = server.take()
        let ann = try #require(server.shard.leaderboard.ranking.first { $0.name == "ann" })
        server.shard.drain(at: server.now)
        server.advance(60_000)
        server.shard.disconnectAll(code: .shuttingDown, message: "The server is stopping.")
        let byes = server.take().compactMap { output -> String? in
            guard case .line(let connection, let text) = output, text.contains(#""type":"bye""#) else { return nil }
            return "\(connection) \(text)"
        }
        #expect(
            byes.contains { $0.hasPrefix("1 ") && $0.contains("The server is stopping. Your result: \(ann.text).") }, "\(byes)")
        #expect(byes.contains { $0.hasPrefix("4 ") && !$0.contains("evening") }, "\(byes)")
        let first = #""standings":{"people":[{"name":"\#(server.shard.leaderboard.ranking[0].name)""#
        #expect(byes.allSatisfy { $0.contains(first) }, "\(byes)")
    }

    @Test func theLeaderboard_isBounded_andHasNoDeletedAccount() {
        var leaderboard = Leaderboard()
        for number in 1...Leaderboard.capacity + 10 {
            leaderboard.note(PlayerID(number), name: "p\(number)", isBot: false, net: number, best: number)
        }
        #expect(leaderboard.results.count == Leaderboard.capacity)
        leaderboard.note(PlayerID(1), name: "p1", isBot: false, net: -5, best: -5)
        #expect(leaderboard.results[PlayerID(1)]?.text == "2 rounds, −4 chips, biggest win 1")
        leaderboard.forget(PlayerID(1))
        #expect(leaderboard.results[PlayerID(1)] == nil)
    }

    @Test func aRename_countsAtOnce_alsoForResultsThatComeFromTheJournalLater() {
        var (leaderboard, earlier) = (Leaderboard(), Leaderboard())
        for (number, name) in zip(1..., ["ann", "bob", "cid"]) {
            earlier.note(PlayerID(number), name: name, isBot: false, net: number, best: number)
        }
        leaderboard.note(PlayerID(1), name: "ann", isBot: false, net: 5, best: 5)
        for number in 1...2 { leaderboard.rename(PlayerID(number), to: "new \(number)") }
        leaderboard.forget(PlayerID(3))
        leaderboard.add(earlier)
        #expect(leaderboard.ranking.map(\.name) == ["new 1", "new 2"] && leaderboard.ranking.map(\.net) == [6, 2])
    }
}
