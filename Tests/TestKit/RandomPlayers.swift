import Rules
import TableEngine

/// Random commands, legal and illegal, in random houses.
public struct RandomPlayers {
    public var random: SeededStream

    public init(seed: UInt64 = Seed.value) { random = SeededStream(seed: seed) }

    public mutating func pick<T>(_ items: [T]) -> T { items[random.below(items.count)] }

    /// Any value of any rule, kept where the rules as a whole are playable.
    public mutating func house() -> HouseRules {
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
            ("betStep", [.integer(1)]), ("assist", [.flag(true)]),
        ]
        for (key, values) in choices where random.below(3) == 0 {
            if let changed = try? rules.with([(key, pick(values))]) { rules = changed }
        }
        return rules
    }

    public mutating func pace() -> Pace {
        Pace(
            settledMilliseconds: random.below(2) * 3000, graceMilliseconds: pick([0, 2000]),
            sitOutMilliseconds: pick([20_000, 600_000]), bankMilliseconds: pick([0, 30_000, 86_400_000]))
    }

    /// A command of players 0…3, legal or not.
    public mutating func command(_ table: Table) -> Command {
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
        case 8, 9: return .sitOut(player: player, isOut: false)
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
    public mutating func legal(_ table: Table) -> Command? {
        let asked = (1...table.rules.seats).filter { !table.legalActions(seat: $0).isEmpty }
        guard !asked.isEmpty else { return nil }
        let seat = pick(asked)
        guard let player = table.player(seat: seat) else { return nil }
        let action = pick(table.legalActions(seat: seat))
        let amount = random.below(2) == 0 || action.cost == 0...0 ? nil : action.cost.lowerBound
        return .act(player: player, action: action.action, seat: seat, hand: nil, amount: amount)
    }
}

extension Table {
    /// The legal actions of a seat, from 1, and the chips that may be added.
    public func legalActions(seat: Int) -> [(action: Action, cost: ClosedRange<Int>)] {
        var actions: [(action: Action, cost: ClosedRange<Int>)] = []
        forEachLegalAction(seat: seat) { actions.append(($0, $1)) }
        return actions
    }
}
