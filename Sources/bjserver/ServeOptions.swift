import CommandLineKit
import Operations

/// Everything that an operator can set: by flag, environment variable or configuration file.
struct ServeOptions: Sendable {
    // Where it is reached
    var listen = Endpoint(host: "127.0.0.1", port: 2121)
    var proxyListen: Endpoint?
    var proxyTrust = [AddressBlock("127.0.0.0/8"), AddressBlock("::1")].compactMap(\.self)
    var metrics: Endpoint?
    var admin: String?

    // What is played
    var tables = [TableSpec(name: "main")]
    var rules = RulesSpec.named("default")
    var bots = 0
    var chips = 1000
    var settle = 4000
    var hold = 120_000
    var seed: UInt64?
    var loops = 1

    // Limits
    var maxConnections = 4096
    var maxConnectionsPerAddress = 256
    var maxPlayers = 8192
    var maxTables = 10_000
    var maxViewers = 1000
    var maxLine = 4096
    var maxOutbound = 256 * 1024
    var loginTimeout = 60_000
    var idleTimeout = 900_000
    var stallTimeout = 20_000
    var requestRate = 20
    var requestBurst = 60
    var chatRate = 20
    var chatBurst = 5
    var bans: [AddressBlock] = []

    // How it runs
    var drainTimeout = 60_000
    var log = LogLevel.info
    var logFormat = LogFormat.logfmt
    var config: String?
    var printsConfiguration = false
}
