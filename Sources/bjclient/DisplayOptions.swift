import ClientCore
import CommandLineKit
import Foundation
import TerminalUI

/// Options of a session at the terminal: those given win over the settings file.
struct DisplayOptions: Sendable {
    var theme: ClientSettings.Theme?
    var color: ClientSettings.ColorChoice?
    var suits: ClientSettings.SuitColors?
    var bell: Bool?
    var motion: Bool?
    var rebet: Bool?

    /// The settings of the file, and of these options. Exits if the file is not right.
    func settings(_ file: SettingsFile?) -> ClientSettings {
        var settings = ClientSettings()
        do throws(SettingsFile.Failure) {
            if let file { settings = try file.settings() }
        } catch {
            Console.fail("bjclient", "\(error.description); mend or delete it", status: 78)
        }
        settings.theme = theme ?? settings.theme
        settings.color = color ?? settings.color
        settings.suits = suits ?? settings.suits
        settings.bell = bell ?? settings.bell
        settings.motion = motion ?? settings.motion
        settings.rebet = rebet ?? settings.rebet
        return settings
    }
}

/// Options of a command that opens a session.
protocol DisplayedOptions: Sendable {
    var display: DisplayOptions { get set }
}

extension Command where Options: DisplayedOptions {
    mutating func displayOptions() {
        option("--theme", \.display.theme, .choice, value: "THEME", help: "Colours: dark, light or high-contrast. Default: dark.")
        option(
            "--color", \.display.color, .choice, value: "WHEN",
            help:
                "auto, always, never, or 16, 256, truecolor. Default: auto, by COLORTERM and TERM; NO_COLOR turns colours off, FORCE_COLOR on."
        )
        option("--suits", \.display.suits, .choice, value: "2|4", help: "Colours of the suits. Default: 2.")
        flag("--bell", \.display.bell, negatable: true, help: "Ring when it is your turn, or not. Default: not.")
        flag(
            "--motion", \.display.motion, negatable: true,
            help: "Cards are dealt one by one, or each change is shown at once. Default: one by one, on a screen with colours.")
        flag(
            "--rebet", \.display.rebet, negatable: true,
            help: "Make your last bet again in each round until your time runs out, or not. Default: not.")
        exitStatus(78, "the settings file is not right")
    }
}
