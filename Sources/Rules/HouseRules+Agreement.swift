/// Consistency of rules: a key may depend on others, as no double after a split where nobody may double.
///
/// A stated key must agree with the others; an absent one takes the value that agrees.
extension HouseRules {
    /// A key that can be true only where others have certain values.
    struct Condition: Sendable {
        let key: String
        let path: WritableKeyPath<HouseRules, Bool> & Sendable
        /// The key on which it depends.
        let other: String
        let isMet: @Sendable (HouseRules) -> Bool
        /// The required value, in words.
        let expected: String
    }

    static let conditions: [Condition] = [
        Condition(
            key: "doubleAfterSplit", path: \.doubleAfterSplit, other: "double", isMet: { $0.double != .none },
            expected: "doubling after a split takes a \"double\" other than \"none\""),
        Condition(
            key: "doubleAfterSplit", path: \.doubleAfterSplit, other: "maxHands", isMet: { $0.maxHands >= 2 },
            expected: "splitting takes \"maxHands\" 2, 3 or 4"),
        Condition(
            key: "doubleForLess", path: \.doubleForLess, other: "double", isMet: { $0.double != .none },
            expected: "doubling for less takes a \"double\" other than \"none\""),
        Condition(
            key: "resplitAces", path: \.resplitAces, other: "maxHands", isMet: { $0.maxHands >= 3 },
            expected: "resplitting takes \"maxHands\" 3 or 4"),
        Condition(
            key: "hitSplitAces", path: \.hitSplitAces, other: "maxHands", isMet: { $0.maxHands >= 2 },
            expected: "splitting takes \"maxHands\" 2, 3 or 4"),
        Condition(
            key: "evenMoney", path: \.evenMoney, other: "insurance", isMet: { $0.insurance },
            expected: "even money is an insurance of a blackjack, and takes \"insurance\" true"),
        // Only with 3:2 does insuring a blackjack come to exactly 1:1.
        Condition(
            key: "evenMoney", path: \.evenMoney, other: "blackjackPays", isMet: { $0.blackjackPays == .threeToTwo },
            expected: "even money is what an insured blackjack comes to at \"blackjackPays\" \"3:2\" only"),
    ]

    /// Gives each conditional key that is not in `stated` the value that agrees with the others.
    mutating func agree(stated: Set<String> = []) {
        for condition in Self.conditions where !stated.contains(condition.key) && !condition.isMet(self) {
            self[keyPath: condition.path] = false
        }
    }

    /// Throws the first contradiction. Keys outside `stated` are reported as defaults.
    func checkAgreement(stated: Set<String>) throws(HouseRulesError) {
        func clash(_ key: String, with other: String, _ expected: String) throws(HouseRulesError) {
            guard let field = Self.fields.first(where: { $0.key == key }),
                let second = Self.fields.first(where: { $0.key == other })
            else { preconditionFailure("both keys are in the list of keys") }
            let origin = stated.contains(other) ? "" : ", as it is unless stated"
            throw .contradiction(
                key: key, value: field.read(self), with: "\"\(other)\" \(second.read(self))\(origin)", expected: expected)
        }
        for condition in Self.conditions where self[keyPath: condition.path] && !condition.isMet(self) {
            try clash(condition.key, with: condition.other, condition.expected)
        }
        if minimumBet > maximumBet {
            try stated.contains("minimumBet") || !stated.contains("maximumBet")
                ? clash("minimumBet", with: "maximumBet", "it must be at most \(maximumBet)")
                : clash("maximumBet", with: "minimumBet", "it must be at least \(minimumBet)")
        }
        if minimumBet % betStep != 0 { try clash("minimumBet", with: "betStep", "it must be a multiple of \(betStep)") }
        if maximumBet % betStep != 0 { try clash("maximumBet", with: "betStep", "it must be a multiple of \(betStep)") }
        if seatsPerPlayer > seats { try clash("seatsPerPlayer", with: "seats", "it must be at most \(seats)") }
    }
}
