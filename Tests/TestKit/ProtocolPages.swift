import Foundation

/// Protocol.md and the pages that it links: the tests execute their sessions and compare their tables.
public enum ProtocolPages {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let folder = root.appending(path: "Sources/Wire/Wire.docc")

    /// Protocol.md first.
    public static func files() throws -> [URL] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }.sorted()
        return [root.appending(path: "Protocol.md")] + names.map { folder.appending(path: $0) }
    }

    /// The scripts of a page's sessions.
    public static func sessions(of page: String) -> [String] {
        page.matches(of: /```session\n([\s\S]*?)```/).map { String($0.1) }
    }
}
