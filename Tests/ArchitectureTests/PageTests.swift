import Foundation
import TestKit
import Testing

/// The pages for people: short enough to be read to the end, and without a link or a name that leads nowhere.
struct PageTests {
    private static let pages: [Repository.SourceFile] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Repository.root.path)) ?? []
        let top = names.filter { $0.hasSuffix(".md") }.sorted().compactMap { name in
            (try? Repository.text(name)).map { Repository.SourceFile(path: name, text: $0) }
        }
        return top + Repository.files(below: "Sources", suffix: ".md")
            + Repository.files(below: Repository.verification, suffix: ".md")
    }()

    /// Words that the pages of a path have together at most; a folder's are those of its pages.
    private static let limits =
        [
            ("README.md", 900), ("ARCHITECTURE.md", 1_500), ("CONTRIBUTING.md", 1_500), ("Protocol.md", 8_000),
            ("Sources/bjserver/", 3_500), ("Sources/bjbots/", 850), ("Sources/bjclient/", 850),
        ] + modules.map { ("Sources/\($0)/\($0).docc/\($0).md", 300) }

    private static let modules = Repository.files(below: "Sources", suffix: ".md").compactMap { page in
        page.path.firstMatch(of: #/^Sources/(\w+)/\w+\.docc/(\w+)\.md$/#).flatMap { $0.1 == $0.2 ? String($0.1) : nil }
    }

    @Test(arguments: limits)
    func aPageIsShort(_ path: String, _ most: Int) {
        let pages = Self.pages.filter { path.hasSuffix("/") ? $0.path.hasPrefix(path) : $0.path == path }
        let words = pages.map { $0.text.split(whereSeparator: \.isWhitespace).count }.reduce(0, +)
        #expect((1...most).contains(words), "\(path)")
    }

    @Test(arguments: pages.map(\.path))
    func aLinkLeadsToAPageAndItsHeading(_ path: String) throws {
        let folder = Repository.root.appending(path: path).deletingLastPathComponent()
        for link in try Repository.text(path).matches(of: /\]\(([^)#:]*)#?([^):]*)\)/) {
            let target = link.1.isEmpty ? Repository.root.appending(path: path) : folder.appending(path: String(link.1))
            #expect(FileManager.default.fileExists(atPath: target.path), "\(link.0)")
            guard !link.2.isEmpty else { continue }
            let headings = try String(contentsOf: target, encoding: .utf8).matches(of: #/(?m)^#+ (.*)$/#).map { heading in
                String(heading.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }).replacing(
                    " ", with: "-")
            }
            #expect(headings.contains(link.2.lowercased()), "\(link.0)")
        }
    }

    /// Options, variables, metrics, events and codes are literals of the sources; the rest are of other programs.
    @Test func aNameOnAPageForOperators_exists() {
        let literals = Set(Repository.swiftFiles(below: "Sources").flatMap { $0.text.split(separator: "\"").map(String.init) })
        let others = ["synchronous_standby_names", "stop_grace_period", "pg_restore", "pg_dump", "--volumes", "BJ_PUBLISH"]
        for page in Self.pages where page.path == "README.md" || page.path.hasPrefix("Sources/bjserver/") {
            for match in page.text.matches(of: /`(--[a-z-]+|BJ_[A-Z_]+|[a-z]+(?:_[a-z]+)+)[` =]/) {
                let isThere = literals.contains(String(match.1)) || others.contains(String(match.1))
                #expect(isThere, "\(page.path): \(match.1)")
            }
        }
    }
}
