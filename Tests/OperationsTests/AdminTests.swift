import Foundation
import TestKit
import Testing

@testable import ServerCore
@testable import Sockets

private let block = AddressBlock("192.0.2.0/24")

private func requests() throws -> [AdminRequest] {
    let block = try #require(block)
    return [
        .say(text: "Last \"rounds\" at té.", table: nil), .say(text: "x", table: "low"),
        .tables, .players, .evening, .owner(table: "low"), .kick(name: "ann \"b\" é", reason: nil),
        .kick(name: "a", reason: "é \"b\""),
        .ban(block, seconds: nil), .ban(block, seconds: 3_600), .unban(block),
        .bans,
        .log(.debug), .drain(reason: nil), .drain(reason: "x"),
        .config, .stats, .accounts(limit: 7), .account(name: "ann"), .credit(name: "ann", chips: -5),
        .rename(name: "ann", to: "é"), .disable(name: "ann"), .enable(name: "ann"), .resetSecret(name: "ann"),
        .delete(name: "ann"),
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
    #expect(
        String(decoding: AdminRequest.kick(name: "ann", reason: nil).line, as: UTF8.self)
            == "{\"name\":\"ann\",\"type\":\"kick\"}\n")
}

@Test func everyReplySurvivesTheWire() throws {
    for reply in [AdminReply.done("Done."), .refused(code: "no_such_player", message: "There is no player."), .table(table())] {
        #expect(reply.line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(try AdminReply(line: reply.line.dropLast()) == reply)
    }
}

@Test(arguments: [
    "", "{", "[]", "{}", #"{"type":7}"#, #"{"type":"explode"}"#, #"{"type":"kick"}"#, #"{"type":"kick","name":""}"#,
    #"{"type":"ban"}"#, #"{"type":"owner"}"#,
    #"{"type":"account"}"#, #"{"type":"accounts","limit":0}"#, #"{"type":"accounts","limit":50001}"#,
    #"{"type":"credit","name":"ann"}"#, #"{"type":"credit","name":"ann","chips":1.5}"#, #"{"type":"credit","chips":1}"#,
    #"{"type":"rename","name":"ann"}"#, #"{"type":"rename","name":"ann","newName":""}"#, #"{"type":"delete"}"#,
    #"{"type":"ban","address":"192.0.2.1/24"}"#, #"{"type":"ban","address":"192.0.2.1","seconds":0}"#,
    #"{"type":"ban","address":"192.0.2.1","seconds":1e99}"#, #"{"type":"unban","address":"everybody"}"#,
])
func whatIsNoRequestIsRefusedInWords(_ line: String) {
    #expect(throws: AdminCodingError.self) { try AdminRequest(line: Array(line.utf8)) }
}

@Test func aTableIsShownInColumnsAndHarmlessly() {
    #expect(table().text == "NAME      CHIPS\nann         990\nb?[31m?é      -\n")
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
    let listener = try AdminListener(path: path, timeout: 120) { request in
        request == .tables ? .table(table()) : .refused(code: "no", message: "Only tables.")
    }
    defer { listener.stop() }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try AdminClient.ask(.tables, path: path, timeout: 120) == .table(table()))
    #expect(try AdminClient.ask(.drain(reason: nil), path: path, timeout: 120) == .refused(code: "no", message: "Only tables."))
    // A server that answers is not pushed aside.
    #expect(throws: SocketError.self) { try AdminListener(path: path, timeout: 120) { _ in .done("") } }
    #expect(try AdminClient.ask(.tables, path: path, timeout: 120) == .table(table()))
}

