import ClientCore
import Foundation
import Rules
import Testing

@testable import TerminalUI

struct SettingsTests {
    private func document(_ text: String) throws(SettingsDocument.Fault) -> SettingsDocument {
        try SettingsDocument(Array(text.utf8))
    }

    @Test func everyField_isOptional_andReadAndWritten() throws {
        #expect(try document("{}").settings == ClientSettings())
        var written = SettingsDocument()
        var settings = ClientSettings()
        let words: [(ClientSettings.Field, String)] = [
            (.theme, "high-contrast"), (.color, "256"), (.suits, "4"), (.coach, "on"), (.bell, "on"), (.mouse, "off"),
            (.motion, "off"),
            (.bet, "25"), (.rebet, "on"),
        ]
        #expect(words.map(\.0) == ClientSettings.Field.allCases)
        for (field, words) in words {
            try settings.set(field, to: words)
            written.set(field, to: words)
        }
        #expect(try written.settings == settings)
        #expect(
            written.text == """
                {
                  "theme": "high-contrast",
                  "color": "256",
                  "suits": 4,
                  "coach": true,
                  "bell": true,
                  "mouse": false,
                  "motion": false,
                  "bet": 25,
                  "rebet": true
                }

                """)
        for (field, words) in words { #expect(try document(written.text).settings[field] == words) }
    }

    @Test func unknownMembers_areKeptAsTheyAre() throws {
        var document = try document(#"{ "later\n": {"a": [1.50, null]}, "theme":"light" ,"x": "\u00e9" }"#)
        document.set(.theme, to: "dark")
        document.set(.bet, to: "10")
        document.set(.bet, to: nil)
        #expect(
            document.text == "{\n  \"later\\n\": {\"a\": [1.50, null]},\n  \"theme\": \"dark\",\n  \"x\": \"\\u00e9\"\n}\n")
    }

    @Test(arguments: [
        (#"{"theme":"pink"}"#, "theme is not one of dark, light, high-contrast"),
        (#"{"bell":"on"}"#, "bell is not true or false"),
        (#"{"bet":-5}"#, "bet is not a number of chips from 1 to "), (#"{"bet":"5"}"#, "bet is not a number"),
        (#"{"suits":3}"#, "suits is not one of 2, 4"),
        (#"{"color":256}"#, "color is not one of auto, always, never, 16, 256, truecolor"), ("[]", "is not a JSON object"),
        (#"{"theme":"dark","theme":"light"}"#, "is not a JSON object"), ("", "is not a JSON object"),
    ])
    func aWrongFile_isRefused_andTheFieldIsNamed(_ text: String, _ reason: String) {
        #expect {
            _ = try document(text).settings
        } throws: {
            ($0 as? SettingsDocument.Fault)?.description.hasPrefix(reason) == true
        }
    }

    @Test func theFile_isTheUsersAlone_andReplacedAsAWhole() throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "bj-settings-\(UUID().uuidString.prefix(8))").path
        defer { try? FileManager.default.removeItem(atPath: home) }
        let file = try #require(SettingsFile(environment: ["XDG_CONFIG_HOME": home]))
        #expect(file.path == home + "/bjclient/config.json")
        #expect(try file.settings() == ClientSettings(), "no file")
        try file.store(.suits, "4")
        try file.store(.bell, "on")
        let text = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(text == "{\n  \"suits\": 4,\n  \"bell\": true\n}\n")
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: home + "/bjclient").sorted()
        #expect(names == ["config.json", "config.lock"])
        try Data(#"{"theme":1}"#.utf8).write(to: URL(filePath: file.path))
        #expect(
            throws: SettingsFile.Failure(
                description: file.path + ": theme is not one of dark, light, high-contrast", isContent: true)
        ) {
            try file.settings()
        }
        // The wrong field can be set right.
        try file.store(.theme, "light")
        #expect(try file.settings().theme == .light)
    }

    @Test(arguments: [true, false])
    func aFileThatIsALink_staysOne(_ exists: Bool) throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "bj-settings-\(UUID().uuidString.prefix(8))").path
        defer { try? FileManager.default.removeItem(atPath: home) }
        for folder in ["/bjclient", "/dotfiles"] {
            try FileManager.default.createDirectory(atPath: home + folder, withIntermediateDirectories: true)
        }
        if exists { try Data(#"{"bell":true}"#.utf8).write(to: URL(filePath: home + "/dotfiles/bj.json")) }
        let link = home + "/bjclient/config.json"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../dotfiles/bj.json")
        let file = SettingsFile(folder: home + "/bjclient")
        try file.store(.suits, "4")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../dotfiles/bj.json")
        let settings = try file.settings()
        #expect(settings.suits == .four && settings.bell == exists)
        #expect(try FileManager.default.contentsOfDirectory(atPath: home + "/dotfiles") == ["bj.json"])
    }

    @Test func keys_changeEachSetting() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        var settings = ClientSettings()
        let shown = scene.press(.character("c"))
        #expect(shown == .perform(.settings()) && scene.view.settingsField == .theme)
        for field in ClientSettings.Field.allCases {
            #expect(scene.view.settingsField == field)
            let change = KeyMap(scene.view).intent(for: .right)
            #expect(change == .change(field, 1))
            let before = settings[field]
            let words = settings.words(of: field, after: 1, HouseRules())
            try settings.set(field, to: words)
            #expect(settings[field] != before)
            _ = scene.press(.down)
        }
        #expect(settings.words(of: .theme, after: -1, HouseRules()) == "dark" && settings.bet == 15)
        scene.edit { $0.settings = settings }
        try expectGolden(scene.frame(80, 24).text, "settings-80x24.txt")
        let narrow = scene.frame(40, 12).text
        #expect(narrow.contains("▶ rebet"), "\(narrow)")
        // Behind the list the log is not seen.
        scene.edit {
            $0.say(Sentence(.refusal, "The setting is not kept: cannot write /etc/bjclient/config.json: Read-only file system."))
        }
        for (columns, rows) in [(40, 12), (80, 24)] {
            let text = scene.frame(columns, rows).text
            #expect(
                text.contains("The setting is not kept") && text.contains("file system.") && text.contains("▶ rebet"), "\(text)")
        }
        let back = scene.press(.escape)
        #expect(scene.view.settingsNotice == nil)
        #expect(back == .show(.table))
    }
}
