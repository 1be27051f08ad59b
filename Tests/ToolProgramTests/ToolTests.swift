import CommandLineKit
import Foundation
import TestKit
import Testing

@testable import bjbench
@testable import bjbots
@testable import bjclient
@testable import bjserver

/// The menu of `bjclient` alone.
struct StartMenuTests {
    private static let now = Date(timeIntervalSince1970: 1_795_910_400)

    private func table(_ server: String, daysAgo days: Int, owner: String? = "Hank") -> Visit {
        Visit(
            place: .table, server: server, table: "main", owner: owner, time: Int(Self.now.timeIntervalSince1970) - 86_400 * days)
    }

    @Test func theLastPlaceIsTheFirst_andEightTablesAreKept() throws {
        #expect(
            StartMenu.items([], nil, now: Self.now).map(\.words) == [
                "practice against bots", "host a table for friends on this machine",
                "join a table: type its HOST:PORT, or paste the line from your host",
            ])
        var visits: [Visit] = [Visit(place: .practice, chips: 810, time: 1)]
        for number in (1...9) { visits = table("host\(number):2121", daysAgo: 9 - number).first(of: visits) }
        visits = table("host5:2121", daysAgo: 2, owner: "\u{1B}[2J").first(of: visits)
        visits = table("host6:2121", daysAgo: 1, owner: nil).first(of: visits)
        let settings = HostOptions.Settings(tables: [.init(name: "friends", pass: "kiwi")], bots: 2, listen: ":2121")
        let items = StartMenu.items(visits, settings, now: Self.now).map(\.words)
        #expect(items.count == 11 && items[0] == "join the table main at host6:2121 (yesterday)", "\(items)")
        #expect(items[1].hasPrefix("join \\u{1b}[2J's table (last ") && items[2] == "join Hank's table (today)")
        #expect(items[8...] == ["practice against bots (810 chips)", "host again (friends, 2 bots)", items[10]])
        #expect(!"\(try JSONEncoder().encode(visits))".contains("kiwi"))
    }

    @Test(arguments: [("Friday night", "friday-night"), ("a--b", "a--b"), (" Ça va? ", "a-va"), ("♠♠", ""), ("-", "-")])
    func aTableIsNamedAsPeopleWrite(_ text: String, _ name: String) {
        #expect(HostOptions.tableName(text) == name)
        #expect(HostOptions.tableName(String(repeating: "ab ", count: 20)) == "ab-ab-ab-ab-ab-ab-ab-ab-ab-ab-ab")
    }

    /// A login by key asks the caller, even where the environment holds the right phrase, another table or a folder.
    @Test func ofACallersEnvironment_aLoginByKeyUsesNothing() throws {
        let (home, server) = (ScratchFolder(), ScratchFolder())
        let key = try home.file("auth", "publickey ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8+abcdefgh\n")
        let host = ["host", "--name", "bob", "--pass", "kiwi", "--no-door"]
        let own = ["HOME": server.path, "BJ_LISTEN": "127.0.0.1:0"]
        let line = try Tool.run("bjclient", host, input: "leave\n", environment: own).output
        defer { _ = try? Tool.run("bjserver", ["ctl", "drain"], environment: own) }
        let port = try #require(line.firstMatch(of: /bjclient 127\.0\.0\.1:(\d+)/)).1
        let sent = ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "BJ_SERVER", "BJ_OWNER_CODE", "TZ", "USER"].map {
            ($0, home.path)
        }
        let environment = [
            "BJ_PASS": "kiwi", "SSH_USER_AUTH": key, "SSH_ORIGINAL_COMMAND": "/tmp x", "SSH_CONNECTION": "192.0.2.7 1 2 3",
        ]
        let words = ["127.0.0.1:\(port)", "--by-ssh-key"]
        let caller = try Tool.run(
            "bjclient", words, input: "Fay\n\nleave\n", environment: environment.merging(sent) { $1 })
        #expect(caller.output.contains("You are Fay.\nPass phrase of friends (shown"), "\(caller)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["auth"])
        let none = try Tool.run("bjclient", words, environment: ["SSH_USER_AUTH": "/dev/null"])
        #expect(none.status == 77 && none.errors.hasPrefix("bjclient: sshd names no key"), "\(none)")
    }
}

/// A command line, the status that it ends with, and what it says about it on standard error.
struct Case: Sendable, CustomTestStringConvertible {
    let words: String
    let status: Int32
    let reason: String

    init(_ words: String, _ status: Int32, _ reason: String) {
        (self.words, self.status, self.reason) = (words, status, reason)
    }

    var testDescription: String { words }

