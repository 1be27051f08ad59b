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

/// A server's tables.
struct Lobby: Sendable {
    /// Listed tables; a large lobby is truncated.
    var tables: [TableSummary]
    var total: Int

    /// Asks a server. Blocks.
    /// - Parameter timeout: milliseconds for connecting and the answer together.
    static func ask(_ host: String, _ port: Int, timeout: Int = 10_000) throws(SocketError) -> Lobby {
        let deadline = Deadline.after(timeout)
        let socket: BlockingSocket
        do throws(SocketError) { socket = try .connect(host: host, port: port, by: deadline) } catch {
            throw deadline.hasPassed ? SocketError(operation: "connect to", subject: error.subject, reason: "timed out") : error
        }
        var framer = LineFramer(limit: WireLimits.eventBytes)
        var (lobby, fault): (Lobby?, String?)
        do throws(SocketError) {
            try socket.send(Request(id: .number(1), .lobby(follow: nil)).encoded(), by: deadline)
            while lobby == nil, fault == nil {
                let count = try socket.receive(by: deadline) { bytes in
                    framer.append(bytes) { line in
                        switch try? ServerMessage(line: line) {
                        case .ok(_, .lobby(_, let total, let tables)): lobby = Lobby(tables: tables, total: total)
                        case .error(let refusal): fault = refusal.message
                        case .some(.bye(_, let message, _, _)): fault = message
                        default: break
                        }
                        return lobby == nil && fault == nil
                    }
                }
                if count == 0 { fault = "\(EndReason.peerClosed)" }
            }
        } catch {
            fault = deadline.hasPassed ? "it accepts connections but sends nothing" : error.reason
        }
        if let lobby { return lobby }
        throw SocketError(operation: "ask", subject: "\(host):\(port)", reason: fault ?? "")
    }
}
