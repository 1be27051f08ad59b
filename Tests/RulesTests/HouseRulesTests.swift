import Rules
import Testing

struct HouseRulesTests {
    @Test(arguments: HouseRules.presetNames)
    func aPreset_survivesItsOwnFields(name: String) throws {
        let rules = try HouseRules(preset: name)
        #expect(try HouseRules(rules.fieldValues) == rules)
        #expect(rules.sentences.count >= 12)
    }

    @Test func theKeys_areExactlyThese_withTheseDefaults() throws {
        let expected: [(String, RuleValue)] = [
            ("decks", .integer(6)), ("soft17", .text("stand")), ("blackjackPays", .text("3:2")), ("holeCard", .text("peek")),
            ("double", .text("any")), ("doubleAfterSplit", .flag(true)), ("doubleForLess", .flag(false)),
            ("maxHands", .integer(4)), ("resplitAces", .flag(false)), ("hitSplitAces", .flag(false)), ("splitBy", .text("value")),
            ("surrender", .text("none")), ("insurance", .flag(true)), ("evenMoney", .flag(true)), ("minimumBet", .integer(10)),
            ("maximumBet", .integer(500)), ("betStep", .integer(5)), ("seats", .integer(7)), ("seatsPerPlayer", .integer(1)),
            ("penetration", .number(0.75)), ("burn", .integer(1)), ("continuousShuffle", .flag(false)), ("charlie", .integer(0)),
            ("midShoeEntry", .flag(true)), ("bettingSeconds", .integer(20)), ("decisionSeconds", .integer(15)),
            ("insuranceSeconds", .integer(10)),
        ]
        let actual = HouseRules().fieldValues
        #expect(actual.map(\.0) == expected.map(\.0))
        for (a, b) in zip(actual, expected) { #expect(a.1 == b.1, "\(a.0)") }
        #expect(try HouseRules([]) == HouseRules())
        #expect(HouseRules.keys == expected.map(\.0) + ["assist"])
        #expect(try HouseRules([("assist", .flag(true))]).fieldValues.last! == ("assist", .flag(true)))
    }

    @Test(arguments: [
        ("decks", RuleValue.integer(9), "a whole number from 1 to 8"), ("decks", .text("six"), "a whole number from 1 to 8"),
        ("decks", .number(2.5), "a whole number from 1 to 8"), ("soft17", .text("Stand"), "\"stand\" or \"hit\""),
        ("blackjackPays", .text("3:1"), "\"3:2\", \"6:5\", \"7:5\", \"2:1\" or \"1:1\""),
        ("holeCard", .flag(true), "\"peek\", \"none\" or \"original\""),
        ("penetration", .number(0.96), "a number from 0.3 to 0.95"),
        ("penetration", .number(.nan), "a number from 0.3 to 0.95"), ("insurance", .text("yes"), "true or false"),
        ("charlie", .integer(4), "0, 5, 6 or 7"), ("minimumBet", .integer(-10), "a whole number from 1 to 1000000000"),
        ("seats", .other("a list"), "a whole number from 1 to 7"),
    ])
    func aWrongValue_isRefused_withKeyValueAndWhatWouldBeRight(key: String, value: RuleValue, expected: String) {
        #expect(throws: HouseRulesError.self) { try HouseRules([(key, value)]) }
        do {
            _ = try HouseRules([(key, value)])
        } catch {
            #expect(error.description == "rule \"\(key)\" cannot be \(value): it must be \(expected)")
        }
    }

    @Test func anUnknownKey_isRefused_withTheNearestOne() {
        #expect(throws: HouseRulesError.unknownKey("deck", suggestion: "decks")) { try HouseRules([("deck", .integer(6))]) }
        #expect(throws: HouseRulesError.unknownKey("colour", suggestion: nil)) { try HouseRules([("colour", .integer(6))]) }
        #expect(throws: HouseRulesError.duplicateKey("decks")) {
            try HouseRules([("decks", .integer(6)), ("decks", .integer(6))])
        }
        #expect(throws: HouseRulesError.unknownPreset("reno")) { try HouseRules(preset: "reno") }
    }

