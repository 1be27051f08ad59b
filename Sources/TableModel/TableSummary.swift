import Rules

/// A table as the lobby lists it.
public struct TableSummary: Equatable, Sendable {
    /// The table's name, which is also its identifier.
    public var name: String
    public var seats: Int
    public var freeSeats: Int
    /// Names of those who sit, in seat order.
    public var players: [String]
    /// How many watch without a seat.
    public var watchers: Int
    public var rules: HouseRules
    /// Whether a pass phrase is needed to watch or to sit.
    public var isLocked: Bool

    public init(
        name: String, seats: Int, freeSeats: Int, players: [String], watchers: Int, rules: HouseRules,
        isLocked: Bool = false
    ) {
        self.name = name
        self.seats = seats
        self.freeSeats = freeSeats
        self.players = players
        self.watchers = watchers
        self.rules = rules
        self.isLocked = isLocked
    }
}
