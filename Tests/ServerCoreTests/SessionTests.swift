import Foundation
import TableModel
import Testing
import Wire

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

@Test func theSessions_haveEveryRequestEveryMessageEveryOptionAndEveryErrorCode() throws {
    #expect(sessions.count >= 20)
    let text = try sessions.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
    for request in Catalog.requests {
        #expect(text.contains("> {\"type\":\"\(request.type)\""), "\(request.type) is not sent")
        #expect(text.contains("\"to\":\"\(request.type)\""), "\(request.type) is not answered")
        for field in request.fields { #expect(text.contains("\"\(field.name)\":"), "\(request.type) without \(field.name)") }
    }
    for event in Catalog.events { #expect(text.contains("\"type\":\"\(event.type)\""), "\(event.type) is not sent") }
    // Of a table that closes while the server goes on.
    for code in ErrorCode.allCases where code != .tableClosed {
        #expect(text.contains("\"\(code.rawValue)\""), "\(code.rawValue) is not sent")
    }
    for code in GoodbyeCode.allCases where ![.restart, .tooSlow].contains(code) {
        #expect(text.contains("\"\(code.rawValue)\""), "\(code.rawValue) is not sent")
    }
}

/// Snapshots and diffs with the table after each, for clients in any language; with `BJ_RECORD=1` they are written down.
@Test func theRecordedDiffs_areThoseOfTheSessions() throws {
    var lines: [String] = []
    let script = try ["bets", "play"].map { try String(contentsOf: folder.appending(path: "\($0).session"), encoding: .utf8) }
    _ = try Session.replay(script.joined(separator: "\n")) { name, line, table in
        guard name == "ann" else { return }
        let whole = ServerMessage.snapshot(table: "main", epoch: table.epoch, revision: table.revision, table.snapshot).encoded()
        guard let items = String(decoding: whole, as: UTF8.self).firstMatch(of: /"items":(\{.*\})\}/) else { return }
        lines.append("{\"line\":\(line),\"items\":\(items.1)}")
    }
    let file = folder.appending(path: "../../WireTests/Golden/diffs.jsonl")
    let text = lines.joined(separator: "\n") + "\n"
    if ProcessInfo.processInfo.environment["BJ_RECORD"] != nil { try text.write(to: file, atomically: true, encoding: .utf8) }
    #expect(try String(contentsOf: file, encoding: .utf8) == text && lines.count > 100)
    #expect(["\"clear\":true", "\"split\":", ":null", "\"check\":", "\"insurance\""].allSatisfy { text.contains($0) })
}
