/// Why a set of rules was refused: the key, its value, and the values allowed.
public enum HouseRulesError: Error, Hashable, Sendable {
    /// An unknown key; `suggestion` is the nearest known one, if any is near.
    case unknownKey(String, suggestion: String?)
    case duplicateKey(String)
    /// A wrong type, or a value out of range; `expected` names the allowed values.
    case badValue(key: String, value: RuleValue, expected: String)
    /// Two keys contradict each other; `expected` names a value that agrees.
    case contradiction(key: String, value: RuleValue, with: String, expected: String)
    case unknownPreset(String)
}

extension HouseRulesError: CustomStringConvertible {
    /// One line for people.
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
            "unknown preset \"\(name)\": "
                + (NearestWord.of(name, among: HouseRules.presetNames, within: 3).map { "did you mean \"\($0)\"? The" } ?? "the")
                + " presets are \(HouseRules.presetNames.joined(separator: ", "))"
        }
    }

    private static var allKeys: String { HouseRules.keys.joined(separator: ", ") }
}
