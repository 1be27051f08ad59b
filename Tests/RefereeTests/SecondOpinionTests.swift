import LoadGenerator
import Payouts
import Rules
import TableModel
import TestKit
import Testing

@testable import Referee

// The referee works out totals, results and options by itself; here they are compared with those of `Rules`.

/// `#require` without its bookkeeping, for hundreds of thousands of comparisons.
private func agree(_ isEqual: Bool, _ what: @autoclosure () -> String) throws {
    guard !isEqual else { return }
    Issue.record("\(what()), seed \(Seed.value)")
    throw CancellationError()
}

private func cards(_ ranks: [Rank]) -> [Card] { ranks.map { Card($0, .spades) } }

/// Every hand of up to so many cards, without regard to their order.
private func hands(upTo count: Int, from rank: UInt8 = 0) -> [[Rank]] {
    guard count > 0 else { return [[]] }
    return [[]]
        + (rank..<13).flatMap { code in
            let first = Rank(rawValue: code) ?? .ace
            return hands(upTo: count - 1, from: code).map { [first] + $0 }
        }
}

@Test func theTotalOfEveryHand_isTheOneOfTheRules() throws {
    let hitting = try HouseRules().with([("soft17", .text("hit"))])
    for ranks in hands(upTo: Thorough.count(5, most: 7)) {
        let (counted, value) = (HandTotal(cards(ranks)), HandValue(cards(ranks)))
        try agree(
            counted.points == value.total && counted.isSoft == value.isSoft && counted.isBust == value.isBust
                && counted.isTwoCard21 == value.isTwoCard21, "\(ranks)")
        for rules in [HouseRules(), hitting] {
            try agree(counted.dealerDraws(by: rules) == rules.dealerDraws(to: value), "\(ranks)")
        }
    }
}

/// A hand that has ended, as the referee and as the rules call it.
private struct End {
    var state: Payout.Hand.State
    var end: HandEnd
    var total: Int

    static let all: [End] =
        (4...21).map { End(state: .live($0), end: .stood, total: $0) } + [
            End(state: .blackjack, end: .blackjack, total: 21), End(state: .bust, end: .bust, total: 25),
            End(state: .surrendered, end: .surrendered, total: 16), End(state: .evenMoney, end: .evenMoney, total: 21),
            End(state: .charlie, end: .charlie, total: 18),
        ]
}

/// Every way to pay, to take a hole card and to surrender; what contradicts itself is left out.
private let houses: [HouseRules] = HouseRules.BlackjackPays.allCases.flatMap { pays in
    HouseRules.HoleCard.allCases.flatMap { hole in
        HouseRules.Surrender.allCases.compactMap { surrender in
            try? HouseRules().with([
                ("blackjackPays", .text(pays.rawValue)), ("holeCard", .text(hole.rawValue)),
                ("surrender", .text(surrender.rawValue)),
            ])
        }
    }
}

@Test func everyResult_isTheOneOfTheRules() throws {
    // 17 to 21, blackjack, bust.
    let dealers: [[Rank]] = [
        [.ten, .seven], [.ten, .eight], [.ten, .nine], [.ten, .king], [.seven, .seven, .seven], [.ace, .ten], [.ten, .six, .ten],
    ]
    try #require(houses.count == 60)
    for rules in houses {
        for (end, bet) in End.all.flatMap({ end in [1, 2, 5, 25].map { (end, $0) } }) {
            // All of it bet before the deal, part of it, nothing of it.
            for original in [bet, bet / 2, 0] {
                let hand = Payout.Hand(end.state, bet: bet, original: original)
                let finished = FinishedHand(end: end.end, total: end.total, stake: bet, original: original)
                for ranks in dealers {
                    let dealt = cards(ranks)
                    let wanted = rules.settle(finished, against: HandValue(dealt))
                    let payout = Payout(hand, against: Payout.Dealer(HandTotal(dealt)), by: rules)
                    try agree(
                        payout == Payout(wanted.outcome, net: wanted.paid - bet), "\(end) \(bet) \(original) \(ranks) \(rules)")
                }
                for up in Rank.allCases {
                    for hasExtra in original < bet ? [true] : [false, true] {
                        let early = Payout(hand, beforeDealerWith: up, seatHasExtraBets: hasExtra, by: rules)
                        let wanted =
                            rules.canSettleEarly(finished, upCard: up, seatHasExtraBets: hasExtra)
                            ? rules.settle(finished, against: HandValue()) : nil
                        try agree(
                            early == wanted.map { Payout($0.outcome, net: $0.paid - bet) },
                            "\(end) \(original) of \(bet), \(up), \(rules)")
                    }
                }
            }
        }
    }
}

