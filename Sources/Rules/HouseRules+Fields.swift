extension HouseRules {
    /// Every key of a rules file, in the order in which rules are shown.
    public static let keys: [String] = Self.fields.map(\.key)

    /// Rules from the keys and values of a file; what is absent has its default.
    ///
    /// Throws `HouseRulesError` for an unknown or repeated key, a wrong type, a value out of range, or rules that contradict
    /// each other; the error says what would be right.
    public init(_ fields: [(String, RuleValue)]) throws(HouseRulesError) {
        self.init()
        var seen: Set<String> = []
        for (key, value) in fields {
            guard let field = Self.fields.first(where: { $0.key == key }) else {
                throw .unknownKey(key, suggestion: Self.nearestKey(to: key))
            }
            guard seen.insert(key).inserted else { throw .duplicateKey(key) }
            guard field.write(&self, value) else {
                throw .badValue(key: key, value: value, expected: field.expected)
            }
        }
        try checkContradictions()
    }

    /// Every key with its value: what `init(_:)` reads back to the same rules.
    public var fieldValues: [(String, RuleValue)] {
        Self.fields.map { ($0.key, $0.read(self)) }
    }

    /// The same rules with some keys changed; throws as `init(_:)` does.
    public func with(_ changes: [(String, RuleValue)]) throws(HouseRulesError) -> HouseRules {
        let kept = fieldValues.filter { field in !changes.contains { $0.0 == field.0 } }
        return try HouseRules(kept + changes)
    }

    private func checkContradictions() throws(HouseRulesError) {
        func clash(_ key: String, with other: String, _ expected: String) throws(HouseRulesError) {
            guard let field = Self.fields.first(where: { $0.key == key }),
                let second = Self.fields.first(where: { $0.key == other })
            else { preconditionFailure("both keys are in the list of keys") }
            throw .contradiction(
                key: key, value: field.read(self), with: "\"\(other)\" \(second.read(self))", expected: expected)
        }
        if minimumBet > maximumBet {
            try clash("minimumBet", with: "maximumBet", "it must be at most \(maximumBet)")
        }
        if minimumBet % betStep != 0 {
            try clash("minimumBet", with: "betStep", "it must be a multiple of \(betStep)")
        }
        if maximumBet % betStep != 0 {
            try clash("maximumBet", with: "betStep", "it must be a multiple of \(betStep)")
        }
        if seatsPerPlayer > seats {
            try clash("seatsPerPlayer", with: "seats", "it must be at most \(seats)")
        }
        if resplitAces, maxHands < 3 {
            try clash("resplitAces", with: "maxHands", "resplitting takes \"maxHands\" 3 or 4")
        }
        if hitSplitAces, maxHands < 2 {
            try clash("hitSplitAces", with: "maxHands", "splitting takes \"maxHands\" 2, 3 or 4")
        }
        if doubleForLess, double == .none {
            try clash("doubleForLess", with: "double", "doubling for less takes a \"double\" other than \"none\"")
        }
    }

    private static func nearestKey(to key: String) -> String? {
        let scored = keys.map { (key: $0, distance: editDistance($0.lowercased(), key.lowercased())) }
        guard let best = scored.min(by: { $0.distance < $1.distance }), best.distance <= 3 else { return nil }
        return best.key
    }

    /// Levenshtein's distance; keys are short, so the plain table does.
    private static func editDistance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first.unicodeScalars.prefix(64)), Array(second.unicodeScalars.prefix(64)))
        var row = Array(0...b.count)
        for i in a.indices {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let substituted = diagonal + (a[i] == b[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, diagonal + 1, row[j] + 1)
            }
        }
        return row[b.count]
    }
}
