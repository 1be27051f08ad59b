import Rules

/// Why a request was refused.
public struct Refusal: Error, Equatable, Sendable {
    public var id: RequestID?
    /// The type of the request, as far as it was known.
    public var type: String?
    /// Stable, in snake case, for programs; one of ``ErrorCode`` unless the server is newer.
    public var code: String
    /// For people.
    public var message: String
    /// The actions that would be legal, where the refusal is about one.
    public var legal: [Action]?
    /// After how many milliseconds it makes sense to try again, where that is known.
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

    /// The refusal of a line that is no request.
    public init(id: RequestID?, type: String?, _ error: ProtocolError) {
        let versions = if case .unsupportedVersion = error { WireLimits.versions } else { nil as ClosedRange<Int>? }
        self.init(id: id, type: type, error.code, message: error.message, versions: versions)
    }
}
