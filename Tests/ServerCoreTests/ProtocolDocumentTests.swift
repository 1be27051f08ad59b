import Foundation
import TestKit
import Testing
import Wire

@testable import ServerCore

/// With `BJ_RECORD=1` they write down what is so; serialized, since all write the same pages.
@Suite(.serialized)
struct ProtocolDocumentTests {
    private static func record(_ text: String, in file: URL) throws {
        guard ProcessInfo.processInfo.environment["BJ_RECORD"] != nil else { return }
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    /// The sessions on a page are played by a shard that is called like the real one.
    @Test(arguments: try ProtocolPages.files())
    func everySessionOnAPage_goesAsItIsWrittenDown(_ file: URL) throws {
        let page = try String(contentsOf: file, encoding: .utf8)
        var replayed = page
        for script in ProtocolPages.sessions(of: page) {
            replayed = replayed.replacingOccurrences(of: script, with: try Session.replay(script))
        }
        #expect(replayed == page)
        if replayed != page { try Self.record(replayed, in: file) }
    }

    @Test func thePageHasItsSessions() throws {
        let page = try String(contentsOf: ProtocolPages.files()[0], encoding: .utf8)
        #expect(ProtocolPages.sessions(of: page).count >= 8)
    }

    /// A table from the catalog is on one of the pages, under its header.
    @Test func theTablesOfThePages_areThoseOfTheCatalog() throws {
        let files = try ProtocolPages.files()
        var pages = try files.map { try String(contentsOf: $0, encoding: .utf8).components(separatedBy: "\n") }
        for rows in CatalogTables.all {
            let title = rows[0].components(separatedBy: " |")[0] + " |"
            let places = pages.indices.flatMap { page in
                pages[page].indices.filter { pages[page][$0].hasPrefix(title) }.map { (page, $0) }
            }
            guard places.count == 1, let (page, first) = places.first else {
                Issue.record("\(places.count) tables \(title)")
                continue
            }
            let written = pages[page][first...].prefix { $0.hasPrefix("|") }
            #expect(Array(written) == rows, "\(title)")
            pages[page].replaceSubrange(written.indices, with: rows)
        }
        for (file, page) in zip(files, pages) { try Self.record(page.joined(separator: "\n"), in: file) }
    }
}
