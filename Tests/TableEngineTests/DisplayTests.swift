import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine

/// The live projection, compared with fresh snapshots.
struct DisplayTests {
    /// Random play with several commands between updates, so that whole rounds pass unseen. Two tables share one `RowChange`.
    @Test(arguments: 0..<Thorough.count(8, most: 40))
    func whateverHappens_theDisplayShowsWhatASnapshotShows_andItsDifferenceIsTheGeneralOne(_ run: Int) throws {
        var games = (0...1).map { RandomGame(seed: Seed.value &+ UInt64(2 * run + $0) &* 7919) }
        var displays = games.map { TableDisplay($0.table) }
        var change = RowChange()
        var before = games.map { TableSnapshot($0.table) }
        // Further until both tables were played at.
        for step in 0..<20_000 where step < 1000 || games.contains(where: { $0.table.round <= 10 }) {
            let at = games[0].players.random.below(2)
            for _ in 0...games[at].players.random.below(run % 4 == 3 ? 12 : 2) {
                displays[at].note(games[at].step(), at: games[at].table)
            }
            let isChanged = displays[at].follow(games[at].table, &change)
            let after = TableSnapshot(games[at].table)
            var place: String { "seed \(Seed.value), run \(run), step \(step)" }
            try #require(displays[at].rows.snapshot == after, "\(place)")
            try #require(isChanged == (before[at] != after), "\(place)")
            guard isChanged else { continue }
            try #require(change.difference == before[at].difference(to: after), "\(place)")
            try #require(try before[at].applying(change.difference) == after, "\(place)")
            before[at] = after
        }
        for game in games { #expect(game.table.round > 10, "the table was played at, seed \(Seed.value), run \(run)") }
    }
}

extension DisplayTests {
    @Test func withoutAPause_theFirstBetTakesTheWholeLastRoundOff_andNothingOfItComesBack() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TS TH 7D 9S 9C TD", bets: [1: 10, 2: 10])
        for seat in 1...2 { try game.act(.stand, seat: seat) }
        var (display, change, known) = (TableDisplay(game.table), RowChange(), game.facts.count)
        #expect(TableSnapshot(game.table).phase == .waiting && TableSnapshot(game.table).hands(ofSeat: 2).count == 1)
        try game.bet([1: 20])
        display.note(Array(game.facts[known...]), at: game.table)
        #expect(display.follow(game.table, &change) && change.difference.clears)
        var shown = display.rows.snapshot
        #expect(shown.hands(ofSeat: 1).count == 1 && shown.hands(ofSeat: 2).isEmpty && shown.cards(in: .dealer).isEmpty)
        known = game.facts.count
        try game.bet([1: 0])
        display.note(Array(game.facts[known...]), at: game.table)
        #expect(display.follow(game.table, &change))
        shown = display.rows.snapshot
        #expect(shown.phase == .waiting && shown.hands(ofSeat: 1).isEmpty && shown.cards(in: .dealer).isEmpty)
    }
}

/// A table at which random players do random things, and which nobody closes.
private struct RandomGame {
    var players: RandomPlayers
    var table: Table
    private var now = Timestamp(milliseconds: 0)

    init(seed: UInt64) {
        players = RandomPlayers(seed: seed)
        table = Table(rules: players.house(), pace: players.pace())
    }

    /// Performs a random command.
    mutating func step() -> [Fact] {
        var facts = FactList()
        if players.random.below(5) == 0 { now = now.adding(milliseconds: players.random.below(9000)) }
        if table.needsShoeSource { try? table.perform(.supplyShoe(.seeded(players.random.next64())), at: now, into: &facts) }
        var command = players.command(table)
        if case .close = command { command = .tick }
        try? table.perform(command, at: now, into: &facts)
        return facts.facts
    }
}
