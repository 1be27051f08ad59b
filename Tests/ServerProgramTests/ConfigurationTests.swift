import CommandLineKit
import ServerCore
import Testing

@testable import bjserver

/// The configuration of a file's content, in the folder `etc`.
func read(
    _ file: String, _ words: [String] = [], _ environment: [String: String] = [:], home: String? = "/home/ann"
) throws -> ServerConfiguration {
    let outcome = ServerProgram.command.parse(["--config", "etc/bj.json"] + words, environment: environment) { _ in
        Array(file.utf8)
    }
    switch outcome {
    case .run(.serve(let options), let settings):
        return try ServerConfiguration(options, settings, environment: home.map { ["HOME": $0] } ?? [:])
    case .refusal(let error): throw error
    default: throw ConfigurationFault(description: "not to serve")
    }
}

private func reason(_ file: String, _ environment: [String: String] = [:]) -> String {
    do {
        _ = try read(file, [], environment)
        return "accepted"
    } catch let error as UsageError {
        return error.message
    } catch {
        return "\(error)"
    }
}

@Test func severalTablesHaveRulesBetsAndPassPhrasesOfTheirOwn() throws {
    let configuration = try read(
        #"""
        {"rules": {"decks": 2}, "tables": [
            {"name": "low", "rules": "european", "minimumBet": 5, "maximumBet": 50},
            {"name": "high", "rules": {"decks": 8, "seats": 3}, "pass": "s3cret", "count": 2}, "plain"]}
        """#)
    #expect(configuration.tables.map(\.name) == ["low", "high-1", "high-2", "plain"])
    #expect(configuration.tables.map(\.rules.minimumBet) == [5, 10, 10, 10] && configuration.tables[0].rules.maximumBet == 50)
    #expect(configuration.tables.map(\.rules.decks)[1...] == [8, 8, 2] && configuration.tables[1].rules.seats == 3)
    #expect(configuration.tables.map(\.pass) == [nil, "s3cret", "s3cret", nil])
    #expect(!configuration.settings.table.contains("s3cret") && configuration.settings.table.contains("pass (set)"))
}

@Test(arguments: [
    ("127.0.0.1:0", true), ("[::1]:0", true), ("localhost:0", true), (":0", false), ("0.0.0.0:0", false), ("192.0.2.1:0", false),
])
func aSeedIsRefusedBeyondLoopback(_ address: String, _ isLoopback: Bool) throws {
    let words = ["--seed", "7", "--listen", address]
    if isLoopback {
        #expect(try read("{}", words).options.seed == 7)
    } else {
        #expect(throws: ConfigurationFault.self) { try read("{}", words) }
        #expect(throws: ConfigurationFault.self) {
            try read("{}", ["--seed", "7", "--listen", "127.0.0.1:0", "--proxy-listen", address])
        }
    }
    #expect(try read("{}", ["--listen", address]).options.seed == nil)
}

@Test func proxiesConnectToAnAddress_orToASocket() throws {
    #expect(try read(#"{"proxyListen": "/run/door.sock"}"#, []).options.proxyListen == .socket("/run/door.sock"))
    #expect(try read("{}", ["--proxy-listen", ":0"]).options.proxyListen == .endpoint(.init(host: "", port: 0)))
    guard case .refusal = ServerProgram.command.parse(["--proxy-listen", "door.sock"]) else {
        _ = Issue.record("a relative path")
        return
    }
}

@Test(arguments: [
    (#"{"tables": ["a", "a"]}"#, "duplicate table name a"),
    (#"{"tables": []}"#, "no tables are configured"),
    (#"{"tables": ["b", {"name": "a", "count": 10000}]}"#, "more than 10000 tables"),
    (
        #"{"tables": [{"name": "A"}]}"#,
        "etc/bj.json:1:14: tables[0].name: \"A\" is not a table's name of a-z, 0-9 and -, at most 32"
    ),
    (
        #"{"tables": [{"name": "a", "rules": {"deck": 1}}]}"#,
        "etc/bj.json:1:27: tables[0].rules: unknown rule \"deck\": did you mean \"decks\"?"
    ),
    (
        #"{"tables": [{"name": "a", "rules": {"decks": 9}}]}"#,
        "etc/bj.json:1:27: tables[0].rules: rule \"decks\" cannot be 9: it must be a whole number from 1 to 8"
    ),
    (
        #"{"tables": [{"name": "a", "minimumBet": 600}]}"#,
        "table a: rule \"minimumBet\" cannot be 600 with \"maximumBet\" 500 (the default): it must be at most 500"
    ),
    (#"{"tables": [{"name": "a", "pass": 12345}]}"#, "etc/bj.json:1:27: tables[0].pass: not a string of 1 to 64 bytes"),
    (
        #"{"bans": ["10.0.0.1/8"]}"#,
        "etc/bj.json:1:11: bans[0]: \"10.0.0.1/8\" is not an address or a network such as 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32"
    ),
    (#"{"rules": "no/such/rules.json"}"#, "cannot read etc/no/such/rules.json: No such file or directory"),
])
func aFaultyFileIsRefusedWithItsReason(_ file: String, _ message: String) { #expect(reason(file) == message) }

@Test func everySettingOfTheServerComesFromTheConfiguration() throws {
    let configuration = try read(
        #"""
        {"maxConnections": 7, "maxPlayers": 5, "requestRate": 2, "away": "3s", "timeBank": "8s", "rebuy": 13, "maxAccounts": 14,
         "settle": "4ms", "chips": 11, "bans": ["192.0.2.0/24"], "seed": 12}
        """#)
    let shards = configuration.shards
    #expect(shards.maximumConnections == 7 && shards.maximumPlayers == 5 && shards.requests == .perSecond(2, burst: 6))
    #expect(shards.awayMilliseconds == 3_000 && shards.bankMilliseconds == 8_000 && shards.settledMilliseconds == 4)
    #expect(shards.startingChips == 11 && shards.rebuyChips == 13 && shards.maximumAccounts == 14)
    #expect(configuration.bans.prefix(9).map(\.description) == ["192.0.2.0/24"])
    #expect(configuration.server(LogSettings()).seed == 12)
}

@Test(arguments: [
    (["kick"], "kick: missing PLAYER"), (["tables", "x"], "tables: unexpected argument 'x'"),
    (["kick", "ann", "--for", "1m"], "kick: unknown option '--for'"), (["ban", "--for", "1h"], "ban: missing CIDR…"),
    (["log", "loud"], "log: LEVEL: 'loud' is not one of debug, info, warning, error"),
    (["explode"], "unknown request 'explode'; 'bjserver ctl help' lists them"),
    (["tables", "--data", "none"], "missing --socket PATH or --data DIR"),
])
func whatAnOperatorMistypesIsToldBeforeAnybodyIsAsked(_ words: [String], _ message: String) {
    guard case .refusal(let error) = ServerProgram.command.parse(["ctl"] + words) else {
        Issue.record("\(words) was understood")
        return
    }
    #expect(error.message == message && error.status == 64)
}

@Test func wordsOfARequest_areItsOperandsInAnyOrder_andBlocksAreChecked() throws {
    let kick = try AdminVerb.parse(["kick", "--reason", "It is late.", "ann"]).operands
    #expect(try kick.name == "ann" && kick.shownReason() == "It is late.")
    let ban = try AdminVerb.parse(["ban", "10.0.0.1", "--for=1h", "192.0.2.0/24"]).operands
    #expect(try ban.blocks().map(\.description) == ["10.0.0.1", "192.0.2.0/24"])
    #expect(ban.milliseconds == 3_600_000)
    let wrong = #expect(throws: UsageError.self) { try AdminVerb.parse(["unban", "10.1.2.3/8"]).operands.blocks() }
    #expect(wrong?.message.hasSuffix("; did you mean 10.0.0.0/8?") == true)
    #expect(throws: (any Error).self) { try AdminVerb.parse(["kick", "ann", "--reason", "a\u{1B}b"]).operands.shownReason() }
}

/// 2028-03-01, 00:00 UTC.
@Test(arguments: [
    ("2028-02-29", true), ("2028-03-01", false), ("2028-03-02", false), ("2999-01-01", false), ("2028-02-30", false),
    ("2027-02-29", false), ("2027-04-31", false), ("2027-12-31", true), ("2027-1-1", false), ("2027-02-28T", false), ("", false),
])
func accountsAreUnusedSinceADayThatExists_andIsOver(_ day: String, _ isRight: Bool) throws {
    let operands = try? AdminVerb.parse(["delete", "--unused-since=\(day)", "--yes"]).operands
    #expect((try? operands?.unusedSince(at: 1_835_481_600_000)) == (isRight ? day : nil))
}

@Test(arguments: [
    ("10.0.0.0/8", true), ("11.0.0.0/8", true), ("10.0.0.0/7", false), ("0.0.0.0/0", false), ("127.0.0.0/8", false),
    ("127.3.0.1", false), ("2001::/16", true), ("2000::/15", false), ("::1", false), ("::/96", false), ("::/0", false),
])
func aBanThatMayShutEverybodyOut_needsYes(_ block: String, _ isNarrow: Bool) throws {
    #expect(((try? AdminVerb.parse(["ban", "192.0.2.7", block]).operands.blocks(toBan: true)) != nil) == isNarrow)
    #expect(try AdminVerb.parse(["ban", block, "--yes"]).operands.blocks(toBan: true).count == 1)
    #expect(try AdminVerb.parse(["unban", block]).operands.blocks().count == 1)
}

@Test func aBanFileHasABlockOnEachLine_andAFaultyLineIsNamed() {
    let text = "# a list\n192.0.2.0/24\r\n\n  2001:db8::/32\t# comment\n10.0.0.1"
    #expect(
        (try? BanFile.parse(Array(text.utf8), limit: 3))?.map(\.description) == ["192.0.2.0/24", "2001:db8::/32", "10.0.0.1"])
    for (text, limit, words) in [
        (text, 2, "line 5: more than 2 bans"), ("10.0.0.0/8\n10.0.0.1/8 # a mistake", 9, "line 2: '10.0.0.1/8' is not "),
    ] {
        let fault = #expect(throws: ConfigurationFault.self) { try BanFile.parse(Array(text.utf8), limit: limit) }
        #expect(fault?.description.hasPrefix(words) == true)
    }
}

@Test func aMisspeltVariable_isRefusedWithTheNearestName_andThoseOfOtherProgramsAreNot() throws {
    for (name, nearest) in [
        ("BJ_DRAIN_TIMOUT", "BJ_DRAIN_TIMEOUT"), ("BJ_MAX_CONNECTION", "BJ_MAX_CONNECTIONS"), ("BJ_TABLE", "BJ_TABLES"),
    ] {
        #expect(reason("{}", [name: "5m"]) == "unknown environment variable '\(name)'; did you mean '\(nearest)'?")
        #expect(throws: Never.self, "as Compose passes one that is not set") { try read("{}", [], [name: ""]) }
    }
    let others = [
        "BJ_COMMIT", "BJ_CLEAN_ROOT", "BJ_RECORD", "BJ_THOROUGH", "BJ_PUBLISH", "BJ_SWIFT", "BJ_TLS_PEM", "BJ_LOAD_DURATION",
        "BJ_SERVER", "BJ_PASS", "BJ_PROMETHEUS", "BJ_GRAFANA", "BJ_HAPROXY",
        "BJ_MAINTAINER",
        "BJ_COLOR", "BJ_QUIET", "BJ_BUILT", "IDLE_TIMEOUT",
    ]
    #expect(try read("{}", [], Dictionary(uniqueKeysWithValues: others.map { ($0, "x") })).doubts.isEmpty)
}

@Test func settingsThatDependOnOthers_areShownAsTheyApply() throws {
    func shown(_ words: String..., home: String? = "/home/ann") throws -> [String?] {
        let settings = try read(#"{"chips": 500}"#, words, home: home).settings
        return ["data", "rebuy", "admin"].map { key in settings.first { $0.key == key }?.value }
    }
    let folder = "/home/ann/.local/state/bjserver/2121"
    #expect(try shown() == [folder, "500", folder + "/admin.sock"])
    #expect(try shown("--listen", ":0") == ["none", "500", nil])
    #expect(try shown("--data", "there", "--rebuy", "0", "--admin", "a.sock") == ["there", "0", "a.sock"])
    #expect(try shown("--data", "postgres://bj@db/bj") == ["postgres://bj@db/bj", "500", nil])
    #expect(try shown(home: nil) == ["none", "500", nil])
}

@Test func settingsThatAreHardlyMeant_areNamed_andAHouseWhereNobodyCanBetIsRefused() throws {
    #expect(reason(#"{"chips": 9, "rebuy": 0}"#) == "chips: 9 is less than the minimum bet of every table, 10, and rebuy is 0")
    #expect(try read(#"{"chips": 10, "rebuy": 0}"#).doubts.isEmpty)
    #expect(try read(#"{"chips": 9}"#).doubts == ["chips: 9 is less than the minimum bet of every table, 10"])
    let full = try read(
        #"{"bots": 5, "tables": [{"name": "a", "rules": {"seats": 5}}, "b", {"name": "c", "rules": {"seats": 2}}]}"#)
    #expect(full.doubts == ["bots: 5 leave no seat for players at a and 1 more"])
    let homeless = "data: nothing is stored, since $HOME names no folder: choose one with --data DIR, or --data none"
    #expect(try read("{}", home: nil).doubts == [homeless])
    for words in [["--data", "none"], ["--listen", ":0"], ["--seed", "7"]] {
        #expect(try read("{}", words, home: nil).doubts.isEmpty)
    }
    #expect(try read(#"{"bots": 7}"#).doubts == ["bots: 7 leave no seat for players at main"])
}
