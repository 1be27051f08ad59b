import CommandLineKit
import Foundation
import Rules
import TableEngine
import TableModel
import TerminalUI

/// The options of `bjclient picture`.
struct PictureOptions: Sendable {
    struct Size: Sendable {
        var columns = 120
        var rows = 36
    }

    var size = Size()
    var theme = ClientSettings.Theme.dark
    var suits = ClientSettings.SuitColors.four
    var file: String?

    static let command = CommandLineKit.Command<PictureOptions, ClientProgram>(
        "picture", "Draws a hand of practice as an SVG picture.", defaults: PictureOptions(), program: ClientProgram.picture
    ) { command in
        command.discussion(
            """
            The frame is the one that the screen would have, in full colour; the same options give the same bytes. No font is embedded: a \
            reader's own monospaced one is used.
            """)
        command.option("--size", \.size, sizeFormat, help: "Columns and rows of the terminal.")
        command.option("--theme", \.theme, .choice, value: "THEME", help: "dark, light or high-contrast.")
        command.option("--suits", \.suits, .choice, value: "2|4", help: "Colours of the suits.")
        command.option("--output", \.file, .path, short: "o", help: "The file to write. Default: standard output.")
        command.example("bjclient picture --size 80x24 --theme light -o table.svg", "a picture of a small, light terminal")
        command.exitStatus(74, "the file can't be written")
    }

    private static let sizeFormat = ValueFormat<Size>(
        "COLUMNSxROWS", expected: "a size from 40x12 to 300x100",
        parse: { text in
            let numbers = text.split(separator: "x", omittingEmptySubsequences: false).compactMap { Int($0) }
            guard numbers.count == 2, (40...300).contains(numbers[0]), (12...100).contains(numbers[1]) else { return nil }
            return Size(columns: numbers[0], rows: numbers[1])
        }, print: { "\($0.columns)x\($0.rows)" })

    func run() -> Never {
        var settings = ClientSettings()
        (settings.theme, settings.suits) = (theme, suits)
        let picture = PictureScene().picture.svg(columns: size.columns, rows: size.rows, settings: settings)
        guard let file else {
            Console.printText(picture)
            exit(0)
        }
        do {
            try Console.write(picture, toFile: file)
        } catch {
            Console.fail("bjclient", error, status: 74)
        }
        exit(0)
    }
}

/// A hand at a table in this process, played by rote from a fixed seed.
private struct PictureScene {
    private static let names = [(1, "bob"), (2, "you"), (3, "cleo"), (5, "dmitri"), (6, "eve")]
    private static let seed: UInt64 = 51

    private(set) var picture: TablePicture
    private var table = Table(rules: HouseRules(), pace: Pace())
    private var now: Int64 = 1_000_000

    init() {
        picture = TablePicture(me: "you", table: "practice", now: now)
        for (seat, name) in Self.names {
            let profile = PlayerProfile(name: name)
            perform(.sit(player: PlayerID(UInt32(seat)), profile: profile, seat: seat, chips: 1000))
        }
        perform(.supplyShoe(.seeded(Self.seed)))
        picture.show(TableSnapshot(table), now: now)
        for _ in 0..<3 {
            playRound(untilMine: false)
            now = table.deadline?.milliseconds ?? now
            show(.tick)
        }
        playRound(untilMine: true)
        now += 4_000
        picture.show(TableSnapshot(table), now: now)
    }

    /// Bets, and decides for each seat that is asked.
    /// - Parameter untilMine: whether to stop where the player decides.
    private mutating func playRound(untilMine: Bool) {
        for (seat, _) in Self.names { show(.bet(player: PlayerID(UInt32(seat)), seat: nil, amount: 10 * seat + 5)) }
        while let seat = Self.names.map(\.0).first(where: { TableSnapshot(table).choice($0) != nil }) {
            let snapshot = TableSnapshot(table)
            guard let choice = snapshot.choice(seat) else { return }
            let isLast = choice.hand == snapshot.hands(ofSeat: seat).count
            if untilMine, seat == 2, isLast, !choice.allows(.split) { return }
            let total = snapshot.total(HandIdentifier(seat: seat, number: choice.hand))?.points ?? 0
            let action: Action =
                choice.allows(.decline) ? .decline : choice.allows(.split) ? .split : total < 15 ? .hit : .stand
            now += 1_000
            show(.act(player: PlayerID(UInt32(seat)), action: action, seat: seat, hand: nil, amount: nil))
        }
    }

    private mutating func show(_ command: TableEngine.Command) {
        perform(command)
        picture.show(TableSnapshot(table), now: now)
    }

    private mutating func perform(_ command: TableEngine.Command) {
        var facts = NoFacts()
        do {
            try table.perform(command, at: Moment(milliseconds: now), into: &facts)
        } catch {
            preconditionFailure("a played hand has legal commands only: \(error)")
        }
    }
}
