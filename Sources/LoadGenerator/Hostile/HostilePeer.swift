import Measuring
import TableModel
import Wire

/// The connection of a hostile bot: connects, sends and reads on command, and counts the replies.
final class HostilePeer {
    /// How much it reads each time it is asked.
    enum Appetite { case everything, nothing, oneByte }

    /// Where things are.
    struct Ground: Sendable {
        var address: RawSocket.Address
        /// Tables that honest bots play at.
        var tables: [String]
        /// Tables that are left to hostile bots.
        var playground: [String]
        /// Prefix of honest bots' names.
        var honestPrefix: String
        /// How many of them there are, at least 1.
        var honestBots: Int
        /// Addresses of this machine to connect from, in turn; none for the system's own choice.
        var sources: [RawSocket.Address] = []
    }

    let ground: Ground
    let name: String
    var random: SeededRandom
    var appetite = Appetite.everything
    private(set) var tally = HostileTally()
    /// Counts the answers on this connection.
    private(set) var answers = 0
    /// Opens the account of ``name``.
    let secret: AccountSecret
    private var isLoggedIn = false
    /// The table that it is shown, and the ceremony of that table's coming shoe.
    private(set) var table = ""
    private(set) var next: NextShoe?
    private var socket: RawSocket?
    private var outbox: [UInt8] = []
    private var framer = LineFramer(limit: WireLimits.eventBytes)
    private var lastID = 0
    /// The address that it connects from.
    private let source: RawSocket.Address?
    private static let most = 256 * 1024

    init(ground: Ground, name: String, number: Int = 0, random: SeededRandom) {
        self.ground = ground
        source = ground.sources.isEmpty ? nil : ground.sources[number % ground.sources.count]
        self.name = name
        var random = random
        secret = AccountSecret(using: &random)
        self.random = random
        tally.bots = 1
    }

    var isConnected: Bool { socket != nil }
    /// Bytes that the system has not taken yet.
    var backlog: Int { outbox.count }

    func connect(receiveBuffer: Int32 = 0) {
        outbox = []
        answers = 0
        framer = LineFramer(limit: WireLimits.eventBytes)
        socket = makeSocket(receiveBuffer: receiveBuffer)
    }

    /// Begins to connect one more socket, and counts it.
    func makeSocket(receiveBuffer: Int32) -> RawSocket? {
        let made = RawSocket(ground.address, from: source, receiveBuffer: receiveBuffer)
        if made == nil { tally.refusedConnections += 1 } else { tally.connections += 1 }
        return made
    }

    /// Ends the connection, abruptly or in order.
    func cut(abruptly: Bool) {
        if abruptly { socket?.makeAbrupt() }
        socket = nil
    }

    /// Sends a request.
    func ask(_ message: ClientMessage, id: Int? = nil) {
        lastID += 1
        send(Request(id: .number(id ?? lastID), message).encoded())
    }

    /// Sends any bytes. Beyond a bound they are dropped: the server is to suffer, not this process.
    func send(_ bytes: some Collection<UInt8>) {
        guard isConnected, outbox.count < Self.most else { return }
        outbox += bytes
        tally.sent += 1
    }

    /// Forgets that somebody was logged in here.
    /// - Returns: whether there was.
    func forgetLogin() -> Bool {
        defer { isLoggedIn = false }
        return isLoggedIn
    }

    /// - Parameter contributes: whether it declares that it contributes to shoes.
    func login(contributes: Bool = false) {
        ask(.login(name: name, secret: secret, isBot: true, version: WireLimits.version, contributes: contributes))
    }

    /// Logs in under a name that nobody has had before.
    func login(as number: Int) {
        ask(.login(name: "\(name)q\(number)", secret: AccountSecret(using: &random), isBot: true, version: WireLimits.version))
    }

    /// Sends and reads without waiting.
    func exchange() {
        flush()
        switch appetite {
        case .nothing: break
        case .everything: read(64 * 1024)
        case .oneByte: read(1)
        }
    }

    /// Sends without waiting.
    func flush() {
        guard !outbox.isEmpty, isConnected else { return }
        switch socket?.write(outbox[...]) {
        case .done(let count):
            outbox.removeFirst(count)
            tally.bytesSent += count
        case .ended: lost()
        case .wait, nil: break
        }
    }

    private func read(_ most: Int) {
        guard isConnected else { return }
        var isOver = false
        withUnsafeTemporaryAllocation(byteCount: most, alignment: 1) { buffer in
            switch socket?.read(into: buffer) {
            case .done(let count):
                tally.bytesRead += count
                framer.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { line in
                    note(line)
                    return true
                }
            case .ended: isOver = true
            case .wait, nil: break
            }
        }
        if isOver { lost() }
    }

    private func lost() {
        socket = nil
        tally.cutOff += 1
    }

    private func note(_ line: UnsafeBufferPointer<UInt8>) {
        let answer: String
        switch try? ServerMessage(line: line) {
        case .snapshot(let table, _, _, let snapshot, _):
            (self.table, next) = (table, snapshot.nextShoe)
            return
        case .diff(_, _, _, let difference):
            for case .nextShoe(let shoe) in difference.insertions + difference.updates { next = shoe }
            return
        case .ok(_, let reply):
            answer = "ok"
            if case .login = reply { isLoggedIn = true }
        case .error(let refusal): answer = refusal.code
        case .some(.bye(let code, _)): answer = "bye \(code)"
        default: return
        }
        answers += 1
        tally.answers[answer, default: 0] += 1
    }
}
