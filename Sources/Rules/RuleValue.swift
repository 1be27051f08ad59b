/// The value of a key in a rules file, as read from JSON.
public enum RuleValue: Hashable, Sendable {
    case text(String)
    /// A number without a fraction.
    case integer(Int)
    case number(Double)
    case flag(Bool)
    /// A list, an object or null, which no rule accepts, by its name.
    case other(String)
}

extension RuleValue: CustomStringConvertible {
    /// The JSON text: `"hit"`, `6`, `0.75`, `true`.
    public var description: String {
        switch self {
        case .text(let text): "\"\(text)\""
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        case .other(let word): word
        }
    }
}
