import CommandLineKit
import Testing

@Test func textFromTheNetwork_reachesATerminalWithoutControls() {
    #expect(
        Console.visible("kicked: B\u{1B}]0;x\u{7}\u{1B}[31m\u{202E}\u{9B}31m")
            == "kicked: B\\u{1b}]0;x\\u{7}\\u{1b}[31m\\u{202e}\\u{9b}31m")
    #expect(
        Console.visible("two\nlines\tand Zo\u{EB}, \u{4F60}\u{597D} \u{2660}")
            == "two\nlines\tand Zo\u{EB}, \u{4F60}\u{597D} \u{2660}")
    #expect(Console.visible("\u{200B}\u{2028}\u{E000}\r") == "\\u{200b}\\u{2028}\\u{e000}\\u{d}")
}
