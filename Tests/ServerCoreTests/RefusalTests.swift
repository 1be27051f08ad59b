import TableEngine
import Testing
import Wire

@testable import ServerCore

struct RefusalTests {
    static let rejections: [Rejection] = {
        let hand = HandID(seat: 1, hand: 0)
        return [
            .notSeated, .noSuchSeat(seat: 9, seats: 7), .seatTaken(seat: 1), .tableFull(seats: 7), .tooManySeats(limit: 1),
            .seatNotYours(seat: 1), .chipsOutOfRange(chips: 0, allowed: 1...2), .alreadyLeaving, .noSeatNamed,
            .alreadyDisconnected, .notDisconnected, .tableClosing, .tableClosed, .bettingClosed, .sittingOut,
            .betNegative(amount: -1), .betBelowMinimum(amount: 1, minimum: 10), .betAboveMaximum(amount: 1000, maximum: 500),
            .betNotInSteps(amount: 11, step: 5), .insufficientChips(needed: 20, available: 10), .waitForShuffle,
            .notYourTurn(acting: hand), .wrongHand(named: hand, acting: hand),
            .stale(.turn, named: 3, current: 4),
            .notAsked(seat: 1), .alreadyAnswered(seat: 1), .notAllowed(.split, legal: [.hit, .stand]),
            .amountNotAllowed(amount: 3, allowed: 1...2), .amountNotExpected(.hit), .shoeAlreadySupplied,
        ]
    }()

    @Test func everyCodeOfATable_isThatOfTheProtocol() {
        for rejection in Self.rejections { #expect(rejection.errorCode.rawValue == rejection.code) }
        #expect(Set(Self.rejections.map(\.errorCode)).count == Self.rejections.count)
    }

    /// The way that takes no memory writes what a message writes that says the same.
    @Test func aRefusalFromItsParts_isTheSameLineAsTheMessage() {
        for rejection in Self.rejections {
            for id in [nil, RequestID.number(7), .text("a\"b")] {
                for wait in [nil, 250] {
                    let message = ServerMessage.error(
                        Refusal(
                            id: id, type: "act", rejection.errorCode, message: rejection.message,
                            legal: rejection.legalActions?.actions,
                            retryAfter: wait))
                    var line: [UInt8] = []
                    rejection.text.withUTF8 {
                        ServerMessage.encodeRefusal(
                            id: id, type: "act", rejection.errorCode, message: $0, legal: rejection.legalActions,
                            retryAfter: wait,
                            into: &line)
                    }
                    #expect(line == message.encoded(), "\(String(decoding: line, as: UTF8.self))")
                }
            }
        }
    }
}
