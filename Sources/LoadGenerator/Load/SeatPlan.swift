import Sockets
import TableModel
import Wire

/// Which bot goes to which table, and so to which loop: one table after the other is filled, and bots of one table share a loop, where its
/// lines are decoded once for all of them.
struct SeatPlan: Sendable {
    /// A bot's; the tables of bots beyond the free seats are nil: they ask for any, and are refused.
    typealias Place = (table: String?, loop: Int)

    /// By number of the bot.
    private(set) var places: [Place] = []
    /// Tables that are played at, and those that are left free.
    private(set) var (used, unused): ([String], [String]) = ([], [])
    /// Seats that are free.
    let seats: Int

    init(tables: [(name: String, free: Int)], loops: Int, bots: Int) {
        seats = tables.reduce(0) { $0 + $1.free }
        for (index, table) in tables.filter({ $0.free > 0 }).enumerated() {
            let count = min(table.free, bots - places.count)
            if count > 0 { used.append(table.name) } else { unused.append(table.name) }
            for _ in 0..<count { places.append((table.name, index % loops)) }
        }
        while places.count < bots { places.append((nil, places.count % loops)) }
    }
}

/// Asks a server once which tables it has. Confined to its loop.
final class Scout {
    /// The server's tables.
    struct Lobby: Sendable {
        /// Listed tables; a large lobby is truncated.
        var tables: [TableSummary]
        var total: Int
    }

    private var completion: ((Result<Lobby, SocketError>) -> Void)?
    private var connection: Connection?
    private var framer = LineFramer(limit: WireLimits.eventBytes)
    private let subject: String
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - timeout: milliseconds for connecting and the answer together.
    ///   - completion: called once, on the loop.
    init(host: String, port: Int, loop: Loop, timeout: Int64 = 10_000, completion: @escaping (Result<Lobby, SocketError>) -> Void)
    {
        self.completion = completion
        subject = "\(host):\(port)"
        // The connector holds on to the scout until it has answered; from then on the scout's owner does.
        Connector.connect(host: host, port: port, loop: loop, timeout: timeout) { result in self.connected(result) }
        timer = loop.makeTimer { [weak self] in
            guard let self else { return }
            finish(.failure(SocketError(operation: "ask", subject: subject, reason: "it accepts connections but sends nothing")))
        }
        timer?.arm(at: loop.now + timeout)
    }

    private func connected(_ result: Result<Connection, SocketError>) {
        switch result {
        case .success(let connection):
            connection.handler = self
            self.connection = connection
            connection.send(Request(id: .number(1), .lobby(follow: nil)).encoded())
        case .failure(let error): finish(.failure(error))
        }
    }

    private func finish(_ result: Result<Lobby, SocketError>) {
        timer?.disarm()
        let completion = completion
        self.completion = nil
        completion?(result)
        connection?.close()
    }
}

extension Scout: ConnectionHandler {
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        framer.append(bytes) { line in
            switch try? ServerMessage(line: line) {
            case .ok(_, .lobby(_, let total, let tables)):
                finish(.success(Lobby(tables: tables, total: total)))
                return false
            case .error(let refusal):
                finish(.failure(SocketError(operation: "ask", subject: subject, reason: refusal.message)))
                return false
            case .some(.bye(_, let message, _, _)):
                finish(.failure(SocketError(operation: "ask", subject: subject, reason: message)))
                return false
            default: return true
            }
        }
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        finish(.failure(SocketError(operation: "ask", subject: subject, reason: "\(reason)")))
    }
}
