import CommandLineKit
import Journal
import Operations
import Wire

/// All settings of an operator, from flags, environment variables or a configuration file.
struct ServeOptions: Sendable {
    // Addresses
    var listen = Endpoint(host: "127.0.0.1", port: 2121)
    var proxyListen: Endpoint?
    var proxyTrust = [AddressBlock("127.0.0.0/8"), AddressBlock("::1")].compactMap(\.self)
    var metrics: Endpoint?
    var admin: String?

    // Tables and rules
    var tables = [TableSpec(name: "main")]
    var rules = RulesSpec.named("default")
    var bots = 0
    var chips = 1000
    var rebuy: Int?
    var rebuyDelay = 0
    var invite: String?
    var settle = 4000
    var away = 120_000
    var grace = 2000
    var sitOut = 600_000
    var timeBank = 30_000
    var seed: UInt64?
    /// Accepts `seed` beyond loopback.
    var allowInsecureSeed = false
    var loops = 1

    // Limits
    var maxConnections = 4096
    var maxConnectionsPerAddress = 256
    var maxPlayers = 8192
    var maxAccounts = 100_000
    var maxTables = 10_000
    var maxViewers = 1000
    var maxLine = 4096
    var maxOutbound = 256 * 1024
    var maxOutboundTotal = 64 * 1024 * 1024
    var loginTimeout = 60_000
    var idleTimeout = 900_000
    var stallTimeout = 20_000
    var requestRate = 20
    var requestBurst = 60
    var chatRate = 20
    var chatBurst = 5
    var bans: [AddressBlock] = []
    var banFile: String?
    var maxBans = 1_000_000

    // Limits per address, all connections together
    var trust = AddressLimits.loopback.map { OrNone.some($0) }
    var addressConnectRate = 10
    var addressConnectBurst = 256
    var addressLoginRate = 10
    var addressLoginBurst = 256
    var addressRequestRate = 1000
    var addressRequestBurst = 4000
    var addressClaimRate = 10
    var addressClaimBurst = 256
    var addressChatRate = 120
    var addressChatBurst = 40
    var addressFailures = 5
    var failureDelay = 60_000
    /// Has no effect.
    var autoBan: Int?
    var maxAwayPerAddress = 256
    var strangerRate = 10_000
    var strangerBurst = 20_000
    var reservedNames = ReservedNames.standard.map { OrNone.some($0) }

    // Data
    var data: DataFolder?
    /// Whether ``data`` may be made, or be empty.
    var create = false
    var durability = Durability.sync
    var history = JournalHistory.size(bytes: 2_000_000_000)

    // Operation
    var drainTimeout = 60_000
    var log = LogLevel.info
    var logFormat = LogFormat.logfmt
    var logRate = 20
    var config: String?
    var printsConfiguration = false
}
