import CommandLineKit
import Testing

struct ValueFormatTests {
    @Test(arguments: [
        ("127.0.0.1:2121", "127.0.0.1", 2121), (":2121", "", 2121), ("localhost:0", "localhost", 0),
        ("example.org:65535", "example.org", 65_535), ("a_b-c.d:1", "a_b-c.d", 1), ("[::1]:2121", "::1", 2121),
        ("[fe80::1%eth0]:7", "fe80::1%eth0", 7), ("[::ffff:10.0.0.1]:7", "::ffff:10.0.0.1", 7),
    ])
    func endpoint_isReadAndShownAgain(text: String, host: String, port: UInt16) throws {
        let endpoint = try #require(Endpoint(text))
        #expect(endpoint == Endpoint(host: host, port: port))
        #expect(endpoint.description == text)
    }

    @Test(arguments: [
        "", ":", "host", "host:", "host:65536", "host:-1", "host:+1", "host:1x", "host:000080", "host: 1", "ho st:1", "::1:80",
        "::1",
        "[::1]", "[::1]80", "[::1]:", "[]:80", "[host]:80", "[::1:80", "a@b:1", "hôst:1", "host:１", "a/b:1", "2121",
    ])
    func endpoint_isRefused_whenMalformed(text: String) {
        #expect(Endpoint(text) == nil)
    }

    @Test func endpoint_takesTheDefaultPort_onlyWhereTheTextHasNone() {
        #expect(Endpoint("host", defaultPort: 9) == Endpoint(host: "host", port: 9))
        #expect(Endpoint("[::1]", defaultPort: 9) == Endpoint(host: "::1", port: 9))
        #expect(Endpoint("host:1", defaultPort: 9) == Endpoint(host: "host", port: 1))
        for text in ["", "host:", "2121", "::1"] { #expect(Endpoint(text, defaultPort: 9) == nil, "\(text)") }
    }

    @Test func everyPort_isReadAndShownAgain() {
        for port in UInt16.min ... .max { #expect(Endpoint("h:\(port)")?.port == port) }
    }

    @Test(arguments: [
        ("0s", 0), ("0ms", 0), ("1ms", 1), ("250ms", 250), ("60s", 60_000), ("5m", 300_000), ("90m", 5_400_000),
        ("1h30m", 5_400_000), ("2h1ms", 7_200_001), ("1m1s1ms", 61_001), ("007s", 7_000),
    ])
    func time_isRead(text: String, milliseconds: Int) {
        #expect(ValueFormat<Int>.milliseconds().parse(text) == milliseconds)
        #expect(ValueFormat<Int64>.milliseconds().parse(text) == Int64(milliseconds))
    }

    @Test(arguments: [
        "", "5", "s", "ms", "-1s", "+1s", "1.5s", "1 s", "1S", "1d", "30m1h", "1s1s", "1s ", "1sm", "１s", "99999999999999999999s",
        "9223372036854775807h", "2562047788015h12m55s808ms",
    ])
    func time_isRefused_whenMalformedOrTooLong(text: String) {
        #expect(ValueFormat<Int>.milliseconds().parse(text) == nil)
    }

    @Test func time_isShownInTheFormThatIsRead() {
        let format = ValueFormat<Int>.milliseconds()
        let samples = Array(0...2_500) + [59_999, 60_000, 3_599_999, 3_600_000, 86_400_000, .max - 1, .max]
        for milliseconds in samples { #expect(format.parse(format.print(milliseconds)) == milliseconds) }
        #expect(format.print(5_400_000) == "1h30m")
        #expect(format.print(0) == "0s")
        let narrow = ValueFormat<UInt8>.milliseconds()
        for milliseconds in UInt8.min ... .max { #expect(narrow.parse(narrow.print(milliseconds)) == milliseconds) }
        #expect(narrow.parse("1s") == nil)
        #expect(narrow.parse("256ms") == nil)
    }

    @Test func int_keepsItsRange_atBothEnds() {
        let format = ValueFormat<Int>.int(-2...7)
        for number in -20...20 { #expect(format.parse(String(number)) == ((-2...7).contains(number) ? number : nil)) }
        for text in ["", "abc", "1.0", " 1", "1_000", "0x1", "１", "99999999999999999999"] { #expect(format.parse(text) == nil) }
    }

    @Test func expectation_saysTheRange() {
        #expect(ValueFormat<Int>.int(-1...7).expected == "a whole number from -1 to 7")
        #expect(ValueFormat<UInt8>.int().expected == "a whole number from 0 to 255")
        #expect(ValueFormat<Int>.milliseconds().expected == "a time, such as 250ms, 60s, 5m or 1h30m")
        #expect(
            ValueFormat<Int>.milliseconds(500 ... .max).expected == "a time of at least 500ms, such as 250ms, 60s, 5m or 1h30m")
        #expect(ValueFormat<String>.text().expected == "a text of at least one character")
    }

    @Test func double_isFiniteDecimalAndWithinItsRange() {
        let format = ValueFormat<Double>.double(0...1)
        for text in ["0", "1", ".5", "0.25", "5e-1", "1.0"] { #expect(format.parse(text).map { (0...1).contains($0) } == true) }
        for text in ["", "inf", "nan", "0x1p-1", "1.01", "-0.1", "e", "1e999", "0,5"] {
            #expect(format.parse(text) == nil, "\(text)")
        }
    }

    @Test func path_offersFiles_andIsNotEmpty() {
        #expect(ValueFormat<String>.path.completion == .files)
        #expect(ValueFormat<String>.path.parse("") == nil)
        #expect(ValueFormat<String>.path.parse("a b") == "a b")
    }

    @Test func choice_isOneOfTheCases() {
        let format = ValueFormat<Shell>.choice
        #expect(Shell.allCases.map { format.parse(format.print($0)) } == Shell.allCases)
        #expect(format.parse("Bash") == nil)
        #expect(format.completion == .words(["bash", "zsh", "fish"]))
    }
}

@Test func textFromTheNetwork_reachesATerminalWithoutControls() {
    #expect(
        Console.visible("kicked: B\u{1B}]0;x\u{7}\u{1B}[31m\u{202E}\u{9B}31m")
            == "kicked: B\\u{1b}]0;x\\u{7}\\u{1b}[31m\\u{202e}\\u{9b}31m")
    #expect(
        Console.visible("two\nlines\tand Zo\u{EB}, \u{4F60}\u{597D} \u{2660}")
            == "two\nlines\tand Zo\u{EB}, \u{4F60}\u{597D} \u{2660}")
    #expect(Console.visible("\u{200B}\u{2028}\u{E000}\r") == "\\u{200b}\\u{2028}\\u{e000}\\u{d}")
}
