import CommandLineKit
import TestKit
import Testing

@testable import LoadGenerator

@Test func theJSON_hasEveryFigure() throws {
    let json = try JSONTree(parsing: LoadReport.sample().json.utf8)
    #expect(json["actions"] == 31_234 && json[path: "latency.corrected.count"] == 3301 && json["rounds"] == 1200)
    #expect(json[path: "hostile.malformed-line.answers.invalid_json"] == 3990 && json[path: "violations.0.law"] == "payout")
    #expect(json[path: "verdicts.1.failed"] == true && json[path: "timeline.10.p99"] == 4000 && json["invalid"] == nil)
    #expect(json[path: "latency.corrected.p99"]?.number == Double(try LoadReport.sample().latency.corrected.value(at: 99)))
}

@Test func thePageNeedsNothingElse_andTakesNoTextForMarkup() throws {
    let page = try LoadReport.sample().html
    for outside in ["<script", "src=", "href=", "@import", "url(", "http"] { #expect(!page.contains(outside), "\(outside)") }
    #expect(page.contains("bjserver/&lt;1&gt;") && page.contains("not &lt;15&gt;") && page.contains("timed out &amp; more"))
    #expect(page.contains("prefers-color-scheme:dark") && page.contains("width=device-width"))
    #expect(page.components(separatedBy: "<svg").count == 5)
    // Every element that is opened is closed.
    for tag in ["figure", "svg", "table", "tr", "td", "section", "div", "p", "path", "span"] {
        let opened = page.matches(of: try Regex("<\(tag)[ >]")).count
        #expect(opened == page.components(separatedBy: "</\(tag)>").count - 1, "\(tag)")
    }
}

@Test func theSummary_tellsWhatMatters() throws {
    let text = try LoadReport.sample().text
    for part in [
        "56 honest, 14 hostile", "31,234 (2776.4/s)", "1 violations", "violation: table main, round 12, line 40: payout",
        "FAILED errors>0 (3)", "held   p99>20ms", "warning: the generator used", "malformed-line ", "  invalid_json 3,990, ok 10",
        "cut by the run 0", "tables        2, with 500 to 700 rounds each",
    ] {
        #expect(text.contains(part), "\(part)\n\(text)")
    }
}

@Test func theExitStatus_isTheWorstThatHappened() throws {
    #expect(try LoadReport.sample(violations: 0, failures: ["errors>9"]).exitStatus == 0)
    #expect(try LoadReport.sample(violations: 0, failures: ["errors>9", "errors>2"]).exitStatus == 99)
    #expect(try LoadReport.sample(violations: 1, failures: ["errors>0"]).exitStatus == 3)
    var late = try LoadReport.sample(violations: 0, failures: [])
    for _ in 0..<9 { late.latency.record(.init(intended: 0, possible: 0, sent: 1_000_000), seen: 1_000_001) }
    for _ in 0..<90 { late.latency.record(.init(intended: 0, possible: 0, sent: 900_000), seen: 1_000_001) }
    late.conclude([try #require(FailureCondition("errors>0"))])
    #expect(late.exitStatus == 4 && late.text.contains("; ignore the conditions above"))
    late.violationCount = 1
    #expect(late.exitStatus == 3)
}

@Test(arguments: ["p99>20ms", "max>1s", "mean>0.5s", "p50<0us"])
func aTimeThatWasNotMeasured_isAFailure(_ text: String) throws {
    var report = LoadReport()
    report.conclude([try #require(FailureCondition(text)), try #require(FailureCondition("errors>0"))])
    #expect(report.verdicts.map(\.failed) == [true, false] && report.exitStatus == 99)
    #expect(report.text.contains("FAILED \(text) (nothing was measured)") && report.html.contains("nothing was measured"))
    // Without honest bots nothing is missing.
    #expect(report.invalid == nil)
    report.honestBots = 1
    report.latency.giveUp(.init(intended: 0, possible: 0, sent: 1), at: 5_000)
    report.conclude([])
    #expect(report.exitStatus == 4 && report.html.contains("no action of an honest bot got a reply"))
}

@Test func aCondition_comparesItsFigure() throws {
    let report = try LoadReport.sample()
    let p50 = report.latency.corrected.value(at: 50)
    for (text, failed) in [
        ("errors>2", true), ("errors>3", false), ("errors<4", true), ("errors<3", false), ("violations>0", true),
        ("disconnects>2", false),
        ("unanswered>0.5", true), ("rounds<1201", true), ("actions<31234", false), ("rounds/s>106", true),
        ("actions/s<2777", true),
        ("p50>\(p50)us", false), ("p50>\(p50 - 1)us", true), ("p99.9>3600s", false), ("mean<1ms", false), ("max<1s", true),
    ] {
        #expect(try #require(FailureCondition(text), "\(text)").judge(report).failed == failed, "\(text)")
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

extension JSONTree {
    /// The value at a path of keys, such as `latency.corrected.p99`; array elements by their index.
    fileprivate subscript(path path: String) -> JSONTree? {
        path.split(separator: ".").reduce(self) { value, step in
            guard case .array(let elements) = value?.content else { return value?[String(step)] }
            return Int(step).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
        }
    }
}
