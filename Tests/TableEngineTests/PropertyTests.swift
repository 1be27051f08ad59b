import Foundation
import TestKit
import Testing

@testable import TableEngine

/// Random commands, legal and illegal, in random houses.
struct PropertyTests {
    @Test func whateverIsAsked_chipsAreConserved_refusalsChangeNothing_andFactsRebuildTheTable() throws {
        var players = RandomPlayers()
        var (rounds, refusals) = (0, 0)
        let runs = Thorough.count(25, most: 80)
        // Further runs where the first ones play few rounds.
        for run in 0..<4 * runs where run < runs || rounds <= 6 * runs {
            let house = players.house()
            let pace = players.pace()
            var table = Table(rules: house, pace: pace)
            var now = Timestamp(milliseconds: 0)
            for step in 0..<600 {
                let command = players.command(table)
                var place: String { "seed \(Seed.value), run \(run), step \(step), \(command)" }
                if players.random.below(4) == 0 { now = now.adding(milliseconds: players.random.below(8000)) }
                var facts = FactList()
                if table.performByTheLaws(command, at: now, into: &facts, place) != nil { refusals += 1 }
                expectSense(table, place)
            }
            rounds += table.round
        }
        #expect(
            rounds > 6 * runs && refusals > 125 * runs,
            "the runs reach what they are about: \(rounds) rounds, \(refusals) refusals")
    }

    /// Invariants of every table between two commands.
    private func expectSense(_ table: Table, _ place: @autoclosure () -> String) {
        if table.playerViews.contains(where: { $0.bankroll < 0 }) { Issue.record("a negative bankroll: \(place())") }
        if table.dealerCardCount == 2, table.state.core.dealer.holeIsHidden, table.dealerCard(1).card != nil {
            Issue.record("the hole card shows: \(place())")
        }
        switch table.phase {
        case .dealing, .dealer: Issue.record("an unfinished phase: \(place())")
        case .playing(let seat, _, _): if table.legalActions(seat: seat).isEmpty { Issue.record("no action: \(place())") }
        case .insurance, .earlySurrender:
            if (1...table.rules.seats).allSatisfy({ table.question(seat: $0) == nil }) {
                Issue.record("nobody is asked: \(place())")
            }
        default: break
        }
        let hands = (1...table.rules.seats).flatMap { seat in (0..<table.handCount(seat: seat)).flatMap { table.ids(seat, $0) } }
        let cards = hands + (0..<table.dealerCardCount).map { table.dealerCard($0).id }
        if Set(cards).count != cards.count { Issue.record("two cards with one id: \(place())") }
    }
}
