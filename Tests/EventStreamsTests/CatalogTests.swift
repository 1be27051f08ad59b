import Foundation
import Testing

/// The worked examples of the catalog are the ones that the tests execute.
@Suite struct CatalogTests {
    @Test func examples_inTheCatalog_areExecutedCode() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let page = tests.appending(path: "../../Sources/EventStreams/EventStreams.docc/EventStreams.md").standardized
        let executed = try ["JoinFormExample", "CountdownExample", "LobbyFeedExample"].map {
            squeezed(try String(contentsOf: tests.appending(path: "\($0).swift"), encoding: .utf8))
        }
        let text = try String(contentsOf: page, encoding: .utf8)
        let examples = try #require(text.components(separatedBy: "## Worked examples").last)
        let blocks = examples.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        #expect(blocks.count == 6)
        for block in blocks {
            let code = squeezed(String(block.dropFirst("swift".count)))
            #expect(executed.contains { $0.contains(code) }, "not executed: \(block)")
        }
    }

    private func squeezed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
