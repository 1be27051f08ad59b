import Rules

/// Why a request was refused.
public struct Refusal: Error, Equatable, Sendable {
    public var id: RequestID?
    /// The type of the request, if it could be read.
    public var type: String?
    /// Stable, in snake case, for programs; one of ``ErrorCode`` unless the server is newer.
    public var code: String
    /// For people.
    public var message: String
    /// The actions that would be legal, where the refusal is about one.
    public var legal: [Action]?
    /// Milliseconds after which a retry may succeed, if known.
    public var retryAfter: Int?
    /// The versions that are spoken, where the refusal is about that.
    public var versions: ClosedRange<Int>?
    /// Whether the same request may succeed later.
    public var isRetryable: Bool
    /// Whether the server closes the connection now.
    public var isFatal: Bool

    public init(
        id: RequestID? = nil, type: String? = nil, code: String, message: String, legal: [Action]? = nil,
        retryAfter: Int? = nil, versions: ClosedRange<Int>? = nil, isRetryable: Bool = false, isFatal: Bool = false
    ) {
        self.id = id
        self.type = type
        self.code = code
        self.message = message
        self.legal = legal
        self.retryAfter = retryAfter
        self.versions = versions
        self.isRetryable = isRetryable
        self.isFatal = isFatal
    }

    /// A refusal for one of the known reasons.
    public init(
        id: RequestID?, type: String?, _ code: ErrorCode, message: String, legal: [Action]? = nil, retryAfter: Int? = nil,
        versions: ClosedRange<Int>? = nil
    ) {
        self.init(
            id: id, type: type, code: code.rawValue, message: message, legal: legal, retryAfter: retryAfter, versions: versions,
            isRetryable: code.isRetryable, isFatal: code.isFatal)
    }

    /// Refuses a line that is no request.
    public init(id: RequestID?, type: String?, _ error: ProtocolError) {
        let versions = if case .unsupportedVersion = error { WireLimits.versions } else { nil as ClosedRange<Int>? }
        self.init(id: id, type: type, error.code, message: error.message, versions: versions)
    }
}

extension Refusal: WireObject {
    static var blank: Self { Self(code: "", message: "") }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        let codes = TextBounds(.max) { .reference(.errorCode) }
        try visitor.optional("id", &id, "the request's, if it had one")
        try visitor.optional("to", &type, .any, "the type of the request, as far as it could be read")
        try visitor.required("code", &code, codes, "stable, for programs")
        try visitor.required("message", &message, .any, "a sentence, for people")
        try visitor.optional("legal", &legal, .any, "the actions that would be legal, where it is about one")
        try visitor.optional(
            "retryAfter", &retryAfter, WholeNumber(WireRange.wait),
            "milliseconds after which it makes sense to try again, where that is known")
        try visitor.optional("versions", &versions, "the versions that are spoken, where it is about that")
        try visitor.optional("retryable", &isRetryable, absent: false, "whether the same request may succeed later")
        try visitor.optional("fatal", &isFatal, absent: false, "whether the server closes the connection now")
    }
}
