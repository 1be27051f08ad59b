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

    @Test func anAnswerThatIsKeptForARetry_takesNoMoreMemoryThanItsLine() throws {
        var answers = RecentAnswers()
        var line: [UInt8] = []
        line.reserveCapacity(8192)
        line += Array("{\"type\":\"ok\",\"id\":1,\"to\":\"leave\"}\n".utf8)
        answers.note(.number(1), .leave, .line, line)
        let kept = try #require(answers.find(.number(1))?.line)
        #expect(kept == line && kept.capacity < 128)
        // What is only done needs none.
        answers.note(.number(2), .leave, .applied(TableRevision(7, epoch: "5eed0001")), line)
        #expect(answers.find(.number(2))?.line == [])
        #expect(answers.find(.number(0)) == nil && answers.find(.text("2")) == nil)
    }

    @Test func asManyAnswersAreKept_asTheProtocolSays_andTheMemoryOfOldOnesIsUsedAgain() throws {
        var answers = RecentAnswers()
        let line = Array("{\"type\":\"error\",\"id\":1,\"to\":\"bet\"}\n".utf8)
        for id in 0..<WireLimits.retries { answers.note(.number(id), .leave, .line, line) }
        let kept = try #require(answers.find(.number(0))?.line).withUnsafeBufferPointer(\.baseAddress)
        // One that is only done, in the place of the first, then one with a line again.
        for id in WireLimits.retries..<2 * WireLimits.retries { answers.note(.number(id), .leave, .done, line) }
        answers.note(.number(99), .leave, .line, line)
        #expect(answers.find(.number(99))?.line.withUnsafeBufferPointer(\.baseAddress) == kept)
        #expect(answers.find(.number(99))?.line == line)
        let found = (0..<2 * WireLimits.retries).filter { answers.find(.number($0)) != nil }
        #expect(found == Array(WireLimits.retries + 1..<2 * WireLimits.retries))
    }
}
