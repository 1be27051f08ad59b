/// An action of the host against a player at a table.
public struct HostNotice: Equatable, Sendable {
    /// The player lost seat and connection.
    public static let kicked = "kicked"

    /// ``kicked``, or the kind of a later server.
    public var kind: String
    /// The player.
    public var name: String
    /// In the host's words; nil for none.
    public var reason: String?
    /// When, in milliseconds since 1970 on the server's clock.
    public var time: Int64

    public init(_ kind: String, name: String, reason: String? = nil, time: Int64) {
        self.kind = kind
        self.name = name
        self.reason = reason
        self.time = time
    }
}

extension HostNotice: WireObject {
    static var blank: Self { Self(kicked, name: "", time: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        let kinds = TextBounds(.max) { .openWord([Shape.Word(HostNotice.kicked, "sent home, the seat given up")]) }
        try visitor.required("kind", &kind, kinds, "`kicked`: sent home, the seat given up; there may be new ones")
        try visitor.required("name", &name, .shownName, "the player")
        try visitor.optional("reason", &reason, .chat, "in the host's words")
        try visitor.required("time", &time, .time, "when")
    }
}
