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

/// The same server at another address, as far as the file of accounts knows.
@Test(.ownThread) func anAccountIsUsedAtAnotherAddress_onlyWhereThePlayerSaysSo() async throws {
    let server = try RunningServer()
    let (loop, scratch) = (Loop(label: "test.adopt"), ScratchFolder())
    let file = AccountFile(folder: scratch.path)
    var options = GameClient.Options(host: "127.0.0.1", port: server.port, name: "ann")
    (options.accounts, options.accountServer) = (file, "old.example:1")
    let first = GameClient(options: options, loop: loop)
    first.start()
    let seat = await state(of: first) { $0.seat != nil }.seat
    first.stop()
    options.accountServer = "new.example:2"
    let second = GameClient(options: options, loop: loop)
    second.start()
    let house = try #require(await state(of: second) { $0.link == .connected && $0.hello != nil }.hello?.house)
    var asking: AnyCancellable?
    let found = await withCheckedContinuation { done in asking = second.standing(of: "ann").sink { done.resume(returning: $0) } }
    #expect(found == .elsewhere(house: house, server: "old.example:1"))
    second.adopt("ann", house: "00000000000000bb", server: "old.example:1")
    second.adopt("ann", house: house, server: "evil.example:3")
    _ = await withCheckedContinuation { done in asking = second.standing(of: "bob").sink { done.resume(returning: $0) } }
    #expect(try file.accounts().map(\.server) == ["old.example:1"] && second.name == "ann")
    second.adopt("ann", house: house, server: "old.example:1")
    #expect(await state(of: second) { $0.seat != nil }.seat == seat)
    #expect(try Set(file.accounts().map(\.server)) == ["old.example:1", "new.example:2"])
    #expect(file.lastName(server: "new.example:2") == "ann")
    withExtendedLifetime(asking) { second.stop() }
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
        server.server.cutEveryConnection()
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
