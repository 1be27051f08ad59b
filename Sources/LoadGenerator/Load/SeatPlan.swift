import Referee
import Sockets
import TableModel
import Wire

/// Which bot goes to which table, and so to which loop: bots of one table share a loop, where its lines are decoded once for all of them.
struct SeatPlan: Sendable {
    private let tables: [(name: String, free: Int)]
    private let loops: Int
    private let isEven: Bool

    /// - Parameter isEven: whether every table gets as many as any other; otherwise one after the other is filled.
    init(tables: [(name: String, free: Int)], loops: Int, isEven: Bool) {
        self.tables = tables.filter { $0.free > 0 }
        self.loops = loops
        self.isEven = isEven
    }

    /// Seats that are free.
    var seats: Int { tables.reduce(0) { $0 + $1.free } }

    /// Tables used by a number of bots.
    func used(by count: Int) -> [String] { Array(Set(places(count).compactMap(\.table))).sorted() }

    /// Tables left free by a number of bots.
    func unused(by count: Int) -> [String] {
        let used = Set(used(by: count))
        return tables.map(\.name).filter { !used.contains($0) }
    }

    /// Places of bots 0..<count. Bots beyond the free seats ask for any table, and are refused.
    func places(_ count: Int) -> [(table: String?, loop: Int)] {
        var places: [(table: String?, loop: Int)] = []
        places.reserveCapacity(count)
        if isEven {
            var left = tables.map(\.free)
            while places.count < count, left.contains(where: { $0 > 0 }) {
                for index in tables.indices where left[index] > 0 && places.count < count {
                    left[index] -= 1
                    places.append((tables[index].name, index % loops))
                }
            }
        } else {
            for (index, table) in tables.enumerated() {
                for _ in 0..<min(table.free, count - places.count) { places.append((table.name, index % loops)) }
            }
        }
        while places.count < count { places.append((nil, places.count % loops)) }
        return places
    }
}

/// The bots of one loop at one table, by seat. A bot that waits for nothing is read only when it is asked, after a bounded number of revisions
/// or a second: several lines with one system call. A bot that waits reads at once, so latencies stay true. Confined to its loop.
final class TableCompany {
    /// Revisions that a bot may lag behind. A mirror knows more than that.
    static let maximumLag = 12

    private var bots = [LoadBot?](repeating: nil, count: 8)
    /// Seats with a bot, and seats whose bot rests: bit n for seat n.
    private var present: UInt8 = 0
    private var restingSeats: UInt8 = 0
    /// The revision at which the first resting bot went to rest.
    private var quietSince = 0

    func join(_ bot: LoadBot, seat: Int) {
        guard bots.indices.contains(seat) else { return }
        bots[seat] = bot
        present |= 1 << UInt8(seat)
    }

    func leave(_ bot: LoadBot, seat: Int) {
        guard bots.indices.contains(seat), bots[seat] === bot else { return }
        bots[seat] = nil
        present &= ~(1 << UInt8(seat))
        wakeAll()
    }

    /// Wakes the bots that are asked something or may bet, and all to take part in a ceremony.
    func look(at table: ShownTable) {
        guard restingSeats != 0 else { return }
        guard table.revision - quietSince < Self.maximumLag, !table.changesShoes else { return wakeAll() }
        var waking = restingSeats & table.facts.awaited
        while waking != 0 {
            bots[waking.trailingZeroBitCount]?.wakeUp()
            waking &= waking - 1
        }
    }

    /// Whether a bot of this company, which reads at once, is asked something or may bet.
    func isAttending(_ table: ShownTable) -> Bool { table.facts.awaited & present != 0 }

    /// Notes a bot that goes to rest.
    func noteRest(_ seat: Int, at table: ShownTable) {
        if restingSeats == 0 { quietSince = table.revision }
        restingSeats |= 1 << UInt8(seat)
    }

    /// Notes a bot that wakes up.
    func noteWaking(_ seat: Int) { restingSeats &= ~(1 << UInt8(seat)) }

    func wakeAll() {
        guard restingSeats != 0 else { return }
        for bot in bots { bot?.wakeUp() }
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

    private let loop: Loop
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
        self.loop = loop
        self.completion = completion
        subject = "\(host):\(port)"
        // The connector holds on to the scout until it has answered; from then on the scout's owner does.
        Connector.connect(host: host, port: port, loop: loop, timeout: timeout) { result in self.connected(result) }
        timer = loop.makeTimer { [weak self] in
            guard let self else { return }
            finish(.failure(SocketError(operation: "ask", subject: subject, reason: "it accepts connections and says nothing")))
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
            case .some(.bye(_, let message)):
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
