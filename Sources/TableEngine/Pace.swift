/// The table's own time limits. Limits that players must know are in the house rules.
public struct Pace: Hashable, Sendable {
    /// Milliseconds from the end of a round until the table is cleared; 0: no pause, and the cards stay visible until the first bet of the
    /// next round.
    public var settledMilliseconds: Int
    /// Sits a present player out after this many rounds in a row without a bet.
    public var missedRounds: Int
    /// Sits a present player out after this many time-outs in a row.
    public var timeOuts: Int
    /// Grace period in milliseconds: a disconnected player counts as present until it ends.
    public var graceMilliseconds: Int
    /// Milliseconds until a player who sits out loses the seat, and until a table without a bet sits everybody out.
    public var sitOutMilliseconds: Int
    /// Milliseconds that a player may take beyond ``freeMilliseconds`` before the others wait no longer: the bank of a new player, and the
    /// most that it holds. nil: a table that a former version opened. It keeps that version's rules about delays, so that its records
    /// replay to the same state: no bank, withholders on later lists, and members of a shoe who sit out keep newcomers from betting.
    public var bankMilliseconds: Int?

    /// Milliseconds of each decision, and of each betting, that cost a player nothing.
    public static let freeMilliseconds = 5000
    /// Milliseconds that come back to a bank with each round.
    public static let refillMilliseconds = 5000

    public init(
        settledMilliseconds: Int = 3000, missedRounds: Int = 3, timeOuts: Int = 2, graceMilliseconds: Int = 2000,
        sitOutMilliseconds: Int = 600_000, bankMilliseconds: Int? = nil
    ) {
        self.settledMilliseconds = settledMilliseconds
        self.missedRounds = missedRounds
        self.timeOuts = timeOuts
        self.graceMilliseconds = graceMilliseconds
        self.sitOutMilliseconds = sitOutMilliseconds
        self.bankMilliseconds = bankMilliseconds
    }
}
