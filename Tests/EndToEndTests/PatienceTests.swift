import ClientCore
import EventStreams
import Sockets
import TestKit
import Testing
import Wire

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
            lines.append((String(decoding: line, as: UTF8.self), loop.now))
            let request = Request(line: line)
            let refusal = Refusal(
                id: request.id, type: request.type, .onTheWay, message: "This player is on the way.", retryAfter: 30)
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
