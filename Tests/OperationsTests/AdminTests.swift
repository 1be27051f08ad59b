import Foundation
import Sockets
import TestKit
import Testing

@testable import Operations

private let block = AddressBlock("192.0.2.0/24")

private func requests() throws -> [AdminRequest] {
    let block = try #require(block)
    return [
        .tables, .players, .kick(name: "ann \"b\" é"), .ban(block, seconds: nil), .ban(block, seconds: 3_600), .unban(block),
        .bans,
        .closeTable(name: "low"), .drain, .config, .stats,
    ]
}

private func table() -> AdminTable {
    var table = AdminTable(columns: ["name", "chips"])
    table.add(["ann", 990])
    table.add([.text("b\u{1B}[31m\u{202E}é"), .none])
    return table
}

@Test func everyRequestSurvivesTheWire() throws {
    for request in try requests() {
        #expect(request.line.last == UInt8(ascii: "\n") && request.line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(try AdminRequest(line: request.line.dropLast()) == request)
    }
    #expect(String(decoding: AdminRequest.kick(name: "ann").line, as: UTF8.self) == "{\"name\":\"ann\",\"type\":\"kick\"}\n")
}

@Test func everyReplySurvivesTheWire() throws {
    for reply in [AdminReply.done("Done."), .refused(code: "no_such_player", message: "Nobody is called so."), .table(table())] {
        #expect(reply.line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(try AdminReply(line: reply.line.dropLast()) == reply)
    }
}

@Test(arguments: [
    "", "{", "[]", "{}", #"{"type":7}"#, #"{"type":"explode"}"#, #"{"type":"kick"}"#, #"{"type":"kick","name":""}"#,
    #"{"type":"ban"}"#,
    #"{"type":"ban","address":"192.0.2.1/24"}"#, #"{"type":"ban","address":"192.0.2.1","seconds":0}"#,
    #"{"type":"ban","address":"192.0.2.1","seconds":1e99}"#, #"{"type":"unban","address":"everybody"}"#,
])
func whatIsNoRequestIsRefusedInWords(_ line: String) {
    #expect(throws: AdminCodingError.self) { try AdminRequest(line: Array(line.utf8)) }
}

@Test func aTableIsShownInColumnsAndHarmlessly() {
    #expect(table().text == "NAME      CHIPS\nann         990\nb�[31m�é      -\n")
    #expect(AdminReply.table(table()).json.hasPrefix(#"[{"chips":990,"name":"ann"},{"chips":null,"name":"b\u001b"#))
    #expect(AdminTable(columns: ["name"]).text == "NAME\n")
}

@Test func aReplyOfAnotherShapeIsRefused() {
    for line in [#"{"type":"table","columns":["a"],"rows":[[1,2]]}"#, #"{"type":"done"}"#, #"{"type":"new"}"#, "x"] {
        #expect(throws: AdminCodingError.self) { try AdminReply(line: Array(line.utf8)) }
    }
}

/// A path that nobody else uses, short enough for a socket.
private func freshPath() -> String { "/tmp/bj-\(UUID().uuidString.prefix(13)).sock" }

@Test(.ownThread) func theListenerAnswersOnASocketOfItsUsersAlone() throws {
    let path = freshPath()
    let listener = try AdminListener(path: path, patience: 120) { request in
        request == .tables ? .table(table()) : .refused(code: "no", message: "Only tables.")
    }
    defer { listener.stop() }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try AdminClient.ask(.tables, path: path, timeout: 120) == .table(table()))
    #expect(try AdminClient.ask(.drain, path: path, timeout: 120) == .refused(code: "no", message: "Only tables."))
    // A server that answers is not pushed aside.
    #expect(throws: SocketError.self) { try AdminListener(path: path, patience: 120) { _ in .done("") } }
    #expect(try AdminClient.ask(.tables, path: path, timeout: 120) == .table(table()))
}

@Test(.ownThread) func aLeftoverSocketIsReplacedAndAnyOtherFileIsLeftAlone() throws {
    let path = freshPath()
    // A socket that was bound and whose owner is gone.
    let descriptor = UnixSocket.make(.stream)
    let address = try #require(UnixAddress(path))
    #expect(address.withPointer { bind(descriptor, $0, $1) } == 0)
    close(descriptor)
    let listener = try AdminListener(path: path, patience: 120) { _ in .done("here") }
    #expect(try AdminClient.ask(.stats, path: path, timeout: 120) == .done("here"))
    listener.stop()
    let file = freshPath()
    try Data("precious".utf8).write(to: URL(filePath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    #expect(throws: SocketError.self) { try AdminListener(path: file, patience: 120) { _ in .done("") } }
    #expect(FileManager.default.contents(atPath: file) == Data("precious".utf8))
}

@Test func aSocketThatIsNotThereIsToldWithItsPath() {
    let path = freshPath()
    do throws(SocketError) {
        _ = try AdminClient.ask(.tables, path: path, timeout: 120)
        Issue.record("nobody answers there")
    } catch {
        #expect(error.description == "cannot connect to \(path): No such file or directory")
    }
    #expect(throws: SocketError.self) { try AdminClient.ask(.tables, path: String(repeating: "x", count: 200)) }
}

@Test(.ownThread) func hostileBytesOnTheAdminSocketAreAnsweredAndBounded() throws {
    let path = freshPath()
    let listener = try AdminListener(path: path, patience: 120) { _ in .done("") }
    defer { listener.stop() }
    let address = try #require(UnixAddress(path))
    func send(_ bytes: [UInt8]) -> [UInt8] {
        let peer = UnixSocket.make(.stream)
        defer { close(peer) }
        UnixSocket.setTimeout(peer, seconds: 120)
        guard address.withPointer({ connect(peer, $0, $1) }) == 0 else { return [] }
        _ = UnixSocket.sendAll(peer, bytes)
        shutdown(peer, Int32(SHUT_WR))
        var answer: [UInt8] = []
        while let bytes = UnixSocket.receive(peer), !bytes.isEmpty { answer += bytes }
        return answer
    }
    #expect(String(decoding: send(Array("nonsense\n".utf8)), as: UTF8.self).contains("bad_request"))
    #expect(String(decoding: send([UInt8](repeating: 0x41, count: 20_000)), as: UTF8.self).contains("line_too_long"))
    let many = send(Array(String(repeating: "{\"type\":\"stats\"}\n", count: 100).utf8))
    #expect(many.count { $0 == UInt8(ascii: "\n") } <= 64)
    #expect(try AdminClient.ask(.stats, path: path, timeout: 120) == .done(""))
}
