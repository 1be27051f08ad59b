import CommandLineKit
import TestKit
import Testing

@testable import LoadGenerator

@Test func theJSON_keepsToItsSchema() throws {
    let validator = try SchemaValidator(LoadReport.schema.pretty)
    let report = try LoadReport.sample()
    let json = try JSONTree(parsing: report.json.pretty.utf8)
    #expect(validator.accepts(json) && validator.unknown == [], "\(validator.unknown)")
    #expect(try validator.accepts(JSONTree(parsing: LoadReport().json.description.utf8)))
    // And the schema would notice.
    #expect(!validator.accepts(.object(json.members + [.init("more", 1)])))
    let needed = json.members.filter { member in !validator.accepts(.object(json.members.filter { $0.key != member.key })) }
    #expect(needed.count > 10, "\(needed.map(\.key))")
    #expect(json[path: "counts.actions"] == 31_234 && json[path: "latency.corrected.count"] == 3301)
    #expect(json[path: "tables.fewestRounds"] == 500 && json[path: "processor.serverPerAction"] == .null)
    #expect(json[path: "hostile.malformed.answers.invalid_json"] == 3990 && json[path: "violations.0.law"] == "payout")
}

@Test func thePageHasTheNumbersOfTheJSON() throws {
    let report = try LoadReport.sample()
    let (page, json) = (report.html, try JSONTree(parsing: report.json.description.utf8))
    let figures = page.matches(of: /<data data-path="([^"]+)" value="([^"]+)">([^<]+)<\/data>/)
    #expect(figures.count > 50)
    for figure in figures {
        #expect(json[path: String(figure.1)]?.number == Double(figure.2), "\(figure.1)")
        // What is shown is the exact value, rounded.
        let digits = figure.3.filter { "0123456789.-".contains($0) }
        #expect(Double(digits) != nil, "\(figure.3)")
    }
}

