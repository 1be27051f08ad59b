import CommandLineKit
import Rules
import Sockets
import Synchronization
import TestKit
import Testing

@testable import Bots
@testable import Conformance
@testable import LoadGenerator

// Extreme values in files and flags: used as meant or refused with a reason; nothing traps.

private let digits = String(repeating: "9", count: 400)

@Test(arguments: [
    "p(99)<\(digits)s", "p(99)<2h", "p(99)<1e9ms", "p(99)<nans", "p(99)<infs", "p(nan)<1s", "p(\(digits))<1s", "p(-0.1)<1s",
    "errors==nan", "errors==inf", "errors==\(digits)", "errors<1e400", "errors<0x10", "rounds/s>", "p(99)<ms",
])
func aThresholdOfNoUse_isRefused(_ text: String) {
    let error = #expect(throws: ThresholdError.self) { try Threshold(parsing: text) }
    #expect(error?.description.contains("threshold '\(text)': ") == true)
}

@Test(arguments: [
    (#"{"phases": [{"ramp": 1e18}]}"#, "s.json:1:14: phases[0].ramp: 1e18 is not a whole number from 0 to 1000000"),
    (#"{"phases": [{"ramp": 1e400}]}"#, "a number that a 64-bit double can hold, not 1e400"),
    (#"{"phases": [{"ramp": 1, "over": "\#(digits)h"}]}"#, "a time such as"),
    (#"{"phases": [{"ramp": 1}, {"hold": "169h"}]}"#, "a time such as"),
    (#"{"phases": [{"rate": 1e-300, "for": "1s"}]}"#, "a number from 0.001 to 10000000"),
    (#"{"phases": [{"rate": 1e18, "for": "1s"}]}"#, "a number from 0.001 to 10000000"),
    (#"{"seed": 1e300, "phases": [{"ramp": 1}]}"#, "seed: 1e300 is not a whole number from 0 to 9007199254740992"),
    (#"{"seed": -1, "phases": [{"ramp": 1}]}"#, "seed: -1 is"),
    (#"{"phases": [{"ramp": 1}], "bots": [{"weight": 0}, {"weight": 0}]}"#, "at least one has a weight"),
    (#"{"phases": [{"ramp": 1}], "bots": [{"weight": -1}]}"#, "weight: -1 is"),
    (#"{"phases": [{"ramp": 1}], "bots": [{"stay": 1e10}]}"#, "a whole number from 1 to 1000000000"),
    (#"{"phases": [{"ramp": 1}], "bots": [{"spread": "hi-lo:1-99999999999999999999"}]}"#, "a number of chips such as"),
    (#"{"phases": [{"ramp": 1}], "bots": [{"think": "lognormal:1h,1e9"}]}"#, "a time such as 200ms"),
    (#"{"phases": [{"ramp": 1}], "hostile": {"share": 1.0000001}}"#, "a number from 0 to 1"),
    (#"{"phases": [{"ramp": 1}], "hostile": {"kinds": {"malformed": 0}}}"#, "at least one has a weight"),
    (#"{"phases": [{"ramp": 1}], "thresholds": ["p(99)<999999999999999999999s"]}"#, "at most an hour"),
    (#"{"phases": [{"ramp": 1.e5}]}"#, "expected a digit"), ("[]", "an object with the keys"), ("", "expected a value"),
])
func aScenarioWithExtremes_isRefused(_ text: String, _ part: String) {
    let error = #expect(throws: FileError.self) { try Scenario(parsing: text, file: "s.json") }
    #expect(error?.description.hasPrefix("s.json") == true && error?.description.contains(part) == true, "\(error as Any)")
}

@Test func theLargestScenario_isRead_andItsDrawsAreInBounds() throws {
    let text = """
        {"seed": 9007199254740992, "phases": [{"ramp": 1000000, "over": "168h"}, {"rate": 10000000, "for": "168h"}],
         "bots": [{"weight": 1000000, "think": "lognormal:1h,10", "away": "exponential:1h", "stay": 1000000000, "spread": 1e9}]}
        """
    let scenario = try Scenario(parsing: text, file: "s.json")
    #expect(scenario.mostBots == 1_000_000 && scenario.duration == 2 * 604_800_000 && scenario.hostile(of: 1_000_000) == 0)
    var random = SeededRandom(seed: Seed.value)
    let bounds = 0...Int64(Distribution.longest * 1000)
    for _ in 0..<10_000 {
        #expect(bounds.contains(scenario.mixes[0].think.microseconds(&random)), "seed \(Seed.value)")
        #expect(bounds.contains(scenario.mixes[0].away.microseconds(&random)), "seed \(Seed.value)")
    }
    for spread in [
        BetSpread.hiLo(base: 1_000_000_000, most: 1_000_000_000), .martingale(base: 1_000_000_000, most: 1_000_000_000),
    ] {
        #expect(spread.amount(.init(losses: .max), trueCount: .max) == 1_000_000_000)
        #expect(spread.amount(.init(losses: 0), trueCount: .min) == 1_000_000_000)
    }
}

@Test(arguments: [
    "wait 1e300s", "wait \(digits)h", "wait 61m", "wait -1ms", "< {", "< 1e400", "< \(String(repeating: "[", count: 9999))",
])
func aScriptWithExtremes_isRefused(_ line: String) {
    let error = #expect(throws: FileError.self) { try ReplayScript(parsing: "> {}\n" + line, name: "s.txt") }
    #expect(error?.description.hasPrefix("s.txt:2:") == true)
}

@Test func aComparisonOfExtremes_saysWhatItFinds() throws {
    func report(_ value: String) throws -> String {
        // Every figure of a report, whatever its type was.
        try LoadReport.sample().json.pretty.replacing(/: -?[0-9.]+(e[+-][0-9]+)?(,?)\n/) { ": \(value)\($0.2)\n" }
            .replacing(#""version": \#(value)"#, with: #""version": 1"#)
    }
    for value in ["1.7e308", "-1.7e308", "5e-324", "0", "1e19", "-0.0"] {
        let (one, other) = (try report(value), try report("1"))
        for (a, b) in [(one, other), (other, one), (one, one)] {
            let text = try Comparison(("a.json", a), ("b.json", b)).text
            #expect(text.contains("actions/s") && !text.contains(" nan") && !text.contains("9223372036854775807"), "\(text)")
        }
    }
    #expect(try Comparison(("a", report("1.7e308")), ("b", report("1"))).text.contains("1.7e+308"))
    let error = #expect(throws: FileError.self) { try Comparison(("a.json", report("1e400")), ("b.json", report("1"))) }
    #expect(error?.description.contains("a.json:") == true && error?.description.contains("not 1e400") == true)
}

@Test func aFigureTooLargeForDigits_isWrittenAsAPowerOfTen() {
    #expect(fixed(1e300, 2) == "1e+300" && fixed(-1e300, 0) == "-1e+300" && fixed(4e18, 3) == "4000000000000000000")
    #expect(
        spoken(microseconds: -1e300) == "-1e+294 s" && plain(1e308) == "1e+308" && plain(12.34) == "12.3" && plain(-0.04) == "0")
}

@Test func arithmeticOfATranscript_thatNeedsMoreThan64Bits_hasNoValue() throws {
    var variables = ServerKit.Variables()
    variables["big"] = .integer(Int.max)
    variables["low"] = .integer(Int.min)
    for text in ["$big+1", "$low-1", "$big*2", "$low/$minus"] {
        variables["minus"] = -1
        #expect(variables.number(try ServerKit.TranscriptReader.term(text)) == nil, "\(text)")
    }
    #expect(variables.number(try ServerKit.TranscriptReader.term("$big-1")) == Int.max - 1)
    #expect(variables.number(try ServerKit.TranscriptReader.term("$big/0")) == 0)
}

@Test(arguments: [
    String(repeating: "[", count: 100_000), String(repeating: "!", count: 100_000) + "1",
    String(repeating: #"{"a":"#, count: 100_000),
])
func aPatternThatIsTooDeep_isRefused(_ text: String) {
    let error = #expect(throws: ServerKit.Mistake.self) { try ServerKit.Pattern(text) }
    #expect(error?.description.contains("nested deeper than 64 levels") == true)
}

@Test func scenesThatMultiply_areRefused() {
    let scenes = (1...7).map { "define s\($0) WHO\n" + String(repeating: "s\($0 + 1) WHO\n", count: 10) + "end\n" }.joined()
    let text = scenes + "define s8 WHO\n" + String(repeating: "cut WHO\n", count: 10) + "end\n== a/b\ns1 ann\n"
    let error = #expect(throws: ServerKit.Mistake.self) { try ServerKit.TranscriptSet([("k.transcript", text)]) }
    #expect(error?.description.contains("at most 10000 steps") == true)
    for rounds in ["-1", "1000001", "9223372036854775807", digits] {
        #expect(throws: ServerKit.Mistake.self) {
            try ServerKit.TranscriptSet([("k.transcript", "== a/b\nann plays \(rounds) hit until {...}\n")])
        }
    }
}

@Test func aSelfTestFails_whateverIsWrongWithItsReport() throws {
    let held = StallCheck.Row(name: "p50", theory: 1, measured: 1, difference: 0)
    let off = StallCheck.Row(name: "p50", theory: 1, measured: 2, difference: 0.03)
    var report = try LoadReport.sample(violations: 0, thresholds: [])
    report.errors = [:]
    #expect(StallCheck.faults([held], report) == [])
    #expect(StallCheck.faults([], report).count == 1 && StallCheck.faults([held, off], report).count == 1)
    report.errors = ["refused: table_full": 480, "connect: no answer": 10]
    #expect(StallCheck.faults([held], report) == ["490 errors: 480 × refused: table_full, 10 × connect: no answer"])
    report.violationCount = 2
    report.latency = LatencyBook()
    report.expectsActions = true
    #expect(StallCheck.faults([held], report).count == 3)
}

/// The report of a crew whose bots get no hello.
private func unreached(port: Int, greetingTimeout: Int64) async -> BotCrew.Report {
    let loop = Loop(label: "bots")
    let crew = LoopConfined(sending: BotCrew(loop: loop), on: loop)
    var options = BotCrew.Options(host: "127.0.0.1", port: port, bots: 3, rounds: 1)
    options.greetingTimeout = greetingTimeout
    let report = await withCheckedContinuation { done in
        crew.perform { [options] crew in crew.start(options) { done.resume(returning: $0) } }
    }
    loop.stop()
    return report
}

/// Accepts and says nothing.
private func silentListener(on loop: Loop) throws -> Int {
    try loop.performAndWait { () -> Result<Int, SocketError> in
        Result { () throws(SocketError) in try Listener(host: "127.0.0.1", port: 0, loop: loop) { _ in }.address.port }
    }.get()
}

@Test(.ownThread) func botsThatAreRefusedAtFirst_giveUpAtOnce_withOneReason() async throws {
    // No time-out comes: the refusal alone ends the run.
    let closed = try ClosedPort()
    let report = await unreached(port: closed.number, greetingTimeout: 3_600_000)
    #expect(report.isUnreachable && report.bots == 3 && report.errors.count == 1)
    #expect(report.errors.first?.contains("Connection refused") == true)
}

@Test(.ownThread) func aServerThatSaysNothing_isGivenUp() async throws {
    let loop = Loop(label: "silent")
    let port = try silentListener(on: loop)
    let report = await unreached(port: port, greetingTimeout: 20)
    #expect(report.isUnreachable && report.errors.first?.contains("says nothing that a blackjack server would") == true)
    let scouting = Loop(label: "scout")
    let kept = Mutex<LoopConfined<Scout>?>(nil)
    let result = await withCheckedContinuation { done in
        scouting.perform { @Sendable in
            let scout = Scout(host: "127.0.0.1", port: port, loop: scouting, timeout: 20) {
                done.resume(returning: $0.map(\.total))
            }
            let handle = LoopConfined(scout, on: scouting)
            kept.withLock { $0 = handle }
        }
    }
    #expect(throws: SocketError.self) { try result.get() }
    scouting.stop()
    loop.stop()
}
