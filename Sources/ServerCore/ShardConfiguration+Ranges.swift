import Operations
import Rules

/// The ranges of the configuration's numbers. Programs report them in errors; a shard clamps to them, so that no sum of times or
/// chips overflows.
extension ShardConfiguration {
    public enum Ranges {
        public static let startingChips = HouseRules.betRange
        /// 0 for no new chips.
        public static let rebuyChips = 0...HouseRules.betRange.upperBound
        public static let rebuyMilliseconds = 0...86_400_000
        public static let settledMilliseconds = 0...60_000
        public static let awayMilliseconds = 0...86_400_000
        public static let graceMilliseconds = 0...60_000
        public static let sitOutMilliseconds = 1000...86_400_000
        public static let bankMilliseconds = 0...86_400_000
        public static let loginMilliseconds = 100...3_600_000
        public static let idleMilliseconds = 1000...86_400_000
        public static let connections = 1...1_000_000
        public static let players = 1...10_000_000
        public static let accounts = 1...10_000_000
        public static let viewers = 1...1_000_000
        public static let tables = 1...100_000
        public static let bans = 1...10_000_000
        public static let requestBytes = 512...65_536
        public static let drainMilliseconds = 0...3_600_000
        static let lobbyMilliseconds = 0...60_000
    }

    /// A copy with each number clamped to its range.
    var bounded: Self {
        var result = self
        result.startingChips = startingChips.clamped(to: Ranges.startingChips)
        result.rebuyChips = rebuyChips?.clamped(to: Ranges.rebuyChips)
        result.rebuyMilliseconds = rebuyMilliseconds.clamped(to: Ranges.rebuyMilliseconds)
        result.settledMilliseconds = settledMilliseconds.clamped(to: Ranges.settledMilliseconds)
        result.awayMilliseconds = awayMilliseconds.clamped(to: Ranges.awayMilliseconds)
        result.graceMilliseconds = graceMilliseconds.clamped(to: Ranges.graceMilliseconds)
        result.sitOutMilliseconds = sitOutMilliseconds.clamped(to: Ranges.sitOutMilliseconds)
        result.bankMilliseconds = bankMilliseconds.clamped(to: Ranges.bankMilliseconds)
        result.loginMilliseconds = loginMilliseconds.clamped(to: Ranges.loginMilliseconds)
        result.idleMilliseconds = idleMilliseconds.clamped(to: Ranges.idleMilliseconds)
        result.lobbyMilliseconds = lobbyMilliseconds.clamped(to: Ranges.lobbyMilliseconds)
        // 0 is valid here: it admits nobody.
        result.maximumConnections = maximumConnections.clamped(to: 0...Ranges.connections.upperBound)
        result.maximumConnectionsPerAddress = maximumConnectionsPerAddress.clamped(to: 0...Ranges.connections.upperBound)
        result.maximumPlayers = maximumPlayers.clamped(to: 0...Ranges.players.upperBound)
        result.maximumAccounts = maximumAccounts.clamped(to: 0...Ranges.accounts.upperBound)
        result.maximumViewers = maximumViewers.clamped(to: 0...Ranges.viewers.upperBound)
        result.maximumTables = maximumTables.clamped(to: 0...Ranges.tables.upperBound)
        result.maximumBans = maximumBans.clamped(to: Ranges.bans)
        result.requestBytes = requestBytes.clamped(to: Ranges.requestBytes)
        result.maximumAwayPerAddress = maximumAwayPerAddress.clamped(to: 0...Ranges.players.upperBound)
        result.addresses.freeFailures = addresses.freeFailures.clamped(to: 0...1_000_000)
        result.addresses.longestDelay = addresses.longestDelay.clamped(to: 0...3_600_000)
        return result
    }
}

extension BinaryInteger {
    func clamped(to range: ClosedRange<Int>) -> Self {
        self < range.lowerBound ? Self(range.lowerBound) : self > range.upperBound ? Self(range.upperBound) : self
    }
}
