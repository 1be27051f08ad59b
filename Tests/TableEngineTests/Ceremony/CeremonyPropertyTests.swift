import TestKit
import Testing

@testable import TableEngine

/// Random play in random houses, with players that contribute, withhold, get up and come back.
struct CeremonyPropertyTests {
    @Test(arguments: 0..<Thorough.count(16, most: 64))
    func whateverHappens_nothingWaitsForEver_andASavedTableGoesOn(_ run: Int) throws {
        var players = RandomPlayers(seed: Seed.value &+ UInt64(run) &* 7919)
        var game = CeremonyGame(players.house(), pace: players.pace(), seed: players.random.next64())
        for step in 0..<700 {
            var place: Comment { "seed \(Seed.value), run \(run), step \(step)" }
            if players.random.below(4) == 0 { game.now = game.now.adding(milliseconds: players.random.below(1500)) }
            let number = players.random.below(4)
            switch players.random.below(10) {
            case 0, 1: try? game.commit(number)
            case 2: try? game.reveal(number)
            case 3: try? game.sit(number, contributes: players.random.below(4) > 0)
            default: _ = try? game.perform(players.command(game.table))
            }
            // The host's timer: a player who could ask for nothing has not told the table the time.
            try game.perform(.tick)
            let table = game.table
            if case .betting = table.phase, table.deadline == nil { Issue.record("betting waits for ever: \(place)") }
            if let until = table.nextShoe?.until {
                #expect(until > game.now.milliseconds && until <= game.now.milliseconds + 11_000, place)
            } else if case .revealing? = game.next, table.phase != .closed {
                Issue.record("a reveal is awaited for ever: \(place)")
            }
            if step % 16 == 0, table.phase != .dealing { #expect(try Table(table.saved) == table, place) }
        }
    }

    /// A withholder who commits and never reveals: as long as the shoe lasts, every complete betting is dealt at once.
    @Test(arguments: [1, 2, 7])
    func aWithholder_delaysNoRound_whileThereIsAShoe(_ seats: Int) throws {
        var game = CeremonyGame()
        for number in 1...seats { try game.sit(number) }
        for number in 1...seats { try game.commit(number) }
        try game.wait(1000)
        for _ in 0..<4 where game.table.round == 0 {
            for number in 1...seats { try? game.commit(number) }
            try game.wait(1000)
        }
        guard case .mixed = game.next else { return #expect(Bool(false), "four attempts of a second each") }
        for round in 1...30 {
            for number in 1...seats { try? game.commit(number) }
            for number in 1...seats { try game.bet(number) }
            #expect(game.table.round == round, "dealt when everybody has bet")
            try game.finishRound()
            try game.wait(2500)
        }
    }
}
