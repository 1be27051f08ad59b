import Testing

@testable import Bots

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

@Test func aFrame_isDrawnOverTheOneBefore() {
    var frame = LiveFrame()
    #expect(frame.draw(["one", "two"], width: 80, height: 24) == "one\ntwo\n")
    #expect(frame.draw(["three"], width: 80, height: 24) == "\u{1B}[2A\r\u{1B}[Jthree\n")
    #expect(frame.clear(width: 80) == "\u{1B}[1A\r\u{1B}[J" && frame.clear(width: 80) == "")
}

@Test func aFrame_staysWithinItsTerminal_alsoWhenThatBecomesNarrower() {
    var frame = LiveFrame()
    // The last column and the last line stay free: nothing wraps, nothing scrolls.
    #expect(frame.draw([String(repeating: "x", count: 99), "b", "c", "d"], width: 11, height: 3) == "xxxxxxxxxx\nb\n")
    // Ten columns take three lines of four, so four lines in all are taken away.
    #expect(frame.draw(["e"], width: 4, height: 3) == "\u{1B}[4A\r\u{1B}[Je\n")
    #expect(frame.draw(["tiny"], width: 0, height: 0) == "\u{1B}[1A\r\u{1B}[Jt\n")
}
