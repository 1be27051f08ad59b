import Odds
import Rules
import TableEngine
import TableModel

/// Measures the server's cost per action between two lines, and the engine's per round.
enum TableMeasurements {
    static func run(_ bench: Bench) {
        for seats in [1, 7] { engine(bench, seats) }
        odds(bench)
        guard let (old, new, facts) = tables() else { return }
        projection(bench, old, new, facts)
        let (before, after) = (TableSnapshot(old), TableSnapshot(new))
        let difference = before.difference(to: after)
        bench.measure("server: snapshot's difference, a card dealt", calls: 5_000) { consume(before.difference(to: after)) }
        bench.measure("client: difference applied, a card dealt", calls: 5_000) { consume(try? before.applying(difference)) }
    }

    /// The same difference from a new snapshot and from rows updated in place. The rows alternate between both tables.
    private static func projection(_ bench: Bench, _ old: Table, _ new: Table, _ facts: [Fact]) {
        let before = TableSnapshot(old)
        bench.measure("server: snapshot made and compared, a card dealt", calls: 1_000) {
            consume(before.difference(to: TableSnapshot(new)))
        }
        var (display, change) = (TableDisplay(old), RowChange())
        bench.measure("server: rows updated in place, a card dealt", calls: 5_000, per: 2) {
            for table in [new, old] {
                display.note(facts, at: table)
                consume(display.follow(table, &change))
            }
        }
    }

    /// A table of seven in the middle of a round, before and after a hit, and the facts of the hit.
    private static func tables() -> (Table, Table, [Fact])? {
        var table = Table(rules: HouseRules(), pace: Pace(settledMilliseconds: 1000))
        var (facts, hit) = (NoFacts(), FactList())
        table.seat(1...7, chips: 1000, into: &facts)
        table.take(.supplyShoe(.seeded(3)), into: &facts)
        for seat in 1...7 { table.take(.bet(player: PlayerID(seat), seat: nil, amount: 10), into: &facts) }
        guard case .playing(let seat, _, _) = table.phase else { return nil }
        let before = table
        table.take(.act(player: PlayerID(seat), action: .hit, seat: nil, hand: nil, amount: nil), into: &hit)
        return (before, table, hit.facts)
    }

    /// Six decks. The limits are a second for the chart and both edges.
    private static func odds(_ bench: Bench) {
        let (rules, chart) = (HouseRules(), StrategyChart(derivedFor: HouseRules()))
        bench.measure("odds: the best chart", runs: 3, calls: 1, limit: 300e6) { consume(StrategyChart(derivedFor: rules)) }
        bench.measure("odds: the edge of a chart", runs: 3, calls: 1, limit: 200e6) { consume(Edge(of: chart, under: rules)) }
        bench.measure("odds: the edge of best play by cards", runs: 3, calls: 1, limit: 500e6) {
            consume(Edge(ofBestPlayUnder: rules))
        }
    }

    /// Rounds by basic strategy through the server's table. In steady state a round allocates nothing, shuffles included.
    private static func engine(_ bench: Bench, _ seats: Int) {
        guard let rules = try? HouseRules(preset: "vegas-strip") else { return }
        var chart = StrategyChart(derivedFor: rules)
        var table = Table(rules: rules, pace: Pace(settledMilliseconds: 0))
        var tally = RoundTally()
        var seeds = SeededStream(seed: 1)
        let now = Timestamp(milliseconds: 0)
        table.seat(1...seats, chips: 1_000_000_000_000, into: &tally)
        let rounds = 100_000
        let name = "engine: a round of \(seats == 1 ? "one seat" : "\(seats) seats") by basic strategy"
        // The limit is four million hands per second.
        bench.measure(name, runs: 9, calls: 1, per: rounds, limit: 250 * Double(seats)) {
            for _ in 0..<rounds {
                if table.needsShoeSource { table.take(.supplyShoe(.seeded(seeds.next64())), into: &tally) }
                try? table.playRound(bet: 10, by: &chart, at: now, into: &tally)
            }
        }
        consume(tally)
    }
}

extension Table {
    /// Takes a command that the table does not refuse.
    mutating func take(_ command: Command, at time: Int64 = 0, into sink: inout some FactSink) {
        do {
            try perform(command, at: Timestamp(milliseconds: time), into: &sink)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Seats players, named after their numbers, in the first seats.
    mutating func seat(_ numbers: ClosedRange<Int>, chips: Int, at time: Int64 = 0, into sink: inout some FactSink) {
        for number in numbers {
            let profile = PlayerProfile(name: "player\(number)")
            take(.sit(player: PlayerID(number), profile: profile, seat: nil, chips: chips), at: time, into: &sink)
        }
    }
}
