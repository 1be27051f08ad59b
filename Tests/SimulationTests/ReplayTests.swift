import Foundation
import Rules
import TestKit
import Testing

@testable import RoundSimulation
@testable import TableEngine

/// A round's log is complete: a table that is dealt its cards and asked for its decisions writes the same line again.
struct ReplayTests {
    private struct Log: Decodable {
        struct Seat: Decodable {
            struct Hand: Decodable { var net: Int }
            var bet: Int
            var insurance: Int
            var evenMoney: Bool
            var actions: String
            var net: Int
            var hands: [Hand]
        }
        var cards: [String]
        var seats: [Seat]
    }

    /// Answers each question as the log says; a letter that is missing, or is not legal, is recorded.
    private struct Script: Strategy {
        var seats: [Log.Seat]

        mutating func decide(_ decision: Decision) -> Action {
            let seat = decision.hand.seat - 1
            if decision.legal.contains(.decline) {
                return seats[seat].evenMoney ? .evenMoney : seats[seat].insurance > 0 ? .insurance : .decline
            }
            let letters: [Character: ActionSet] = ["H": .hit, "S": .stand, "D": .double, "P": .split, "R": .surrender]
            let wanted = seats[seat].actions.isEmpty ? nil : letters[seats[seat].actions.removeFirst()]
            if let wanted, decision.legal.contains(wanted) { return wanted.actions[0] }
            Issue.record("\(wanted?.actions ?? []) is not among \(decision.legal.actions)")
            return decision.legal.actions[0]
        }
    }

    @Test(arguments: [1, 4, 7])
    func aTable_playsTheRoundOfALog_again(seats: Int) throws {
        let rules = try HouseRules([
            ("surrender", .text("late")), ("decks", .integer(2)), ("resplitAces", .flag(true)), ("soft17", .text("hit")),
        ])
        let simulator = try Simulator(
            rules: rules, chart: StrategyChart(publishedFor: rules), rounds: 1500, seed: 11, seats: seats, bet: 25)
        var lines: [String] = []
        let result = simulator.runAtRandom(log: { lines.append($0) })
        var net = 0
        for line in lines {
            let log = try JSONDecoder().decode(Log.self, from: Data(line.utf8))
            #expect(log.seats.count == seats && log.seats.allSatisfy { $0.bet == 25 })
            let copy = try replayed(log, by: rules)
            #expect(copy == line)
            for seat in log.seats {
                let insurance = seat.net - seat.hands.reduce(0) { $0 + $1.net }
                #expect(insurance == 2 * seat.insurance || insurance == -seat.insurance, "\(line)")
                net += seat.net
            }
        }
        #expect(lines.count == 1500 && Int128(net) == result.net)
        #expect(lines.contains { $0.contains("P") } && lines.contains { $0.contains("R") })
    }

    private func replayed(_ log: Log, by rules: HouseRules) throws -> String {
        var table = SimulatedTable(rules: rules, seats: log.seats.count, seed: 1, block: 0, bet: 25, rounds: 1).table
        table.own()
        table.state.core.shoe.shuffle(.seeded(1), number: 1)
        for index in log.seats.indices { table.state.seats[index].shoe = 1 }
        for (index, card) in log.cards.enumerated() {
            table.state.core.shoe.order[table.state.core.shoe.drawn + index] = try #require(Card(card))
        }
        var (script, copy) = (Script(seats: log.seats), RoundLog())
        try table.playRound(bet: 25, by: &script, at: Timestamp(milliseconds: 0), into: &copy)
        #expect(script.seats.allSatisfy { $0.actions.isEmpty }, "every decision was asked for")
        return copy.takeLine()
    }
}
