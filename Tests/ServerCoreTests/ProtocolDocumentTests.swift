import Foundation
import Testing

@testable import ServerCore

private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

private func text(_ path: String) throws -> String { try String(contentsOf: root.appending(path: path), encoding: .utf8) }

/// The sessions on the page are played by a casino that is called like the real one; with `BJ_RECORD=1` what was said is written down.
@Test func everySessionInTheProtocolDocumentGoesAsItIsWrittenDown() throws {
    let document = try text("Protocol.md")
    var replayed = document
    var count = 0
    for match in document.matches(of: /```session\n([\s\S]*?)```/) {
        count += 1
        let script = String(match.1)
        replayed = replayed.replacingOccurrences(of: script, with: try Session.replay(script))
    }
    if replayed != document, ProcessInfo.processInfo.environment["BJ_RECORD"] != nil {
        try replayed.write(to: root.appending(path: "Protocol.md"), atomically: true, encoding: .utf8)
    }
    #expect(count >= 3)
    #expect(replayed == document)
}

private let codeFiles = [
    "Sources/TableEngine/Rejection.swift", "Sources/ServerCore/Refusals.swift", "Sources/Wire/ProtocolError.swift",
]

@Test func theProtocolDocumentListsEveryErrorCode_andNoOther() throws {
    var codes: Set<String> = []
    for file in codeFiles {
        for match in try text(file).matches(of: /case \.[a-zA-Z0-9.()]+: "([a-z0-9_]+)"/) { codes.insert(String(match.1)) }
    }
    let section = try #require(text("Protocol.md").components(separatedBy: "## Error codes").last)
    var listed: Set<String> = []
    for line in section.split(separator: "\n") where line.hasPrefix("| `") {
        for match in line.split(separator: "|")[0].matches(of: /`([a-z0-9_]+)`/) { listed.insert(String(match.1)) }
    }
    #expect(codes.count > 40 && listed == codes, "\(listed.symmetricDifference(codes).sorted())")
}
