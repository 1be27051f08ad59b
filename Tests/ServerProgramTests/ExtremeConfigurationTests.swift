import Rules
import ServerCore
import Testing

@testable import bjserver

private let counts = [
    "bots", "chips", "rebuy", "max-connections", "max-players", "max-accounts", "request-rate", "seed",
]
private let spans = ["settle", "away", "time-bank", "lease", "drain-timeout"]
private let numbers =
    [
        Int.min, Int.min + 1, -(1 << 53), -1, 0, 1, 7, 512, 65_536, 1_000_000_000, 1_000_000_001, 1 << 31, 1 << 32, 1 << 53,
        Int.max - 1,
        Int.max,
    ].map(String.init) + ["9223372036854775808", "18446744073709551615", "18446744073709551616", "1e400", "1.5", "-0", "nan", ""]

private func parse(_ words: [String], _ environment: [String: String] = [:], _ file: String = "{}") -> ServerConfiguration? {
    let outcome = ServerProgram.command.parse(["--config", "f.json"] + words, environment: environment) { _ in Array(file.utf8) }
    guard case .run(.serve(let options), let settings) = outcome else { return nil }
    return try? ServerConfiguration(options, settings)
}

/// `max-players` as a key of a file: `maxPlayers`.
private func key(_ name: String) -> String {
    let words = name.split(separator: "-")
    return String(words[0]) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
}

/// Makes all that follows from a configuration before anybody connects.
private func build(_ configuration: ServerConfiguration) {
    var options = configuration.server(LogSettings())
    options.port = 0
    let server = Server(shards: configuration.shards, options: options)
    server.stopNow {}
}

@Test func anExtremeNumber_inAFlag_aVariableOrAFile_isRefusedOrWorks() {
    var (taken, refused) = (0, 0)
    for (name, unit) in counts.map({ ($0, "") }) + spans.flatMap({ name in ["ms", "s", "m", "h"].map { (name, $0) } }) {
        for number in numbers {
            let value = number + unit
            let variable = "BJ_" + name.replacing("-", with: "_").uppercased()
            let written = unit.isEmpty ? value : "\"\(value)\""
            let readings = [
                parse(["--\(name)=\(value)"]), parse([], [variable: value]), parse([], [:], "{\"\(key(name))\": \(written)}"),
            ]
            for reading in readings {
                guard let reading else {
                    refused += 1
                    continue
                }
                taken += 1
                #expect(reading.shards.startingChips <= 1_000_000_000)
                if readings.count == 3, unit != "m" { build(reading) }
            }
        }
    }
    #expect(taken > 100 && refused > 500, "\(taken), \(refused)")
}

@Test func anExtremeNumber_inARule_isRefusedOrWorks() {
    let keys = HouseRules.keys
    var (taken, refused) = (0, 0)
    for key in keys + ["minimumBet,maximumBet,betStep"] {
        for number in numbers where number != "nan" && number != "" {
            let rules = key.split(separator: ",").map { "\"\($0)\": \(number)" }.joined(separator: ", ")
            for file in ["{\"rules\": {\(rules)}}", "{\"tables\": [{\"name\": \"a\", \"rules\": {\(rules)}}]}"] {
                guard let reading = parse([], [:], file) else {
                    refused += 1
                    continue
                }
                taken += 1
                build(reading)
                #expect(reading.tables[0].rules.maximumBet <= 1_000_000_000, "\(file)")
            }
        }
    }
    for number in numbers where number != "nan" && number != "" {
        for member in ["minimumBet", "maximumBet", "count"] {
            if let reading = parse([], [:], "{\"tables\": [{\"name\": \"a\", \"\(member)\": \(number)}]}") { build(reading) }
        }
    }
    #expect(taken > 20 && refused > 500, "\(taken), \(refused)")
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
