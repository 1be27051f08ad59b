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
                throw .unknownKey(key, suggestion: NearestWord.of(key, among: Self.keys, within: 3))
            }
            guard stated.insert(key).inserted else { throw .duplicateKey(key) }
            guard field.write(&self, value) else {
                throw .badValue(key: key, value: value, expected: field.expected)
            }
        }
        agree(stated: stated)
        try checkAgreement(stated: stated)
    }
}
