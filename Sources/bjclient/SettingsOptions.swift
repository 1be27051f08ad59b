import CommandLineKit
import Foundation
import TerminalUI

/// The options of `bjclient settings`.
struct SettingsOptions: Sendable {
    var field: ClientSettings.Field?
    var words: String?

    static let command = Command<SettingsOptions, ClientProgram>(
        "settings", "Lists or changes the settings of this program.", defaults: SettingsOptions(), program: checked
    ) { command in
        command.discussion(
            """
            Without NAME: all settings, each with its value; those that are not in the file have their default. With NAME: its value alone. \
            With VALUE: stores it. The value 'default' takes a setting out of the file.

            The settings are in config.json of $XDG_CONFIG_HOME/bjclient, or of ~/.config/bjclient: a JSON object, readable by you alone. \
            Every member is optional, others are kept. Options of the command line win over them. The key c changes them during play.
            """)
        command.argument("NAME", \.field, .choice, help: "The setting.")
        command.argument("VALUE", \.words, .text(upTo: 100), help: "Its new value: a word, a number, on or off; or default.")
        command.example("bjclient settings", "the settings and what they mean")
        command.example("bjclient settings suits 4", "a colour for each suit")
        command.exitStatus(74, "the settings can't be read or written")
        command.exitStatus(78, "the settings file is not right")
    }

    private static func checked(_ options: SettingsOptions) throws(UsageError) -> ClientProgram {
        if let field = options.field, let words = options.words, words != "default" {
            var settings = ClientSettings()
            do throws(ClientSettings.Misfit) {
                try settings.set(field, to: words)
            } catch {
                throw UsageError("'\(words.prefix(40))' is not \(field.expected)")
            }
        }
        return .settings(options)
    }

    func run(_ environment: [String: String]) -> Never {
        guard let file = SettingsFile(environment: environment) else {
            Console.fail("bjclient", "neither XDG_CONFIG_HOME nor HOME is a folder", status: 74)
        }
        do throws(SettingsFile.Failure) {
            if let field, let words {
                try file.store(field, words == "default" ? nil : try normal(words, field))
            } else {
                show(try file.settings(), try file.fields(), file.path)
            }
        } catch {
            Console.fail("bjclient", error.description, status: error.isContent ? 78 : 74)
        }
        exit(0)
    }

    /// The words as the file has them.
    private func normal(_ words: String, _ field: ClientSettings.Field) throws(SettingsFile.Failure) -> String? {
        var settings = ClientSettings()
        // Checked with the command line.
        try? settings.set(field, to: words)
        return settings.words(of: field)
    }

    private func show(_ settings: ClientSettings, _ given: Set<ClientSettings.Field>, _ path: String) {
        if let field { return Console.print(settings.words(of: field) ?? "none") }
        Console.print("# \(path)")
        for field in ClientSettings.Field.allCases {
            let value = (settings.words(of: field) ?? "none") + (given.contains(field) ? "" : " (default)")
            let columns = [(field.rawValue, 8), (value, 20)].map { text, width in
                text + String(repeating: " ", count: max(0, width - text.count))
            }
            Console.print("\(columns.joined(separator: " "))  \(field.meaning)")
        }
    }
}
