/// Why a set of rules was refused: which key, what it said, and what would be right.
public enum HouseRulesError: Error, Hashable, Sendable {
    /// No such key; `suggestion` is the nearest key there is, if one is near.
    case unknownKey(String, suggestion: String?)
    case duplicateKey(String)
    /// The value is of the wrong type or out of its range; `expected` says in words what would be right.
    case badValue(key: String, value: RuleValue, expected: String)
    /// Two keys cannot both be as they are; `expected` says what would mend it.
    case contradiction(key: String, value: RuleValue, with: String, expected: String)
    case unknownPreset(String)
}

extension HouseRulesError: CustomStringConvertible {
    /// One line for a person.
    public var description: String {
        switch self {
        case .unknownKey(let key, let suggestion):
            "unknown rule \"\(key)\"" + (suggestion.map { ": did you mean \"\($0)\"?" } ?? ": the rules are \(Self.allKeys)")
        case .duplicateKey(let key):
            "rule \"\(key)\" is given twice: give it once"
        case .badValue(let key, let value, let expected):
            "rule \"\(key)\" cannot be \(value): it must be \(expected)"
        case .contradiction(let key, let value, let other, let expected):
            "rule \"\(key)\" cannot be \(value) with \(other): \(expected)"
        case .unknownPreset(let name):
            "unknown preset \"\(name)\": the presets are \(HouseRules.presetNames.joined(separator: ", "))"
        }
    }

    private static var allKeys: String { HouseRules.keys.joined(separator: ", ") }
}
