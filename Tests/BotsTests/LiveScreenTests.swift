import TestKit
import Testing

@testable import LoadGenerator

private func progress(_ change: (inout LoadRun.Progress) -> Void = { _ in }) throws -> LoadRun.Progress {
    var report = LoadReport()
    for wait in 1...1000 { report.latency.record(.init(intended: 0, possible: 0, sent: 3), seen: Int64(wait) * 10) }
    (report.disconnects, report.violationCount, report.errors) = (2, 0, ["refused: table_full": 1234])
    var progress = LoadRun.Progress(
        duration: 60,
        point: .init(
            time: 15.2, connected: 1700, rounds: 812.4, actions: 13_337.6, p50: 5870, p99: 13_600, max: 1_260_000, errors: 0),
        report: report)
    change(&progress)
    return progress
}

@Test func theScreen_showsHowARunGoes() throws {
    #expect(
        try progress().screen == [
            "██████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 15 of 60 s",
            "  connected 1,700 · rounds/s 812 · actions/s 13338",
            "  latency p50 5.87 ms · p99 13.6 ms · max 1.26 s · so far p99 9.90 ms, max 10.0 ms",
            "  errors 1,234 · disconnects 2 · violations 0 · lag p99 3 µs",
        ])
    #expect(
        try progress().line
            == "15 of 60 s: 1,700 connected, 812 rounds/s, 13338 actions/s, p50 5.87 ms, p99 13.6 ms, max 1.26 s, 1,234 errors, 0 violations"
    )
}

@Test func theScreen_hasALineForHostileBots() throws {
    let screen = try progress {
        var tally = HostileTally()
        (tally.bots, tally.connections, tally.sent, tally.cutOff) = (14, 2000, 4_000_000, 3)
        $0.report.hostile = [.malformedLine: tally, .seatSquatter: tally]
        $0.point.time = 99
    }.screen
    #expect(screen[0].hasPrefix("████████████████████████████████████████ 99 of 60 s"))
    #expect(Array(screen.dropFirst(4)) == ["  hostile 28 · connections 4,000 · sent 8,000,000 · cut off 6"])
}

@Test func aFrame_isDrawnOverTheOneBefore_onAScreenOfItsOwn() {
    var frame = LiveFrame()
    #expect(frame.end() == "")
    #expect(frame.draw(["one", "two"], width: 80, height: 24) == "\u{1B}[?1049h\u{1B}[Hone\u{1B}[K\r\ntwo\u{1B}[K\r\n\u{1B}[J")
    #expect(frame.draw(["three"], width: 80, height: 24) == "\u{1B}[Hthree\u{1B}[K\r\n\u{1B}[J")
    #expect(frame.end() == "\u{1B}[?1049l" && frame.end() == "")
    #expect(frame.draw(["again"], width: 80, height: 24).hasPrefix("\u{1B}[?1049h"))
}

@Test func aFrame_staysWithinItsTerminal_andLeavesNothingStanding_howeverThatIsResized() {
    var (frame, screen) = (LiveFrame(), TerminalScreen(columns: 80, rows: 24))
    var random = SeededRandom(seed: Seed.value)
    for step in 0..<300 {
        let (width, height) = (2 + random.below(120), 2 + random.below(30))
        screen.resize(columns: width, rows: height, keepsText: true)
        let lines = (0..<random.below(9)).map { String(repeating: "\($0)", count: random.below(150)) }
        screen.take(frame.draw(lines, width: width, height: height))
        let expected = lines.prefix(height - 1).map { String($0.prefix(width - 1)) }
        let padded = expected + Array(repeating: "", count: height - expected.count)
        let isRight = screen.trimmedText == padded.map { $0 + "\n" }.joined() && screen.faults == []
        #expect(isRight, "step \(step), \(width) × \(height), seed \(Seed.value)")
    }
    // A terminal that doesn't say how large it is gets a character at least.
    #expect(frame.draw(["tiny"], width: 0, height: 0).contains("t\u{1B}[K"))
}
