/// Options of a connection; nil leaves an option as it is.
public struct ConnectionOptions: Equatable, Sendable {
    /// Whether each diff carries the check value of the table after it.
    public var check: Bool?
    /// Whether events are sent as sentences too, for people at `nc`.
    public var verbose: Bool?
    /// Whether unknown fields are refused, for people who write a client.
    public var pedantic: Bool?
    /// Seconds without a line from the client after which the server sends a ping, 5…300; 0 for never.
    public var heartbeat: Int?

    public init(check: Bool? = nil, verbose: Bool? = nil, pedantic: Bool? = nil, heartbeat: Int? = nil) {
        self.check = check
        self.verbose = verbose
        self.pedantic = pedantic
        self.heartbeat = heartbeat
    }
}

extension ConnectionOptions: WireObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional(
            "check", &check, "each diff carries the `check` value of the table after it, not only the one that ends a round")
        try visitor.optional(
            "verbose", &verbose,
            "what happens is told in sentences too: `{\"type\":\"note\",\"text\":\"ann (seat 3) hits.\"}`, for people at `nc`")
        try visitor.optional(
            "pedantic", &pedantic,
            "a field that a request does not have is refused with `unknown_field`, for people who write a client")
        try visitor.optional(
            "heartbeat", &heartbeat, .heartbeat,
            """
            \(WireRange.heartbeat.lowerBound)…\(WireRange.heartbeat.upperBound) seconds: after so long without a word \
            from you the server sends `{"type":"ping","time":…}`; if as long again passes without one, it says `bye` (`no_pulse`). \
            0: never
            """)
    }
}
