import TableEngine
import TableModel
import Testing

@Test func aRefusal_isASentence() {
    let hand = HandID(seat: 2, hand: 1)
    let all: [Rejection] = [
        .notSeated, .tooManySeats(limit: 1), .chipsOutOfRange(chips: -1, allowed: 0...5), .waitForShuffle,
        .betNotInSteps(amount: 7, step: 5), .insufficientChips(needed: 9, available: 1), .staleRound(3, current: 4),
        .notYourTurn(acting: hand), .wrongHand(named: hand, acting: hand), .amountNotAllowed(amount: 3, allowed: 5...5),
    ]
    for rejection in all { #expect(rejection.message.hasSuffix(".") && !rejection.message.contains("\n")) }
    let refused = Rejection.notAllowed(.split, legal: [.hit, .stand])
    #expect(refused.message == "split is not legal now; legal: hit, stand." && refused.legal == [.hit, .stand])
}
