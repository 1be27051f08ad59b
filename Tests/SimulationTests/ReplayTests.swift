import Foundation
import Rules
import TestKit
import Testing

@testable import RoundSimulation

/// Random rounds, settled again from their log by a program that shares nothing with the table: cards as text, rules spelled out.
struct ReplayTests {
    private struct Log: Decodable {
        struct Seat: Decodable {
            struct Hand: Decodable { var net: Int }
            var seat: Int
            var bet: Int
            var insurance: Int
            var evenMoney: Bool
            var actions: String
            var net: Int
            var hands: [Hand]
        }
        var cards: [String]
        var seats: [Seat]
        var dealer: [String]
    }

    private func points(_ card: String) -> Int {
        switch card.first {
        case "A": 1
        case "T", "J", "Q", "K": 10
        case let digit?: digit.wholeNumberValue ?? 0
        case nil: 0
        }
    }

    private func total(_ cards: [String]) -> Int {
        let low = cards.reduce(0) { $0 + points($1) }
        return low <= 11 && cards.contains { $0.first == "A" } ? low + 10 : low
    }

    private func isBlackjack(_ cards: [String]) -> Bool { cards.count == 2 && total(cards) == 21 }

    private struct Hand {
        var cards: [String]
        var stake: Int
        var isDone = false
        var isDoubled = false
        var isSurrendered = false
    }

    @Test(arguments: [1, 4, 7])
    func everyRound_settlesTheSame_byAnotherProgram(seats: Int) throws {
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
            check(log, line)
            net += log.seats.reduce(0) { $0 + $1.net }
        }
        #expect(lines.count == 1500 && Int128(net) == result.net)
        #expect(lines.contains { $0.contains("P") } && lines.contains { $0.contains("R") })
    }

    private func check(_ log: Log, _ line: String) {
        let count = log.seats.count
        var rest = log.cards[...]
        func next() -> String { rest.removeFirst() }
        let firsts = (0..<count).map { _ in next() }
        let up = next()
        let seconds = (0..<count).map { _ in next() }
        let hole = next()
        #expect(log.dealer.prefix(2) == [up, hole])
        let dealerHasBlackjack = isBlackjack([up, hole])
        var played: [[Hand]] = []
        for (index, seat) in log.seats.enumerated() {
            var hands = [Hand(cards: [firsts[index], seconds[index]], stake: seat.bet)]
            if !dealerHasBlackjack, !isBlackjack(hands[0].cards) { play(seat.actions, &hands, seat.bet, &rest) }
            played.append(hands)
        }
        var dealer = [up, hole]
        let someoneStands = zip(played, log.seats).contains { hands, seat in
            !(hands.count == 1 && isBlackjack(hands[0].cards))
                && hands.contains { total($0.cards) <= 21 && !$0.isSurrendered }
        }
        if someoneStands, !dealerHasBlackjack {
            while total(dealer) < 17 || (total(dealer) == 17 && dealer.reduce(0) { $0 + points($1) } == 7) {
                dealer.append(rest.removeFirst())
            }
        }
        #expect(rest.isEmpty && dealer == log.dealer, "\(line)")
        for (hands, seat) in zip(played, log.seats) {
            let nets = hands.map { settle($0, isOnly: hands.count == 1, seat, dealer) }
            #expect(nets == seat.hands.map(\.net), "\(line)")
            let insurance = dealerHasBlackjack ? 2 * seat.insurance : -seat.insurance
            #expect(nets.reduce(insurance, +) == seat.net, "\(line)")
        }
    }

    /// Plays a seat's letters out; every letter is used, and nothing is left to decide.
    private func play(_ letters: String, _ hands: inout [Hand], _ bet: Int, _ rest: inout ArraySlice<String>) {
        var letters = letters[...]
        var index = 0
        while index < hands.count {
            if hands[index].cards.count == 1 { hands[index].cards.append(rest.removeFirst()) }
            let isSplitAce = hands.count > 1 && hands[index].cards[0].first == "A"
            let mayResplit = points(hands[index].cards[0]) == points(hands[index].cards[1]) && hands.count < 4
            if total(hands[index].cards) >= 21 || hands[index].isDone || (isSplitAce && !mayResplit) {
                index += 1
                continue
            }
            switch letters.popFirst() {
            case "H": hands[index].cards.append(rest.removeFirst())
            case "S": hands[index].isDone = true
            case "D":
                hands[index].stake += bet
                hands[index].cards.append(rest.removeFirst())
                hands[index].isDone = true
            case "P":
                let card = hands[index].cards.removeLast()
                hands.append(Hand(cards: [card], stake: bet))
            case "R":
                hands[index].isSurrendered = true
                hands[index].isDone = true
            default:
                Issue.record("a decision is missing")
                return
            }
        }
        #expect(letters.isEmpty)
    }

    private func settle(_ hand: Hand, isOnly: Bool, _ seat: Log.Seat, _ dealer: [String]) -> Int {
        if seat.evenMoney { return hand.stake }
        // Half of 25 comes back as 13.
        if hand.isSurrendered { return -(hand.stake / 2) }
        let natural = isOnly && isBlackjack(hand.cards)
        if isBlackjack(dealer) { return natural ? 0 : -hand.stake }
        if natural { return (3 * hand.stake + 1) / 2 }
        let (mine, theirs) = (total(hand.cards), total(dealer))
        if mine > 21 { return -hand.stake }
        return theirs > 21 || mine > theirs ? hand.stake : mine == theirs ? 0 : -hand.stake
    }
}