@Test(.ownThread) func aLeftoverSocketIsReplacedAndAnyOtherFileIsLeftAlone() throws {
    let path = freshPath()
    // A socket that was bound and whose owner is gone.
    let descriptor = UnixSocket.make(.stream)
    let address = try SocketAddress(unixPath: path)
    #expect(address.withPointer { bind(descriptor, $0, $1) } == 0)
    close(descriptor)
    let listener = try AdminListener(path: path, timeout: 120) { _ in .done("here") }
    #expect(try AdminClient.ask(.stats, path: path, timeout: 120) == .done("here"))
    listener.stop()
    let file = freshPath()
    try Data("precious".utf8).write(to: URL(filePath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    #expect(throws: SocketError.self) { try AdminListener(path: file, timeout: 120) { _ in .done("") } }
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
    let listener = try AdminListener(path: path, timeout: 120) { _ in .done("") }
    defer { listener.stop() }
    func send(_ text: String) throws -> String {
        let peer = try connected(path)
        peer.send(Array(text.utf8))
        peer.sendNoMore()
        return peer.rest()
    }
    #expect(try send("nonsense\n").contains("bad_request"))
    #expect(try send(String(repeating: "A", count: 20_000)).contains("line_too_long"))
    #expect(try send(String(repeating: "{\"type\":\"stats\"}\n", count: 100)).count { $0 == "\n" } <= 64)
    #expect(try AdminClient.ask(.stats, path: path, timeout: 120) == .done(""))
}

/// A peer of an admin socket.
private func connected(_ path: String) throws -> RawPeer {
    let descriptor = UnixSocket.make(.stream)
    UnixSocket.setTimeout(descriptor, milliseconds: 120_000)
    try #require(SocketAddress(unixPath: path).withPointer { connect(descriptor, $0, $1) } == 0)
    return RawPeer(over: descriptor)
}

@Test(.ownThread) func stop_sendsTheAnswersInProgress() throws {
    let path = freshPath()
    let hasBegun = DispatchSemaphore(value: 0)
    let listener = try AdminListener(path: path, timeout: 120) { _ in
        hasBegun.signal()
        // Its file goes first.
        _ = Waiting.until { !FileManager.default.fileExists(atPath: path) }
        return .done("stopping")
    }
    DispatchQueue.global().async {
        hasBegun.wait()
        listener.stop()
    }
    #expect(try AdminClient.ask(.stats, path: path, timeout: 120) == .done("stopping"))
}

@Test(.ownThread) func peersThatSayNothingOrDripHoldNoOperatorUp() throws {
    let path = freshPath()
    let listener = try AdminListener(path: path, timeout: 120) { _ in .done("here") }
    defer { listener.stop() }
    // More than there is room for: the first ones make room for the others.
    let silent = try (0..<AdminDriver.connectionLimit + 4).map { _ in try connected(path) }
    silent[AdminDriver.connectionLimit].send([UInt8(ascii: "{")])
    #expect(try AdminClient.ask(.stats, path: path, timeout: 60) == .done("here"))
    #expect(silent[0].rest().isEmpty)
}

@Test(.ownThread) func aRequestThatHasNoEndIsEndedByItsDeadline_howeverItDrips() throws {
    let path = freshPath()
    let listener = try AdminListener(path: path, timeout: 1) { _ in .done("here") }
    defer { listener.stop() }
    let peer = try connected(path)
    peer.send(Array("{\"type\":".utf8))
    // Ends although it has begun: nothing but the deadline does that.
    #expect(peer.rest().isEmpty)
}

@Test(.ownThread) func aRequestThatWaitsForAStuckLoopHoldsNoOtherUp_andTooManyOfThemAreRefused() throws {
    let path = freshPath()
    let gate = DispatchSemaphore(value: 0)
    let begun = DispatchSemaphore(value: 0)
    let listener = try AdminListener(path: path, timeout: 120) { request in
        guard request == .tables else { return .done("here") }
        begun.signal()
        gate.wait()
        return .done("late")
    }
    defer { listener.stop() }
    var stuck: [RawPeer] = []
    for index in 0..<16 {
        if index == 15 { #expect(try AdminClient.ask(.stats, path: path, timeout: 60) == .done("here")) }
        stuck.append(try connected(path))
        stuck[index].send("{\"type\":\"tables\"}")
        #expect(begun.wait(timeout: .now() + 120) == .success)
    }
    defer { for _ in stuck { gate.signal() } }
    guard case .refused("busy", _) = try AdminClient.ask(.stats, path: path, timeout: 60) else {
        Issue.record("sixteen requests are as many as are carried out at once")
        return
    }
    for _ in stuck { gate.signal() }
    // A peer that has said all it wants to say still gets its answer.
    stuck[0].sendNoMore()
    #expect(stuck[0].rest().contains("late"))
    for peer in stuck.dropFirst() { #expect(peer.receive()) }
    #expect(try AdminClient.ask(.stats, path: path, timeout: 60) == .done("here"))
}

@Test(.ownThread) func whoAsksAServerThatDoesNotAnswerIsToldInTime() throws {
    let path = freshPath()
    // Listens, and takes nobody: as a server that is stopped.
    let descriptor = UnixSocket.make(.stream)
    defer {
        close(descriptor)
        unlink(path)
    }
    let address = try SocketAddress(unixPath: path)
    try #require(address.withPointer { bind(descriptor, $0, $1) } == 0 && listen(descriptor, 1) == 0)
    do throws(SocketError) {
        _ = try AdminClient.ask(.tables, path: path, milliseconds: 50)
        Issue.record("nobody answers there")
    } catch {
        #expect(error.code == ETIMEDOUT && error.description.contains("no reply from the server within 50 ms"))
    }
}
