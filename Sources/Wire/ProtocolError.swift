import Rules

/// Why a line from a client could not be taken as a request. Each has a stable code for programs and a sentence for people.
public enum ProtocolError: Error, Equatable, Sendable {
    case lineTooLong(limit: Int)
    case json(JSONError)
    /// No such type of message.
    case unknownType(String)
    case invalidName(reason: String)
    case unsupportedVersion(Int)

    /// Stable, in snake case.
    public var code: String {
        switch self {
        case .lineTooLong: "line_too_long"
        case .json(.malformed): "invalid_json"
        case .json(.invalidUTF8): "invalid_utf8"
        case .json(.tooDeep): "too_deep"
        case .json(.tooManyMembers): "too_many_members"
        case .json(.duplicateKey): "duplicate_key"
        case .json(.missing): "missing_field"
        case .json(.mismatch): "invalid_field"
        case .unknownType: "unknown_type"
        case .invalidName: "invalid_name"
        case .unsupportedVersion: "unsupported_version"
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
        case .invalidName(let reason): reason
        case .unsupportedVersion(let version):
            "Version \(version) is not spoken here: version \(WireLimits.version) is."
        }
    }

    /// Whether the connection can't go on: where the next line starts is no longer known.
    public var isFatal: Bool { if case .lineTooLong = self { true } else { false } }
}

/// Text from the network as it may stand in a message: short, and with everything but plain characters replaced.
func visible(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars.prefix(32) {
        result.unicodeScalars.append((0x20..<0x7F).contains(scalar.value) && scalar != "\"" && scalar != "\\" ? scalar : "?")
    }
    return text.unicodeScalars.count > 32 ? result + "…" : result
}
