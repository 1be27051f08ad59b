import Dispatch
import Foundation
import TestKit
import Testing

@testable import Sockets

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct UnixSocketTests {
    /// A folder of its own, with a path short enough for a socket; gone with the test.
    private final class Folder: Sendable {
        let path: String

        init() throws {
            path = FileManager.default.temporaryDirectory.appending(path: "bj-\(UInt32.random(in: 0 ... .max))").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }

        func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let folder: Folder

    private var path: String { folder("ctl") }

    init() throws { folder = try Folder() }

    private func listen(_ path: String) throws -> ListeningSocket { try ListeningSocket(unixPath: path) }

    private func mode(_ path: String) -> UInt32? {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt32(status.st_mode) & 0o777 : nil
    }

    /// Connects, and accepts the connection.
    private func answers(_ path: String, _ socket: ListeningSocket) throws -> Bool {
        let peer = Descriptor.makeSocket(family: AF_UNIX)
        defer { Descriptor.close(peer) }
        guard try SocketAddress(unixPath: path).withPointer({ Descriptor.connect(peer, $0, $1) }) == 0 else { return false }
        var byte: UInt8 = 7
        guard let accepted = socket.accept(), send(peer, &byte, 1, 0) == 1 else { return false }
        return try accepted.receive(by: .after(120_000)) { #expect(Array($0) == [7]) } == 1
    }

    @Test func aUnixSocket_isReached_hasItsMode_andIsRemovedOnClosing() throws {
        let socket = try listen(path)
        #expect(try mode(path) == 0o600 && answers(path, socket))
        socket.close()
        #expect(mode(path) == nil)
    }

    @Test func whileSocketsAreBound_theFoldersThatOtherThreadsMakeKeepTheirPermissions() throws {
        mkdir(folder("0"), 0o777)
        let usual = mode(folder("0"))
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for number in 1...1000 {
                if thread == 0 {
                    try? listen(folder("s")).close()
                } else {
                    mkdir(folder("\(number)"), 0o777)
                }
            }
        }
        #expect((1...1000).allSatisfy { mode(folder("\($0)")) == usual })
    }

    @Test func aFileThatNobodyAnswersOn_isReplaced() throws {
        let dead = Descriptor.makeSocket(family: AF_UNIX)
        #expect(try SocketAddress(unixPath: path).withPointer { Descriptor.bind(dead, $0, $1) } == 0)
        Descriptor.close(dead)
        #expect(mode(path) != nil)
        let socket = try listen(path)
        #expect(try mode(path) == 0o600 && answers(path, socket))
        socket.close()
    }

    @Test func aSocketOnWhichSomebodyAnswers_isLeftAlone() throws {
        let socket = try listen(path)
        let error = #expect(throws: SocketError.self) { _ = try listen(path) }
        #expect(error?.code == EADDRINUSE && error?.subject == path)
        // Its queue has the connection of the second one, which asked whether somebody answers.
        _ = socket.accept()
        #expect(try answers(path, socket))
        socket.close()
    }

    @Test func aFileThatIsNoSocket_isLeftAlone() throws {
        let path = folder("notes")
        #expect(FileManager.default.createFile(atPath: path, contents: Data("mine".utf8)))
        let error = #expect(throws: SocketError.self) { _ = try listen(path) }
        #expect(error?.code == EADDRINUSE)
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    }

    @Test func theFileOfASuccessor_isNotRemoved() throws {
        let first = try listen(path)
        unlink(path)
        let second = try listen(path)
        first.close()
        #expect(try answers(path, second))
        second.close()
        #expect(mode(path) == nil)
    }

    @Test func aPathThatNoSocketCanHave_isASocketError() throws {
        for path in ["", "a\0b", folder(String(repeating: "x", count: 108))] {
            #expect(throws: SocketError.self) { _ = try listen(path) }
        }
    }
}

@Test(.ownThread) func aSignalIsObserved_fromTheMomentThatItsObservationHasBegun() {
    for number in [SIGUSR1, SIGUSR2, SIGHUP] {
        let came = DispatchSemaphore(value: 0)
        let sources = Signals.observe([number], on: DispatchQueue(label: "test.signals")) { if $0 == number { came.signal() } }
        kill(getpid(), number)
        #expect(came.wait(timeout: .now() + 60) == .success, "signal \(number)")
        for source in sources { source.cancel() }
    }
}
