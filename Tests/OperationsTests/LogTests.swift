import Foundation
import Testing

@testable import Operations

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

@Test func levelsAreOrderedAndSettingsChangeAtRunTime() {
    #expect(LogLevel.allCases == LogLevel.allCases.sorted())
    let settings = LogSettings(level: .warning)
    #expect(!settings.includes(.info) && settings.includes(.warning) && settings.includes(.error))
    settings.level = .debug
    settings.format = .json
    #expect(settings.includes(.debug) && settings.level == .debug && settings.format == .json)
}

@Test func aMomentIsWrittenAsFoundationWritesIt() {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    var draws = Draws()
    let moments: [Int64] = [0, 951_782_399_999, 951_782_400_000, 1_709_164_800_000, 4_102_444_799_999, -62_135_596_800_000]
    for moment in moments + (0..<500).map({ _ in Int64.random(in: -60_000_000_000_000...250_000_000_000_000, using: &draws) }) {
        let whole = moment - (moment % 1000 + 1000) % 1000
        // Foundation's fraction goes through a floating-point number: only the whole second is compared, and the fraction by itself.
        let expected = Date(timeIntervalSince1970: Double(whole / 1000)).formatted(style).prefix(19)
        let text = Timestamp(moment).description
        if moment >= -12_219_292_800_000 { #expect(text.prefix(19) == expected, "\(moment)") }
        #expect(text.count == 24 && text.hasSuffix("Z") && Int64(text.dropFirst(20).prefix(3)) == moment - whole)
    }
    #expect(
        Timestamp(.max).description == "9999-12-31T23:59:59.999Z" && Timestamp(.min).description == "0000-01-01T00:00:00.000Z")
}

@Test func aSecretIsShownByNothing() {
    let secret = Secret("hunter2")
    #expect("\(secret)" == "(secret)" && String(reflecting: secret) == "(secret)" && "\([secret])" == "[(secret)]")
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!dumped.contains("hunter2"))
    #expect(!LogLine(time: 0, level: .info, event: "e", fields: [LogField("pass", secret)]).text.contains("hunter2"))
    #expect(secret.matches("hunter2") && !secret.matches("hunter3") && !secret.matches("hunter"))
}

@Test func aLogThatNobodyReadsHoldsNobodyUpAndCountsWhatItDrops() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    let writer = LogWriter(settings: LogSettings(level: .info), descriptor: writing, capacity: 100)
    let line = LogLine(time: 0, level: .info, event: "x", fields: [LogField("text", String(repeating: "y", count: 200))])
    writer.write(LogLine(time: 0, level: .debug, event: "unseen", fields: []))
    // Far more than a pipe takes.
    for _ in 0..<5_000 { writer.write(line) }
    #expect(writer.dropped.value >= 4_000)
    var text = [UInt8]()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let expected = (5_000 - writer.dropped.value) * (line.text.utf8.count + 1)
    while text.count < expected {
        let count = read(reading, &buffer, buffer.count)
        guard count > 0 else { break }
        text += buffer[..<count]
    }
    writer.flush()
    #expect(text.count == expected && !String(decoding: text, as: UTF8.self).contains("unseen"))
    close(reading)
    close(writing)
}
