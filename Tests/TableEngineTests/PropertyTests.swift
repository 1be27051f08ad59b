import Foundation
import Rules
import TestKit
import Testing

@testable import TableEngine

/// Random commands, legal and illegal, in random houses.
@Suite
struct PropertyTests {
    private struct Players {
        var random: SeededStream

        mutating func pick<T>(_ items: [T]) -> T { items[random.below(items.count)] }

        /// Any value of any rule, kept where the rules as a whole are playable.
        mutating func house() -> HouseRules {
            var rules = HouseRules()
            let choices: [(String, [RuleValue])] = [
                ("decks", [.integer(1), .integer(2), .integer(6)]), ("soft17", [.text("hit")]),
                ("blackjackPays", [.text("6:5"), .text("2:1"), .text("1:1"), .text("7:5")]),
                ("holeCard", [.text("none"), .text("original")]), ("double", [.text("9-11"), .text("none"), .text("11")]),
                ("doubleAfterSplit", [.flag(false)]), ("doubleForLess", [.flag(true)]), ("maxHands", [.integer(2), .integer(1)]),
                ("resplitAces", [.flag(true)]), ("hitSplitAces", [.flag(true)]), ("splitBy", [.text("rank")]),
                ("surrender", [.text("late"), .text("early"), .text("early-not-ace")]), ("insurance", [.flag(false)]),
                ("evenMoney", [.flag(false)]), ("seats", [.integer(1), .integer(3)]), ("seatsPerPlayer", [.integer(3)]),
                ("penetration", [.number(0.95), .number(0.3)]), ("burn", [.integer(0), .integer(10)]),
                ("continuousShuffle", [.flag(true)]), ("charlie", [.integer(5)]), ("midShoeEntry", [.flag(false)]),
                ("betStep", [.integer(1)]),
            ]
            for (key, values) in choices where random.below(3) == 0 {
                if let changed = try? rules.with([(key, pick(values))]) { rules = changed }
            }
            return rules
        }

        mutating func command(_ table: Table) -> Command {
            let player = PlayerID(UInt32(random.below(4)))
            let seat = random.below(3) == 0 ? random.below(9) : nil
            switch random.below(50) {
            case 0...2:
                return .sit(
                    player: player, profile: PlayerProfile(name: "p", isBot: true), seat: seat,
                    chips: pick([0, 10, 15, 60, 1000]))
            case 3: return random.below(2) == 0 ? .leave(player: player) : .tick
            case 4: return pick([.disconnected(player: player), .release(player: player), .tick])
            case 5, 6: return .reconnected(player: player)
            case 7: return .sitOut(player: player)
            case 8, 9: return .sitIn(player: player)
            case 10...12: return .supplyShoe(.seeded(random.next64()))
            case 13:
                return random.below(60) == 0
                    ? .close() : pick([.void, .postpone(by: random.below(9000)), .tick, .tick, .tick, .tick])
            case 14...19, 40...49:
                return .bet(player: player, seat: seat, amount: pick([10, 10, 10, 15, 100, 0, 5, -5, 500, 505, 13]))
            case 20...35: return legal(table) ?? .tick
            default:
                return .act(
                    player: player, action: pick(Action.allCases), seat: seat, hand: pick([nil, 0, 1]), amount: pick([nil, 5, 0]))
            }
        }

        /// A legal action of a seat that is asked.
        mutating func legal(_ table: Table) -> Command? {
            let asked = (1...table.rules.seats).filter { !table.legalActions(seat: $0).isEmpty }
            guard !asked.isEmpty else { return nil }
            let seat = pick(asked)
            guard let player = table.seatView(seat).player else { return nil }
            let action = pick(table.legalActions(seat: seat))
            let amount = random.below(2) == 0 || action.cost == 0...0 ? nil : action.cost.lowerBound
            return .act(player: player, action: action.action, seat: seat, hand: nil, amount: amount)
        }
    }

