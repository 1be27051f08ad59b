import Foundation
import Testing
import Wire

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

/// The table of error codes comes from the one list of them; with `BJ_RECORD=1` it is written down.
@Test func theProtocolDocumentListsEveryErrorCode_andNoOther() throws {
    var rows = ["", "| code | when |", "|---|---|"]
    for code in ErrorCode.allCases where !code.isInternal {
        let marks = [code.isRetryable ? "retryable" : nil, code.isFatal ? "fatal" : nil].compactMap(\.self)
        rows.append("| `\(code.rawValue)` | \(code.explanation)\(marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))") |")
    }
    let expected = rows.joined(separator: "\n") + "\n\n"
    let document = try text("Protocol.md")
    let start = try #require(document.range(of: "<!-- codes -->")).upperBound
    let end = try #require(document.range(of: "<!-- /codes -->")).lowerBound
    if document[start..<end] != expected, ProcessInfo.processInfo.environment["BJ_RECORD"] != nil {
        try document.replacingCharacters(in: start..<end, with: expected)
            .write(to: root.appending(path: "Protocol.md"), atomically: true, encoding: .utf8)
    }
    #expect(document[start..<end] == expected)
}

@Test func everyCodeOfATable_isInTheProtocol() throws {
    let source = try text("Sources/TableEngine/Rejection.swift")
    let codes = source.matches(of: /case \.[a-zA-Z0-9]+: "([a-z0-9_]+)"/).map { String($0.1) }
    #expect(codes.count > 25 && codes.allSatisfy { ErrorCode(rawValue: $0) != nil })
}