    /// Runs the program that the words begin with; FOLDER stands for a folder with the files below, PORT for a port where nobody is.
    func run(output: Tool.Output = .captured) throws -> Tool.Ending {
        let (folder, port) = (ScratchFolder(), try ClosedPort())
        for (name, text) in Self.files { _ = try folder.file(name, text) }
        let filled = words.replacing("FOLDER", with: folder.path).replacing("PORT", with: "127.0.0.1:\(port.number)")
        let parts = filled.split(separator: " ").map(String.init)
        return try Tool.run(parts[0], Array(parts.dropFirst()), output: output)
    }

    /// The refusal of the command line by itself; nil where the program finds the fault.
    var refusal: String? {
        let words = words.replacing("PORT", with: "127.0.0.1:1").split(separator: " ").map(String.init)
        func refusal<Options, Program>(_ command: Command<Options, Program>) -> String? {
            if case .refusal(let error) = command.parse(Array(words.dropFirst())) { "\(error)" } else { nil }
        }
        return switch words[0] {
        case "bjserver": refusal(ServerProgram.command)
        case "bjclient": refusal(ClientProgram.command)
        case "bjbench": refusal(BenchProgram.command)
        default: refusal(BotsProgram.command)
        }
    }

    private static let files: [(String, String)] = [
        ("list.json", "[1]"), ("word.json", "\"x\""), ("empty.json", ""), ("e400.json", #"{"decks": 1e400}"#),
        ("twice.json", #"{"decks": {"a": 1, "a": 2}}"#), ("large.json", #"{"decks": 99999999999999999999}"#),
        ("big.json", #"{"minimumBet": 1, "maximumBet": 1000000000, "betStep": 1}"#),
        ("huge.json", #"{"minimumBet": 1000000000, "maximumBet": 1000000000, "betStep": 1000000000}"#),
        ("chart.csv", "x,2,3,4\n"),
    ]
}

private let refused: [Case] = [
    Case("bjbench nosuch", 64, "no measurement contains 'nosuch'; names begin with "),
    Case("bjbench server --tables 2501", 64, "numbers of tables from 1 to 2500"),
    Case("bjbench server --rate 100001", 64, "a whole number from 1 to 100000"),
    Case("bjbench server --seconds 9223372036854775807", 64, "a whole number from 1 to 3600"),
    Case("bjbots simulate --rounds 9223372036854775807", 64, "--rounds: '9223372036854775807' is not a whole number from"),
    Case("bjbots simulate --threads 1025", 64, "--threads"), Case("bjbots simulate --seats 8", 64, "--seats"),
    Case("bjbots simulate --seed 18446744073709551616", 64, "--seed"),
    Case("bjbots simulate --bet 1000000000", 64, "bet cannot be 1000000000: these rules take 10 to 500 in steps of 5"),
    Case("bjbots simulate --log FOLDER/log", 64, "--log is valid with --strategy random only"),
    Case("bjbots simulate --strategy FOLDER/chart.csv", 65, "line 1, column 5"),
    Case("bjbots simulate --strategy FOLDER/absent.csv", 65, "absent.csv: No such file or directory"),
    Case("bjbots simulate --strategy /dev/zero", 65, "cannot read /dev/zero: it is longer than 67108864 bytes"),
    Case("bjbots simulate --strategy random --rounds 9 --log /dev/full", 74, "cannot write /dev/full: No space left on device"),
    Case("bjbots simulate --strategy random --rounds 9 --log FOLDER", 74, ": Is a directory"),
    Case("bjbots simulate --strategy indexes", 64, "--strategy indexes needs --count"),
    Case("bjbots simulate --count hi-lo --seats 2", 64, "seats cannot be 2: one player counts"),
    Case("bjbots simulate --count hi-lo --ramp 1:20,0:10", 64, "'1:20,0:10' is not bets at rising true counts from -10 to 10"),
    Case("bjbots odds --hand A,K --up 4", 64, "--hand A,K is a blackjack: there is no decision"),
    Case("bjbots odds --hand 10,2", 64, "--hand takes two cards or more and --up one"),
    Case("bjbots odds --hand 10,5,6 --up 4", 64, "--hand 10,5,6 is hard 21: there is no decision"),
    Case("bjbots chart --count ko", 64, "'ko' is not a system with a true count: hi-lo, hi-opt-1, hi-opt-2, omega-2, zen"),
    Case("bjbots chart --json", 64, "--json needs --count"),
    Case("bjbots odds --gone 5,1", 64, "--hand, --up and --gone take cards, 2 to 10, J, Q, K or A"),
    Case(
        "bjbots odds --rules single-deck --hand 5,5 --up 5 --gone 5,5", 64,
        "name 5 cards 5, and the shoe has 4"),
    Case("bjbots odds --strategy FOLDER/absent.csv", 65, "absent.csv: No such file or directory"),
    Case("bjbots simulate --rules FOLDER/list.json", 65, "list.json: the rules file must be an object, such as {\"decks\": 6}"),
    Case("bjserver rules FOLDER/word.json", 65, "word.json: the rules file must be an object"),
    Case("bjserver rules FOLDER/empty.json", 65, "empty.json: Not JSON: expected a value at byte 0"),
    Case("bjserver rules FOLDER/e400.json", 65, "rule \"decks\" cannot be a number that is too large: it must be a whole number"),
    Case("bjserver rules FOLDER/twice.json", 65, "rule \"decks\" cannot be an object"),
    Case("bjserver rules FOLDER/large.json", 65, "rule \"decks\" cannot be 1e+20"),
    Case("bjserver rules FOLDER/absent.json", 65, "cannot read"),
    Case("bjserver rules /dev/zero", 65, "cannot read /dev/zero: it is a pipe or a device, not a regular file"),
    Case("bjserver rules /", 65, "cannot read /: it is a directory, not a regular file"),
    Case("bjserver rules nosuch", 65, "unknown preset \"nosuch\""),
    Case("bjserver rules europaen", 65, "unknown preset \"europaen\": did you mean \"european\"?"),
    Case("bjclient practice --rules vegas-stripe", 65, "did you mean \"vegas-strip\"?"),
    Case(
        "bjclient", 64,
        "bjclient: choose what to play: 'bjclient practice' against bots, 'bjclient host' with friends, or 'bjclient HOST:PORT'"),
    Case("bjclient practise", 64, "did you mean 'practice'?"), Case("bjserver ctl tabels", 64, "did you mean 'tables'?"),
    Case("bjclient acounts", 64, "did you mean 'accounts'?"), Case("bjclient accounts lits", 64, "did you mean 'list'?"),
    Case("bjserver schema --language up", 64, "one of json-schema, python"),
    Case("bjbots play PORT --rounds 0", 64, "--rounds"), Case("bjbots play PORT", 69, "Connection refused"),
    Case("bjbots play PORT --bots 1000 --rounds 1000000000 --bet 1000000000", 69, "connecting to 127.0.0.1:"),
    Case("bjbots load PORT --rate 1e18", 64, "from 0.001 to 10000000"), Case("bjbots load PORT --rate 1e-300", 64, "--rate"),
    Case("bjbots load PORT --rate nan", 64, "--rate"), Case("bjbots load PORT --duration 1e300s", 64, "--duration"),
    Case("bjbots load PORT --bots 99999999", 64, "--bots"), Case("bjbots load PORT --disconnects -1", 64, "--disconnects"),
    Case("bjbots load PORT --hostile polite:3", 64, "kinds are flood, oversized-line"),
    Case("bjbots load PORT --hostile flood:nan", 64, "--hostile"), Case("bjbots load PORT --fail-if p99>nan", 64, "--fail-if"),
    Case("bjbots load PORT --fail-if p99>50", 64, "a condition such as p99.9>50ms"),
    Case("bjbots load PORT --bots 700 --rate 10000000 --duration 604800s", 69, "Connection refused"),
    Case("bjbots load PORT --seed 18446744073709551615 --ramp 24h", 69, "Connection refused"),
    Case("bjbots load PORT --json FOLDER/absent/a.json", 74, "No such file or directory"),
    Case("bjbots load PORT --html FOLDER", 74, "Is a directory"),
    Case("bjbots load PORT --from nonsense", 69, "not a numeric address"),
    Case("bjbots load PORT --from 192.0.2.1", 69, "cannot connect from 192.0.2.1: "),
    Case("bjbots load PORT --strategy FOLDER/absent.csv", 65, "absent.csv: No such file or directory"),
    Case("bjbots chaos PORT --cut 25h", 64, "--cut"), Case("bjbots chaos PORT --listen nowhere", 64, "--listen"),
    Case("bjbots chaos PORT --listen 192.0.2.1:1", 69, "192.0.2.1:1"),
]

/// No process is needed for these, but for one that shows the status.
@Test(arguments: refused.filter { $0.refusal != nil })
func aWrongCommandLine_isRefused(_ example: Case) {
    #expect(example.refusal?.contains(example.reason) == true && example.status == 64, "\(example.refusal ?? "")")
}

@Test(.ownThread, arguments: refused.filter { $0.refusal == nil } + refused.filter { $0.refusal != nil }.prefix(1))
func whatCannotBeDone_isSaid_andEndsWithItsStatus(_ example: Case) throws {
    let ending = try example.run()
    #expect(ending.status == example.status, "\(ending.status) \(ending.errors.suffix(300))")
    #expect((ending.errors + ending.output).contains(example.reason), "\(ending.errors.suffix(300))")
    #expect(!ending.errors.contains("Fatal error") && !ending.errors.contains("NSCocoa"))
}

private let printing = [
    "bjbots --manual", "bjbots simulate --rounds 99", "bjbots simulate --rounds 99 --json", "bjserver schema", "bjserver --help",
    "bjserver --print-config", "bjclient --version", "bjbench --completions bash",
]

@Test(.ownThread, arguments: printing)
func aReaderWhoHasGone_endsAProgramInSilence(_ words: String) throws {
    let ending = try Case(words, 0, "").run(output: .closedPipe)
    // 128 + SIGPIPE, as for tools that the signal ends.
    #expect(ending.status == 141 && ending.errors == "", "\(ending.status) \(ending.errors)")
}

#if os(Linux)
    @Test(.ownThread, arguments: printing)
    func outputThatFindsNoRoom_isAnError(_ words: String) throws {
        let ending = try Case(words, 0, "").run(output: .full)
        #expect(ending.status == 74 && ending.errors == "cannot write to standard output: No space left on device\n")
    }
#endif

@Test(.ownThread, arguments: ["basic", "random"])
func theLargestBets_haveAStandardDeviation(_ strategy: String) throws {
    for rules in ["big", "huge"] {
        let words = "bjbots simulate --rules FOLDER/\(rules).json --bet 1000000000 --rounds 5000 --json --strategy \(strategy)"
        let ending = try Case(words, 0, "").run()
        #expect(ending.status == 0, "\(ending.errors)")
        let object = try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any]
        #expect((object?["standardDeviation"] as? Double).map { (1.0...1.5).contains($0) } == true, "\(ending.output)")
        #expect((object?["standardError"] as? Double).map { $0 > 0.01 } == true && object?["partial"] as? Bool == false)
    }
}

@Test(.ownThread, arguments: [(SIGINT, SIGINT), (SIGTERM, SIGTERM), (SIGQUIT, SIGTERM)])
func aSimulationThatIsInterrupted_tellsWhatItHasPlayed(_ signal: Int32, _ told: Int32) throws {
    let folder = ScratchFolder()
    let path = folder.path + "/log"
    try #require(mkfifo(path, 0o600) == 0)
    let words = ["simulate", "--strategy", "random", "--rounds", "1000000000000", "--log", path, "--json"]
    let process = Tool.process("bjbots", words)
    let output = Pipe()
    process.standardOutput = output
    try process.start()
    let log = try FileHandle(forReadingFrom: URL(filePath: path))
    var lines = try #require(try log.read(upToCount: 1 << 16))
    // It plays. Whatever is on its way is read, so that it does not wait for us.
    kill(process.processIdentifier, signal)
    while let more = try log.read(upToCount: 1 << 16), !more.isEmpty { lines += more }
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 128 + told)
    let object = try JSONSerialization.jsonObject(with: text) as? [String: Any]
    #expect(object?["partial"] as? Bool == true)
    // Each round is in the log, and the last line is whole.
    #expect(lines.last == UInt8(ascii: "\n") && lines.count { $0 == UInt8(ascii: "\n") } == object?["rounds"] as? Int)
}

@Test(.ownThread) func aProgramThatDoesNotEnd_isKilledAtItsDeadline_andItsOutputEnds() throws {
    let (process, input, output) = (Tool.process("/bin/cat", []), Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.start(deadline: 1)
    #expect(try output.fileHandleForReading.readToEnd() ?? Data() == Data())
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL)
}

@Test(.ownThread) func aLogWhoseReaderHasGone_isSaidInWords() throws {
    let folder = ScratchFolder()
    let path = folder.path + "/log"
    try #require(mkfifo(path, 0o600) == 0)
    let process = Tool.process("bjbots", ["simulate", "--strategy", "random", "--rounds", "1000000", "--log", path])
    let errors = Pipe()
    (process.standardError, process.standardOutput) = (errors, FileHandle.nullDevice)
    try process.start()
    let log = try FileHandle(forReadingFrom: URL(filePath: path))
    _ = try log.read(upToCount: 1)
    try log.close()
    let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text == "bjbots: cannot write \(path): Broken pipe\n" && process.terminationStatus == 74)
}

@Test(.ownThread, arguments: ["bjserver", "bjclient", "bjbots", "bjbench", "bjverify"])
func everyProgram_printsTheReleaseVersion(_ program: String) throws {
    let ending = try Case("\(program) --version", 0, "").run()
    #expect(ending.status == 0 && ending.output.hasPrefix("\(program) \(Release.version)"))
}
