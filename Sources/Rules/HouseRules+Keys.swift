extension HouseRules {
    /// A key of a rules file, with its reader, writer and description.
    struct Field: Sendable {
        let key: String
        /// The allowed values, in words that follow "it must be".
        let expected: String
        let read: @Sendable (HouseRules) -> RuleValue
        /// Sets the value. Returns false, without effect, for a wrong type or a value out of range.
        let write: @Sendable (inout HouseRules, RuleValue) -> Bool
    }

    static let fields: [Field] = [
        integer("decks", \.decks, 1...8),
        choice("soft17", \.soft17),
        choice("blackjackPays", \.blackjackPays),
        choice("holeCard", \.holeCard),
        choice("double", \.double),
        flag("doubleAfterSplit", \.doubleAfterSplit),
        flag("doubleForLess", \.doubleForLess),
        integer("maxHands", \.maxHands, 1...4),
        flag("resplitAces", \.resplitAces),
        flag("hitSplitAces", \.hitSplitAces),
        choice("splitBy", \.splitBy),
        choice("surrender", \.surrender),
        flag("insurance", \.insurance),
        flag("evenMoney", \.evenMoney),
        integer("minimumBet", \.minimumBet, betRange),
        integer("maximumBet", \.maximumBet, betRange),
        integer("betStep", \.betStep, betRange),
        integer("seats", \.seats, 1...7),
        integer("seatsPerPlayer", \.seatsPerPlayer, 1...7),
        fraction("penetration", \.penetration, 0.3...0.95),
        integer("burn", \.burn, 0...10),
        flag("continuousShuffle", \.continuousShuffle),
        charlieField,
        flag("midShoeEntry", \.midShoeEntry),
        integer("bettingSeconds", \.bettingSeconds, secondsRange),
        integer("decisionSeconds", \.decisionSeconds, secondsRange),
        integer("insuranceSeconds", \.insuranceSeconds, secondsRange),
    ]

    /// Limits of bets and steps, in chips. The upper bound lets all bets of a table be added without overflow.
    public static let betRange = 1...1_000_000_000
    /// Allowed time limits, in seconds.
    public static let secondsRange = 1...600

    private typealias Path<Value> = WritableKeyPath<HouseRules, Value> & Sendable

    private static func integer(_ key: String, _ path: Path<Int>, _ range: ClosedRange<Int>) -> Field {
        Field(
            key: key, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            read: { .integer($0[keyPath: path]) },
            write: { rules, value in
                guard let number = value.wholeNumber, range.contains(number) else { return false }
                rules[keyPath: path] = number
                return true
            })
    }

    private static func fraction(_ key: String, _ path: Path<Double>, _ range: ClosedRange<Double>) -> Field {
        Field(
            key: key, expected: "a number from \(range.lowerBound) to \(range.upperBound)",
            read: { .number($0[keyPath: path]) },
            write: { rules, value in
                guard case .number(let number) = value, range.contains(number) else { return false }
                rules[keyPath: path] = number
                return true
            })
    }

    private static func flag(_ key: String, _ path: Path<Bool>) -> Field {
        Field(
            key: key, expected: "true or false",
            read: { .flag($0[keyPath: path]) },
            write: { rules, value in
                guard case .flag(let flag) = value else { return false }
                rules[keyPath: path] = flag
                return true
            })
    }

    private static func choice<Choice>(_ key: String, _ path: Path<Choice>) -> Field
    where Choice: RawRepresentable<String> & CaseIterable & Sendable {
        let names = Choice.allCases.map { "\"\($0.rawValue)\"" }
        return Field(
            key: key, expected: names.dropLast().joined(separator: ", ") + " or " + (names.last ?? ""),
            read: { .text($0[keyPath: path].rawValue) },
            write: { rules, value in
                guard case .text(let text) = value, let choice = Choice(rawValue: text) else { return false }
                rules[keyPath: path] = choice
                return true
            })
    }

    private static let charlieField = Field(
        key: "charlie", expected: "0, 5, 6 or 7",
        read: { .integer($0.charlie) },
        write: { rules, value in
            guard let number = value.wholeNumber, [0, 5, 6, 7].contains(number) else { return false }
            rules.charlie = number
            return true
        })
}

extension RuleValue {
    /// The value as a whole number: `6` or `6.0`.
    var wholeNumber: Int? {
        switch self {
        case .integer(let number): number
        case .number(let number) where abs(number) < 1e15:
            // `Int(exactly:)` would link the C library's mathematics.
            Double(Int(number)) == number ? Int(number) : nil
        default: nil
        }
    }
}
