import Foundation
import TestKit
import Testing

@testable import Sockets

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct ListenerTests {
    @Test func anEmptyHost_listensOnIPv4AndIPv6AtOnce_andShowsEachPeerAsWhatItIs() async throws {
        let accepted = Arrivals<SocketAddress>()
        let group = Loop.group(count: 1, label: "test.dual")
        defer { for loop in group { loop.stop() } }
        let address = try group[0].performAndWait {
            try Listener(host: "", port: 0, loop: group[0]) { accepted.yield($0.peer) }.address
        }
        let four = try await connect(to: address.port, loop: group[0])
        #expect(try await accepted.next().host == "127.0.0.1")
        if address.family == AF_INET6 {
            #expect(address.host == "::")
            let six = try await connect(to: address.port, host: "::1", loop: group[0])
            #expect(try await accepted.next().description.hasPrefix("[::1]:"))
            six.close()
        } else {
            #expect(address.host == "0.0.0.0")
        }
        four.close()
    }

    @Test func anIPv4AddressInAnIPv6One_isUnwrapped_andNothingElse() throws {
        for (text, unwrapped) in [
            ("::ffff:192.0.2.7", "192.0.2.7:80"), ("::fffe:192.0.2.7", "[::fffe:c000:207]:80"), ("::1", "[::1]:80"),
            ("192.0.2.7", "192.0.2.7:80"),
        ] {
            let address = try #require(try SocketAddress.resolve(host: text, port: 80).first)
            #expect(address.withoutMapping.description == unwrapped)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func acceptGoesOnByItself_whateverTheSystemRunsShortOf(_ kind: PollerKind) async throws {
        let group = Loop.group(count: 1, label: "test.accept", kind: kind)
        let server = try TestServer(group: group) { peer in peer.onBytes = { [weak peer] in peer?.connection.send($0) } }
        // One that plays on while nobody else gets in.
        let player = try await connect(to: server.port, loop: group[0])
        player.send([1])
        #expect(await player.bytes(1) == [1])
        server.failToAccept(with: [ECONNABORTED, EINTR, EPROTO, EMFILE, ENFILE, ECONNABORTED, ENOBUFS, ENOMEM, ENETDOWN])
        let newcomer = try await connect(to: server.port, loop: group[0])
        player.send([2])
        #expect(await player.bytes(2) == [1, 2])
        newcomer.send([3])
        #expect(await newcomer.bytes(1) == [3])
        #expect(server.failuresLeft == 0)
    }

    @Test func aListenerThatIsClosedByWhomItTells_acceptsNobodyMore() async throws {
        let accepted = Arrivals<Recorder>()
        let server = ClosingServer(accepted)
        let loop = server.loop
        let port = try server.start()
        _ = loop
        let peers = try (0..<3).map { _ in try #require(RawPeer(port: port)) }
        server.resume()
        _ = try await accepted.next()
        let isClosed = await withTaskGroup { tasks in
            for peer in peers { tasks.addTask { await peer.readToEnd().isEmpty } }
            return await tasks.reduce(true) { $0 && $1 }
        }
        #expect(isClosed && loop.performAndWait { server.count } == 1)
        for peer in peers { peer.close() }
        loop.stop()
    }

    /// Closes its listener when the first connection comes, which it ends at once.
    private final class ClosingServer: @unchecked Sendable {  // touched on its loop's queue alone
        let loop = Loop(label: "test.closing")
        private(set) var count = 0
        private var listener: Listener?
        private let accepted: Arrivals<Recorder>

        init(_ accepted: Arrivals<Recorder>) { self.accepted = accepted }

        func start() throws -> Int {
            let port = try loop.performAndWait {
                listener = try Listener(host: "127.0.0.1", port: 0, loop: loop) { [weak self] connection in
                    guard let self else { return }
                    count += 1
                    listener?.close()
                    accepted.yield(Recorder(connection))
                    connection.abort()
                }
                return listener?.address.port ?? 0
            }
            // Nobody is accepted before all are there.
            loop.queue.suspend()
            return port
        }

        func resume() { loop.queue.resume() }
    }

    // MARK: - Taking over

    @Test func aSocketThatListensAlready_isTakenOver() async throws {
        let descriptor = Descriptor.makeSocket(family: AF_INET)
        let address = try #require(try SocketAddress.resolve(host: "127.0.0.1", port: 0).first)
        #expect(address.withPointer { Descriptor.bind(descriptor, $0, $1) } == 0 && listen(descriptor, 8) == 0)
        _ = fcntl(descriptor, F_SETFL, 0)
        _ = fcntl(descriptor, F_SETFD, 0)
        let loop = Loop(label: "test.adopting")
        defer { loop.stop() }
        let accepted = Arrivals<Recorder>()
        let port = try loop.performAndWait {
            try Listener(adopting: descriptor, loop: loop) { accepted.yield(Recorder($0)) }.address.port
        }
        #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC && fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        let client = try await connect(to: port, loop: loop)
        client.send([7])
        #expect(try await accepted.next().bytes(1) == [7])
    }

    @Test func whatIsNoListeningStreamSocket_isNotTakenOver() throws {
        let loop = Loop(label: "test.adopting")
        defer { loop.stop() }
        let idle = Descriptor.makeSocket(family: AF_INET)
        var pair: [Int32] = [0, 0]
        #expect(pipe(&pair) == 0)
        defer { for descriptor in pair + [idle] { Descriptor.close(descriptor) } }
        for (descriptor, reason) in [(idle, "it does not listen"), (pair[0], nil), (-1, nil)] as [(Int32, String?)] {
            let error = #expect(throws: SocketError.self) {
                try loop.performAndWait { _ = try Listener(adopting: descriptor, loop: loop) { _ in } }
            }
            #expect(error?.operation == "adopt" && error?.subject == "descriptor \(descriptor)")
            if let reason { #expect(error?.reason == reason) } else { #expect(error?.code == ENOTSOCK || error?.code == EBADF) }
        }
        // They are still there.
        #expect(fcntl(idle, F_GETFD) >= 0 && fcntl(pair[0], F_GETFD) >= 0)
    }

    @Test func theSocketsOfAServiceManager_areThoseThatTheEnvironmentPromisesThisProcess() throws {
        func parse(_ pid: String?, _ count: String?) throws -> [Int32] {
            var environment: [String: String] = ["PATH": "/bin"]
            environment["LISTEN_PID"] = pid
            environment["LISTEN_FDS"] = count
            return try ActivatedSockets.parse(environment: environment, pid: 42)
        }
        #expect(try parse(nil, nil).isEmpty && parse(nil, "1").isEmpty && parse("42", nil).isEmpty && parse("41", "1").isEmpty)
        #expect(try parse("42", "0").isEmpty)
        #expect(try parse("42", "3") == [3, 4, 5])
        for (pid, count) in [("42", ""), ("42", "-1"), ("42", "1025"), ("42", "one"), ("", "1"), ("4 2", "1")] {
            #expect(throws: SocketError.self) { try parse(pid, count) }
        }
    }

    @Test func theLimitOfDescriptors_isRaisedToWhatTheSystemAllows() {
        let limit = DescriptorLimit.raise()
        #expect(limit >= 256 && DescriptorLimit.raise() == limit)
    }
}
