import Rules
import TableEngine
import TableModel

@testable import LoadGenerator

/// A table at which random players do random legal things, told as the snapshots that a viewer would get.
struct RandomGame {
    var random: SeededRandom
    let rules: HouseRules
    private(set) var table: Table
    private var now: Int64 = 0
    private var players = 0

    init(seed: UInt64, rules: HouseRules? = nil) {
        random = SeededRandom(seed: seed)
        self.rules = rules ?? Self.house(&random)
        table = Table(rules: self.rules, pace: Pace(settledMilliseconds: random.below(2) * 500))
    }

    /// Any value of any rule, where the rules as a whole are playable.
    static func house(_ random: inout SeededRandom) -> HouseRules {
        var rules = HouseRules()
        let choices: [(String, [RuleValue])] = [
            ("decks", [.integer(1), .integer(2), .integer(8)]), ("soft17", [.text("hit")]),
            ("blackjackPays", [.text("6:5"), .text("2:1"), .text("7:5")]), ("holeCard", [.text("none"), .text("original")]),
            ("double", [.text("9-11"), .text("none")]), ("doubleAfterSplit", [.flag(false)]), ("doubleForLess", [.flag(true)]),
            ("maxHands", [.integer(2)]), ("resplitAces", [.flag(true)]), ("hitSplitAces", [.flag(true)]),
            ("splitBy", [.text("rank")]), ("surrender", [.text("late"), .text("early"), .text("early-not-ace")]),
            ("insurance", [.flag(false)]), ("evenMoney", [.flag(false)]), ("seats", [.integer(1), .integer(3)]),
            ("seatsPerPlayer", [.integer(3)]), ("penetration", [.number(0.95), .number(0.3)]),
            ("burn", [.integer(0), .integer(10)]),
            ("continuousShuffle", [.flag(true)]), ("charlie", [.integer(5)]), ("midShoeEntry", [.flag(false)]),
            ("betStep", [.integer(1)]),
        ]
        for (key, values) in choices where random.below(3) == 0 {
            if let changed = try? rules.with([(key, values[random.below(values.count)])]) { rules = changed }
        }
        return rules
    }

    /// The table after one more command that changed something, as it can be seen.
    mutating func step() -> TableSnapshot {
        let before = TableSnapshot(table)
        for _ in 0..<200 {
            now += Int64(random.below(40) == 0 ? 30_000 : random.below(50))
            var sink = FactList()
            try? table.perform(command(), at: Moment(milliseconds: now), into: &sink)
            if table.needsShoeSource {
                try? table.perform(.supplyShoe(.seeded(random.next())), at: Moment(milliseconds: now), into: &sink)
            }
            let after = TableSnapshot(table)
            if after != before { return after }
        }
        return before
    }

    private mutating func command() -> Command {
        if table.needsShoeSource { return .supplyShoe(.seeded(random.next())) }
        let asked = (1...rules.seats).filter { !table.legalActions(seat: $0).isEmpty }
        if let seat = asked.randomElement(using: &random), random.below(8) > 0, let player = table.seatView(seat).player,
            table.playerView(player)?.isConnected == true
        {
            let actions = table.legalActions(seat: seat)
            let action = actions[random.below(actions.count)]
            let isLess = random.below(2) == 0 && action.cost != 0...0
            return .act(
                player: player, action: action.action, seat: seat, hand: nil, amount: isLess ? action.cost.lowerBound : nil)
        }
        let someone = table.playerViews.randomElement(using: &random)?.id ?? PlayerID(0)
        // Nobody asks for anything without a connection.
        if table.playerView(someone)?.isConnected == false {
            return random.below(4) == 0
                ? .reconnected(player: someone) : random.below(40) == 0 ? .release(player: someone) : .tick
        }
        switch random.below(40) {
        case 0...2:
            players += 1
            let id = random.below(2) == 0 ? someone : PlayerID(UInt32(players))
            let chips = [10, 25, 100, 1000][random.below(4)]
            return .sit(player: id, profile: PlayerProfile(name: "p\(id.rawValue)", isBot: true), seat: nil, chips: chips)
        case 3: return .leave(player: someone)
        case 4, 5: return .disconnected(player: someone)
        case 8: return .sitOut(player: someone)
        case 9, 10: return .sitIn(player: someone)
        case 11, 12: return .tick
        default:
            let seat = table.seatViews.filter { $0.player == someone }.randomElement(using: &random)?.seat
            return .bet(player: someone, seat: seat, amount: [10, 10, 20, 50, 0][random.below(5)])
        }
    }
}

extension TableSnapshot {
    /// The same table with some entries changed.
    func changing(_ change: (TableEntry) -> TableEntry?) throws -> TableSnapshot {
        try TableSnapshot(structure.sectionIdentifiers.map { ($0, entries(in: $0).compactMap(change)) })
    }
}