    @Test
    func whateverIsAsked_chipsAreConserved_refusalsChangeNothing_andFactsRebuildTheTable() throws {
        var players = Players(random: SeededStream(seed: Seed.value))
        var (rounds, refusals) = (0, 0)
        let runs = Thorough.count(25, most: 80)
        for run in 0..<runs {
            let house = players.house()
            let pace = Pace(
                settledMilliseconds: players.random.below(2) * 3000, graceMilliseconds: players.pick([0, 2000]),
                sitOutMilliseconds: players.pick([20_000, 600_000]))
            var table = Table(rules: house, pace: pace)
            var replay = table
            var now = Moment(milliseconds: 0)
            for step in 0..<600 {
                let command = players.command(table)
                var place: String { "seed \(Seed.value), run \(run), step \(step), \(command)" }
                if players.random.below(4) == 0 { now = now.adding(milliseconds: players.random.below(8000)) }
                var facts = FactList()
                let before = table
                let legal = !command.isMove || isListed(command, in: table, at: now)
                do {
                    try table.perform(command, at: now, into: &facts)
                    #expect(throws: Never.self, "\(place)") { try before.validate(command, at: now) }
                    #expect(legal, "accepted, but not listed as legal: \(place)")
                } catch {
                    refusals += 1
                    #expect(throws: error, "\(place)") { try before.validate(command, at: now) }
                    var ticked = before
                    var due = FactList()
                    ticked.advance(to: now, into: &due)
                    #expect(ticked == table && due == facts, "\(place)")
                }
                for fact in facts.facts {
                    replay.apply(fact)
                    expectConservation(replay, place)
                }
                #expect(replay == table, "\(place)")
                expectSense(table, place)
            }
            rounds += table.round
        }
        #expect(
            rounds > 6 * runs && refusals > 125 * runs,
            "the runs reach what they are about: \(rounds) rounds, \(refusals) refusals")
    }

    private func isListed(_ command: Command, in table: Table, at now: Moment) -> Bool {
        guard case .act(let player, let action, let seat, _, _, _) = command else { return true }
        var later = table
        var sink = NoFacts()
        later.advance(to: now, into: &sink)
        let seats = seat.map { [$0] } ?? later.playerView(player)?.seats ?? []
        return seats.contains { seat in
            (1...table.rules.seats).contains(seat) && later.legalActions(seat: seat).contains { $0.action == action }
        }
    }

    private func expectConservation(_ table: Table, _ place: @autoclosure () -> String) {
        let bankrolls = table.playerViews.reduce(0) { $0 + $1.bankroll }
        let right = bankrolls + table.chipsAtStake + table.houseNet == table.broughtIn - table.takenOut
        if !right { Issue.record("chips are not conserved: \(place())") }
    }

    /// Invariants of every table between two commands.
    private func expectSense(_ table: Table, _ place: @autoclosure () -> String) {
        if table.playerViews.contains(where: { $0.bankroll < 0 }) { Issue.record("a negative bankroll: \(place())") }
        if table.dealerCards.count == 2, table.state.core.dealer.holeIsHidden, table.dealerCards[1].card != nil {
            Issue.record("the hole card shows: \(place())")
        }
        switch table.phase {
        case .dealing, .dealer: Issue.record("an unfinished phase: \(place())")
        case .playing(let seat, _, _): if table.legalActions(seat: seat).isEmpty { Issue.record("no action: \(place())") }
        case .insurance, .earlySurrender:
            if !table.seatViews.contains(where: \.isAsked) { Issue.record("nobody is asked: \(place())") }
        default: break
        }
        let cards = table.seatViews.flatMap { $0.hands.flatMap { $0.cards.map(\.id) } } + table.dealerCards.map(\.id)
        if Set(cards).count != cards.count { Issue.record("two cards with one id: \(place())") }
    }
}

extension Command {
    var isMove: Bool { if case .act = self { true } else { false } }
}