    @Test(arguments: [
        [("minimumBet", RuleValue.integer(600))], [("minimumBet", .integer(12))], [("maximumBet", .integer(501))],
        [("seats", .integer(2)), ("seatsPerPlayer", .integer(3))], [("resplitAces", .flag(true)), ("maxHands", .integer(2))],
        [("hitSplitAces", .flag(true)), ("maxHands", .integer(1))], [("doubleForLess", .flag(true)), ("double", .text("none"))],
        [("doubleAfterSplit", .flag(true)), ("double", .text("none"))],
        [("doubleAfterSplit", .flag(true)), ("maxHands", .integer(1))],
        [("evenMoney", .flag(true)), ("insurance", .flag(false))],
        [("evenMoney", .flag(true)), ("blackjackPays", .text("6:5"))],
    ])
    func rulesThatContradictEachOther_areRefused(fields: [(String, RuleValue)]) {
        do {
            _ = try HouseRules(fields)
            Issue.record("accepted: \(fields)")
        } catch {
            guard case .contradiction = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!error.description.contains("\n"))
        }
    }

    @Test func aContradiction_namesKeyValueAndWhatWouldBeRight() {
        func message(_ fields: [(String, RuleValue)]) -> String {
            do {
                _ = try HouseRules(fields)
                return "accepted"
            } catch {
                return error.description
            }
        }
        #expect(
            message([("evenMoney", .flag(true)), ("insurance", .flag(false))])
                == "rule \"evenMoney\" cannot be true with \"insurance\" false: even money is a form of insurance and needs \"insurance\" true"
        )
        #expect(
            message([("doubleAfterSplit", .flag(true)), ("double", .text("none"))])
                == "rule \"doubleAfterSplit\" cannot be true with \"double\" \"none\": doubling after a split needs a \"double\" other than \"none\""
        )
        #expect(
            message([("minimumBet", .integer(600))])
                == "rule \"minimumBet\" cannot be 600 with \"maximumBet\" 500 (the default): it must be at most 500")
        #expect(
            message([("maximumBet", .integer(5))])
                == "rule \"maximumBet\" cannot be 5 with \"minimumBet\" 10 (the default): it must be at least 10")
    }

    @Test func aConditionalKeyThatIsAbsent_agreesWithWhatIsStated() throws {
        let uninsured = try HouseRules([("insurance", .flag(false))])
        #expect(!uninsured.evenMoney)
        let sixFive = try HouseRules([("blackjackPays", .text("6:5"))])
        #expect(!sixFive.evenMoney)
        let undoubled = try HouseRules([("double", .text("none"))])
        #expect(!undoubled.doubleAfterSplit)
        let unsplit = try HouseRules([("resplitAces", .flag(true)), ("hitSplitAces", .flag(true))]).with([
            ("maxHands", .integer(1))
        ])
        #expect(!unsplit.doubleAfterSplit && !unsplit.resplitAces && !unsplit.hitSplitAces)
        #expect(throws: HouseRulesError.self) { try unsplit.with([("resplitAces", .flag(true))]) }
        #expect(throws: HouseRulesError.self) { try sixFive.with([("evenMoney", .flag(true))]) }
        let mended = try sixFive.with([("evenMoney", .flag(true)), ("blackjackPays", .text("3:2"))])
        #expect(mended == HouseRules())
    }

    /// Every combination of the keys that have to do with each other, each stated as each of its values, or absent.
    @Test func whateverRulesThereCanBe_theirKeysWrittenOut_areAcceptedAgain() throws {
        let flags = [RuleValue.flag(false), .flag(true)]
        let hands: [(String, [RuleValue])] = [
            ("double", [.text("any"), .text("none")]), ("maxHands", (1...4).map(RuleValue.integer)), ("doubleAfterSplit", flags),
            ("doubleForLess", flags), ("resplitAces", flags), ("hitSplitAces", flags),
        ]
        let blackjacks: [(String, [RuleValue])] = [
            ("insurance", flags), ("blackjackPays", [.text("3:2"), .text("6:5")]), ("evenMoney", flags),
        ]
        var (accepted, refused) = (0, 0)
        func walk(_ choices: ArraySlice<(String, [RuleValue])>, _ fields: [(String, RuleValue)]) throws {
            guard let (key, values) = choices.first else {
                guard let rules = try? HouseRules(fields) else {
                    refused += 1
                    return
                }
                accepted += 1
                for (key, value) in fields { #expect(rules.fieldValues.contains { $0.0 == key && $0.1 == value }) }
                #expect(try HouseRules(rules.fieldValues) == rules)
                return
            }
            try walk(choices.dropFirst(), fields)
            for value in values { try walk(choices.dropFirst(), fields + [(key, value)]) }
        }
        try walk(hands[...], [])
        try walk(blackjacks[...], [])
        #expect(accepted > 300 && refused > 300, "\(accepted) accepted, \(refused) refused")
    }

    @Test func aWholeNumber_mayBeWrittenWithAPoint() throws {
        #expect(try HouseRules([("decks", .number(2.0))]).decks == 2)
    }

    @Test func theSentences_sayWhatDecidesAboutMoney() throws {
        let sixFive = try HouseRules(preset: "six-five").sentences.joined(separator: "\n")
        #expect(sixFive.contains("A blackjack pays 6:5."))
        #expect(sixFive.contains("rounded up to whole chips"))
        #expect(!sixFive.contains("even money"))
        #expect(try HouseRules(preset: "european").sentences.contains { $0.contains("takes all bets") })
    }
}

/// Outcomes, total by total.
struct SettlementTests {
    /// Totals from 2 to 31 of two cards or more, none of them a blackjack.
    private static let values: [HandValue] =
        (2...10).flatMap { first in (2...10).map { HandValue().adding(Rank(points: first)).adding(Rank(points: $0)) } }
        + (2...10).flatMap { third in
            (2...10).map { HandValue([Card(.ten, .spades), Card(Rank(points: $0), .hearts), Card(Rank(points: third), .clubs)]) }
        } + (2...9).map { HandValue([Card(.ace, .spades), Card(Rank(points: $0), .hearts)]) }

    @Test func aStandingHand_winsAboveTheDealer_pushesLevel_losesBelow_andBeatsABust() {
        let rules = HouseRules()
        for dealer in Self.values {
            for hand in Self.values where !hand.isBust {
                let end = FinishedHand(end: .stood, total: hand.total, stake: 10, original: 10)
                let settled = rules.settle(end, against: dealer)
                let expected =
                    dealer.isBust || hand.total > dealer.total
                    ? Settlement(.win, paid: 20)
                    : hand.total == dealer.total ? Settlement(.push, paid: 10) : Settlement(.lose, paid: 0)
                if settled != expected { Issue.record("\(hand) against \(dealer): \(settled)") }
            }
        }
    }
}
