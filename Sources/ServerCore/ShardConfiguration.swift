import Rules
import Sockets
import TableEngine
import Wire

/// A server's settings: tables, times, limits.
public struct ShardConfiguration: Sendable {
    /// A table's name, rules and pass phrase.
    public struct TableSetting: Sendable, Equatable {
        /// 1…32 bytes of `a-z`, `0-9` and `-`.
        public var name: String
        public var rules: HouseRules
        /// The pass phrase to watch or sit; nil for a public table.
        public var pass: String?
        /// Whether the shoes are made in ceremonies that every player can verify: not in a practice from a seed, whose cards
        /// would depend on the players' names.
        package var hasCeremonies = true

        public init(name: String, rules: HouseRules, pass: String? = nil) {
            self.name = name
            self.rules = rules
            self.pass = pass
        }
    }

    public var tables: [TableSetting]
    /// Chips of a new account.
    public var startingChips = 1000
    /// A player with fewer chips than a table's minimum bet gets chips up to this total, or up to the lowest minimum of all open tables if
    /// that is more. 0: none; nil: ``startingChips``.
    public var rebuyChips: Int?
    /// The house's id in `hello`, 16 lower-case hexadecimal digits; nil: the ``Server`` draws one.
    public var house: String?
    /// Milliseconds for which results stay visible.
    public var settledMilliseconds = 4000
    /// Milliseconds for which the seat of a lost connection is kept. A guest's is given up at once.
    public var awayMilliseconds: Int64 = 120_000
    /// Whether absent players give up their seats as by `leave`: each at the login of a person, and once the seat is no longer kept. For a table
    /// with one person and clocks without an end. Otherwise turns run their full time.
    package var absentLeave = false
    /// Milliseconds for which a player with a lost connection counts, and is shown, as present, so that a reconnecting client is not noticed.
    public var graceMilliseconds = 2000
    /// Milliseconds for which the seat of a player who sits out is kept.
    public var sitOutMilliseconds = 600_000
    /// Milliseconds for which a player may keep others waiting, beyond the free time of each betting and decision; see
    /// ``TableEngine/Pace``.
    public var bankMilliseconds = 30_000
    /// The time limits of tables.
    var pace: Pace {
        Pace(
            settledMilliseconds: settledMilliseconds, graceMilliseconds: graceMilliseconds,
            sitOutMilliseconds: sitOutMilliseconds, bankMilliseconds: bankMilliseconds)
    }
    /// Milliseconds within which a connection must log in: time to type a name.
    public var loginMilliseconds: Int64 = 60_000
    /// Milliseconds that a logged-in connection may stay silent; a client in play sends a line each round.
    public var idleMilliseconds: Int64 = 900_000
    public var maximumConnections = 4096
    /// Connections per address, or per /64 of IPv6: enough for a club behind one NAT. Trusted addresses are not limited.
    public var maximumConnectionsPerAddress = 256
    /// Bound on resident players: connected ones, and absent ones whose seat is kept.
    public var maximumPlayers = 8192
    /// Bound on accounts with a secret, resident and dormant.
    public var maximumAccounts = 100_000
    /// Absent players per address, with and without a seat. Trusted addresses are not limited.
    public var maximumAwayPerAddress = 256
    /// Limits per address, and on unauthenticated connections together.
    public var addresses = AddressLimits()
    /// Names reserved for the host's own bots.
    public var reservedNames = ReservedNames()
    /// The secret that opens reserved names in place of their account's; nil for none.
    public var hostSecret: AccountSecret?
    /// Maximum viewers of a table, seated players included: each diff is sent to all of them.
    public var maximumViewers = 1000
    /// Bytes of a client's line, without its end.
    public var requestBytes = WireLimits.requestBytes
    /// Rate limit of a connection. Excess requests are refused; a client that keeps sending is disconnected.
    public var requests = RateLimit.perSecond(20, burst: 60)
    /// Rate limit of a player's chat: a line every three seconds, five at once.
    public var chat = RateLimit.perMinute(20, burst: 5)
    /// Debounce interval of lobby changes, in milliseconds.
    public var lobbyMilliseconds: Int64 = 500
    /// The server's name in `hello`.
    public var serverName = "bjserver"

    public init(tables: [TableSetting]) { self.tables = tables }

    /// Whether a table name is valid: 1…32 bytes of `a-z`, `0-9` and `-`.
    public static func isTableName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") }
    }

    // MARK: Ranges

    // The ranges of the numbers that a host sets. Programs report them in errors; a shard clamps to them, so that no sum of times or
    // chips overflows.

    public enum Ranges {
        public static let startingChips = HouseRules.betRange
        /// 0 for no new chips.
        public static let rebuyChips = 0...HouseRules.betRange.upperBound
        public static let settledMilliseconds = 0...60_000
        public static let awayMilliseconds = 0...86_400_000
        public static let bankMilliseconds = 0...1000 * HouseRules.secondsRange.upperBound
        public static let connections = 1...1_000_000
        public static let players = 1...10_000_000
        public static let accounts = 1...10_000_000
        public static let drainMilliseconds = 0...3_600_000
    }

    /// A copy with each number clamped to its range.
    var bounded: Self {
        var result = self
        result.startingChips = startingChips.clamped(to: Ranges.startingChips)
        result.rebuyChips = rebuyChips?.clamped(to: Ranges.rebuyChips)
        result.settledMilliseconds = settledMilliseconds.clamped(to: Ranges.settledMilliseconds)
        result.awayMilliseconds = awayMilliseconds.clamped(to: Ranges.awayMilliseconds)
        result.bankMilliseconds = bankMilliseconds.clamped(to: Ranges.bankMilliseconds)
        // 0 is valid: admits no connection.
        result.maximumConnections = maximumConnections.clamped(to: 0...Ranges.connections.upperBound)
        result.maximumPlayers = maximumPlayers.clamped(to: 0...Ranges.players.upperBound)
        result.maximumAccounts = maximumAccounts.clamped(to: 0...Ranges.accounts.upperBound)
        return result
    }
}

extension BinaryInteger {
    func clamped(to range: ClosedRange<Int>) -> Self {
        self < range.lowerBound ? Self(range.lowerBound) : self > range.upperBound ? Self(range.upperBound) : self
    }
}
