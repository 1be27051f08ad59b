import Foundation
import Testing

@testable import TerminalUI

/// The lists on the client's page are those of the code.
struct ClientPageTests {
    private let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Sources/bjclient/bjclient.docc/Playing.md")

    private func rows(_ head: String, _ names: [Script.Name]) -> String {
        "\n| \(head) | |\n|---|---|\n" + names.map { "| `\($0.term)` | \($0.meaning) |\n" }.joined() + "\n"
    }

    /// With `BJ_RECORD=1` they are written down.
    @Test func thePageListsPhases_eventsAndLines() throws {
        let written = try String(contentsOf: page, encoding: .utf8)
        var text = written
        let lists = [
            ("phases", rows("phase", Script.phases)), ("events", rows("event", Script.events)),
            ("types", rows("type", JSONLines.types)),
        ]
        for (name, rows) in lists {
            let start = try #require(text.range(of: "<!-- \(name) -->"), "\(name)").upperBound
            let end = try #require(text.range(of: "<!-- /\(name) -->"), "\(name)").lowerBound
            #expect(text[start..<end] == rows, "the list of \(name)")
            text.replaceSubrange(start..<end, with: rows)
        }
        if text != written, ProcessInfo.processInfo.environment["BJ_RECORD"] != nil {
            try text.write(to: page, atomically: true, encoding: .utf8)
        }
    }

    @Test func everyName_isExplainedOnce() {
        for names in [Script.phases, Script.events, JSONLines.types] {
            #expect(Set(names.map(\.term)).count == names.count && names.allSatisfy { $0.meaning.hasSuffix(".") })
        }
        #expect(Script.events.map(\.term) == Sentence.Kind.names)
    }
}
