import Rules
import Snapshots
import TableModel
import Testing

private let hand = HandIdentifier(seat: 3, number: 1)
private let other = HandIdentifier(seat: 3, number: 2)

private let pair = TableSnapshot([
    .round(1), .phase(.playing), .dealerTotal(.hard(5)), .card(3, .dealer, nil), .bet(hand, 10),
    .choice(3, Choice(hand: 1, turn: 1, options: [])),
    .card(1, .hand(hand), Card(.eight, .hearts)), .card(2, .hand(hand), Card(.eight, .clubs)),
])

@Test func aRevealIsReconfigured_aSplitMoves_andTheRestComesAndGoes() throws {
    let split = TableSnapshot([
        .round(1), .phase(.playing), .dealerTotal(.soft(16)), .card(3, .dealer, Card(.ace, .spades)), .bet(hand, 10),
        .bet(other, 10),
        .card(1, .hand(hand), Card(.eight, .hearts)), .card(2, .hand(other), Card(.eight, .clubs)),
    ])
    let difference = pair.difference(to: split)
    #expect(difference.entries.map(\.item) == [.dealerTotal, .card(3), .bet(other), .card(2)])
    #expect(difference.removals == [.choice(3)] && !difference.clears)
    let steps = pair.steps(to: split, by: difference)
    #expect(steps.count == 1)
    let step = try #require(steps.first)
    #expect(step.reconfiguredItems == [.dealerTotal, .card(3)] && step.deletedItems == [.choice(3)])
    #expect(step.movedItems == [.init(item: .card(2), section: .hand(other), index: 1)])
    #expect(step.insertedItems == [.init(item: .bet(other), section: .hand(other), index: 0)])
    #expect(step.insertedSections.map(\.section) == [.hand(other)])
    #expect(try pair.structure.applying(step) == split.structure)
}

/// The numbers of cards begin anew: card 1 of the next round is another one.
@Test func aRoundsEndIsTwoSteps_alsoOfTwoRoundsThatFollowAtOnce() throws {
    let next = TableSnapshot([
        .round(2), .phase(.playing), .bet(other, 10), .card(1, .dealer, Card(.two, .clubs)), .card(2, .hand(other), nil),
    ])
    let difference = pair.difference(to: next)
    #expect(difference.clears && difference.removals.isEmpty)
    let steps = pair.steps(to: next, by: difference)
    #expect(steps.map(\.movedItems.isEmpty) == [true, true] && steps[0].insertedItems.isEmpty && steps[1].deletedItems.isEmpty)
    #expect(try steps.reduce(pair.structure) { try $0.applying($1) } == next.structure)
    #expect(try pair.applying(difference) == next)
    // The next round's own bet lies on when its cards are dealt, and without a pause the cards of the last one when it is over.
    func isCleared(_ phase: RoundPhase, to round: Int, _ later: RoundPhase) -> Bool {
        TableSnapshot([.round(1), .phase(phase), .bet(hand, 5)]).difference(
            to: TableSnapshot([.round(round), .phase(later), .bet(hand, 5)])
        )
        .clears
    }
    #expect(
        !isCleared(.betting, to: 2, .playing) && !isCleared(.settled, to: 1, .waiting) && !isCleared(.playing, to: 1, .settled))
    #expect(isCleared(.waiting, to: 1, .betting) && isCleared(.settled, to: 2, .playing) && isCleared(.betting, to: 3, .playing))
}

/// The Kelvin sign is an equivalent spelling of K, with another check value.
@Test func anotherSpellingOfAText_isADifference() {
    let texts: [(String) -> TableEntry] = [
        { .player(1, Player(name: $0, chips: 0)) }, { .closing(ClosingNotice(reason: $0)) },
        { .pause(TablePause(by: $0, until: 0)) },
        { .match(TableMatch(round: 1, rounds: 2, leads: [.init(name: $0, net: 0)])) },
        { .pause(TablePause(by: "ann", reason: $0, until: 0)) }, { .rules(TableRules(HouseRules(), digest: $0)) },
    ]
    for entry in texts {
        let one = TableSnapshot([entry("K")])
        #expect(one.difference(to: TableSnapshot([entry("\u{212A}")])).entries.count == 1)
        #expect(one.difference(to: TableSnapshot([entry("K")])).isEmpty)
    }
}

@Test func aDifferenceThatDoesNotFitIsRefused() {
    #expect(throws: UnknownItem.self) { try pair.applying(TableDifference(removals: [.card(4)])) }
    #expect(throws: UnknownItem.self) { try pair.applying(TableDifference(clears: true, removals: [.card(1)])) }
}

@Test func onlyMoreThanTwentyOneIsBust() {
    #expect(!Total.hard(21).isBust && Total.hard(22).isBust && !Total.soft(21).isBust && !Total.blackjack.isBust)
    #expect(Total.blackjack.points == 21)
}
