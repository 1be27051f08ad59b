import Rules
import TableModel
import TestKit
import Testing

@testable import Referee

@Test(arguments: 0..<Thorough.count(5, most: 24))
func anHonestTable_isNeverAccused(_ run: Int) {
    let seed = Seed.value &+ UInt64(run)
    var game = RandomGame(seed: seed)
    var referee = TableReferee()
    var before: TableSnapshot?
    for step in 0..<250 {
        let snapshot = game.step()
        let findings = referee.judge(TableFacts(snapshot))
        #expect(findings == [], "seed \(seed), step \(step): \(game.rules)\n\(String(describing: before))\n\(snapshot)")
        if !findings.isEmpty { return }
        before = snapshot
    }
}

/// A way to cheat: what is changed in which revision, and the law that forbids it. nil where the revision gives no occasion.
private struct Cheat: CustomTestStringConvertible, Sendable {
    var name: String
    var law: Violation.Law
    var change: @Sendable (_ entry: TableEntry, _ old: TableFacts, _ new: TableFacts) -> TableEntry?
    var testDescription: String { name }

    init(
        _ name: String, _ law: Violation.Law,
        change: @escaping @Sendable (_ entry: TableEntry, _ old: TableFacts, _ new: TableFacts) -> TableEntry?
    ) {
        (self.name, self.law, self.change) = (name, law, change)
    }

    static let all: [Cheat] = [
        Cheat("a winner is paid a chip too little", .payout) { entry, old, _ in
            guard case .result(let hand, let result) = entry, !old.shows(resultOf: hand) else { return entry }
            return .result(hand, HandResult(outcome: result.outcome, net: result.net - 1))
        },
        Cheat("a push is called a loss", .payout) { entry, old, _ in
            guard case .result(let hand, let result) = entry, result.outcome == .push, !old.shows(resultOf: hand) else {
                return entry
            }
            return .result(hand, HandResult(outcome: .lose, net: result.net))
        },
        Cheat("a surrender that nobody was offered", .legality) { entry, old, new in
            guard case .result(let hand, let result) = entry, result.outcome == .lose, !old.shows(resultOf: hand),
                let bet = new.seats[hand.seat].hands.first(where: { $0.id == hand })?.bet
            else { return entry }
            return .result(hand, HandResult(outcome: .surrender, net: HouseRules.surrenderReturn(of: bet) - bet))
        },
        Cheat("a total is called wrong", .payout) { entry, _, _ in
            if case .total(let hand, .hard(let points)) = entry, points > 4 { .total(hand, .hard(points - 1)) } else { entry }
        },
        Cheat("the dealer's total is called wrong", .payout) { entry, _, _ in
            if case .dealerTotal(.hard(let points)) = entry { .dealerTotal(.hard(points + 1)) } else { entry }
        },
        Cheat("an action is offered that is not legal", .legality) { entry, _, _ in
            guard case .choice(let seat, var choice) = entry, !choice.allows(.surrender) else { return entry }
            choice.options.append(.init(action: .surrender, cost: 0))
            return .choice(seat, choice)
        },
        Cheat("a double costs twice as much", .legality) { entry, _, _ in
            guard case .choice(let seat, var choice) = entry,
                let index = choice.options.firstIndex(where: { $0.action == .double })
            else { return entry }
            choice.options[index].cost *= 2
            return .choice(seat, choice)
        },
        Cheat("an insurance loses a chip more", .payout) { entry, _, _ in
            if case .insuranceResult(let seat, let net) = entry { .insuranceResult(seat, net - 1) } else { entry }
        },
        Cheat("a chip vanishes", .chips) { entry, old, new in
            // Nobody knows how many chips a newcomer brings, nor what a round has brought that ended unseen.
            guard case .player(let seat, var player) = entry, player.chips > 0,
                !TableReferee.hasEnded(old, new) || !new.dealer.isEmpty && !new.hasOpenBet(seat),
                old.seats[seat].player?.name == player.name
            else { return entry }
            player.chips -= 1
            return .player(seat, player)
        },
        Cheat("a bet grows", .chips) { entry, old, new in
            guard case .bet(let hand, let chips) = entry, old.phase == .betting, new.phase == .betting else { return entry }
            return .bet(hand, chips + 5)
        },
        Cheat("a card changes its face", .cards) { entry, old, new in
            guard case .card(let id, .dealer, let card?) = entry, old.dealerIDs.first == id, old.shoe == new.shoe else {
                return entry
            }
            return .card(id, .dealer, Card(code: (card.code + 1) % 52))
        },
        Cheat("the hole card is shown while hands are played", .cards) { entry, _, _ in
            if case .card(let id, .dealer, nil) = entry { .card(id, .dealer, Card(code: 7)) } else { entry }
        },
        Cheat("a card leaves the shoe unseen", .cards) { entry, _, facts in
            if case .cardsLeft(let count) = entry, facts.isInRound, count > 0 { .cardsLeft(count - 1) } else { entry }
        },
        Cheat("a card that was shown does not count as seen", .cards) { entry, old, new in
            guard case .seen = entry, let seen = old.seen, old.shoe == new.shoe, old.round == new.round, !new.dealer.isEmpty,
                new.cardsLeft <= old.cardsLeft
            else { return entry }
            return .seen(seen)
        },
        Cheat("a round is left out", .order) { entry, _, _ in
            if case .round(let round) = entry { .round(round + 3) } else { entry }
        },
        Cheat("nobody is asked", .order) { entry, _, facts in
            if case .choice = entry, facts.phase == .playing { nil } else { entry }
        },
    ]
}

/// What a referee knew, what it saw then, and what it had seen before.
private struct Observation: Sendable {
    var referee: TableReferee
    var snapshot: TableSnapshot
    var old: TableFacts
    var new: TableFacts
}

/// Games by the usual rules, told once.
private let games: [[Observation]] = (0..<Thorough.count(12, most: 24, quick: 12)).map { run in
    guard let rules = try? HouseRules().with([("decks", .integer(4)), ("assist", .flag(true))]) else { return [] }
    var game = RandomGame(seed: Seed.value &* 1000 &+ UInt64(run), rules: rules)
    var referee = TableReferee()
    return (0..<Thorough.count(320, most: 480, quick: 320)).compactMap { _ in
        let (snapshot, before) = (game.step(), referee)
        let facts = TableFacts(snapshot)
        guard referee.judge(facts).isEmpty else { return nil }
        return before.last.map { Observation(referee: before, snapshot: snapshot, old: $0, new: facts) }
    }
}

@Test(arguments: Cheat.all)
private func aTableThatCheats_isFoundOut(_ cheat: Cheat) throws {
    var (occasions, found) = (0, 0)
    for (run, game) in games.enumerated() {
        // Some moments in the midst of the game, of several rounds.
        var next = 20 + run * 2
        for (index, moment) in game.enumerated() where index >= next {
            let doctored = moment.snapshot.changing { cheat.change($0, moment.old, moment.new) }
            guard doctored != moment.snapshot else { continue }
            var referee = moment.referee
            occasions += 1
            if referee.judge(TableFacts(doctored)).contains(where: { $0.law == cheat.law }) { found += 1 }
            next = index + 20
        }
    }
    // Some changes are hidden by what the player did at the same time, such as leaving.
    #expect(occasions >= 8 && found * 10 >= occasions * 9, "\(found) of \(occasions) found, seed \(Seed.value)")
}

extension TableFacts {
    fileprivate func shows(resultOf hand: HandIdentifier) -> Bool {
        seats[hand.seat].hands.contains { $0.id == hand && $0.result != nil }
    }
}
