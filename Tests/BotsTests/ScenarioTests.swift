import CommandLineKit
import Foundation
import TestKit
import Testing

@testable import Bots
@testable import LoadGenerator

private let full = """
    {
      "seed": 7,
      "phases": [
        {"ramp": 700, "over": "10s"},
        {"hold": "1m"},
        {"rate": 500, "of": "actions", "for": "30s"},
        {"rate": 2.5, "of": "sessions", "for": "30s"}
      ],
      "bots": [
        {"weight": 4, "spread": 10, "think": "exponential:200ms"},
        {"name": "counter", "spread": "hi-lo:10-100", "think": "lognormal:300ms,0.6", "table": ["main", "high"]},
        {"strategy": "charts/odd.csv", "spread": "martingale:10-160", "think": "uniform:50ms-2s", "stay": 50, "away": "2s", "table": "even"}
      ],
      "hostile": {"share": 0.2, "kinds": {"slow-reader": 1, "malformed": 3}},
      "thresholds": ["p(99)<20ms", "errors==0"]
    }
    """

@Test func aScenario_isReadInFull() throws {
    let scenario = try Scenario(parsing: full, file: "a.json")
    #expect(scenario.seed == 7 && scenario.mostBots == 700 && scenario.duration == 130_000)
    #expect(scenario.phases[2] == .actions(perSecond: 500, 30_000) && scenario.phases[3] == .sessions(perSecond: 2.5, 30_000))
    #expect(scenario.mixes.map(\.name) == ["basic", "counter", "charts/odd.csv"])
    #expect(scenario.mixes[0].spread == .flat(10) && scenario.mixes[0].think == .exponential(mean: 200))
    #expect(scenario.mixes[1].spread == .hiLo(base: 10, most: 100) && scenario.mixes[1].table == .named(["main", "high"]))
    #expect(scenario.mixes[2].strategy == .chart("charts/odd.csv") && scenario.mixes[2].stayRounds == 50)
    #expect(scenario.hostile(of: 700) == 140 && scenario.hostileWeights.map(\.kind) == [.slowReader, .malformed])
    #expect(scenario.thresholds.map(\.text) == ["p(99)<20ms", "errors==0"])
}

@Test func theScenarioOfThePage_isOne_andNamesEveryHostileKind() throws {
    let file = "Sources/bjbots/bjbots.docc/LoadTesting.md"
    let page = try String(contentsOf: repository.appending(path: file), encoding: .utf8)
    let section = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix("Load tests") })
    let example = try #require(
        section.components(separatedBy: "```json\n").dropFirst().first?.components(separatedBy: "```").first)
    let scenario = try Scenario(parsing: example, file: file)
    #expect(
        scenario.mostBots == 700 && scenario.mixes.count == 3 && scenario.thresholds.count == 5
            && scenario.hostileKinds.count == 4)
    for kind in HostileKind.allCases { #expect(section.contains("`\(kind.rawValue)`"), "\(kind.rawValue)") }
}

