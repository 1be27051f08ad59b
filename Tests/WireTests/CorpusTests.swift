import Foundation
import TestKit
import Testing

@testable import Wire

/// What the fuzzer has found worth keeping, one input a line in base64: the fewest inputs that reach all it has reached.
struct CorpusTests {
    private static func inputs() throws -> [[UInt8]] {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus/inputs.txt")
        return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map { line in
            try Array(#require(Data(base64Encoded: String(line)), "\(line)"))
        }
    }

    @Test func everyInput_keepsTheLaws() throws {
        let inputs = try Self.inputs()
        #expect(inputs.count > 100)
        for (number, input) in inputs.enumerated() {
            do {
                try input.dropFirst().withUnsafeBytes { try LawCheck.check($0, chunkedBy: input.first ?? 0) }
            } catch {
                Issue.record("input \(number): \(error)")
            }
        }
    }
}

/// However the lines that are written down anywhere arrive, they are the same messages.
struct ByteSplitTests {
    @Test func everythingThatAServerSaysInASession_isAMessage() throws {
        let (answers, streams) = (try WrittenLines.answers(), try WrittenLines.streams())
        #expect(streams.count > 10 && answers.count > 200)
        for line in Set(answers) {
            if case .unknown = try event(line) { Issue.record("unknown: \(line)") }
        }
    }

    @Test func everyWrittenLine_keepsTheLaws() throws {
        for line in Set(try WrittenLines.streams().joined()) where line.utf8.count < LawCheck.limit {
            try Array("\(line)\n".utf8).withUnsafeBytes { try LawCheck.check($0, chunkedBy: UInt8(line.utf8.count & 255)) }
        }
    }
}

/// The lines of the protocol that are written down somewhere: golden ones, those of the sessions, and those of the pages.
enum WrittenLines {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// The streams, each with its lines in order.
    static func streams() throws -> [[String]] { try texts().map { lines(of: $0) } }

    /// A server's lines in the sessions.
    static func answers() throws -> [String] { try texts().dropFirst().flatMap { lines(of: $0, marks: "<") } }

    private static func texts() throws -> [String] {
        var texts = [try read("WireTests/Golden/lines.txt")]
        let folder = tests.appending(path: "ServerCoreTests/Sessions")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() where name.hasSuffix(".session") {
            texts.append(try read("ServerCoreTests/Sessions/\(name)"))
        }
        for page in try ProtocolPages.files() {
            texts += ProtocolPages.sessions(of: try String(contentsOf: page, encoding: .utf8))
        }
        return texts
    }

    private static func read(_ path: String) throws -> String {
        try String(contentsOf: tests.appending(path: path).standardizedFileURL, encoding: .utf8)
    }

    /// The objects of a text, whoever says them; of a session, what servers say only, if that is asked for.
    private static func lines(of text: String, marks: String = "<>") -> [String] {
        text.split(separator: "\n").compactMap { line in
            if line.hasPrefix("{") { return String(line) }
            guard let mark = line.firstIndex(where: { marks.contains($0) }), line[mark...].dropFirst().hasPrefix(" {"),
                line[..<mark].allSatisfy({ $0.isLetter || $0.isNumber })
            else { return nil }
            return String(line[mark...].dropFirst(2))
        }
    }
}
