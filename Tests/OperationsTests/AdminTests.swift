import Foundation
import TestKit
import Testing

@testable import ServerCore
@testable import Sockets

private func table() -> AdminTable {
    var table = AdminTable(columns: ["name", "chips"])
    table.add(["ann", 990])
    table.add([.text("b\u{1B}[31m\u{202E}é"), .none])
    return table
}

@Test func everyReplySurvivesTheWire() throws {
    let done: [AdminReply] = [.done("Done."), .done("Done.", advice: "Look.")]
    for reply in done + [.refused(code: "no_such_player", message: "There is no player."), .table(table())] {
        #expect(reply.line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(AdminReply(line: reply.line.dropLast()) == reply)
    }
}

@Test func aTableIsShownInColumnsAndHarmlessly() {
    #expect(table().text == "NAME      CHIPS\nann         990\nb?[31m?é      -\n")
    #expect(AdminReply.table(table()).json.hasPrefix(#"[{"chips":990,"name":"ann"},{"chips":null,"name":"b\u001b"#))
    var wide = AdminTable(columns: ["name", "kind"])
    for name in ["李雷", "ann¤"] { wide.add([.text(name), "player"]) }
    #expect(wide.text == "NAME  KIND\n李雷  player\nann¤  player\n")
    #expect(AdminTable(columns: ["name", "biggestWin"]).text == "NAME  BIGGEST WIN\n")
    #expect(AdminTable.Cell.number(-5).text == "−5" && AdminTable.Cell.number(5).text == "5")
}

@Test func aReplyOfAnotherShapeIsRefused() {
    for line in [#"{"type":"table","columns":["a"],"rows":[[1,2]]}"#, #"{"type":"done"}"#, #"{"type":"new"}"#, "x"] {
        #expect(AdminReply(line: Array(line.utf8)) == nil)
    }
}

/// A path that nobody else uses, short enough for a socket.
private func freshPath() -> String { "/tmp/bj-\(UUID().uuidString.prefix(13)).sock" }

@Test(.ownThread) func theListenerAnswersOnASocketOfItsUsersAlone() throws {
    let path = freshPath()
    let listener = try AdminListener(path: path, timeout: 120) { words in
        words == ["tables"] ? .table(table()) : .refused(code: "no", message: "Only tables.")
    }
    defer { listener.stop() }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try AdminClient.ask(["tables"], path: path, milliseconds: 120_000) == .table(table()))
    let refused = try AdminClient.ask(["drain", "now"], path: path, milliseconds: 120_000)
    #expect(refused == .refused(code: "no", message: "Only tables."))
    // A server that answers is not pushed aside.
    #expect(throws: SocketError.self) { try AdminListener(path: path, timeout: 120) { _ in .done("") } }
    #expect(try AdminClient.ask(["tables"], path: path, milliseconds: 120_000) == .table(table()))
}

@Test(.ownThread) func aLeftoverSocketIsReplacedAndAnyOtherFileIsLeftAlone() throws {
    let path = freshPath()
    // A socket that was bound and whose owner is gone.
    let descriptor = Descriptor.makeSocket(family: AF_UNIX)
    let address = try SocketAddress(unixPath: path)
    #expect(address.withPointer { bind(descriptor, $0, $1) } == 0)
    close(descriptor)
    let listener = try AdminListener(path: path, timeout: 120) { _ in .done("here") }
    #expect(try AdminClient.ask(["stats"], path: path, milliseconds: 120_000) == .done("here"))
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
        _ = try AdminClient.ask(["tables"], path: path, milliseconds: 120_000)
        Issue.record("nobody answers there")
    } catch {
        #expect(error.description == "cannot connect to \(path): No such file or directory")
    }
    #expect(throws: SocketError.self) { try AdminClient.ask(["tables"], path: String(repeating: "x", count: 200)) }
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
    for text in ["nonsense\n", "[1]\n", "{}\n", "\n"] { #expect(try send(text).contains("bad_request"), "\(text)") }
    #expect(try send(String(repeating: "A", count: AdminListener.lineLimit + 100_000)).isEmpty)
    #expect(try send(String(repeating: "[\"stats\"]\n", count: 100)).count { $0 == "\n" } == 1, "one request a connection")
    #expect(try AdminClient.ask(["stats"], path: path, milliseconds: 120_000) == .done(""))
}

/// A peer of an admin socket.
private func connected(_ path: String) throws -> RawPeer {
    let descriptor = socket(AF_UNIX, Descriptor.streamType, 0)
    Loopback.setTimeout(of: descriptor)
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
    #expect(try AdminClient.ask(["stats"], path: path, milliseconds: 120_000) == .done("stopping"))
}

@Test(.ownThread) func aRequestThatHasNoEndIsEndedByItsDeadline_howeverItDrips() throws {
    let path = freshPath()
    let listener = try AdminListener(path: path, timeout: 1) { _ in .done("here") }
    defer { listener.stop() }
    let peer = try connected(path)
    peer.send(Array("[\"ta".utf8))
    // Ends although it has begun: nothing but the deadline does that.
    #expect(peer.rest().isEmpty)
}

@Test(.ownThread) func aRequestThatWaitsForAStuckLoopHoldsNoOtherUp_andTooManyOfThemAreRefused() throws {
    let path = freshPath()
    let gate = DispatchSemaphore(value: 0)
    let begun = DispatchSemaphore(value: 0)
    let listener = try AdminListener(path: path, timeout: 120) { words in
        guard words == ["tables"] else { return .done("here") }
        begun.signal()
        gate.wait()
        return .done("late")
    }
    defer { listener.stop() }
    let limit = AdminListener.connectionLimit
    var stuck: [RawPeer] = []
    for index in 0..<limit {
        if index == 1 { #expect(try AdminClient.ask(["stats"], path: path, milliseconds: 60_000) == .done("here")) }
        stuck.append(try connected(path))
        stuck[index].send("[\"tables\"]")
        #expect(begun.wait(timeout: .now() + 120) == .success)
    }
    #expect(try connected(path).rest().contains("busy"))
    // Also to one with more to say than a socket takes.
    let many = Array(repeating: "2001:db8:1111:2222:3333:4444:5555:6666", count: 10_000)
    guard case .refused("busy", _) = try AdminClient.ask(["ban"] + many, path: path, milliseconds: 60_000) else {
        Issue.record("it is not told why")
        return
    }
    for _ in stuck { gate.signal() }
    // A peer that has said all it wants to say still gets its answer.
    stuck[0].sendNoMore()
    for peer in stuck { #expect(peer.rest().contains("late")) }
    #expect(Waiting.until { (try? AdminClient.ask(["stats"], path: path, milliseconds: 60_000)) == .done("here") })
}

@Test(.ownThread) func whoAsksAServerThatDoesNotAnswerIsToldInTime() throws {
    let path = freshPath()
    // Listens, and takes nobody: as a server that is stopped.
    let descriptor = Descriptor.makeSocket(family: AF_UNIX)
    defer {
        close(descriptor)
        unlink(path)
    }
    let address = try SocketAddress(unixPath: path)
    try #require(address.withPointer { bind(descriptor, $0, $1) } == 0 && listen(descriptor, 1) == 0)
    do throws(SocketError) {
        _ = try AdminClient.ask(["tables"], path: path, milliseconds: 50)
        Issue.record("nobody answers there")
    } catch {
        #expect(error.code == ETIMEDOUT && error.description.contains("no reply from the server within 50 ms"))
    }
}