/// What is wrong, and what the error must name.
private let faulty: [(String, [String])] = [
    ("{", ["a.json:1", "a key in double quotes"]),
    ("[]", ["a.json:1:1: an empty list is not", "an object with the keys seed, phases, bots, hostile, thresholds"]),
    (#"{"seed": 1}"#, ["a.json:1:1: phases", "missing"]),
    (#"{"phases": []}"#, ["phases: an empty list is not a list of phases, at least one"]),
    ("{\n\"phases\": [\n{\"hold\": \"1s\"}]}", ["a.json:2:1: phases", "ramp"]),
    (
        "{\"phases\": [{\"ramp\": 5, \"over\": \"1s\"},\n{\"ramp\": 5,\n\"ovr\": \"1s\"}]}",
        ["a.json:3:1: phases[1].ovr", "unknown key", "over"]
    ),
    (#"{"phases": [{"ramp": "many"}]}"#, [#"phases[0].ramp: "many" is not a whole number from 0 to 1000000"#]),
    (#"{"phases": [{"ramp": 2.5}]}"#, ["phases[0].ramp: 2.5 is not"]),
    (#"{"phases": [{"ramp": 2, "over": 10}]}"#, ["phases[0].over: 10 is not", "a time such as"]),
    (#"{"phases": [{"ramp": 2, "for": "10s"}]}"#, ["phases[0].for", "unknown key; known: ramp, over"]),
    (#"{"phases": [{"rate": 2}]}"#, ["phases[0]", "how long it lasts"]),
    (#"{"phases": [{"rate": 2, "for": "1s", "of": "jokes"}]}"#, [#"phases[0].of: "jokes" is not"#, #""actions" or "sessions""#]),
    (#"{"phases": [{"ramp": 1}], "bots": [{"think": "soon"}]}"#, [#"bots[0].think: "soon" is not"#, "lognormal:300ms"]),
    (#"{"phases": [{"ramp": 1}], "bots": [{"spread": "martingale:10"}]}"#, ["bots[0].spread", "hi-lo:10-100"]),
    (#"{"phases": [{"ramp": 1}], "bots": [{"table": 3}]}"#, ["bots[0].table: 3 is not", "\"fill\""]),
    (#"{"phases": [{"ramp": 1}], "hostile": {"share": 2}}"#, ["hostile.share: 2 is not", "0 to 1"]),
    (#"{"phases": [{"ramp": 1}], "hostile": {"kinds": {"polite": 1}}}"#, ["hostile.kinds.polite", "slow-reader"]),
    (#"{"phases": [{"ramp": 1}], "thresholds": ["p(99)<soon"]}"#, ["thresholds[0]", "'soon' is not a time"]),
    (#"{"phases": [{"ramp": 1}], "phases": []}"#, ["a.json:1:27: duplicate key \"phases\""]),
]

@Test(arguments: faulty)
func aFaultyScenario_isRefusedWithFileKeyValueAndWhatWouldBeRight(_ text: String, _ parts: [String]) {
    let error = #expect(throws: FileError.self) { try Scenario(parsing: text, file: "a.json") }
    for part in parts { #expect(error?.description.contains(part) == true, "\(error?.description ?? "") lacks \(part)") }
}

@Test(arguments: [
    ("p(99)<20ms", Threshold.Metric.percentile(.corrected, 99), Threshold.Comparison.less, 20_000.0),
    ("p(99.9) <= 1.5s", .percentile(.corrected, 99.9), .atMost, 1_500_000),
    ("lag.p(99)<250us", .percentile(.lag, 99), .less, 250), ("raw.max>=1ms", .maximum(.raw), .atLeast, 1000),
    ("join.mean<1m", .mean(.join), .less, 60_000_000), ("errors==0", .count(.errors), .equal, 0),
    ("rounds/s>1000", .count(.roundsPerSecond), .more, 1000), ("violations!=1", .count(.violations), .different, 1),
])
func aThreshold_isRead(_ text: String, _ metric: Threshold.Metric, _ comparison: Threshold.Comparison, _ bound: Double) throws {
    let threshold = try Threshold(parsing: text)
    #expect(threshold.metric == metric && threshold.comparison == comparison && threshold.bound == bound)
}

@Test(arguments: [
    ("p(99)", "no comparison"), ("p(x)<1ms", "'x' is not a percentile"), ("p(101)<1ms", "'101' is not a percentile"),
    ("p(99)<20", "'20' is not a time"), ("errors==0ms", "'0ms' is not a number"), ("speed>3", "unknown figure 'speed'"),
    ("errors<", "'' is not a number"),
])
func aFaultyThreshold_isRefusedByName(_ text: String, _ part: String) {
    let error = #expect(throws: ThresholdError.self) { try Threshold(parsing: text) }
    #expect(error?.description.contains(part) == true && error?.description.contains(text) == true)
}

@Test(arguments: ["200ms", "1500us", "uniform:50ms-2s", "exponential:200ms", "lognormal:300ms,0.6", "0ms"])
func distributionsReadBackWhatTheyWrite(_ text: String) throws {
    let distribution = try #require(Distribution(text))
    #expect(Distribution(distribution.description) == distribution)
}

@Test(arguments: ["", "5", "uniform:2s-1s", "uniform:1s", "normal:3s", "exponential:", "lognormal:1s,x", "2h", "-1s"])
func whatIsNoDistribution_isRefused(_ text: String) { #expect(Distribution(text) == nil) }

@Test(arguments: [
    Distribution.constant(3), .uniform(from: 10, to: 30), .exponential(mean: 20), .logNormal(median: 20, spread: 0.5),
])
func draws_haveTheMeanOfTheirDistribution(_ distribution: Distribution) {
    var random = SeededRandom(seed: Seed.value)
    let sum = (0..<20_000).reduce(0.0) { sum, _ in sum + Double(distribution.microseconds(&random)) / 1000 }
    #expect(abs(sum / 20_000 - distribution.mean) < distribution.mean * 0.05, "seed \(Seed.value)")
}

@Test func betSpreads_followLossesAndCount() throws {
    var memory = BetSpread.Memory()
    let martingale = try #require(BetSpread("martingale:10-100"))
    for (net, amount) in [(0, 10), (-10, 20), (-20, 40), (0, 40), (-40, 80), (-80, 100), (150, 10)] {
        memory.note(net: net)
        #expect(martingale.amount(memory, trueCount: 9) == amount)
    }
    let counter = try #require(BetSpread("hi-lo:10-50"))
    #expect([-3, 0, 1, 2, 4, 9].map { counter.amount(memory, trueCount: $0) } == [10, 10, 10, 20, 40, 50])
    #expect(
        BetSpread("7") == .flat(7) && BetSpread("x") == nil && BetSpread("hi-lo:5-1") == nil
            && BetSpread("flat:3")?.description == "3")
}

@Test func jsonReadsBackWhatItWrites() throws {
    let tree: JSONTree = ["a": [1, -2.5, 1e300, true, .null], "b\n\"": ["c": "ü\u{1F600}\u{7F}"], "empty": [], "none": [:]]
    #expect(try JSONTree(parsing: tree.pretty.utf8) == tree && JSONTree(parsing: tree.description.utf8) == tree)
    #expect(tree[path: "a.1"] == -2.5 && tree[path: "a.9"] == nil && tree[path: "b.c"] == nil)
    for text in ["", "01", "1.", "[1,]", "{\"a\":1,}", "\"\\x\"", "\"\\ud800\"", "nul", "[1] 2", "\"\u{1}\"", "+1", "--1"] {
        #expect(throws: FileError.self, "\(text)") { try JSONTree(parsing: text.utf8) }
    }
}
