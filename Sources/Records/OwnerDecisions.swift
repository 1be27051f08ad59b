import TableEngine

/// The decisions of a table's owner, by the table's name: they outlive the table, crashes and stops.
public struct OwnerDecisions: Equatable, Sendable {
    public let owner: PlayerID
    /// nil: the configuration's phrase counts.
    public var phrase: OwnerPhrase?
    public var sentAway = SentAway()

    public init(owner: PlayerID) { self.owner = owner }

    /// Whether there is nothing to keep.
    public var isEmpty: Bool { phrase == nil && sentAway.isEmpty }
}

/// By the table's name: one rule for a running server and for replayed records.
extension [String: OwnerDecisions] {
    /// Changes the decisions of a table's owner; another owner's are over.
    package mutating func decide(_ table: String, _ owner: PlayerID, _ body: (inout OwnerDecisions) -> Void) {
        var decided = self[table] ?? OwnerDecisions(owner: owner)
        if decided.owner != owner { decided = OwnerDecisions(owner: owner) }
        body(&decided)
        self[table] = decided.isEmpty ? nil : decided
    }

    /// The host's phrase counts for a table.
    package mutating func overrulePhrase(of table: String) {
        self[table]?.phrase = nil
        if self[table]?.isEmpty == true { self[table] = nil }
    }

    /// An account is deleted.
    package mutating func forget(_ owner: PlayerID) { self = filter { $0.value.owner != owner } }
}

/// A pass phrase that a table's owner has set.
public struct OwnerPhrase: Equatable, Sendable {
    /// nil: the table is open to all.
    public let pass: String?
    /// The configuration's phrase at that time. The owner's phrase counts until the configuration names another one.
    public let configured: String?

    public init(pass: String?, configured: String?) { (self.pass, self.configured) = (pass, configured) }
}

/// Players whom a table's owner has sent away, with the end of the time for which each may not sit there.
public struct SentAway: Equatable, Sendable {
    /// Milliseconds for which a player may not sit there.
    public static let milliseconds: Int64 = 600_000
    /// Players at most; the one whose time ends first makes room.
    public static let capacity = 64

    private var ends: [PlayerID: Int64] = [:]

    public init() {}

    public var isEmpty: Bool { ends.isEmpty }

    /// - Parameter end: in milliseconds since 1970, ``milliseconds`` from now.
    public mutating func insert(_ player: PlayerID, until end: Int64) {
        ends = ends.filter { $0.value > end - Self.milliseconds }
        if ends.count >= Self.capacity, ends[player] == nil, let first = ends.min(by: Self.isBefore) { ends[first.key] = nil }
        ends[player] = end
    }

    func moved(by milliseconds: Int64) -> SentAway {
        var moved = self
        moved.ends = ends.mapValues { max(0, $0 + milliseconds) }
        return moved
    }

    /// Milliseconds that are left; nil for a player who may sit.
    public func wait(of player: PlayerID, at now: Int64) -> Int64? { ends[player].flatMap { $0 > now ? $0 - now : nil } }

    /// Players whose time has not ended, the first to end first.
    func entries(at now: Int64) -> [(player: PlayerID, end: Int64)] {
        ends.filter { $0.value > now }.sorted(by: Self.isBefore).map { ($0.key, $0.value) }
    }

    /// By the end, then by the account: the same order at every start.
    private static func isBefore(_ a: (key: PlayerID, value: Int64), _ b: (key: PlayerID, value: Int64)) -> Bool {
        (a.value, a.key.rawValue) < (b.value, b.key.rawValue)
    }
}
