import Foundation
import TestKit
import Testing

private let modules = Repository.folders(in: "Sources") + Repository.folders(in: Repository.verification)

/// Clauses that open like this name their subject by a description instead of the term.
private let forbiddenOpenings = ["What", "Whatever", "Who", "Whoever", "Whose", "Told", "Those", "So many"]

/// A run of comment lines, without their markers.
private struct Comment {
    /// From 1.
    let line: Int
    var text: [String] = []
}

private func comments(in file: Repository.SourceFile) -> [Comment] {
    var comments: [Comment] = []
    var isOpen = false
    for (index, line) in file.lines.enumerated() {
        let trimmed = line.drop { $0 == " " }
        if trimmed.hasPrefix("//") {
            if !isOpen { comments.append(Comment(line: index + 1)) }
            let text = trimmed.drop { $0 == "/" }
            comments[comments.count - 1].text.append(String(text.hasPrefix(" ") ? text.dropFirst() : text))
        }
        isOpen = trimmed.hasPrefix("//")
    }
    return comments
}

/// The first forbidden opening of a clause: at the start of a line, or after a full stop, a colon, a semicolon or a list marker.
private func forbiddenOpening(in line: some StringProtocol) throws -> String? {
    // A search for words is many times as fast as a pattern.
    guard forbiddenOpenings.contains(where: { line.contains($0) }) else { return nil }
    let words = forbiddenOpenings.joined(separator: "|")
    let pattern = try Regex("(?:^|[.:;!?] |^- |^[0-9]+[.] )(\(words))\\b", as: (Substring, Substring).self)
    return String(line).firstMatch(of: pattern).map { String($0.output.1) }
}

struct CommentTests {
    @Test(arguments: modules)
    func noClauseOfACommentOpensWithAForbiddenWord(_ module: String) throws {
        for file in Repository.swiftFiles(below: Repository.home(of: module)) {
            for comment in comments(in: file) {
                for (offset, text) in comment.text.enumerated() {
                    guard let opening = try forbiddenOpening(in: text) else { continue }
                    Issue.record(
                        "\(file.path):\(comment.line + offset) opens a clause with \"\(opening)\": name the subject by its term")
                }
            }
        }
    }

    @Test(arguments: modules)
    func noClauseOfAPageOpensWithAForbiddenWord(_ module: String) throws {
        for file in Repository.files(below: Repository.home(of: module), suffix: ".md") {
            for (index, line) in file.lines.enumerated() {
                guard let opening = try forbiddenOpening(in: line) else { continue }
                Issue.record("\(file.path):\(index + 1) opens a clause with \"\(opening)\": name the subject by its term")
            }
        }
    }

    @Test func forbiddenOpeningsAreFound_anywhereInALine() throws {
        #expect(try forbiddenOpening(in: "What a table shows.") == "What")
        #expect(try forbiddenOpening(in: "The hand; whose turn it is.") == nil)
        #expect(try forbiddenOpening(in: "Refused: Those without a seat.") == "Those")
        #expect(try forbiddenOpening(in: "- So many lines a turn.") == "So many")
        #expect(try forbiddenOpening(in: "Whether the hand is a pair.") == nil)
    }
}
