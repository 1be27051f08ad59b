import ClientCore
import Foundation
import Rules
import TestKit
import Testing

@testable import TerminalUI

struct SettingsTests {
    private let scratch = ScratchFolder()
    private var home: String { scratch.path }

    /// A settings file with a text.
    private func file(_ text: String) throws -> SettingsFile {
        try scratch.file("bjclient/config.json", text)
        return SettingsFile(folder: home + "/bjclient")
    }

    private func text(_ file: SettingsFile) throws -> String { try String(contentsOfFile: file.path, encoding: .utf8) }

    @Test func everyField_isOptional_andReadAndWritten() throws {
        let file = try file("{}")
        #expect(try file.settings() == ClientSettings())
        var settings = ClientSettings()
        let words: [(ClientSettings.Field, String)] = [
            (.theme, "high-contrast"), (.color, "256"), (.suits, "4"), (.coach, "on"), (.bell, "on"), (.motion, "off"),
            (.bet, "25"), (.rebet, "on"),
        ]
        #expect(words.map(\.0) == ClientSettings.Field.allCases)
        for (field, words) in words {
            try settings.set(field, to: words)
            try file.store(field, words)
        }
        #expect(try file.settings() == settings)
        for member in [#""theme" : "high-contrast""#, #""color" : "256""#, #""suits" : 4"#, #""motion" : false"#, #""bet" : 25"#]
        {
            #expect(try text(file).contains(member))
        }
        for (field, words) in words { #expect(try file.settings()[field] == words) }
    }

    @Test func unknownMembers_areKept() throws {
        let file = try file(#"{ "later\n": 15, "theme":"light" ,"x": "\u00e9", "y": null, "z": true }"#)
        try file.store(.theme, "dark")
        try file.store(.bet, "10")
        try file.store(.bet, nil)
        #expect(
            try text(file) == """
                {
                  "later\\n" : 15,
                  "theme" : "dark",
                  "x" : "é",
                  "y" : null,
                  "z" : true
                }

                """)
    }

    @Test(arguments: [
        (#"{"theme":"pink"}"#, "theme is not one of dark, light, high-contrast"),
        (#"{"bell":"on"}"#, "bell is not true or false"),
        (#"{"bet":-5}"#, "bet is not a number of chips from 1 to "), (#"{"bet":"5"}"#, "bet is not a number"),
        (#"{"suits":3}"#, "suits is not one of 2, 4"),
        (#"{"color":256}"#, "color is not one of auto, always, never, 16, 256, truecolor"), ("[]", "is not a JSON object"),
        (#"{"theme":{}}"#, "is not a JSON object"), ("", "is not a JSON object"),
    ])
    func aWrongFile_isRefused_andTheFieldIsNamed(_ text: String, _ reason: String) throws {
        let file = try file(text)
        #expect {
            _ = try file.settings()
        } throws: {
            ($0 as? SettingsFile.Failure)?.description.hasPrefix("\(file.path): \(reason)") == true
        }
    }

    @Test func theFile_isTheUsersAlone_andReplacedAsAWhole() throws {
        let file = try #require(SettingsFile(environment: ["XDG_CONFIG_HOME": home]))
        #expect(file.path == home + "/bjclient/config.json")
        #expect(try file.settings() == ClientSettings(), "no file")
        try file.store(.suits, "4")
        try file.store(.bell, "on")
        #expect(try text(file) == "{\n  \"bell\" : true,\n  \"suits\" : 4\n}\n")
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
        #expect(try scratch.names(in: "bjclient") == ["config.json", "config.lock"])
        try scratch.file("bjclient/config.json", #"{"theme":1}"#)
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
        for folder in ["/bjclient", "/dotfiles"] {
            try FileManager.default.createDirectory(atPath: home + folder, withIntermediateDirectories: true)
        }
        if exists { try scratch.file("dotfiles/bj.json", #"{"bell":true}"#) }
        let link = home + "/bjclient/config.json"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../dotfiles/bj.json")
        let file = SettingsFile(folder: home + "/bjclient")
        try file.store(.suits, "4")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../dotfiles/bj.json")
        let settings = try file.settings()
        #expect(settings.suits == .four && settings.bell == exists)
        #expect(try scratch.names(in: "dotfiles") == ["bj.json"])
    }

    @Test func theList_isAPanel_andWordsChangeASetting_whileItIsShown() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        #expect(scene.press(.character("c")) == .perform(.settings()))
        try expectGolden(scene.frame(80, 24).text, "settings-80x24.txt")
        for field in ClientSettings.Field.allCases {
            #expect(scene.frame(80, 24).text.contains("\(scene.view.settings.line(of: field)):"), "\(field)")
        }
        #expect(scene.press(.character("/")) == .complete("/settings "))
        for scalar in "suits 4".unicodeScalars { _ = scene.press(.character(scalar)) }
        #expect(scene.frame(80, 24).text.contains("Say: /settings suits 4"))
        #expect(scene.press(.enter) == .perform(.settings(.suits, "4")) && scene.view.panel == .settings)
        scene.edit { $0.settings.suits = .four }
        #expect(scene.frame(80, 24).text.contains("suits 4: colours of the suits (2, 4)."))
        #expect(scene.press(.escape) == .show(.table))
    }
}
