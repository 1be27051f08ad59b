import Operations
import Rules
import Wire

/// Everything that the host of a server chooses about the games and their bounds.
public struct ShardConfiguration: Sendable {
    /// One table: its name and its rules.
    public struct TableSetting: Sendable, Equatable {
        /// 1…32 bytes of `a-z`, `0-9` and `-`.
        public var name: String
        public var rules: HouseRules
        /// Who does not say it may neither watch nor sit; nil for everybody's table.
        public var pass: String?

        public init(name: String, rules: HouseRules, pass: String? = nil) {
            self.name = name
            self.rules = rules
            self.pass = pass
        }
    }

    public var tables: [TableSetting]
    /// Chips that a new player gets.
    public var startingChips = 1000
    /// How long results lie on the table, in milliseconds.
    public var settledMilliseconds = 4000
    /// How long the seat and the chips of a lost connection are kept, in milliseconds.
    public var awayMilliseconds: Int64 = 120_000
    /// How long a player whose connection was lost counts as present, and is shown so, in milliseconds.
    public var graceMilliseconds = 2000
    /// How long the seat of a player who sits out is kept, in milliseconds.
    public var sitOutMilliseconds = 600_000
    /// How long a connection may take to log in, in milliseconds.
    public var loginMilliseconds: Int64 = 60_000
    /// How long a connection may say nothing, in milliseconds.
    public var idleMilliseconds: Int64 = 900_000
    public var maximumConnections = 4096
    /// Connections from one address, or one /64 of IPv6. Those of trusted addresses are not counted.
    public var maximumConnectionsPerAddress = 256
    /// The most blocks of addresses that the operator may ban while the server runs.
    public var maximumBans = 1_000_000
    /// Players known at the same time, the held ones included.
    public var maximumPlayers = 8192
    /// Players of one address who are away and still known, with and without a seat. Those of trusted addresses are not limited.
    public var maximumAwayPerAddress = 256
    /// What each address may do, and strangers in all.
    public var addresses = AddressLimits()
    /// Names that nobody but the host's own bots may have.
    public var reservedNames = ReservedNames()
    /// Shown as the token of a new player, it admits to reserved names; nil for nobody.
    public var hostToken: Secret?
    /// Who watches one table at the same time, players included.
    public var maximumViewers = 1000
    /// Tables, those that are opened later included.
    public var maximumTables = 10_000
    /// The longest line from a client, in bytes without its end.
    public var requestBytes = WireLimits.requestBytes
    /// What a connection may send. Beyond it requests are refused, and who goes on all the same is sent away.
    public var requests = RateLimit.perSecond(20, burst: 60)
    /// What a player may say in the chat.
    public var chat = RateLimit.perMinute(20, burst: 5)
    /// How long changes of the lobby are gathered before they are told, in milliseconds.
    public var lobbyMilliseconds: Int64 = 500
    /// What the server calls itself in `hello`.
    public var serverName = "bjserver"

    public init(tables: [TableSetting]) { self.tables = tables }

    /// Whether a table may be called so.
    public static func isTableName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
