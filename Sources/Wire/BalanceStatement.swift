/// A player's balance and its changes, for that player alone.
public struct BalanceStatement: Equatable, Sendable {
    /// All chips that the player owns, those on tables included. Bets count until they are settled.
    public var balance: Int
    /// All chips issued to the player so far, corrections included.
    public var issued: Int
    /// When the account was opened, in milliseconds since 1970; nil for a player who never sat down.
    public var opened: Int64?
    /// The earliest time that was searched for changes, in milliseconds since 1970.
    public var since: Int64
    /// Chips issued, newest first, at most ``WireLimits/statementLines``.
    public var issues: [Issue]
    /// Won and lost by day and table, newest first, at most ``WireLimits/statementLines``.
    public var days: [Day]
    /// Whether there may be older changes.
    public var isCut: Bool

    public init(
        balance: Int, issued: Int, opened: Int64?, since: Int64, issues: [Issue] = [], days: [Day] = [], isCut: Bool = false
    ) {
        self.balance = balance
        self.issued = issued
        self.opened = opened
        self.since = since
        self.issues = issues
        self.days = days
        self.isCut = isCut
    }

    /// Chips that the house gave or took, other than by play.
    public struct Issue: Equatable, Sendable {
        /// The first chips.
        public static let opened = "opened"
        /// New chips for a player who had lost all.
        public static let rebuy = "rebuy"
        /// The host's correction.
        public static let credit = "credit"

        public var time: Int64
        /// ``opened``, ``rebuy``, ``credit``, or the reason of a later server.
        public var reason: String
        /// Negative: taken back.
        public var chips: Int

        public init(time: Int64, reason: String, chips: Int) {
            self.time = time
            self.reason = reason
            self.chips = chips
        }
    }

    /// The result of a day at one table.
    public struct Day: Equatable, Sendable {
        /// The start of the day in UTC, in milliseconds since 1970.
        public var day: Int64
        public var table: String
        public var rounds: Int
        /// The sum of the rounds that were won.
        public var won: Int
        /// The sum of the rounds that were lost.
        public var lost: Int

        public var net: Int { won - lost }

        public init(day: Int64, table: String, rounds: Int, won: Int, lost: Int) {
            self.day = day
            self.table = table
            self.rounds = rounds
            self.won = won
            self.lost = lost
        }
    }
}

extension BalanceStatement: WireObject {
    static var blank: Self { Self(balance: 0, issued: 0, opened: nil, since: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("balance", &balance, .bankroll, "all your chips, those on tables and in open bets included")
        try visitor.required("issued", &issued, .anyChips, "all chips that the house has given you so far, less those taken back")
        try visitor.optional("opened", &opened, .time, "when your account was opened")
        try visitor.required("since", &since, .time, "the earliest time that was searched for what follows")
        try visitor.required(
            "issues", &issues, .upTo(WireLimits.statementLines), "chips that the house gave or took back, newest first")
        try visitor.required(
            "days", &days, .upTo(WireLimits.statementLines), "won and lost, by day and table, newest first")
        try visitor.optional("cut", &isCut, absent: false, "whether there may be older ones")
    }
}

extension BalanceStatement.Issue: WireObject {
    static var blank: Self { Self(time: 0, reason: "", chips: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        typealias Word = Shape.Word
        let reasons = TextBounds(.max) {
            .openWord([
                Word(Self.opened, "your first chips"), Word(Self.rebuy, "new chips: you had lost all"),
                Word(Self.credit, "the host's correction"),
            ])
        }
        try visitor.required("time", &time, .time, "when")
        try visitor.required("reason", &reason, reasons, "`opened`, `rebuy` or `credit`; there may be new ones")
        try visitor.required("chips", &chips, .anyChips, "negative: taken back")
    }
}

extension BalanceStatement.Day: WireObject {
    static var blank: Self { Self(day: 0, table: "", rounds: 0, won: 0, lost: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("day", &day, .time, "when the day began, in UTC")
        try visitor.required("table", &table, .table, "the table")
        try visitor.required("rounds", &rounds, .count, "rounds that you played")
        try visitor.required("won", &won, .bankroll, "the sum of those that you won")
        try visitor.required("lost", &lost, .bankroll, "the sum of those that you lost")
    }
}
