import CommandLineKit
import TerminalUI

/// Options of a command that opens a session.
protocol DisplayedOptions: Sendable {
    var isPlain: Bool { get set }
    var display: ClientSettings { get set }
}

extension Command where Options: DisplayedOptions {
    mutating func displayOptions() {
        flag("--plain", \.isPlain, help: "Plain sentences and typed commands instead of a screen.")
        option(
            "--color", \.display.color, .choice, value: "WHEN",
            help:
                "auto (by COLORTERM and TERM; NO_COLOR turns colours off, FORCE_COLOR on), always, never, or 16, 256, truecolor."
        )
        option("--suits", \.display.suits, .choice, value: "2|4", help: "Colours of the suits.")
        flag("--bell", \.display.bell, help: "Ring when it is your turn.")
        flag(
            "--motion", \.display.motion, negatable: true,
            help: "Cards are dealt one by one, on a screen with colours, or each change is shown at once.")
        flag("--rebet", \.display.rebet, help: "Make your last bet again in each round until your time runs out.")
    }
}
