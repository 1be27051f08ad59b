import Rules
import Testing

@testable import TableEngine

@Test
func aTable_playsWholeRounds_withBasicStrategy() throws {
    for name in HouseRules.presetNames {
        let rules = try HouseRules(preset: name)
        let chart = StrategyChart(basicFor: rules)
        var table = Table(rules: rules, pace: Pace(settledMilliseconds: 0))
        var facts = FactList()
        var replay = table
        var seeds = SeededStream(seed: 1)
        let now = Moment(milliseconds: 0)
        for seat in 1...7 {
            try table.perform(
                .sit(player: PlayerID(UInt32(seat)), profile: PlayerProfile(name: "p\(seat)"), seat: seat, chips: 1_000_000),
                at: now, into: &facts)
        }
        for _ in 0..<300 {
            if table.needsShoeSource { try table.perform(.supplyShoe(.seeded(seeds.next64())), at: now, into: &facts) }
            for seat in 1...7 {
                try table.perform(.bet(player: PlayerID(UInt32(seat)), seat: nil, amount: 10), at: now, into: &facts)
            }
            while table.phase != .waiting {
                if let decision = table.decision {
                    let action = chart.action(
                        value: decision.value, pair: decision.pair, upCard: decision.upCard, legal: decision.legal)
                    try table.perform(
                        .act(player: decision.player, action: action, seat: nil, hand: nil, amount: nil), at: now, into: &facts)
                } else {
                    for seat in 1...7 where table.question(seat: seat) != nil {
                        try table.perform(
                            .act(player: PlayerID(UInt32(seat)), action: .decline, seat: seat, hand: nil, amount: nil), at: now,
                            into: &facts)
                    }
                }
            }
            let bankrolls = table.playerViews.reduce(0) { $0 + $1.bankroll }
            #expect(bankrolls + table.chipsAtStake + table.houseNet == table.broughtIn - table.takenOut)
        }
        for fact in facts.facts { replay.apply(fact) }
        #expect(replay == table)
        print(name, Double(-table.houseNet) / Double(300 * 7 * 10))
    }
}
