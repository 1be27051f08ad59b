import TableEngine
import Testing

@Test func everyRefusal_hasACodeOfItsOwn_andASentence() {
    let hand = HandID(seat: 2, hand: 1)
    let all: [Rejection] = [
        .notSeated, .noSuchSeat(seat: 9, seats: 7), .seatTaken(seat: 1), .tableFull(seats: 7), .tooManySeats(limit: 1),
        .seatNotYours(seat: 2), .chipsOutOfRange(chips: -1, allowed: 0...5), .alreadyLeaving, .noSeatNamed,
        .alreadyDisconnected, .notDisconnected, .tableClosing, .tableClosed, .bettingClosed, .sittingOut,
        .betNegative(amount: -1), .betBelowMinimum(amount: 1, minimum: 5), .betAboveMaximum(amount: 9, maximum: 5),
        .betNotInSteps(amount: 7, step: 5), .insufficientChips(needed: 9, available: 1), .waitForShuffle,
        .notYourTurn(acting: hand), .wrongHand(named: hand, acting: hand), .notAsked(seat: 1),
        .alreadyAnswered(seat: 1), .notAllowed(.split, legal: [.hit, .stand]), .amountNotAllowed(amount: 3, allowed: 5...5),
        .amountNotExpected(.hit), .shoeAlreadySupplied,
    ]
    #expect(Set(all.map(\.code)).count == all.count)
    for rejection in all {
        #expect(rejection.message.hasSuffix(".") && !rejection.message.contains("\n"))
        #expect(rejection.code.allSatisfy { $0.isLowercase || $0 == "_" })
    }
    #expect(Rejection.notAllowed(.split, legal: [.hit, .stand]).message == "split is not possible now; possible: hit, stand.")
}
