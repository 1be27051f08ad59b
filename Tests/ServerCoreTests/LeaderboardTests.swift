import TableEngine
import TestKit
import Testing

@testable import ServerCore

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
                PlayerID(number), name: "p\(number)", isBot: number % 3 == 0, net: random.below(50) - 25, isFirstSeat: true)
        }
        for isBot in [true, false] {
            let ranking = leaderboard.ranking.filter { $0.isBot == isBot }
            for (player, result) in leaderboard.results where result.isBot == isBot {
                let standings = leaderboard.standings(of: player)
                #expect((isBot ? standings.bots : standings.people) == Array(ranking.prefix(20)), "BJ_SEED=\(Seed.value)")
                #expect(leaderboard.final(player) == standings)
                #expect(standings.own == result && standings.place == ranking.firstIndex(of: result).map { $0 + 1 })
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
        #expect(byes.contains { $0.hasPrefix("1 ") && $0.contains("The server is stopping. Your result: \(ann.text).") }, "\(byes)")
        #expect(byes.contains { $0.hasPrefix("4 ") && !$0.contains("evening") }, "\(byes)")
        let first = #""standings":{"people":[{"name":"\#(server.shard.leaderboard.ranking[0].name)""#
        #expect(byes.allSatisfy { $0.contains(first) }, "\(byes)")
    }

    @Test func theLeaderboard_isBounded_andHasNoDeletedAccount() {
        var leaderboard = Leaderboard()
        for number in 1...Leaderboard.capacity + 10 {
            leaderboard.note(PlayerID(number), name: "p\(number)", isBot: false, net: number, isFirstSeat: true)
        }
        #expect(leaderboard.results.count == Leaderboard.capacity)
        leaderboard.note(PlayerID(1), name: "p1", isBot: false, net: -5, isFirstSeat: true)
        #expect(leaderboard.results[PlayerID(1)]?.text == "2 rounds, −4 chips, biggest win 1")
        leaderboard.forget(PlayerID(1))
        #expect(leaderboard.results[PlayerID(1)] == nil)
    }
}
