import Foundation
import Testing
import Wire

@testable import ServerCore

private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

private func text(_ path: String) throws -> String { try String(contentsOf: root.appending(path: path), encoding: .utf8) }

/// Serialized: two of them write down the page.
@Suite(.serialized)
struct ProtocolDocumentTests {
    /// The sessions on a page are played by a shard that is called like the real one; with `BJ_RECORD=1` what was said is written down.
    @Test(arguments: [("Protocol.md", 3), ("Sources/Wire/Wire.docc/Shuffle.md", 1)])
    func everySessionInTheProtocolDocumentGoesAsItIsWrittenDown(page: String, least: Int) throws {
        let document = try text(page)
        var replayed = document
        var count = 0
        for match in document.matches(of: /```session\n([\s\S]*?)```/) {
            count += 1
            let script = String(match.1)
            replayed = replayed.replacingOccurrences(of: script, with: try Session.replay(script))
        }
        if replayed != document, ProcessInfo.processInfo.environment["BJ_RECORD"] != nil {
            try replayed.write(to: root.appending(path: page), atomically: true, encoding: .utf8)
        }
        #expect(count >= least)
        #expect(replayed == document)
    }

    /// Every table of the page that says what there is comes from the catalog; with `BJ_RECORD=1` it is written down.
    @Test func theProtocolDocumentsTables_areThoseOfTheCatalog() throws {
        var document = try text("Protocol.md")
        let written = document
        for (name, rows) in CatalogTables.all {
            let start = try #require(document.range(of: "<!-- \(name) -->"), "\(name)").upperBound
            let end = try #require(document.range(of: "<!-- /\(name) -->"), "\(name)").lowerBound
            let expected = "\n" + rows.joined(separator: "\n") + "\n\n"
            #expect(document[start..<end] == expected, "the table of \(name)")
            document.replaceSubrange(start..<end, with: expected)
        }
        if document != written, ProcessInfo.processInfo.environment["BJ_RECORD"] != nil {
            try document.write(to: root.appending(path: "Protocol.md"), atomically: true, encoding: .utf8)
        }
    }
}
