import ClientCore
import EventStreams
import Foundation
import Sockets
import TestKit
import Testing
import Wire

/// Waits for a state of a client; events before the wait do not count.
/// - Parameter cause: brings the state about, and is called once nothing of what follows can be missed.
private func state(
    of client: GameClient, after cause: @escaping @Sendable () -> Void = {}, isRight: @escaping @Sendable (ClientState) -> Bool
) async -> ClientState {
    await withCheckedContinuation { done in
        client.loop.perform {
            if isRight(client.state) { return done.resume(returning: client.state) }
            let waiter = Waiter(done: done, isRight: isRight)
            waiter.subscription = client.updates.sink { waiter.take($0.state) }
            cause()
        }
    }
}

private final class Waiter: @unchecked Sendable {  // touched on the client's loop alone
    var subscription: AnyCancellable?
    private var done: CheckedContinuation<ClientState, Never>?
    private let isRight: @Sendable (ClientState) -> Bool

    init(done: CheckedContinuation<ClientState, Never>, isRight: @escaping @Sendable (ClientState) -> Bool) {
        self.done = done
        self.isRight = isRight
    }

    func take(_ state: ClientState) {
        guard isRight(state), let waiting = done else { return }
        done = nil
        subscription = nil
        waiting.resume(returning: state)
    }
}

/// A client that is killed says no goodbye, and its successor knows only the file of accounts.
@Test(.ownThread) func aKilledClientsSuccessor_isTheSamePlayer_withTheSameSeat() async throws {
    let server = try RunningServer()
    let loop = Loop(label: "test.accounts")
    let folder = FileManager.default.temporaryDirectory.appending(path: "bj-killed-\(UUID().uuidString.prefix(8))").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var options = GameClient.Options(host: "127.0.0.1", port: server.port, name: "ann")
    options.accounts = AccountFile(folder: folder)
    let killed = GameClient(options: options, loop: loop)
    killed.start()
    let seated = await state(of: killed) { $0.seat != nil }
    #expect(seated.hello?.house == server.server.house)
    killed.stop()
    let successor = GameClient(options: options, loop: loop)
    successor.start()
    let back = await state(of: successor) { $0.seat != nil }
    #expect(back.seat == seated.seat && back.login?.table == seated.table && back.login?.seats == seated.seats)
    successor.stop()
    await server.stop()
    loop.stop()
}

@Test(.ownThread) func aClientWhoseConnectionIsLostComesBackToItsSeat() async throws {
    let server = try RunningServer()
    let loop = Loop(label: "test.reconnect")
    var options = GameClient.Options(host: "127.0.0.1", port: server.port, name: "ann")
    var generator = SystemRandomNumberGenerator()
    options.credential = .secret(AccountSecret(using: &generator))
    let client = GameClient(options: options, loop: loop)
    client.start()
    let seated = await state(of: client) { $0.seat != nil }
    _ = await state(of: client) {
        server.server.inspect { $0.cutEveryConnection() }
    } isRight: {
        if case .lost = $0.link { true } else { false }
    }
    let back = await state(of: client) {
        $0.link == .loggedIn && $0.seat != nil && $0.snapshot?.player($0.seat ?? 1)?.presence == .here
    }
    #expect(back.seat == seated.seat && back.login?.chips == 0)
    client.stop()
    await server.stop()
    loop.stop()
}

@Test(.ownThread) func aClientThatFindsNoServerGivesUpAfterItsTries() async {
    let loop = Loop(label: "test.nobody")
    var options = GameClient.Options(host: "127.0.0.1", port: 1, name: "ann")
    options.retries = 1
    let client = GameClient(options: options, loop: loop)
    client.start()
    let end = await state(of: client) { if case .ended = $0.link { true } else { false } }
    #expect(end.login == nil)
    loop.stop()
}