@Test func thePageNeedsNothingElse_andTakesNoTextForMarkup() throws {
    let page = try LoadReport.sample().html
    for outside in ["<script", "src=", "href=", "@import", "url(", "http"] { #expect(!page.contains(outside), "\(outside)") }
    #expect(page.contains("bjserver/&lt;1&gt;") && page.contains("not &lt;15&gt;") && page.contains("timed out &amp; more"))
    #expect(page.contains("prefers-color-scheme:dark") && page.contains("width=device-width"))
    #expect(page.components(separatedBy: "<svg").count == 5)
    // Every element that is opened is closed.
    for tag in ["figure", "svg", "table", "tr", "td", "section", "div", "ul", "li", "p", "data", "path", "span"] {
        let opened = page.matches(of: try Regex("<\(tag)[ >]")).count
        #expect(opened == page.components(separatedBy: "</\(tag)>").count - 1, "\(tag)")
    }
}

@Test func theSummary_tellsWhatMatters() throws {
    let text = try LoadReport.sample().text
    for part in [
        "56 honest, 14 hostile", "31,234 (2776.4/s)", "1 violations", "violation: table main, round 12, line 40: payout",
        "FAILED errors==0 (3)", "held   p(99)<20ms", "warning: the generator used", "malformed         14 bots",
        "answers: invalid_json 3,990, ok 10", "tables        2, with 500 to 700 rounds each",
    ] {
        #expect(text.contains(part), "\(part)\n\(text)")
    }
}

@Test func theJUnitFile_hasACaseForEachThreshold() throws {
    let junit = try LoadReport.sample().junit
    #expect(junit.contains(#"tests="4" failures="2""#) && junit.contains(#"name="p(99)&lt;20ms"/>"#))
    #expect(junit.contains(#"name="errors==0"><failure message="it was 3">"#))
    #expect(try LoadReport.sample(violations: 0, thresholds: []).junit.contains(#"tests="2" failures="0""#))
}

@Test func theExitStatus_isTheWorstThatHappened() throws {
    #expect(try LoadReport.sample(violations: 0, thresholds: ["errors<9"]).exitStatus == 0)
    #expect(try LoadReport.sample(violations: 0, thresholds: ["errors<9", "errors==0"]).exitStatus == 99)
    #expect(try LoadReport.sample(violations: 1, thresholds: ["errors==0"]).exitStatus == 3)
    var late = try LoadReport.sample(violations: 0, thresholds: ["errors<9"])
    for _ in 0..<9 { late.latency.record(.init(intended: 0, possible: 0, sent: 1_000_000), seen: 1_000_001) }
    for _ in 0..<90 { late.latency.record(.init(intended: 0, possible: 0, sent: 900_000), seen: 1_000_001) }
    #expect(late.exitStatus == 4 && late.verdicts.allSatisfy(\.holds) && late.junit.contains(#"failures="1""#))
    late.judge(by: [try Threshold(parsing: "errors==0")])
    #expect(late.exitStatus == 4 && late.text.contains("; what held or failed is worth nothing"))
    late.violationCount = 1
    #expect(late.exitStatus == 3)
}

@Test(arguments: ["p(99)<20ms", "max!=1s", "raw.mean<1h", "lag.max==0ms", "join.p(50)>=0us"])
func noThresholdOfATimeHolds_whereNothingWasMeasured(_ text: String) throws {
    var report = LoadReport()
    report.judge(by: [try Threshold(parsing: text), try Threshold(parsing: "errors==0")])
    #expect(report.verdicts.map(\.holds) == [false, true] && report.verdicts[0].value == nil)
    #expect(report.text.contains("FAILED \(text) (nothing was measured)") && report.exitStatus == 99)
    #expect(try SchemaValidator(LoadReport.schema.pretty).accepts(JSONTree(parsing: report.json.pretty.utf8)))
    #expect(report.html.contains("nothing was measured"))
    // Without honest bots nothing is missing.
    #expect(report.invalid == nil)
    report.expectsActions = true
    #expect(report.exitStatus == 4 && report.junit.contains("no action of an honest bot was measured"))
}

@Test func everyFigureOfAThreshold_isOneOfTheReport() throws {
    let report = try LoadReport.sample()
    for count in Threshold.Metric.Count.allCases { #expect(report.value(of: .count(count)).map { $0 >= 0 } == true) }
    #expect(report.value(of: .percentile(.corrected, 50)) == Double(report.latency.corrected.value(at: 50)))
    #expect(
        report.value(of: .maximum(.raw)) == Double(report.latency.raw.max) && report.value(of: .mean(.lag)).map { $0 > 0 } == true
    )
    #expect(report.value(of: .percentile(.join, 100)) == 2500)
}

@Test func aComparison_setsFiguresSideBySide() throws {
    var usual = try LoadReport.sample()
    (usual.generatorSeconds, usual.serverSeconds) = (2, 3)
    var faster = usual
    faster.actions *= 2
    faster.plan = ["hold 1s"]
    let comparison = try Comparison(("a.json", usual.json.pretty), ("b.json", faster.json.pretty))
    let row = try #require(comparison.rows.first { $0.name == "actions/s" })
    #expect(row.change.map { abs($0 - 100) < 0.01 } == true && comparison.notes == ["the plans differ"])
    #expect(comparison.text.contains("+100.0 %") && comparison.text.contains("latency p99.9"))
    // The generator has used as much time for twice the actions.
    let rows = Dictionary(uniqueKeysWithValues: comparison.rows.map { ($0.name, $0) })
    #expect(rows["generator CPU"]?.a == 2_000_000 && rows["generator CPU"]?.change == 0)
    #expect(rows["generator CPU/action"]?.change.map { abs($0 + 50) < 0.1 } == true)
    // A server need not tell.
    faster.serverSeconds = nil
    let silent = try Comparison(("a.json", usual.json.pretty), ("b.json", faster.json.pretty))
    let server = try #require(silent.rows.first { $0.name == "server CPU" })
    #expect(server.a == 3_000_000 && server.b == nil && server.change == nil)
    #expect(silent.text.split(separator: "\n").contains { $0.hasPrefix("server CPU/action ") && $0.hasSuffix("–") })
    for (text, part) in [("{", "b.json:1"), ("{}", "version: null is"), (#"{"version":1}"#, "rates.actions: null is")] {
        let error = #expect(throws: FileError.self) { try Comparison(("a.json", faster.json.description), ("b.json", text)) }
        #expect(error?.description.contains(part) == true)
    }
}

@Test func aRunIsInvalid_whenTheGeneratorWasLateItself() {
    var book = LatencyBook()
    for _ in 0..<100 { book.record(.init(intended: 0, possible: 0, sent: 90), seen: 1000) }
    #expect(book.fault == nil)
    // A tenth of a latency this short is no more than waking up takes.
    for _ in 0..<5 { book.record(.init(intended: 0, possible: 0, sent: 1000), seen: 1000) }
    #expect(book.fault == nil)
    for _ in 0..<5 { book.record(.init(intended: 0, possible: 0, sent: 2000), seen: 10_000) }
    #expect(book.fault?.contains("lag p99 2.00 ms") == true)
    var slow = LatencyBook()
    for _ in 0..<100 { slow.record(.init(intended: 0, possible: 0, sent: 2000), seen: 30_000) }
    #expect(slow.fault == nil)
    // Waiting for a bot that may act is the table's time, not the generator's.
    var waiting = LatencyBook()
    waiting.record(.init(intended: 0, possible: 900, sent: 910), seen: 1000)
    #expect(waiting.lag.max == 10 && waiting.fault == nil && waiting.corrected.max == 1000 && waiting.raw.max == 90)
}

/// The texts below a plot stand beside each other, however many marks there are and however long the last one is.
@Test func theMarksOfAPlot_doNotWriteOverEachOther() throws {
    let tick = /x="([0-9.-]+)" y="242\.0" text-anchor="(middle|end)">([^<]+)</
    func check(_ axis: Plot.Axis) throws {
        let html = Plot(title: "A plot", x: axis, y: .linear(upTo: 10) { "\(Int($0))" }, curves: []).html
        var end = 0.0
        let marks = html.matches(of: tick)
        for mark in marks {
            let place = try #require(Double(mark.output.1))
            // A character of this size takes about six units.
            let width = 6 * Double(mark.output.3.count)
            let start = mark.output.2 == "end" ? place - width : place - width / 2
            #expect(start > end, "\(marks.map(\.output.3))")
            end = start + width
        }
        #expect(marks.count >= 2 && marks.last.map { String($0.output.3) } == axis.marks.last?.text)
    }
    for count: UInt64 in [1, 1000, 100_000, 1_862_254, 100_000_000] { try check(.percentiles(upTo: count)) }
    for seconds in [1.0, 7, 60, 97, 1200, 1863, 9999, 86_400, 1_000_000] {
        try check(.linear(upTo: seconds, isTight: true) { "\(Int($0)) s" })
    }
}
