import ClientCore
import CommandLineKit
import Rules
import ServerCore
import TerminalUI

/// Options of a command that opens a session.
protocol DisplayedOptions: Sendable {
    var display: ClientSettings { get set }
}

extension Command where Options: DisplayedOptions {
    /// - Parameter isWatching: whether nobody plays.
    mutating func displayOptions(isWatching: Bool = false) {
        flag("--plain", \.display.isPlain, help: "Prints sentences and reads commands instead of drawing a screen.")
        option(
            "--color", \.display.color, .choice, value: "WHEN",
            help:
                "auto (from COLORTERM and TERM; NO_COLOR turns colours off, FORCE_COLOR on), always, never, 16, 256 or truecolor."
        )
        option("--suits", \.display.suits, .choice, value: "2|4", help: "Colours of the suits.")
        if !isWatching { flag("--bell", \.display.bell, help: "Rings when it is your turn.") }
        flag(
            "--motion", \.display.motion, negatable: true,
            help: "Animates the deal on a screen with colours; --no-motion shows each change at once.")
        guard !isWatching else { return }
        flag("--rebet", \.display.rebet, help: "Repeats your last bet each round until your time runs out.")
    }
}

/// The hands that the player has played wrong, newest last: `mistakes.json` beside the accounts.
struct MistakeFile: Sendable {
    private static let limit = 64
    private let file: PrivateFile

    init?(_ environment: [String: String]) {
        guard let folder = PrivateFile.configurationFolder(environment) else { return nil }
        file = PrivateFile(folder: folder, name: "mistakes", byteLimit: 4096)
    }

    /// `hard 16 10`: a hand, and the points of the dealer's card.
    private var mistakes: [String] { file.kept([String].self) ?? [] }

    /// The mistakes that a round can begin with.
    var deals: [Drill.Deal] {
        mistakes.compactMap { text in
            let words = text.split(separator: " ").map(String.init)
            guard words.count == 3, let hand = StrategyChart.Row(text: "\(words[0]) \(words[1])") else { return nil }
            return Int(words[2]).flatMap { Drill.Deal(hand, upCard: $0) }
        }
    }

    /// A file that can't be written keeps nothing.
    func note(_ hand: StrategyChart.Row, upCard: Rank) {
        let mistake = "\(hand.text) \(upCard.points)"
        file.keep { Array((mistakes.filter { $0 != mistake } + [mistake]).suffix(Self.limit)) }
    }
}

extension TableSession.Options {
    /// Takes the display's options, and the coach as the player left it. Without a folder, or where it can't be written, nothing is kept.
    mutating func show(_ display: ClientSettings, _ environment: [String: String]) {
        (settings, self.environment) = (display, environment)
        proofs = ProofFolder(environment: environment)
        if let mistakes = MistakeFile(environment) { noteMistake = { mistakes.note($0, upCard: $1) } }
        guard let folder = PrivateFile.stateFolder(environment) else { return }
        let file = PrivateFile(folder: folder, name: "preferences", byteLimit: 4096)
        settings.coach = file.kept([String: Bool].self)?["coach"] ?? false
        rememberCoach = { coach in file.keep { ["coach": coach] } }
    }
}
