import Testing

@testable import CommandLineKit
@testable import bjbench
@testable import bjbots
@testable import bjclient
@testable import bjserver

/// Extreme options: refused with a reason or used as they stand.
private let extremes: [String] = [
    "", "0", "-0", "-1", "1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
    "340282366920938463463374607431768211455", String(repeating: "9", count: 400), "1e300", "1e-300", "1e18", "1e400", "-1e400",
    "nan", "inf", "0x10",
    "0.0000000000000000000000000000001", "1e300s", "9223372036854775807ms", "9223372036854775807h", "99999999999999999999h",
    "1h1h", "0ms", "100%", "1e300%", "nan%", "-1%", "1e-300/s", "10000000/s", "p99<1e400ms", "p99<nan", "pnan<1s",
    "errors>inf", "flood:99999999999999999999", "flood:-1",
    ":65535", ":65536", "[::1]:99999999999999999999",
    "127.0.0.1:-1", "1,2500,99999999999", "1,,2", "http://127.0.0.1:99999/", "http://[::1]:65535/metrics", "\u{0}\u{1B}[2J", "💣",
    String(repeating: "x", count: 100_000),
]

private func expectAnswers<Options, Program>(_ command: Command<Options, Program>) {
    for (path, syntax) in command.syntax.walk() {
        let words = path.split(separator: " ").dropFirst().map(String.init)
        // The file that --config names is at fault by itself, by its path.
        for option in syntax.options where option.takesValue && option.name != "--config" {
            for value in extremes {
                guard case .refusal(let error) = command.parse(words + ["\(option.name)=\(value)"]) else { continue }
                let message = error.message
                #expect(
                    message.contains(option.name) || message.hasPrefix("missing: "), "\(path) \(option.name)=\(value): \(message)"
                )
                // Short enough for a line, and nothing that a terminal obeys.
                #expect(message.count < 400 && message.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(message)")
            }
        }
        for value in extremes {
            if case .refusal(let error) = command.parse(words + ["--"] + Array(repeating: value, count: 3)) {
                #expect(
                    error.message.count < 400 && error.message.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(error.message)")
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
