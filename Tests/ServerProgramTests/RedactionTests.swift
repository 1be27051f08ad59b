import CommandLineKit
import Foundation
import Records
import ServerCore
import TestKit
import Testing

@testable import bjserver

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
