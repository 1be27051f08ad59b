import Rules
import Testing

@testable import TableEngine

struct RefusalTextTests {
    @Test(arguments: [0, 1, 9, 10, 99, 100, -1, -10, 1_234_567, Int.max, Int.min])
    func aNumber_isWrittenAsAStringWritesIt(_ number: Int) {
        let text: RefusalText = "It is \(number)."
        #expect(text.description == "It is \(number).")
    }

    @Test func everySetOfActions_isWrittenAsItIsDescribed() {
        for bits in UInt8.min...UInt8.max {
            let actions = ActionSet(rawValue: bits)
            let text: RefusalText = "possible: \(actions)."
            #expect(text.description == "possible: \(actions).")
        }
    }

    @Test func namesOfAnyScript_areWrittenWhole() {
        let name = "Zo\u{EB} \u{738B}\u{5C0F}\u{660E}"
        let text: RefusalText = "\(name)\(name): \(1)"
        #expect(text.description == "\(name)\(name): 1")
        #expect(("" as RefusalText).description.isEmpty && ("Plain." as RefusalText).description == "Plain.")
    }

    @Test func whatIsTooLong_isCutOff() {
        let long = String(repeating: "x", count: 500)
        let text: RefusalText = "\(long)\(12)."
        #expect(text.description == String(repeating: "x", count: RefusalText.capacity))
    }

    @Test func theLongestRefusal_fits() {
        let most = Int.min
        let hand = HandID(seat: 255, hand: 255)
        let longest: [Rejection] = [
            .wrongHand(named: hand, acting: hand), .insufficientChips(needed: most, available: most),
            .chipsOutOfRange(chips: most, allowed: 1...Int.max), .amountNotAllowed(amount: most, allowed: 1...Int.max),
            .betAboveMaximum(amount: most, maximum: most), .notAllowed(.evenMoney, legal: ActionSet(rawValue: 255)),
        ]
        for rejection in longest {
            #expect(
                rejection.message.hasSuffix(".") && rejection.message.utf8.count < RefusalText.capacity, "\(rejection.message)")
        }
    }
}
