import TableEngine

/// The decisions of a table's owner about the time of play. One rule for a running table and for replayed records.
public struct Evening: Equatable, Sendable {
    /// No clock of the table runs. The engine knows no pause: before each command, and at its end, all deadlines are postponed by what has passed.
    public struct Pause: Equatable, Sendable {
        /// Milliseconds after which it ends by itself.
        public static let longest: Int64 = 3_600_000
        /// Milliseconds that it lasts once the owner's connection has ended.
        public static let withoutOwner: Int64 = 120_000

        /// The time up to which deadlines have been postponed, in milliseconds since 1970.
        public internal(set) var since: Int64
        public let until: Int64
        /// Empty for none.
        public let reason: String

        public init(since: Int64, until: Int64, reason: String) {
            (self.since, self.until, self.reason) = (since, until, reason)
        }
    }

    public var pause: Pause?

    public init() {}

    /// Follows the facts of a command: they begin with what has passed, and a table that closes waits for nobody.
    public mutating func follow(_ facts: [Fact], at time: Int64) {
        guard pause != nil else { return }
        pause?.since = time
        if facts.contains(where: { if case .closing = $0 { true } else { false } }) { pause = nil }
    }

    /// The clock was set back.
    mutating func move(by milliseconds: Int64) {
        pause = pause.map {
            Pause(since: max(0, $0.since + milliseconds), until: max(0, $0.until + milliseconds), reason: $0.reason)
        }
    }
}
