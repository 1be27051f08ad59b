import Rules
import TableEngine
import TableModel
import TestKit

@testable import LoadGenerator

/// A table at which random players do random legal things, told as the snapshots that a viewer would get.
struct RandomGame {
    var random: SeededRandom
    let rules: HouseRules
    private(set) var table: Table
    private var now: Int64 = 0
    private var arrivals = 0
    private var players: RandomPlayers

    init(seed: UInt64, rules: HouseRules? = nil) {
        random = SeededRandom(seed: seed)
        var players = RandomPlayers(seed: seed)
        self.rules = rules ?? players.house()
        self.players = players
        table = Table(rules: self.rules, pace: Pace(settledMilliseconds: random.below(2) * 500))
    }

    /// The table after one more command that changed something, as it can be seen.
    mutating func step() -> TableSnapshot {
        let before = TableSnapshot(table)
        for _ in 0..<200 {
            now += Int64(random.below(40) == 0 ? 30_000 : random.below(50))
            var sink = FactList()
            try? table.perform(command(), at: Timestamp(milliseconds: now), into: &sink)
            if table.needsShoeSource {
                try? table.perform(.supplyShoe(.seeded(random.next())), at: Timestamp(milliseconds: now), into: &sink)
            }
            let after = TableSnapshot(table)
            if after != before { return after }
        }
        return before
    }

    private mutating func command() -> Command {
        if table.needsShoeSource { return .supplyShoe(.seeded(random.next())) }
        if random.below(8) > 0, let command = players.legal(table), case .act(let player, _, _, _, _, _) = command,
            table.playerView(player)?.isConnected == true
        {
            return command
        }
        let someone = table.playerViews.randomElement(using: &random)?.id ?? PlayerID(0)
        // Nobody asks for anything without a connection.
        if table.playerView(someone)?.isConnected == false {
            return random.below(4) == 0
                ? .reconnected(player: someone) : random.below(40) == 0 ? .release(player: someone) : .tick
        }
        switch random.below(40) {
        case 0...2:
            arrivals += 1
            let id = random.below(2) == 0 ? someone : PlayerID(UInt32(arrivals))
            // At one's own seat the house gives chips to those alone who have none left.
            let chips = table.playerView(id) == nil || table.isBroke(id) ? [10, 25, 100, 1000][random.below(4)] : 0
            return .sit(player: id, profile: PlayerProfile(name: "p\(id.rawValue)", isBot: true), seat: nil, chips: chips)
        case 3: return .leave(player: someone)
        case 4, 5: return .disconnected(player: someone)
        case 8: return .sitOut(player: someone)
        case 9, 10: return .sitOut(player: someone, isOut: false)
        case 11, 12: return .tick
        default:
            let seat = (1...table.rules.seats).filter { table.player(seat: $0) == someone }.randomElement(using: &random)
            return .bet(player: someone, seat: seat, amount: [10, 10, 20, 50, 0][random.below(5)])
        }
    }
}

extension TableSnapshot {
    /// The same table with some entries changed.
    func changing(_ change: (TableEntry) -> TableEntry?) -> TableSnapshot { TableSnapshot(entries.compactMap(change)) }
}
