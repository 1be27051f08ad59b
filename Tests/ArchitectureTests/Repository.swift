import Foundation
import TestKit

/// The checkout that the tests were built from.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    struct SourceFile: Sendable {
        /// Relative to the root.
        let path: String
        let text: String
        var lines: [Substring] { text.utf8.split(separator: 10, omittingEmptySubsequences: false).map(Substring.init) }

        /// Whether a pattern that needs one of some texts may match: a search for bytes is many times as fast.
        func mentions(_ texts: [String]) -> Bool { texts.contains { text.contains($0) } }
    }

    /// The folder of what verifies the product and is not shipped, beside `Sources`: a folder for each target.
    static let verification = "Tests/Verification"

    static func folders(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path))?.sorted() ?? []
    }

    /// The folder of a target, of what ships or of what verifies it.
    static func home(of target: String) -> String {
        (folders(in: verification).contains(target) ? verification : "Sources") + "/" + target
    }

    /// Every Swift file of tests.
    static var tests: [SourceFile] { swiftFiles(below: "Tests").filter { !$0.path.hasPrefix(verification) } }

    /// Every Swift file below a folder.
    static func swiftFiles(below folder: String) -> [SourceFile] { files(below: folder, suffix: ".swift") }

    /// Every file below a folder whose name ends with a suffix.
    static func files(below folder: String, suffix: String) -> [SourceFile] {
        let base = root.appending(path: folder)
        let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(suffix) }.sorted().compactMap { name in
            (try? String(contentsOf: base.appending(path: name), encoding: .utf8)).map {
                SourceFile(path: "\(folder)/\(name)", text: $0)
            }
        }
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
