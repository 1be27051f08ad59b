/// An action of the host or of a table's owner at a table: against a player, or words to all. Also a server's word that its disk is behind.
public struct HostNotice: Equatable, Sendable {
    /// The player lost seat and connection.
    public static let kicked = "kicked"

    /// The host speaks to all at the table.
    public static let said = "said"
    /// The server's disk is behind: play stands still until the next line.
    public static let stalled = "stalled"

    /// The name in a notice of ``said`` and of ``stalled``.
    public static let host = "host"

    /// ``kicked``, ``said``, ``stalled``, or the kind of a later server.
    public var kind: String
    /// The player; ``host`` for ``said`` and ``stalled``.
    public var name: String
    /// In the host's words; nil for none.
    public var reason: String?
    /// The table's owner who did it; nil: the host.
    public var owner: String?
    /// When, in milliseconds since 1970 on the server's clock.
    public var time: Int64

    public init(_ kind: String, name: String, reason: String? = nil, by owner: String? = nil, time: Int64) {
        self.kind = kind
        self.name = name
        self.reason = reason
        self.owner = owner
        self.time = time
    }
}

extension HostNotice: WireObject {
    static var blank: Self { Self(kicked, name: "", time: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        let kinds = TextBounds(.max) {
            .openWord([
                Shape.Word(HostNotice.kicked, "sent away, the seat given up"),
                Shape.Word(HostNotice.said, "the host speaks to all at the table: `reason` has the words"),
                Shape.Word(
                    HostNotice.stalled,
                    "the server waits for its disk: nothing is answered, and no clock runs, until the next line"),
            ])
        }
        try visitor.required(
            "kind", &kind, kinds,
            "`kicked`: sent away, the seat given up; `said`: the host speaks to all, `reason` has the words; `stalled`: the server waits for "
                + "its disk; there may be new ones"
        )
        try visitor.required("name", &name, .shownName, "the player; `host` in a notice of `said` or `stalled`")
        try visitor.optional("reason", &reason, .chat, "in the host's words")
        try visitor.optional("by", &owner, .shownName, "the player whose table it is and who did it; absent: the host did")
        try visitor.required("time", &time, .time, "when")
    }
}
