/// The table's own time limits. Limits that players must know are in the house rules.
public struct Pace: Hashable, Sendable {
    /// Milliseconds from the end of a round until the table is cleared; 0: no pause, and the cards stay visible until the next
    /// round begins.
    public var settledMilliseconds: Int
    /// Sits a present player out after this many rounds in a row without a bet.
    public var missedRounds: Int
    /// Sits a present player out after this many time-outs in a row.
    public var timeOuts: Int
    /// Grace period in milliseconds: a disconnected player counts as present until it ends.
    public var graceMilliseconds: Int
    /// Milliseconds until a player who sits out loses the seat, and until a table without a bet sits everybody out.
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
