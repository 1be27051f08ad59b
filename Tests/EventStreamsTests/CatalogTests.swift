import Foundation
import Testing

/// The worked examples of the catalog are the ones that the tests execute.
@Suite struct CatalogTests {
    @Test func examples_inTheCatalog_areExecutedCode() throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let page = tests.appending(path: "../../Sources/EventStreams/EventStreams.docc/EventStreams.md").standardized
        let sources = ["CountdownExample.swift"]
        let executed = try sources.map {
            squeezed(try String(contentsOf: tests.appending(path: $0).standardized, encoding: .utf8))
        }
        let text = try String(contentsOf: page, encoding: .utf8)
        let examples = try #require(text.components(separatedBy: "## A custom publisher").last)
        let blocks = examples.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        #expect(blocks.count == 1)
        for block in blocks {
            let code = squeezed(String(block.dropFirst("swift".count)))
            #expect(executed.contains { $0.contains(code) }, "not executed: \(block)")
        }
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
        let parts = ["Iterator", "Publisher", "Stride", "SchedulerTimeType", "SchedulerOptions"]
        let namespaces = ["Publishers", "Subscribers", "Subscriptions", "CombineIdentifier", "Published"]
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
        #expect(count > 40)
    }

    private func squeezed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
