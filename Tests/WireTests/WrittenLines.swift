import Foundation

/// The lines of the protocol that are written down somewhere: golden ones, those of the sessions, and those of Protocol.md.
enum WrittenLines {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    /// The streams, each with its lines in order.
    static func streams() throws -> [[String]] { try texts().map { lines(of: $0) } }

    /// What a server says in a session.
    static func answers() throws -> [String] { try texts().dropFirst().flatMap { lines(of: $0, marks: "<") } }

    private static func texts() throws -> [String] {
        var texts = [try read("WireTests/Golden/lines.txt")]
        let folder = tests.appending(path: "ServerCoreTests/Sessions")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() where name.hasSuffix(".session") {
            texts.append(try read("ServerCoreTests/Sessions/\(name)"))
        }
        let blocks = try read("../Protocol.md").components(separatedBy: "```session\n").dropFirst()
        texts += blocks.map { String($0.prefix(upTo: $0.range(of: "```")?.lowerBound ?? $0.endIndex)) }
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
