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
    /// Chips.
    public var minimumBet: Int
    /// Chips.
    public var maximumBet: Int
    public var phase: RoundPhase

    public init(
        name: String, seats: Int, freeSeats: Int, players: [String], watchers: Int, minimumBet: Int, maximumBet: Int,
        phase: RoundPhase
    ) {
        self.name = name
        self.seats = seats
        self.freeSeats = freeSeats
        self.players = players
        self.watchers = watchers
        self.minimumBet = minimumBet
        self.maximumBet = maximumBet
        self.phase = phase
    }
}
