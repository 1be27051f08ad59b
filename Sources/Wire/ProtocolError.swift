import Rules

/// Why a line from a client could not be taken as a request. Each has a stable code for programs and a sentence for people.
public enum ProtocolError: Error, Equatable, Sendable {
    case lineTooLong(limit: Int)
    case json(JSONError)
    /// No such type of message.
    case unknownType(String)
    case invalidName(reason: String)
    case unsupportedVersion(Int)
    /// A line of chat with forbidden characters.
    case invalidText(reason: String)
    /// A field that the request does not have, on a pedantic connection.
    case unknownField(String, of: String)

    public var code: ErrorCode {
        switch self {
        case .lineTooLong: .lineTooLong
        case .json(.malformed): .invalidJSON
        case .json(.invalidUTF8): .invalidUTF8
        case .json(.tooDeep): .tooDeep
        case .json(.tooManyMembers): .tooManyMembers
        case .json(.duplicateKey): .duplicateKey
        case .json(.missing): .missingField
        case .json(.mismatch): .invalidField
        case .unknownType: .unknownType
        case .invalidName: .invalidName
        case .unsupportedVersion: .unsupportedVersion
        case .invalidText: .invalidText
        case .unknownField: .unknownField
        }
    }

    /// One sentence: what was wrong, and what would be right.
    public var message: String {
        switch self {
        case .lineTooLong(let limit): "A line has at most \(limit) bytes."
        case .json(.malformed(let expected, let offset)): "Not JSON: expected \(expected) at byte \(offset)."
        case .json(.invalidUTF8(let offset)): "Not UTF-8 at byte \(offset)."
        case .json(.tooDeep(let limit)): "At most \(limit) objects and arrays may stand inside each other."
        case .json(.tooManyMembers(let limit)): "An object has at most \(limit) members."
        case .json(.duplicateKey(let key)): "\"\(visible(key))\" is there twice."
        case .json(.missing(let field)): "\"\(field)\" is missing."
        case .json(.mismatch("the message", let expected)): "The message must be \(expected)."
        case .json(.mismatch(let field, let expected)): "\"\(field)\" must be \(expected)."
        case .unknownType(let type):
            "Unknown type \"\(visible(type))\": there are \(ClientMessage.types.joined(separator: ", "))."
        case .invalidName(let reason), .invalidText(let reason): reason
        case .unknownField(let field, let type): "\"\(type)\" has no field \"\(visible(field))\"."
        case .unsupportedVersion(let version):
            "Version \(version) is not spoken here: \(WireLimits.versions.lowerBound) to \(WireLimits.versions.upperBound) are."
        }
    }
}

/// Text from the network for an error message: at most 32 characters, all but printable ASCII replaced.
func visible(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars.prefix(32) {
        result.unicodeScalars.append((0x20..<0x7F).contains(scalar.value) && scalar != "\"" && scalar != "\\" ? scalar : "?")
    }
    return text.unicodeScalars.count > 32 ? result + "…" : result
}
