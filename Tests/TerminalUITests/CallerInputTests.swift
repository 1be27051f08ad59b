import Testing

@testable import TerminalUI

/// Bytes of `nc`, `telnet`, browsers and programs at a door.
struct CallerInputTests {
    private static let cases: [([UInt8], [CallerInput.Event])] = [
        (Array("Fay\nbet 10\r\nhit\r\0stand\r".utf8), [.line("Fay"), .line("bet 10"), .line("hit"), .line("stand")]),
        // DO ECHO, a subnegotiation with a doubled 255 and a line end in it, an interrupt, a doubled 255.
        (
            [255, 253, 1] + Array("F".utf8) + [255, 250, 24, 0, 10, 255, 255, 240, 255, 240] + Array("a".utf8) + [
                255, 244, 255, 255,
            ]
                + Array("y\n".utf8), [.line("Fay")]
        ),
        // Backspace takes a whole character, and nothing from an empty line.
        (Array("\u{8}be\u{7F}\u{7F}Fé\u{8}a\u{1B}y\u{0}\u{7}\n\n".utf8), [.line("Fay"), .line("")]),
        ([0xC3, 0x28, 10, 0xF0, 10] + Array("é\n".utf8), [.notUTF8, .notUTF8, .line("é")]),
        (Array("GET / HTTP/1.1\r\n".utf8), [.webRequest]),
        (Array("PRI * HTTP/2.0\r\n".utf8), [.webRequest]),
        ([0x16, 0x03, 0x01], [.webRequest]),
        (Array(#" {"type":"login"}"#.utf8) + [10], [.json]),
        (Array("say {\n".utf8), [.line("say {")]),
        ([UInt8](repeating: 0x61, count: CallerInput.limit) + [10], [.line(String(repeating: "a", count: 1024))]),
        ([UInt8](repeating: 0x61, count: CallerInput.limit + 1), [.tooLong]),
        ([255, 250] + [UInt8](repeating: 0x61, count: 9999), []),
    ]

    @Test(arguments: cases.indices)
    func bytesAreLines(_ index: Int) {
        var input = CallerInput()
        #expect(Self.cases[index].0.compactMap { input.take($0) } == Self.cases[index].1)
    }
}
