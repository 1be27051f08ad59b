import CommandLineKit
import Foundation
import Records
import ServerCore
import TestKit
import Testing

@testable import bjserver

/// `bjserver journal`: records for `jq` and `grep`, without secrets.
@Suite(.ownThread) struct JournalCommandTests {
    private let scratch = DataScratch()

    private func records(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func theShoeInPlayIsHidden_alsoFromTheOwner() throws {
        let server = try DataServer(on: scratch)
        _ = try server.bettor("ann")
        server.kill()
        let shown = try scratch.run("bjserver", ["journal", scratch.path("data")])
        #expect(shown.status == 0 && shown.errors.isEmpty)
        let types = try records(shown.output).compactMap { $0["type"] as? String }
        #expect(types.starts(with: ["started", "opened"]) && types.contains("facts") && types.contains("account"))
        #expect(shown.output.contains(#""key":"redacted""#) && shown.output.firstMatch(of: /"key":"[0-9a-f]{64}"/) == nil)
        #expect(shown.output.contains(#""secret":"redacted""#) && shown.output.firstMatch(of: /"secret":"[0-9a-f]{64}"/) == nil)
    }

    @Test func aPartIsPrinted_fromAFrameOn_alsoOfALiveFolder() throws {
        let server = try DataServer(on: scratch)
        try server.account("ann")
        let all = try scratch.run("bjserver", ["journal", scratch.path("data")]).output
        let part = try scratch.run("bjserver", ["journal", scratch.path("data"), "--from", "2"]).output
        #expect(part.count < all.count && all.hasSuffix(part) && !part.isEmpty)
        #expect(try scratch.run("bjserver", ["journal", scratch.path("data"), "--from", "99999"]).output.isEmpty)
        #expect(try server.login("ann").contains(#""chips":1000"#))
    }
}

/// The text of lines that are shown.
struct RedactionTests {
    private func shown(_ line: String) -> String {
        String(decoding: RecordRedaction(SavedState(house: "")).redacted(Array(line.utf8)), as: UTF8.self)
    }

    @Test func secretsAreReplaced_whereverTheyStand() {
        #expect(shown(#"{"type":"pass","table":"main","pass":"a\"b\\"}"#) == #"{"type":"pass","table":"main","pass":"redacted"}"#)
        #expect(
            shown(#"{"type":"ownerPass","table":"main","owner":1,"pass":"a","configured":"b"}"#)
                == #"{"type":"ownerPass","table":"main","owner":1,"pass":"redacted","configured":"redacted"}"#)
        #expect(
            shown(#"{"type":"owned","table":"main","owner":1,"code":"00ff"}"#)
                == #"{"type":"owned","table":"main","owner":1,"code":"redacted"}"#)
        #expect(
            shown(
                #"{"type":"arrived","account":1,"secret":"00ff","answers":[{"answered":1,"request":{"type":"sit","pass":"x"}}]}"#)
                == #"{"type":"arrived","account":1,"secret":"redacted","answers":[{"answered":1,"request":{"type":"sit","pass":"redacted"}}]}"#
        )
        #expect(shown(#"{"type":"pass","table":"main","pass":"open"#) == #"{"type":"pass","table":"main","pass":"redacted"#)
    }

    @Test func whatIsNoSecret_staysAsItIs() {
        let lines = [
            #"{"type":"answer","answer":"line","line":{"type":"error","code":"stale"}}"#,
            #"{"type":"answer","request":{"type":"say","text":"\",\"pass\":\"x"}}"#,
            #"{"type":"facts","facts":[{"fact":"shuffled","shoe":1,"key":"00ff"}]}"#, "", "{}", #"{"pass":7}"#,
        ]
        for line in lines { #expect(shown(line) == line) }
    }

    @Test func aTerminalSeesNoControls() throws {
        let line = "{\"a\":\"b\u{202E}c\u{1F600}\u{E0001}\u{85}é\"}"
        let text = Console.visibleJSON(line)
        #expect(text == "{\"a\":\"b\\u202ec\u{1F600}\\udb40\\udc01\\u0085é\"}")
        #expect(
            try JSONDecoder().decode([String: String].self, from: Data(text.utf8)) == ["a": "b\u{202E}c\u{1F600}\u{E0001}\u{85}é"]
        )
    }
}