/// Rules in which everything that decides about options is left to chance.
private func randomRules(_ random: inout SeededRandom) -> HouseRules {
    func text<Value: CaseIterable & RawRepresentable<String>>(_: Value.Type) -> RuleValue {
        .text(Array(Value.allCases).randomElement(using: &random)?.rawValue ?? "")
    }
    while true {
        var changes: [(String, RuleValue)] = [
            ("double", text(HouseRules.Doubling.self)), ("splitBy", text(HouseRules.SplitBy.self)),
            ("surrender", text(HouseRules.Surrender.self)), ("holeCard", text(HouseRules.HoleCard.self)),
            ("maxHands", .integer(Int.random(in: 1...4, using: &random))),
        ]
        for key in ["doubleAfterSplit", "doubleForLess", "resplitAces", "hitSplitAces", "insurance", "evenMoney"] {
            changes.append((key, .flag(Bool.random(using: &random))))
        }
        if let rules = try? HouseRules().with(changes) { return rules }
    }
}

private func options(_ legal: ActionSet, cost: (Action) -> Int) -> [Choice.Option] {
    legal.actions.map { Choice.Option(action: $0, cost: cost($0)) }
}

@Test(arguments: 0..<Thorough.count(12, most: 400))
func everyOption_isTheOneOfTheRules(_ run: Int) throws {
    var random = SeededRandom(seed: Seed.value, stream: UInt64(run))
    let rules = randomRules(&random)
    let hands = hands(upTo: 3).filter { $0.count > 1 }
    for ranks in hands + hands.filter({ $0.count == 2 }).map({ $0.reversed() }) {
        let (value, bet) = (HandValue(cards(ranks)), [2, 5, 10].randomElement(using: &random) ?? 2)
        for chips in [0, 1, bet - 1, bet, 4 * bet] {
            let amounts = rules.insuranceAmounts(bet: bet, bankroll: chips)
            var asked: ActionSet = amounts.isEmpty ? .decline : [.decline, .insurance]
            if rules.evenMoney, value.isTwoCard21 { asked.insert(.evenMoney) }
            try agree(
                TableReferee.insuranceOptions(HandTotal(cards(ranks)), bet: bet, chips: chips, rules)
                    == options(asked) { $0 == .insurance ? bet / 2 : 0 }, "\(ranks), \(bet), \(chips), \(rules)")
            for (count, up) in [(1, Rank.ace), (1, .king), (1, .six), (2, .seven), (3, .ace), (4, .ten)] {
                let isPair = ranks.count == 2 && rules.splitBy.isPair(ranks[0], ranks[1])
                let situation = HandSituation(
                    value: value, isPair: isPair, origin: count == 1 ? .dealt : ranks[0].isAce ? .splitAces : .split,
                    handsAtSeat: count, upCard: up, bet: bet, bankroll: chips)
                let wanted = options(rules.legalActions(for: situation)) {
                    $0 == .double ? rules.doubleAmounts(for: situation).upperBound - 1 : $0 == .split ? bet : 0
                }
                let offer = Offer(cards: cards(ranks), hands: count, upCard: up, bet: bet, chips: chips)
                try agree(offer.options(by: rules) == wanted, "\(ranks), \(situation), \(rules)")
            }
        }
    }
}
