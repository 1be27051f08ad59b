import Rules
import ServerCore
import Testing

@testable import bjserver

private let numbers =
    [
        Int.min, Int.min + 1, -(1 << 53), -1, 0, 1, 7, 512, 65_536, 1_000_000_000, 1_000_000_001, 1 << 31, 1 << 32, 1 << 53,
        Int.max - 1,
        Int.max,
    ].map(String.init) + ["9223372036854775808", "18446744073709551615", "18446744073709551616", "1e400", "1.5", "-0", "nan", ""]

/// Of a flag, `everyOptionOfEveryCommand_takesOrRefusesAnyValue`.
@Test func anExtremeNumber_inAFile_isRefused_orAServerIsMadeOfIt() {
    let counts = ["bots", "chips", "rebuy", "maxConnections", "maxPlayers", "maxAccounts", "requestRate", "seed"]
    let spans = ["settle", "away", "timeBank", "lease", "drainTimeout"].flatMap { name in ["ms", "s", "h"].map { (name, $0) } }
    var (taken, refused) = (0, 0)
    for number in numbers {
        var members = counts.map { "\"\($0)\": \(number)" } + spans.map { "\"\($0)\": \"\(number)\($1)\"" }
        members += HouseRules.keys.map { "\"rules\": {\"\($0)\": \(number)}" }
        members.append("\"rules\": {\"minimumBet\": \(number), \"maximumBet\": \(number), \"betStep\": \(number)}")
        members += ["minimumBet", "maximumBet", "count"].map { "\"tables\": [{\"name\": \"a\", \"\($0)\": \(number)}]" }
        for member in members {
            guard let configuration = try? read("{\(member)}") else {
                refused += 1
                continue
            }
            taken += 1
            #expect(configuration.shards.startingChips <= 1_000_000_000, "\(member)")
            #expect(configuration.tables[0].rules.maximumBet <= 1_000_000_000, "\(member)")
            var options = configuration.server(LogSettings())
            options.port = 0
            Server(shards: configuration.shards, options: options).stopNow {}
        }
    }
    #expect(taken > 100 && refused > 500, "\(taken), \(refused)")
}

@Test func anExtremeTime_forABan_isRefusedOrIsAYearAtMost() throws {
    for number in numbers {
        for unit in ["ms", "s", "m", "h"] {
            let operands = try AdminVerb.parse(["ban", "192.0.2.7", "--for=\(number)\(unit)"]).operands
            guard let length = try? operands.option("--for", AdminVerb.banLength) else { continue }
            #expect((1000...31_536_000_000).contains(length))
        }
    }
}
