import Foundation
import Sockets
import Synchronization
import TableModel
import Wire

/// A server that logs players in and out, and answers everything else as a test says. Used on its loop alone.
final class ScriptedServer: ConnectionHandler, @unchecked Sendable {  // touched on its loop alone, but for `port`
    /// Answers a request. Without an answer of its own a request gets none.
    typealias Answer = (ScriptedServer, Request) -> Void

    let loop = Loop(label: "test.scripted")
    private(set) var port = 0
    /// Types of the requests so far, of all connections.
    private(set) var types: [String] = []
    /// Secrets that were logged in with.
    private(set) var secrets: [AccountSecret] = []
    /// The house that it says it is, by the number of the connection from 1.
    private let house: (Int) -> String
    private var connections = 0
    private var listener: Listener?
    private var connection: Connection?
    private var framer = LineFramer(limit: WireLimits.requestBytes)
    private let answer: Answer

    convenience init(_ answer: @escaping Answer = { $0.answer($1) }) throws {
        try self.init(house: { _ in Hello.unnamedHouse }, answer)
    }

    init(house: @escaping (Int) -> String, _ answer: @escaping Answer) throws {
        (self.house, self.answer) = (house, answer)
        port = try loop.performAndWait {
            let listener = try Listener(host: "127.0.0.1", port: 0, loop: loop) { [weak self] in self?.accept($0) }
            self.listener = listener
            return listener.address.port
        }
    }

    private func accept(_ connection: Connection) {
        connection.handler = self
        (self.connection, framer) = (connection, LineFramer(limit: WireLimits.requestBytes))
        connections += 1
        send(.hello(Hello(server: "test", house: house(connections), time: loop.now, idleSeconds: 900)))
    }

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        var requests: [Request] = []
        framer.append(bytes) { line in
            requests.append(Request(line: line))
            return true
        }
        for request in requests {
            types.append(request.type ?? "")
            if case .success(.login(_, let secret?, _, _, _, _)) = request.message { secrets.append(secret) }
            answer(self, request)
        }
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {}

    func send(_ message: ServerMessage) { connection?.send(message.encoded()) }

    /// Answers a request as a server does: login and logout; nothing else.
    func answer(_ request: Request) {
        switch request.message {
        case .success(.login(let name, _, _, _, _, _)):
            send(.ok(id: request.id, .login(LoginReply(name: name, chips: 1000))))
        case .success(.logout):
            send(.ok(id: request.id, .done("logout")))
            sayGoodbye(.loggedOut, "Goodbye.")
        default: break
        }
    }

    func refuse(_ request: Request, _ code: ErrorCode, _ message: String) {
        send(.error(Refusal(id: request.id, type: request.type, .init(code, message))))
    }

    func sayGoodbye(_ code: GoodbyeCode, _ message: String) {
        send(.bye(code: code.rawValue, message: message))
        connection?.close()
    }

    /// Sends what is queued first.
    func hangUp() { connection?.close() }

    func cut() { connection?.reset() }

    func stop() {
        loop.performAndWait {
            connection?.abort()
            listener?.close()
        }
        loop.stop()
    }
}
