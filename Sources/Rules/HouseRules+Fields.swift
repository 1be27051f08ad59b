extension HouseRules {
    /// Every key of a rules file, in display order.
    public static let keys: [String] = Self.fields.map(\.key)

    /// Rules from keys and values. An absent key takes its default, or the value that agrees with the others.
    ///
    /// - Throws: `HouseRulesError` for an unknown or repeated key, a wrong type, a value out of range, or a contradiction.
    public init(_ fields: [(String, RuleValue)]) throws(HouseRulesError) {
        self.init()
        try write(fields)
    }

    /// Every key with its value. `init(_:)` of it yields the same rules.
    public var fieldValues: [(String, RuleValue)] {
        Self.fields.map { ($0.key, $0.read(self)) }
    }

    /// A copy with changed keys; dependent keys adapt.
    ///
    /// - Throws: as `init(_:)`.
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

    /// The Levenshtein distance. Keys are short, so a plain matrix suffices.
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
