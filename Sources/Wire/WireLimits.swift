/// The bounds of the protocol, published in `hello`.
public enum WireLimits {
    /// The version of the protocol that this code speaks best.
    public static let version = 1
    /// Every version that this code speaks.
    public static let versions = 1...1
    /// The longest line from a client, in bytes without its end.
    public static let requestBytes = 4096
    /// The longest line from a server that our client takes, in bytes without its end: a table's snapshot fits many times over.
    public static let eventBytes = 1 << 20
    /// Objects and arrays inside each other.
    public static let depth = 16
    /// Members of an object.
    public static let members = 64
    /// The longest name of a table, in bytes.
    public static let tableNameBytes = 32
    /// The longest invitation code, in bytes.
    public static let inviteBytes = 64
    /// The longest pass phrase of a table, in bytes.
    public static let passBytes = 64
    /// The longest epoch, in bytes.
    package static let epochBytes = 16
    /// Requests of a player whose results are kept, so that a retry gets the first result.
    public static let retries = 16
    /// Results of a player that are kept for a lost connection: one for each round and seat.
    public static let results = 16
    /// Lines of a table's chat that are kept.
    public static let chatLines = 32
    /// Rounds of a history at most.
    public static let historyRounds = 20
    /// Lines of each list of a statement at most.
    public static let statementLines = 64
    /// The longest line of a history or a statement, in bytes without its end: what does not fit is cut, oldest first.
    public static let historyBytes = 32 << 10
    /// Rows of a chart at most.
    public static let chartRows = 256
    /// Tables that a lobby lists at most.
    public static let lobbyTables = 500
    /// The seconds that a client may choose for the heartbeat.
    package static let heartbeatSeconds = 5...300
    /// The largest number of a card: shoes of 416 cards can be dealt many times over before a table starts anew.
    static let cards = 1_000_000
    /// The most chips in a bet.
    public static let chips = 1_000_000_000_000
}
