import Foundation
import TestKit
import Testing

/// `bjclient picture` and `bjclient settings`, as processes.
@Suite(.ownThread) struct PictureCommandTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let picture = "Sources/TerminalUI/TerminalUI.docc/Resources/table.svg"

    @Test func theReadmesPicture_isTheOneThatTheCommandMakes() throws {
        let ending = try Tool.run("bjclient", ["picture"])
        #expect(ending.status == 0 && ending.errors.isEmpty)
        let committed = try String(contentsOf: Self.folder.appending(path: Self.picture), encoding: .utf8)
        #expect(ending.output == committed, "renew it: bjclient picture -o \(Self.picture)")
        #expect(committed.utf8.count < 60_000)
        #expect(committed.hasPrefix("<svg ") && committed.hasSuffix("</svg>\n") && !committed.contains("font-face"))
    }

    @Test func theFile_isWritten_andTheSizeChecked() throws {
        let scratch = try Scratch()
        let file = scratch.url.appending(path: "p.svg")
        let ending = try Tool.run("bjclient", ["picture", "--size", "40x12", "--theme", "light", "-o", file.path])
        #expect(ending.status == 0 && ending.output.isEmpty)
        #expect(try String(contentsOf: file, encoding: .utf8).contains(#"viewBox="0 0 388 256""#))
        #expect(try Tool.run("bjclient", ["picture", "--size", "39x12"]).status == 64)
        #expect(try Tool.run("bjclient", ["picture", "-o", "/nowhere/p.svg"]).status == 74)
    }

    @Test func settings_areListedAndSet_byWords() throws {
        let scratch = try Scratch()
        func settings(_ words: String...) throws -> Tool.Ending {
            try Tool.run("bjclient", ["settings"] + words, home: scratch.url.path)
        }
        #expect(try settings().output.contains("theme    dark (default)"))
        #expect(try settings("theme", "light").status == 0 && settings("bell", "yes").status == 0)
        let list = try settings().output
        #expect(list.contains("theme    light  ") && list.contains("bell     on  "), "\(list)")
        #expect(try settings("theme", "default").status == 0 && settings("theme").output == "dark\n")
        let wrong = try settings("bell", "loud")
        #expect(wrong.status == 64 && wrong.errors.contains("'loud' is not on or off"))
        let path = scratch.url.appending(path: ".config/bjclient/config.json")
        try Data(#"{"mouse":1,"mine":2}"#.utf8).write(to: path)
        // Before anything else: no server is asked.
        let ending = try Tool.run("bjclient", ["127.0.0.1:1", "--plain"], home: scratch.url.path)
        #expect(ending.status == 78 && ending.errors.contains("config.json: mouse is not true or false"), "\(ending)")
        #expect(try settings("mouse", "off").status == 0)
        #expect(try String(contentsOf: path, encoding: .utf8) == "{\n  \"mouse\": false,\n  \"mine\": 2\n}\n")
    }
}
