import TestKit
import Testing

@testable import LoadGenerator

private func progress(_ change: (inout LoadRun.Progress) -> Void = { _ in }) throws -> LoadRun.Progress {
    var report = LoadReport()
    for wait in 1...1000 { report.latency.record(.init(intended: 0, possible: 0, sent: 3), seen: Int64(wait) * 10) }
    (report.disconnects, report.violationCount, report.errors) = (2, 0, ["refused: table_full": 1234])
    var progress = LoadRun.Progress(
        elapsed: 15.2, duration: 60, phase: "hold 1m",
        point: .init(
            time: 15, connected: 1700, rounds: 812.4, actions: 13_337.6, p50: 5870, p99: 13_600, max: 1_260_000, errors: 0),
        report: report)
    change(&progress)
    return progress
}

@Test func theScreen_showsHowARunGoes() throws {
    #expect(
        try progress().screen == [
            "██████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 15 of 60 s · hold 1m",
            "  connected 1,700 · rounds/s 812 · actions/s 13338",
            "  latency p50 5.87 ms · p99 13.6 ms · max 1.26 s · so far p99 9.90 ms, max 10.0 ms",
            "  errors 1,234 · disconnects 2 · violations 0 · lag p99 3 µs",
        ])
    #expect(
        try progress().line
            == "15 of 60 s: 1,700 connected, 812 rounds/s, 13338 actions/s, p50 5.87 ms, p99 13.6 ms, max 1.26 s, 1,234 errors, 0 violations"
    )
}

@Test func theScreen_hasALineForHostileBots_andTheServersOwn() throws {
    let screen = try progress {
        var tally = HostileTally()
        (tally.bots, tally.connections, tally.sent, tally.cutOff) = (14, 2000, 4_000_000, 3)
        $0.report.hostile = [.malformed: tally, .idleSeat: tally]
        $0.server = ["server: connections 1,700", "server: imbalance 0"]
        $0.elapsed = 99
    }.screen
    #expect(screen[0].hasPrefix("████████████████████████████████████████ 99 of 60 s"))
    #expect(
        Array(screen.dropFirst(4)) == [
            "  hostile 28 · connections 4,000 · sent 8,000,000 · cut off 6", "  server: connections 1,700",
            "  server: imbalance 0",
        ])
}

@Test func aFrame_isDrawnOverTheOneBefore_onAScreenOfItsOwn() {
    var frame = LiveFrame()
    #expect(frame.end() == "")
    #expect(frame.draw(["one", "two"], width: 80, height: 24) == "\u{1B}[?1049h\u{1B}[Hone\u{1B}[K\r\ntwo\u{1B}[K\r\n\u{1B}[J")
    #expect(frame.draw(["three"], width: 80, height: 24) == "\u{1B}[Hthree\u{1B}[K\r\n\u{1B}[J")
    #expect(frame.end() == "\u{1B}[?1049l" && frame.end() == "")
    #expect(frame.draw(["again"], width: 80, height: 24).hasPrefix("\u{1B}[?1049h"))
}

/// What of a terminal's alternate screen matters here: cells that stay where they are when it is made larger or smaller.
private struct Screen {
    var rows: [[Character]]
    var width: Int
    private var (line, column) = (0, 0)

    init(width: Int, height: Int) { (rows, self.width) = (Array(repeating: [], count: height), width) }

    mutating func resize(width: Int, height: Int) {
        self.width = width
        rows = (0..<height).map { $0 < rows.count ? Array(rows[$0].prefix(width)) : [] }
        (line, column) = (min(line, height - 1), min(column, width - 1))
    }

    mutating func write(_ text: String) {
        var rest = Substring(text)
        while !rest.isEmpty {
            if rest.hasPrefix("\u{1B}[?1049h") {
                rest = rest.dropFirst(8)
            } else if rest.hasPrefix("\u{1B}[") {
                switch rest.dropFirst(2).first {
                case "H": (line, column) = (0, 0)
                case "K": rows[line] = Array(rows[line].prefix(column))
                case "J":
                    rows[line] = Array(rows[line].prefix(column))
                    for below in rows.indices where below > line { rows[below] = [] }
                default: Issue.record("an order that a frame does not give: \(rest.prefix(8).debugDescription)")
                }
                rest = rest.dropFirst(3)
            } else if rest.first == "\r\n" {
                (line, column) = (line + 1, 0)
                if line == rows.count {
                    Issue.record("the screen scrolls")
                    line -= 1
                }
                rest = rest.dropFirst()
            } else if let character = rest.popFirst() {
                if column >= width { Issue.record("a line is wrapped") }
                while rows[line].count <= column { rows[line].append(" ") }
                rows[line][column] = character
                column += 1
            }
        }
    }

    var text: [String] { rows.map { String($0) } }
}

@Test func aFrame_staysWithinItsTerminal_andLeavesNothingStanding_howeverThatIsResized() {
    var (frame, screen) = (LiveFrame(), Screen(width: 80, height: 24))
    var random = SeededRandom(seed: Seed.value)
    for step in 0..<300 {
        let (width, height) = (2 + random.below(120), 2 + random.below(30))
        screen.resize(width: width, height: height)
        let lines = (0..<random.below(9)).map { String(repeating: "\($0)", count: random.below(150)) }
        screen.write(frame.draw(lines, width: width, height: height))
        let expected = lines.prefix(height - 1).map { String($0.prefix(width - 1)) }
        let padded = expected + Array(repeating: "", count: height - expected.count)
        #expect(screen.text == padded, "step \(step), \(width) × \(height), seed \(Seed.value)")
    }
    // A terminal that doesn't say how large it is gets a character at least.
    #expect(frame.draw(["tiny"], width: 0, height: 0).contains("t\u{1B}[K"))
}
