import Rules
import TableModel

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
        case .json(.missing), .json(.mismatch), .unknownField: .invalidField
        case .invalidText: .notAllowed
        case .json: .invalidJSON
        case .unknownType: .unknownType
        case .invalidName: .invalidName
        case .unsupportedVersion: .unsupportedVersion
        }
    }

    /// One sentence: what was wrong, and what would be right.
    public var message: String {
        switch self {
        case .lineTooLong(let limit): "A line may have at most \(limit) bytes."
        case .json(.malformed(let expected, let offset)): "Not JSON: expected \(expected) at byte \(offset)."
        case .json(.invalidUTF8(let offset)): "Not UTF-8 at byte \(offset)."
        case .json(.tooDeep(let limit)): "Objects and arrays may be nested at most \(limit) deep."
        case .json(.tooManyMembers(let limit)): "An object may have at most \(limit) members."
        case .json(.duplicateKey(let key)): "\"\(key.printable(upTo: 32))\" is duplicated."
        case .json(.missing(let field)): "\"\(field)\" is missing."
        case .json(.mismatch("the message", let expected)): "The message must be \(expected)."
        case .json(.mismatch(let field, let expected)): "\"\(field)\" must be \(expected)."
        case .unknownType(let type):
            "Unknown type \"\(type.printable(upTo: 32))\": known types are \(ClientMessage.types.joined(separator: ", "))."
        case .invalidName(let reason), .invalidText(let reason): reason
        case .unknownField(let field, let type): "\"\(type)\" has no field \"\(field.printable(upTo: 32))\"."
        case .unsupportedVersion(let version):
            "Version \(version) is not supported; supported are \(WireLimits.versions.lowerBound) to \(WireLimits.versions.upperBound)."
        }
    }
}

extension Rejection {
    /// Refuses a line that is no request.
    public init(_ error: ProtocolError) { self.init(error.code, error.message) }
}

/// The line that refuses a request.
public struct Refusal: Error, Equatable, Sendable {
    public var id: RequestID?
    /// The type of the request, if it could be read.
    public var type: String?
    /// How to react, whatever the code.
    public var kind: ErrorClass
    /// Stable, in snake case, for programs; one of ``ErrorCode`` unless the server is newer.
    public var code: String
    /// For people.
    public var message: String
    /// The actions that would be legal, where the refusal is about one.
    public var legal: [Action]?
    /// Milliseconds to wait, at least, before the same request.
    public var retryAfter: Int?
    /// The versions that are spoken, where the refusal is about that.
    public var versions: ClosedRange<Int>?
    /// Whether the server closes the connection now.
    public var closes: Bool

    public init(
        id: RequestID? = nil, type: String? = nil, _ kind: ErrorClass, code: String, message: String, legal: [Action]? = nil,
        retryAfter: Int? = nil, versions: ClosedRange<Int>? = nil, closes: Bool = false
    ) {
        (self.id, self.type, self.kind, self.code, self.message) = (id, type, kind, code, message)
        (self.legal, self.retryAfter, self.versions, self.closes) = (legal, retryAfter, versions, closes)
    }

    /// A refusal by this version of the protocol.
    public init(id: RequestID?, type: String?, _ rejection: Rejection) {
        let code = rejection.code
        self.init(
            id: id, type: type, code.kind, code: code.rawValue, message: rejection.message, legal: rejection.legal?.actions,
            retryAfter: rejection.retryAfter, versions: code == .unsupportedVersion ? WireLimits.versions : nil,
            closes: rejection.closes)
    }
}

extension Refusal: WireObject {
    static var blank: Self { Self(.rule, code: "", message: "") }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        let codes = TextBounds(.max) { .reference(.errorCode) }
        try visitor.optional("id", &id, "the request's, if it had one")
        try visitor.optional("to", &type, .any, "the type of the request, if known and the `id` is valid")
        try visitor.required("class", &kind, "how to react; treat an unknown one as `rule`")
        try visitor.required("code", &code, codes, "stable, for programs")
        try visitor.required("message", &message, .any, "a sentence for people")
        try visitor.optional("legal", &legal, .any, "the legal actions, if an action was refused")
        try visitor.optional(
            "retryAfter", &retryAfter, WholeNumber(0...86_400_000),
            "minimum milliseconds to wait before a retry: always present with the class `again`")
        try visitor.optional("versions", &versions, "the supported versions, if the version was refused")
        try visitor.optional("closes", &closes, absent: false, "whether the server closes the connection now")
    }
}

extension ErrorClass: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self { Self(rawValue: try value.string()) ?? .rule }
    func write(to writer: inout JSONWriter) { writer.string(rawValue) }
    static func shape(_: NoBounds) -> Shape { .openWord(allCases.map { Shape.Word($0.rawValue, $0.explanation) }) }
}
