/// Why bytes are not the JSON that was asked for.
public enum JSONError: Error, Equatable, Sendable {
    /// Not JSON by RFC 8259: what was expected, and at which byte of the line.
    case malformed(expected: String, at: Int)
    /// A byte sequence that is not UTF-8, by the byte of the line where it starts.
    case invalidUTF8(at: Int)
    /// More containers inside each other than allowed.
    case tooDeep(limit: Int)
    /// An object with more members than allowed.
    case tooManyMembers(limit: Int)
    /// The same key twice in one object.
    case duplicateKey(String)
    /// A member that must be there is not.
    case missing(String)
    /// A member has another type or range: its key, and what it must be.
    case mismatch(String, expected: String)
}