@Test(.ownThread) func aRequestWithoutAConnectionIsRefusedByTheClientItself() async {
    let loop = Loop(label: "test.offline")
    let client = GameClient(options: .init(host: "127.0.0.1", port: 1, name: "ann"), loop: loop)
    let answer = await withCheckedContinuation { done in
        client.send(.ping) { done.resume(returning: $0) }
    }
    if case .failure(let refusal) = answer { #expect(refusal.code == "not_connected") } else { Issue.record("\(answer)") }
    loop.stop()
}

@Test(.ownThread) func whetherANameIsFreeCanBeAskedBeforeTheLogin() async throws {
    let server = try RunningServer()
    let loop = Loop(label: "test.names")
    let ann = GameClient(options: .init(host: "127.0.0.1", port: server.port, name: "Ann"), loop: loop)
    ann.start()
    _ = await state(of: ann) { $0.login != nil }
    let nobody = GameClient(options: .init(host: "127.0.0.1", port: server.port, name: nil), loop: loop)
    nobody.start()
    _ = await state(of: nobody) { $0.link == .connected }
    for (name, isFree) in [("ANN", false), ("bob", true), ("", false)] {
        let answer = await withCheckedContinuation { done in
            nobody.send(.available(name: name)) { done.resume(returning: $0) }
        }
        #expect((try? answer.get()) == (isFree ? .available(true) : name.isEmpty ? nil : .available(false)))
    }
    nobody.logIn(as: "bob")
    let bob = await state(of: nobody) { $0.seat != nil }
    #expect(bob.login?.name == "bob")
    for client in [ann, nobody] { client.stop() }
    await server.stop()
    loop.stop()
}

/// A server that lets everybody wait once: the first login is refused with a moment at which to try again.
private final class Postponing: ConnectionHandler, @unchecked Sendable {  // touched on its loop alone
    let loop: Loop
    private(set) var port = 0
    /// The lines that it has got, and when, in milliseconds.
    private(set) var lines: [(text: String, moment: Int64)] = []
    private var listener: Listener?
    private var framer = LineFramer(limit: WireLimits.requestBytes)

    init(loop: Loop) throws {
        self.loop = loop
        port = try loop.performAndWait {
            let listener = try Listener(host: "127.0.0.1", port: 0, loop: loop) { [weak self] connection in
                guard let self else { return }
                connection.handler = self
                connection.send(ServerMessage.hello(Hello(server: "test", time: loop.now, idleSeconds: 900)).encoded())
            }
            self.listener = listener
            return listener.address.port
        }
    }

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        framer.append(bytes) { line in
            let request = Request(line: line)
            guard request.type == "login" else { return true }
            lines.append((String(decoding: line, as: UTF8.self), loop.now))
            let refusal = Refusal(
                id: request.id, type: request.type, .init(.onTheWay, "This player is on the way.", retryAfter: 30))
            let login = LoginReply(name: "ann", chips: 1000, table: nil, seats: [])
            connection.send((lines.count == 1 ? ServerMessage.error(refusal) : .ok(id: request.id, .login(login))).encoded())
            return true
        }
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {}
}

@Test(.ownThread) func aRefusalThatSaysWhenToTryAgain_isHeededWhateverItsCode() async throws {
    let loop = Loop(label: "test.patience")
    let server = try Postponing(loop: loop)
    var options = GameClient.Options(host: "127.0.0.1", port: server.port, name: "ann")
    options.wish = .nothing
    let client = GameClient(options: options, loop: loop)
    let events = AsyncStream.makeStream(of: ClientUpdate.self)
    let subscription = loop.performAndWait { UncheckedBox(client.updates.sink { events.continuation.yield($0) }) }
    client.start()
    for await update in events.stream where update.state.login != nil { break }
    let lines = loop.performAndWait { server.lines }
    // The same line, not before its time; and nobody was told of the refusal.
    #expect(lines.count == 2 && lines[0].text == lines[1].text && lines[1].moment - lines[0].moment >= 30, "\(lines)")
    client.stop()
    loop.performAndWait { subscription.value = nil }
    loop.stop()
}

private final class UncheckedBox: @unchecked Sendable {  // touched on the test's loop alone
    var value: AnyCancellable?
    init(_ value: AnyCancellable) { self.value = value }
}
