import Rules

/// A table as listed in the lobby.
public struct TableSummary: Equatable, Sendable {
    /// The table's name, which is also its identifier.
    public var name: String
    public var seats: Int
    public var freeSeats: Int
    /// Names of seated players, in seat order.
    public var players: [String]
    /// The number of seats with bots.
    public var bots: Int
    /// The number of viewers without a seat.
    public var watchers: Int
    public var rules: HouseRules
    /// Whether watching and sitting require a pass phrase.
    public var isLocked: Bool
    /// Whether the table takes no more players: it closes at the end of its round.
    public var isClosing: Bool
    /// The name of the account that owns the table; nil: the host's.
    public var owner: String?
    /// The player's edge with basic strategy in a fresh shoe, in 1/1000000 of the smallest bet; nil until computed.
    public var edge: Int?

    public init(
        name: String, seats: Int, freeSeats: Int, players: [String], bots: Int = 0, watchers: Int, rules: HouseRules,
        isLocked: Bool = false, isClosing: Bool = false, owner: String? = nil, edge: Int? = nil
    ) {
        self.name = name
        self.seats = seats
        self.freeSeats = freeSeats
        self.players = players
        self.bots = bots
        self.watchers = watchers
        self.rules = rules
        self.isLocked = isLocked
        self.isClosing = isClosing
        self.owner = owner
        self.edge = edge
    }

    /// The order of the lobby: by the code points of the names, as UTF-8 sorts them.
    package func precedes(_ other: TableSummary) -> Bool { name.utf8.lexicographicallyPrecedes(other.name.utf8) }
}
