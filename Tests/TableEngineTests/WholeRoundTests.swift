import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine

/// The short ways that the engine takes when it plays whole rounds, each against the long way that it stands for.
struct WholeRoundTests {
    private static let houses: [[(String, RuleValue)]] = [
        [],
        [("soft17", .text("hit")), ("surrender", .text("late")), ("splitBy", .text("rank"))],
        [("holeCard", .text("original")), ("resplitAces", .flag(true)), ("doubleForLess", .flag(true))],
        [("holeCard", .text("none")), ("hitSplitAces", .flag(true)), ("surrender", .text("late"))],
        [("surrender", .text("early")), ("charlie", .integer(5)), ("decks", .integer(1)), ("penetration", .number(0.95))],
        [("surrender", .text("early-not-ace")), ("double", .text("9-11")), ("maxHands", .integer(2))],
        [("maxHands", .integer(1)), ("continuousShuffle", .flag(true)), ("midShoeEntry", .flag(false))],
    ]

    private func table(_ rules: HouseRules, seats: Int, chips: Int) throws -> Table {
        var table = Table(rules: rules, pace: Pace(settledMilliseconds: 0))
        var sink = NoFacts()
        for seat in 1...seats {
            let sit = Command.sit(
                player: PlayerID(UInt32(seat)), profile: PlayerProfile(name: "p\(seat)"), seat: seat, chips: chips)
            try table.perform(sit, at: Timestamp(milliseconds: 0), into: &sink)
        }
        return table
    }

    /// Bets and answers one command at a time, as a server would be asked to.
    private func playByCommands(
        _ table: inout Table, bet: Int, by player: inout UniformPlay, _ facts: inout FactList
    ) throws(Rejection) {
        let now = Timestamp(milliseconds: 0)
        for view in table.playerViews {
            for seat in view.seats {
                try table.perform(.bet(player: view.id, seat: seat, amount: bet), at: now, into: &facts)
            }
        }
        while true {
            if let decision = table.decision {
                let action = player.decide(decision)
                try table.perform(
                    .act(player: decision.player, action: action, seat: nil, hand: nil, amount: nil), at: now, into: &facts)
            } else if let seat = (1...table.rules.seats).first(where: { table.question(seat: $0) != nil }),
                let question = table.question(seat: seat)
            {
                let action = player.decide(question)
                try table.perform(
                    .act(player: question.player, action: action, seat: seat, hand: nil, amount: nil), at: now, into: &facts)
            } else {
                return
            }
        }
    }

    @Test(arguments: houses.indices, [1, 3, 7])
    func aRoundInOneGo_isTheRoundOfItsCommands_factForFact(house: Int, seats: Int) throws {
        let rules = try HouseRules(Self.houses[house])
        var seeds = SeededStream(seed: Seed.value)
        // Too few chips for some doubles and splits; the game ends when a player cannot bet.
        var byCommands = try table(rules, seats: seats, chips: 200)
        var (inOneGo, replayed) = (byCommands, byCommands)
        var first = UniformPlay(seed: Seed.value)
        var second = first
        for round in 1...40 where byCommands.playerViews.allSatisfy({ $0.bankroll >= 10 }) {
            let place: Comment = "seed \(Seed.value), round \(round)"
            var (slow, fast) = (FactList(), FactList())
            if inOneGo.needsShoeSource {
                let supply = Command.supplyShoe(.seeded(seeds.next64()))
                try byCommands.perform(supply, at: Timestamp(milliseconds: 0), into: &slow)
                try inOneGo.perform(supply, at: Timestamp(milliseconds: 0), into: &fast)
            }
            let expected = Table.refusal { () throws(Rejection) in try playByCommands(&byCommands, bet: 10, by: &first, &slow) }
            let found = Table.refusal { () throws(Rejection) in
                try inOneGo.playRound(bet: 10, by: &second, at: Timestamp(milliseconds: 0), into: &fast)
            }
            #expect(expected == found, place)
            #expect(slow == fast, place)
            #expect(byCommands == inOneGo, place)
            for fact in fast.facts { replayed.apply(fact) }
            #expect(replayed == inOneGo, place)
        }
        #expect(inOneGo.round > 3)
    }
}

/// Uniform among the legal actions.
private struct UniformPlay: Strategy {
    private var random: SeededStream

    init(seed: UInt64) { random = SeededStream(seed: seed) }

    mutating func decide(_ decision: Decision) -> Action {
        let actions = decision.legal.actions
        return actions[random.below(actions.count)]
    }
}
