import Rules
import ServerCore
import Testing

@testable import CommandLineKit
@testable import bjbench
@testable import bjbots
@testable import bjclient
@testable import bjserver

// One walk over every option of every program, and over every key of a configuration: an extreme value is refused with a reason, or used as it
// stands.

// The types are written out: inferred from literals, shifts and sums, these lines took as long to compile as the rest of the module.
private let integers: [Int] =
    [.min, .min + 1, -9_007_199_254_740_992, -1, 0, 1, 7, 512, 65_536, 1_000_000_000, 1_000_000_001]
    + [2_147_483_648, 4_294_967_296, 9_007_199_254_740_992, .max - 1, .max]

private let numerals: [String] = [
    "9223372036854775808", "18446744073709551615", "18446744073709551616", "-0", "1.5", "1e-300", "1e18", "1e300", "1e400",
    "-1e400",
    "nan", "inf", "0x10", "", String(repeating: "9", count: 400),
]

private let numbers: [String] = integers.map { "\($0)" } + numerals

private let spans: [String] = ["ms", "s", "h"].flatMap { unit in numbers.map { $0 + unit } }

private let extremes: [String] =
    numbers + [
        "1e300s", "9223372036854775807ms", "9223372036854775807h", "99999999999999999999h", "0ms", "100%", "1e300%", "nan%",
        "-1%",
        "340282366920938463463374607431768211455", "0.0000000000000000000000000000001", "1h1h", "1e-300/s", "10000000/s",
        "p99<1e400ms", "p99<nan", "pnan<1s", "errors>inf", "flood:99999999999999999999", "flood:-1", ":65535", ":65536",
        "[::1]:99999999999999999999", "127.0.0.1:-1", "1,2500,99999999999", "1,,2", "http://127.0.0.1:99999/",
        "http://[::1]:65535/metrics", "\u{0}\u{1B}[2J", "💣", String(repeating: "x", count: 100_000),
    ]

/// Short enough for a line, and nothing that a terminal obeys.
private func expectLine(_ message: String, _ place: @autoclosure () -> String) {
    #expect(message.count < 400 && message.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(place()): \(message)")
}

private func expectAnswers<Options, Program>(_ command: Command<Options, Program>) {
    for (path, syntax) in command.syntax.walk() {
        let words = path.split(separator: " ").dropFirst().map(String.init)
        // The file that --config names is at fault by itself, by its path.
        let options = syntax.options.filter { $0.takesValue && $0.name != "--config" }.map(\.name)
        for value in extremes {
            for option in options {
                guard case .refusal(let error) = command.parse(words + ["\(option)=\(value)"]) else { continue }
                #expect(error.message.contains(option) || error.message.hasPrefix("missing "), "\(path): \(error.message)")
                expectLine(error.message, "\(path) \(option)")
            }
            if case .refusal(let error) = command.parse(words + ["--"] + Array(repeating: value, count: 3)) {
                expectLine(error.message, path)
            }
        }
    }
}

@Test func everyOptionOfEveryCommand_takesOrRefusesAnyValue() {
    expectAnswers(BotsProgram.command)
    expectAnswers(BenchProgram.command)
    expectAnswers(ServerProgram.command)
    expectAnswers(ClientProgram.command)
}

@Test func everyKeyOfAConfiguration_takesOrRefusesAnyValue_andAServerIsMadeOfIt() {
    var (taken, refused) = (0, 0)
    for value in numbers + (extremes + spans).map({ JSONTree.string($0).description }) {
        var members = ServerProgram.command.syntax.parameters.compactMap(\.key).map { "\"\($0)\": \(value)" }
        members += HouseRules.keys.map { "\"rules\": {\"\($0)\": \(value)}" }
        members.append("\"rules\": {\"minimumBet\": \(value), \"maximumBet\": \(value), \"betStep\": \(value)}")
        members += TableSpec.Key.allCases.map { "\"tables\": [{\"name\": \"a\", \"\($0)\": \(value)}]" }
        for member in members {
            do {
                let configuration = try read("{\(member)}")
                taken += 1
                #expect(configuration.shards.startingChips <= 1_000_000_000, "\(member)")
                #expect(configuration.tables[0].rules.maximumBet <= 1_000_000_000, "\(member)")
                var options = configuration.server(LogSettings())
                options.port = 0
                Server(shards: configuration.shards, options: options).stopNow {}
            } catch {
                refused += 1
                expectLine((error as? UsageError)?.message ?? "\(error)", "\(member.prefix(80))")
            }
        }
    }
    #expect(taken > 200 && refused > 5_000, "\(taken), \(refused)")
}

@Test func anExtremeTime_forABan_isRefusedOrIsAYearAtMost() {
    for value in spans {
        guard let length = try? AdminVerb.parse(["ban", "192.0.2.7", "--for=\(value)"]).operands.milliseconds else { continue }
        #expect((1000...31_536_000_000).contains(length))
    }
}
