import Foundation
import Testing

private let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Sessions")

private let sessions =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".session") }.sorted()

/// Each file is a conversation with the shard. A reply that differs fails, also one that is missing: with `BJ_RECORD=1` in the
/// environment what was really said is written into the file, to be read before it is kept.
@Test(arguments: sessions)
func aSessionGoesAsItIsWrittenDown(_ name: String) throws {
    let file = folder.appending(path: name)
    let script = try String(contentsOf: file, encoding: .utf8)
    let replayed = try Session.replay(script)
    if replayed != script, ProcessInfo.processInfo.environment["BJ_RECORD"] != nil {
        try replayed.write(to: file, atomically: true, encoding: .utf8)
    }
    let lines = (script.split(separator: "\n"), replayed.split(separator: "\n"))
    let first = zip(lines.0, lines.1).first { $0 != $1 }
    #expect(replayed == script, "\(name): written \(first?.0 ?? "less"), said \(first?.1 ?? "less")")
}

@Test func thereAreSessions() { #expect(sessions.count >= 8) }
