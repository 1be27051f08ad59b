import Foundation
import TestKit
import Testing

@testable import ServerCore

private let hostile = "a\n\u{1B}[31mb\"c\\d\u{202E}é \u{0}🂡"

@Test func aLineCannotBeBrokenByWhatComesFromTheNetwork() {
    let line = LogLine(time: 0, level: .info, event: "login", fields: [LogField("conn", 3), LogField("name", hostile)])
    #expect(
        line.text
            == #"time=1970-01-01T00:00:00.000Z level=info event=login conn=3 name="a\u{a}\u{1b}[31mb\"c\\d\u{202e}\u{e9} \u{0}\u{1f0a1}""#
    )
}

@Test func aLineInJSONIsWhatAnyReaderTakesForOne() throws {
    let line = LogLine(time: 1_500, level: .error, event: "x", fields: [LogField("conn", -3), LogField("name", hostile)]).text(
        .json)
    #expect(line.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 })
    let value = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(value["time"] as? String == "1970-01-01T00:00:01.500Z" && value["level"] as? String == "error")
    #expect(value["conn"] as? Int == -3 && value["name"] as? String == hostile)
}

@Test func aValueIsOfBoundedLength() {
    let line = LogLine(time: 0, level: .info, event: "e", fields: [LogField("x", String(repeating: "y", count: 9_999))])
    #expect(line.text.count < 400 && line.text.hasSuffix(#"y\u{2026}""#))
    #expect(line.text(.json).count < 400)
    #expect(LogLine.quoted("") == "\"\"" && LogLine.quoted("plain") == "plain")
}

@Test func levelsAreOrderedAndChangeAtRunTime() {
    #expect(LogLevel.allCases == LogLevel.allCases.sorted())
    let settings = LogSettings(level: .warning)
    #expect(!settings.includes(.info) && settings.includes(.warning) && settings.includes(.error))
    settings.level = .debug
    #expect(settings.includes(.debug) && settings.level == .debug)
}

@Test func aMomentIsWrittenAsFoundationWritesIt() {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    var draws = SeededGenerator()
    let moments: [Int64] = [0, 951_782_399_999, 951_782_400_000, 1_709_164_800_000, 4_102_444_799_999, -62_135_596_800_000]
    for moment in moments + (0..<500).map({ _ in Int64.random(in: -60_000_000_000_000...250_000_000_000_000, using: &draws) }) {
        let whole = moment - (moment % 1000 + 1000) % 1000
        // Foundation's fraction goes through a floating-point number: only the whole second is compared, and the fraction by itself.
        let expected = Date(timeIntervalSince1970: Double(whole / 1000)).formatted(style).prefix(19)
        let text = RFC3339(moment).description
        if moment >= -12_219_292_800_000 { #expect(text.prefix(19) == expected, "\(moment)") }
        #expect(text.count == 24 && text.hasSuffix("Z") && Int64(text.dropFirst(20).prefix(3)) == moment - whole)
    }
    #expect(
        RFC3339(.max).description == "9999-12-31T23:59:59.999Z" && RFC3339(.min).description == "0000-01-01T00:00:00.000Z")
}

@Test func aSecretIsShownByNothing() {
    let secret = Secret("hunter2")
    #expect("\(secret)" == "(secret)" && String(reflecting: secret) == "(secret)" && "\([secret])" == "[(secret)]")
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!dumped.contains("hunter2"))
    #expect(!LogLine(time: 0, level: .info, event: "e", fields: [LogField("pass", secret)]).text.contains("hunter2"))
    #expect(["hunter2", "hunter3", "hunter"].map { Secret.isSame($0, secret.revealed) } == [true, false, false])
}

/// Closes a pipe when nothing more is written to it: SIGPIPE would end the test process.
private func end(_ writer: LogWriter, _ ends: [Int32]) {
    writer.flush(timeout: 120_000)
    for end in ends { close(end) }
}

private func line(_ event: StaticString, _ level: LogLevel = .info, at time: Int64 = 0) -> LogLine {
    LogLine(time: time, level: level, event: event, fields: [])
}

@Test func aFloodOfOneEventIsCutOff_andHidesNoOther() {
    var budget = LogBudget(limit: .perSecond(2, burst: 3))
    let flood = (0..<1_000).map { budget.admits(line("turned_away", .warning, at: $0)) }
    // The burst, and two a second after it.
    #expect(flood.count { $0 } == 3 + 1 && flood.prefix(3).allSatisfy { $0 })
    let isOtherAdmitted = budget.admits(line("login", at: 999))
    #expect(isOtherAdmitted && budget.isReportDue)
    let (report, none) = (budget.report(), budget.report())
    #expect(report.map(\.count) == [996] && report.first?.event == "turned_away" && report.first?.level == .warning)
    #expect(report.first?.span == 3...999 && !budget.isReportDue && none.isEmpty)
    #expect(LogLine(report[0], at: 0).text.contains("level=warning event=suppressed lines=996 of=turned_away since=1970"))
}

@Test func withoutRoom_noLineIsAdmitted_andEachIsCounted() {
    var budget = LogBudget(limit: .unreached)
    let admitted = [line("x"), line("x", .debug), line("y", .error)].map { budget.admits($0, hasRoom: false) }
    #expect(admitted == [false, false, false] && budget.report().map(\.count) == [2, 1])
}

private func readAll(_ descriptor: Int32, until isEnough: (String) -> Bool) -> String {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !isEnough(text) {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { break }
        text += String(decoding: buffer[..<count], as: UTF8.self)
    }
    return text
}

@Test func aLogThatNobodyReads_holdsNobodyUp_andWhatWasDroppedIsToldWhenThereIsRoomAgain() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let writer = LogWriter(descriptor: ends[1], capacity: 100, budget: .unreached)
    let long = LogLine(time: 0, level: .info, event: "x", fields: [LogField("text", String(repeating: "y", count: 200))])
    for _ in 0..<5_000 { writer.write(long) }
    let kept = 5_000 - writer.dropped.value
    let lines = readAll(ends[0]) { $0.matches(of: /event=x text=y{200}\n/).count == kept }
    end(writer, [ends[1]])
    let text = lines + readAll(ends[0]) { _ in false }
    let told = text.matches(of: /event=suppressed lines=(\d+) of=x\b/).compactMap { Int($0.1) }.reduce(0, +)
    #expect(writer.dropped.value >= 4_000 && told == writer.dropped.value)
    close(ends[0])
}

@Test func whatIsOverTheBudgetIsCountedAndToldAtTheEnd_andDebugHasNone() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let writer = LogWriter(settings: LogSettings(level: .debug), descriptor: ends[1], budget: .perSecond(1, burst: 2))
    for _ in 0..<50 {
        writer.write(line("login"))
        writer.write(line("seen", .debug))
    }
    writer.flush(timeout: 120_000)
    close(ends[1])
    let text = readAll(ends[0]) { _ in false }
    func count(_ event: String) -> Int { text.matches(of: try! Regex("event=\(event)\\b")).count }
    #expect(count("login") == 2 && count("seen") == 50)
    #expect(text.contains("event=suppressed lines=48 of=login"))
    close(ends[0])
}
