import Foundation
import TableModel
import TestKit
import Testing
import Wire

private let sessions = ScriptFolder("Sessions", ending: ".session")

/// Each file is a conversation with the shard.
@Test(arguments: sessions.names)
func aSessionGoesAsItIsWrittenDown(_ name: String) throws { try sessions.expect(name) { try Session.replay($0) } }

@Test func theSessions_haveEveryRequestEveryMessageEveryOptionAndEveryErrorCode() throws {
    #expect(sessions.names.count >= 20)
    let text = try sessions.names.map(sessions.text).joined()
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
    let script = try ["bets", "play"].map { try sessions.text("\($0).session") }
    _ = try Session.replay(script.joined(separator: "\n")) { name, line, table in
        guard name == "ann" else { return }
        let whole = ServerMessage.snapshot(table: "main", epoch: table.epoch, revision: table.revision, table.snapshot).encoded()
        guard let items = String(decoding: whole, as: UTF8.self).firstMatch(of: /"items":(\{.*\})\}/) else { return }
        lines.append("{\"line\":\(line),\"items\":\(items.1)}")
    }
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../WireTests/Golden/diffs.jsonl")
    let text = lines.joined(separator: "\n") + "\n"
    if ProcessInfo.processInfo.environment["BJ_RECORD"] != nil { try text.write(to: file, atomically: true, encoding: .utf8) }
    #expect(try String(contentsOf: file, encoding: .utf8) == text && lines.count > 100)
    #expect(["\"clear\":true", "\"split\":", ":null", "\"check\":", "\"insurance\""].allSatisfy { text.contains($0) })
}
