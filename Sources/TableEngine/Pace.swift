/// How long results lie on the table, and how patient the table is. What players must know of time is in the house rules.
public struct Pace: Hashable, Sendable {
    /// Milliseconds from the end of a round until the table is cleared; 0: no pause at all, and the last round's cards stay to be
    /// seen until the next round begins.
    public var settledMilliseconds: Int
    /// After this many rounds in a row without a bet a player sits out; one who is disconnected loses his seats.
    public var missedRounds: Int

    public init(settledMilliseconds: Int = 3000, missedRounds: Int = 3) {
        self.settledMilliseconds = settledMilliseconds
        self.missedRounds = missedRounds
    }
}
