import Foundation
import TestKit
import Testing

@testable import Sockets

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct UnixSocketTests {
    /// A folder of its own, with a path short enough for a socket, and a loop; gone with the test.
    private final class Folder: Sendable {
        let path: String
        let loop = Loop(label: "test.unix")

        init() throws {
            path = FileManager.default.temporaryDirectory.appending(path: "bj-\(UInt32.random(in: 0 ... .max))").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }

        func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
        deinit {
            loop.stop()
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private let folder: Folder
    private var loop: Loop { folder.loop }

    private var path: String { folder("ctl") }

    init() throws { folder = try Folder() }

    private func listen(_ path: String, mode: UInt32 = 0o600) throws -> Closer {
        try loop.performAndWait {
            let echo = Echo()
            let listener = try Listener(unixPath: path, mode: mode, loop: loop) { $0.handler = echo }
            return Closer(listener: listener, echo: echo)
        }
    }

    private final class Echo: ConnectionHandler {
        func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) { connection.send(Array(bytes)) }
        func connection(_ connection: Connection, endedBy reason: EndReason) {}
    }

    private struct Closer: @unchecked Sendable {  // touched on the loop alone
        let listener: Listener
        let echo: Echo
    }

    private func mode(_ path: String) -> UInt32? {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt32(status.st_mode) & 0o777 : nil
    }

    private func echoes(_ path: String) async throws -> Bool {
        let results = Arrivals<Result<Recorder, SocketError>>()
        loop.perform {
            Connector.connect(unixPath: path, loop: loop) { results.yield($0.map(Recorder.init)) }
        }
        let peer = try await results.next().get()
        peer.send(Array("stats\n".utf8))
        defer { peer.close() }
        return await peer.bytes(6) == Array("stats\n".utf8)
    }

    @Test(arguments: [0o600, 0o660, 0o666] as [UInt32])
    func aUnixSocket_isReached_hasItsMode_andIsRemovedOnClosing(_ wanted: UInt32) async throws {
        let closer = try listen(path, mode: wanted)
        #expect(mode(path) == wanted)
        #expect(loop.performAndWait { closer.listener.address.description } == "unix:\(path)")
        #expect(try await echoes(path))
        loop.performAndWait { closer.listener.close() }
        #expect(mode(path) == nil)
    }

    @Test func whileSocketsAreBound_theFoldersThatOtherThreadsMakeKeepTheirPermissions() throws {
        mkdir(folder("0"), 0o777)
        let usual = mode(folder("0"))
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for number in 1...1000 {
                if thread == 0 {
                    guard let socket = try? ListeningSocket(unixPath: folder("s"), mode: 0o600) else { continue }
                    socket.file?.remove()
                    Descriptor.close(socket.descriptor)
                } else {
                    mkdir(folder("\(number)"), 0o777)
                }
            }
        }
        #expect((1...1000).allSatisfy { mode(folder("\($0)")) == usual })
    }

    @Test func aStoppedLoop_removesTheFile() throws {
        _ = try listen(path)
        loop.stop()
        loop.performAndWait {}
        #expect(mode(path) == nil)
    }

    @Test func aFileThatNobodyAnswersOn_isReplaced() async throws {
        let dead = Descriptor.makeSocket(family: AF_UNIX)
        #expect(try SocketAddress(unixPath: path).withPointer { Descriptor.bind(dead, $0, $1) } == 0)
        Descriptor.close(dead)
        #expect(mode(path) != nil)
        let closer = try listen(path)
        #expect(mode(path) == 0o600)
        #expect(try await echoes(path))
        loop.performAndWait { closer.listener.close() }
    }

    @Test func aSocketOnWhichSomebodyAnswers_isLeftAlone() async throws {
        let closer = try listen(path)
        let error = #expect(throws: SocketError.self) { _ = try listen(path) }
        #expect(error?.code == EADDRINUSE && error?.subject == path)
        #expect(try await echoes(path))
        loop.performAndWait { closer.listener.close() }
    }

    @Test func aFileThatIsNoSocket_isLeftAlone() throws {
        let path = folder("notes")
        #expect(FileManager.default.createFile(atPath: path, contents: Data("mine".utf8)))
        let error = #expect(throws: SocketError.self) { _ = try listen(path) }
        #expect(error?.code == EADDRINUSE)
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    }

    @Test func theFileOfASuccessor_isNotRemoved() async throws {
        let first = try listen(path)
        unlink(path)
        let second = try listen(path)
        loop.performAndWait { first.listener.close() }
        #expect(try await echoes(path))
        loop.performAndWait { second.listener.close() }
        #expect(mode(path) == nil)
    }

    @Test func aPathThatNoSocketCanHave_isASocketError() async throws {
        for path in ["", "a\0b", folder(String(repeating: "x", count: 108))] {
            #expect(throws: SocketError.self) { _ = try listen(path) }
            await #expect(throws: SocketError.self) { _ = try await echoes(path) }
        }
        let error = await #expect(throws: SocketError.self) { _ = try await echoes(folder("nobody")) }
        #expect(error?.code == ENOENT && error?.operation == "connect to")
    }
}
