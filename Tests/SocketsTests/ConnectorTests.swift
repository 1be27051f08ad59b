import Foundation
import TestKit
import Testing

@testable import Sockets

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct ConnectorTests {
    @Test func aPortWhereNobodyListens_isASocketError() async throws {
        let server = try TestServer()
        server.closeListener()
        let error = await #expect(throws: SocketError.self) { try await connect(to: server.port, loop: server.loop) }
        #expect(error?.operation == "connect to" && error?.subject == "127.0.0.1:\(server.port)" && error?.code == ECONNREFUSED)
    }

    @Test(arguments: [("::::", 80, "[::::]:80"), ("127.0.0.1", 65_536, "127.0.0.1:65536"), ("127.0.0.1", -1, "127.0.0.1:-1")])
    func whatHasNoAddress_isASocketError(host: String, port: Int, subject: String) async throws {
        let server = try TestServer()
        let error = await #expect(throws: SocketError.self) { try await connect(to: port, host: host, loop: server.loop) }
        #expect(error?.operation == "resolve" && error?.subject == subject && error?.reason.isEmpty == false)
    }

    /// Connects from an address, and tells what the server sees of it.
    private func peer(from source: String) async throws -> String {
        let server = try TestServer()
        let port = server.port
        let loop = server.loop
        typealias Done = CheckedContinuation<LoopConfined<Connection>, any Error>
        let connection = try await withCheckedThrowingContinuation { (done: Done) in
            loop.perform {
                Connector.connect(host: "127.0.0.1", port: port, from: source, loop: loop) { result in
                    done.resume(with: result.map { LoopConfined($0, on: loop) }.mapError { $0 })
                }
            }
        }
        let seen = try await server.next()
        return loop.performAndWait {
            connection.value.abort()
            return seen.connection.peer.description
        }
    }

    @Test func aConnection_leavesFromTheAddressThatIsNamed() async throws {
        #expect(try await peer(from: "127.0.0.1").hasPrefix("127.0.0.1:"))
        #if os(Linux)
            #expect(try await peer(from: "127.0.0.7").hasPrefix("127.0.0.7:"))
        #endif
        // No address of this machine (a net for examples), of another family, and none at all.
        for (source, part) in [("192.0.2.1", "192.0.2.1"), ("::1", "same family"), ("here", "same family")] {
            let error = await #expect(throws: SocketError.self) { _ = try await peer(from: source) }
            #expect(error?.operation == "connect from" && error?.description.contains(part) == true)
        }
    }

    @Test func anAddressInNumbers_isNotLookedUp() throws {
        #expect(SocketAddress.numeric(host: "127.0.0.1", port: 80)?.map(\.description) == ["127.0.0.1:80"])
        #expect(SocketAddress.numeric(host: "::1", port: 80)?.map(\.description) == ["[::1]:80"])
        #expect(SocketAddress.numeric(host: "localhost", port: 80) == nil)
        #expect(SocketAddress.numeric(host: "127.0.0.1", port: 65_536) == nil)
    }

    @Test func aConnectionThatWasCancelled_isNeverTold() async throws {
        let server = try TestServer()
        let loop = server.loop
        let told = AsyncStream.makeStream(of: Bool.self)
        loop.performAndWait {
            let connector = Connector.connect(host: "127.0.0.1", port: server.port, loop: loop) { _ in
                told.continuation.yield(true)
            }
            connector.cancel()
            connector.cancel()
        }
        _ = try await connect(to: server.port, loop: loop)
        loop.performAndWait { told.continuation.finish() }
        for await _ in told.stream { Issue.record("told") }
    }

    @Test func aDeadlineThatHasPassed_endsTheAttempt() async throws {
        let server = try TestServer()
        let loop = server.loop
        let reason: String? = await withCheckedContinuation { continuation in
            // Held up, the loop finds the deadline passed before it hears of any address.
            loop.perform {
                Connector.connect(host: "127.0.0.1", port: server.port, loop: loop, timeout: 0) { result in
                    if case .failure(let error) = result {
                        continuation.resume(returning: error.reason)
                    } else {
                        continuation.resume(returning: nil)
                    }
                }
            }
        }
        // On this machine an answer may still come first.
        #expect(reason == nil || reason == "timed out")
    }

    @Test func aPortInUse_isASocketErrorOfTheListener() throws {
        let server = try TestServer()
        let error = #expect(throws: SocketError.self) {
            try server.loop.performAndWait {
                _ = try Listener(host: "127.0.0.1", port: server.port, loop: server.loop) { _ in }
            }
        }
        #expect(error?.code == EADDRINUSE && error?.subject == "127.0.0.1:\(server.port)")
    }

    @Test func nothingIsConnected_onALoopThatWasStopped() async throws {
        let server = try TestServer()
        let loop = Loop(label: "test.stopped")
        loop.stop()
        let error = await #expect(throws: SocketError.self) { try await connect(to: server.port, loop: loop) }
        #expect(error?.code == ECANCELED)
    }
}
