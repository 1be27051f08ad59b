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
            let at = games[0].random.below(2)
            for _ in 0...games[at].random.below(run % 4 == 3 ? 12 : 2) {
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

/// A table at which random players do random things.
private struct RandomGame {
    var random: SeededStream
    var table: Table
    private var now = Moment(milliseconds: 0)

    init(seed: UInt64) {
        random = SeededStream(seed: seed)
        var fields: [(String, RuleValue)] = []
        let choices: [(String, [RuleValue])] = [
            ("decks", [.integer(1), .integer(2)]), ("holeCard", [.text("none"), .text("original")]),
            ("surrender", [.text("late"), .text("early")]), ("seatsPerPlayer", [.integer(3)]),
            ("seats", [.integer(1), .integer(4)]),
            ("resplitAces", [.flag(true)]), ("continuousShuffle", [.flag(true)]), ("penetration", [.number(0.3)]),
        ]
        for (key, values) in choices where random.below(3) == 0 { fields.append((key, values[random.below(values.count)])) }
        let rules = (try? HouseRules(fields)) ?? HouseRules()
        table = Table(rules: rules, pace: Pace(settledMilliseconds: random.below(2) * 2000, sitOutMilliseconds: 40_000))
    }

    /// Performs a random command.
    mutating func step() -> [Fact] {
        var facts = FactList()
        if random.below(5) == 0 { now = now.adding(milliseconds: random.below(9000)) }
        if table.needsShoeSource { try? table.perform(.supplyShoe(.seeded(random.next64())), at: now, into: &facts) }
        try? table.perform(command(), at: now, into: &facts)
        return facts.facts
    }

    private mutating func command() -> Command {
        let player = PlayerID(UInt32(random.below(4)))
        switch random.below(40) {
        case 0...2:
            let name = random.below(2) == 0 ? "p" : "a name that is longer than sixteen bytes"
            return .sit(player: player, profile: PlayerProfile(name: name), seat: nil, chips: 10_000)
        case 3: return random.below(4) == 0 ? .leave(player: player) : .tick
        case 4: return random.below(4) == 0 ? .release(player: player) : .disconnected(player: player)
        case 5, 6: return .reconnected(player: player)
        case 7: return random.below(9) == 0 ? .void : .sitOut(player: player)
        case 8: return .sitOut(player: player, isOut: false)
        case 9...18: return .bet(player: player, seat: nil, amount: random.below(4) * 10)
        default:
            let asked = (1...table.rules.seats).filter { !table.legalActions(seat: $0).isEmpty }
            guard !asked.isEmpty, let player = table.player(seat: asked[random.below(asked.count)]) else { return .tick }
            let legal = asked.flatMap { table.legalActions(seat: $0) }.map(\.action)
            let action = legal.contains(.split) ? .split : legal[random.below(legal.count)]
            return .act(player: player, action: action, seat: nil, hand: nil, amount: nil)
        }
    }
}
