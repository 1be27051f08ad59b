extension HouseRules {
    /// Every key of a rules file, in the order in which rules are shown.
    public static let keys: [String] = Self.fields.map(\.key)

    /// Rules from the keys and values of a file; what is absent has its default, or the value that agrees with what is there (no even
    /// money without insurance).
    ///
    /// Throws `HouseRulesError` for an unknown or repeated key, a wrong type, a value out of range, or rules that contradict
    /// each other; the error says what would be right.
    public init(_ fields: [(String, RuleValue)]) throws(HouseRulesError) {
        self.init()
        try write(fields)
    }

    /// Every key with its value: what `init(_:)` reads back to the same rules.
    public var fieldValues: [(String, RuleValue)] {
        Self.fields.map { ($0.key, $0.read(self)) }
    }

    /// The same rules with some keys changed, and with them what depends on them; throws as `init(_:)` does.
    public func with(_ changes: [(String, RuleValue)]) throws(HouseRulesError) -> HouseRules {
        var rules = self
        try rules.write(changes)
        return rules
    }

    private mutating func write(_ fields: [(String, RuleValue)]) throws(HouseRulesError) {
        var stated: Set<String> = []
        for (key, value) in fields {
            guard let field = Self.fields.first(where: { $0.key == key }) else {
                throw .unknownKey(key, suggestion: Self.nearestKey(to: key))
            }
            guard stated.insert(key).inserted else { throw .duplicateKey(key) }
            guard field.write(&self, value) else {
                throw .badValue(key: key, value: value, expected: field.expected)
            }
        }
        agree(stated: stated)
        try checkAgreement(stated: stated)
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
