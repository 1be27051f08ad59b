/// How long results lie on the table, and how patient the table is. What players must know of time is in the house rules.
public struct Pace: Hashable, Sendable {
    /// Milliseconds from the end of a round until the table is cleared; 0: no pause at all, and the last round's cards stay to be
    /// seen until the next round begins.
    public var settledMilliseconds: Int
    /// After this many rounds in a row without a bet a player who is there sits out.
    public var missedRounds: Int
    /// After this many time-outs in a row a player who is there sits out.
    public var timeOuts: Int
    /// Milliseconds for which a player whose connection was lost counts as present, and is shown so.
    public var graceMilliseconds: Int
    /// Milliseconds of sitting out after which the seat is given up, and of a table without a bet after which everybody sits out.
    public var sitOutMilliseconds: Int

    public init(
        settledMilliseconds: Int = 3000, missedRounds: Int = 3, timeOuts: Int = 2, graceMilliseconds: Int = 2000,
        sitOutMilliseconds: Int = 600_000
    ) {
        self.settledMilliseconds = settledMilliseconds
        self.missedRounds = missedRounds
        self.timeOuts = timeOuts
        self.graceMilliseconds = graceMilliseconds
        self.sitOutMilliseconds = sitOutMilliseconds
    }
}
