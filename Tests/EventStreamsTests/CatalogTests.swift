import Foundation
import Testing

/// The catalog's example is code of the client, and its table is complete.
@Suite struct CatalogTests {
    @Test func example_inTheCatalog_isExecutedCode() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let page = tests.appending(path: "../../Sources/EventStreams/EventStreams.docc/EventStreams.md").standardized
        let client = tests.appending(path: "../../Sources/ClientCore/GameClient.swift").standardized
        let executed = squeezed(try String(contentsOf: client, encoding: .utf8))
        let text = try String(contentsOf: page, encoding: .utf8)
        let blocks = text.components(separatedBy: "## A state machine in a chain").last?.components(separatedBy: "```") ?? []
        #expect(blocks.count == 3)
        let code = squeezed(String(blocks[1].dropFirst("swift".count)))
        #expect(executed.contains(code), "not executed: \(code)")
    }

    /// A public type that is missing in the table would not be found.
    @Test func everyPublicType_isInTheTable() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/EventStreams")
            .standardized
        let text = try String(contentsOf: sources.appending(path: "EventStreams.docc/Combine.md"), encoding: .utf8)
        let names = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        let kind = "(?:struct|class|enum|protocol|typealias(?= [A-Za-z0-9]+<))"
        let declaration = try Regex("^ *public (?:final )?\(kind) ([A-Za-z0-9]+)").anchorsMatchLineEndings()
        // Parts of the types in the table.
        let parts = ["Publisher"]
        let namespaces = ["Publishers", "Subscribers"]
        var count = 0
        for name in names where name.hasSuffix(".swift") {
            let source = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
            for match in source.matches(of: declaration) {
                let type = String(match.output[1].substring ?? "")
                count += 1
                if (parts + namespaces).contains(type) { continue }
                #expect(
                    ["`\(type)`", ".\(type)`", "@\(type)`"].contains { text.contains($0) }, "\(name) has \(type)")
            }
        }
        #expect(count >= 20)
    }

    private func squeezed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
