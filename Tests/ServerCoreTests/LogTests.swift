import Testing

@testable import ServerCore

@Test func aLineOfTheLogCannotBeBrokenByWhatComesFromTheNetwork() {
    let name = "a\n\u{1B}[31mb\"c\\d\u{202E}é \u{0}"
    let line = LogLine(time: 0, level: .info, event: "login", fields: [LogField("conn", 3), LogField("name", name)])
    #expect(
        line.text
            == #"time=1970-01-01T00:00:00.000Z level=info event=login conn=3 name="a\u{a}\u{1b}[31mb\"c\\d\u{202e}\u{e9} \u{0}""#)
    #expect(LogField("x", String(repeating: "y", count: 9999)).value.count == 9999)
    #expect(
        LogLine(time: 0, level: .info, event: "e", fields: [LogField("x", String(repeating: "y", count: 9999))]).text.count < 400)
}

@Test func anEmptyValueIsQuoted() { #expect(LogLine.quoted("") == "\"\"" && LogLine.quoted("plain") == "plain") }
