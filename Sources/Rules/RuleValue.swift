/// The value of one key of a rules file, as a JSON reader finds it.
public enum RuleValue: Hashable, Sendable {
    case text(String)
    /// A number without a fraction.
    case integer(Int)
    case number(Double)
    case flag(Bool)
    /// Something that no rule takes: a list, an object, null; with a word for it.
    case other(String)
}

extension RuleValue: CustomStringConvertible {
    /// As it stands in the file: `"hit"`, `6`, `0.75`, `true`.
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
