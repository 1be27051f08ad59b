import Fairness
import Rules
import TableEngine
import TableModel
import TestKit
import Testing

@testable import ServerCore

struct DrillTests {
    private static let rules: [[(String, RuleValue)]] = [
        [], [("decks", .integer(1)), ("burn", .integer(3)), ("holeCard", .text("none"))],
    ]

    /// The real table deals what was chosen, to the first seat, whoever else plays; each deal comes up.
    @Test(arguments: [1, 3], 0...1) func aDrill_dealsItsHands(_ hands: Int, _ house: Int) throws {
        var generator = SeededGenerator()
        let rules = try HouseRules().with(Self.rules[house] + [("continuousShuffle", .flag(true))])
        let wanted: [(StrategyChart.Row, up: Int?)] = [(.pair(8), 10), (.soft(18), nil), (.hard(16), nil), (.pair(1), nil)]
        let drill = Drill(try wanted.map { try #require(Drill.Deal($0.0, upCard: $0.up)) }, rules: rules, hands: hands)
        var dealt: Set<StrategyChart.Row> = []
        for _ in 0..<24 {
            let key = try #require(ShoeKey((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }))
            var table = Table(rules: rules, pace: Pace())
            let now = Timestamp(milliseconds: 1000)
            var facts = FactList()
            try table.perform(.supplyShoe(.keyed(drill.key(from: key))), at: now, into: &facts)
            for seat in 1...hands {
                let (player, profile) = (PlayerID(UInt32(seat)), PlayerProfile(name: "p\(seat)"))
                try table.perform(.sit(player: player, profile: profile, seat: seat, chips: 1000), at: now, into: &facts)
            }
            for seat in 1...hands {
                try table.perform(.bet(player: PlayerID(UInt32(seat)), seat: nil, amount: 10), at: now, into: &facts)
            }
            let snapshot = TableSnapshot(table)
            let cards = snapshot.cards(in: .hand(HandIdentifier(seat: 1, number: 1))).compactMap(\.self)
            let up = try #require(snapshot.upCard?.rank.points)
            let isPair = cards[0].rank.points == cards[1].rank.points
            let row = isPair ? StrategyChart.Row.pair(cards[0].rank.points) : StrategyChart.row(of: HandValue(cards))
            #expect(wanted.contains { $0.0 == row && $0.up ?? up == up }, "\(cards) against \(up)")
            #expect(snapshot.choice(1) != nil, "there is something to decide")
            dealt.insert(row)
        }
        #expect(dealt.count == 4)
    }

    @Test func aHandThatTwoCardsDoNotMake_isNoDeal() {
        #expect([.hard(20), .hard(21), .soft(21)].allSatisfy { Drill.Deal($0) == nil } && Drill.Deal(.hard(19)) != nil)
    }
}
