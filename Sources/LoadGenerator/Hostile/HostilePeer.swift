import Rules
import TableModel
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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
    /// The table that it is shown, its round and last question, and the ceremony of its coming shoe.
    private(set) var table = ""
    private var (round, turn) = (0, 0)
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

    func bet() { ask(.bet(amount: 10, seat: nil, round: round)) }

    /// Answers the last question that it has seen, its own or not.
    func act(_ action: Action) { ask(.act(action, seat: nil, hand: nil, amount: nil, turn: turn)) }

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
            (self.table, next, round) = (table, snapshot.nextShoe, snapshot.round?.number ?? 0)
            turn = snapshot.seats.compactMap { snapshot.choice($0)?.turn }.last ?? turn
            return
        case .diff(_, _, _, let difference, _):
            for entry in difference.insertions + difference.updates {
                switch entry {
                case .nextShoe(let shoe): next = shoe
                case .round(let number): round = number
                case .choice(_, let choice): turn = choice.turn
                default: break
                }
            }
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

/// Watches a busy table and reads a byte now and then, so that diffs pile up at the server.
struct SlowReader: HostileBehaviour {
    var pause: Int64 { 10_000 }
    /// A small one, so that the system does not read in its stead.
    var receiveBuffer: Int32? { 4096 }

    mutating func begin(_ peer: HostilePeer) {
        peer.appetite = .oneByte
        peer.login()
        guard let table = peer.ground.tables.randomElement(using: &peer.random) else { return }
        peer.ask(.watch(table: table))
    }

    mutating func step(_ peer: HostilePeer) {}
}

/// Sends requests byte by byte.
struct DripSender: HostileBehaviour {
    private var rest: ArraySlice<UInt8> = []
    var pause: Int64 { 10_000 }

    mutating func begin(_ peer: HostilePeer) { rest = [] }

    mutating func step(_ peer: HostilePeer) {
        if rest.isEmpty { rest = Request(id: .text("drip"), .ping).encoded()[...] }
        if let byte = rest.popFirst() { peer.send(CollectionOfOne(byte)) }
    }
}

/// Connects and says nothing, ever.
struct HalfOpen: HostileBehaviour {
    var pause: Int64 { 1_000_000 }
    mutating func step(_ peer: HostilePeer) {}
}

/// Connects and goes, over and over, now in order and now not.
struct ReconnectStorm: HostileBehaviour {
    var pause: Int64 { 10_000 }
    var receiveBuffer: Int32? { nil }

    mutating func step(_ peer: HostilePeer) {
        peer.cut(abruptly: peer.random.below(2) == 0)
        peer.connect()
    }
}

/// Says a few right things and cuts the connection in the midst of a byte sequence, at random.
struct CutConnection: HostileBehaviour {
    private var isOpen = false
    var receiveBuffer: Int32? { nil }

    mutating func step(_ peer: HostilePeer) {
        if isOpen, peer.isConnected {
            peer.cut(abruptly: true)
            isOpen = false
            return
        }
        peer.connect()
        isOpen = true
        var words = Request(
            id: .number(1), .login(name: peer.name, secret: peer.secret, isBot: true, version: WireLimits.version)
        )
        .encoded()
        if let table = peer.ground.playground.randomElement(using: &peer.random) {
            words += Request(id: .number(2), .sit(table: table, seat: nil)).encoded()
            words += Request(id: .number(3), .bet(amount: 10, seat: nil, round: 0)).encoded()
        }
        peer.send(words.prefix(1 + peer.random.below(words.count)))
    }
}

/// A bare TCP socket without events, for peers that behave badly, such as never reading. No call waits.
struct RawSocket: ~Copyable {
    /// Where to connect to, looked up once.
    struct Address: Sendable {
        fileprivate var storage = sockaddr_storage()
        fileprivate var length: socklen_t = 0

        /// Blocks while the system looks the name up; nil when there is no such host.
        init?(host: String, port: Int) {
            var hints = addrinfo()
            #if canImport(Glibc)
                hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            #else
                hints.ai_socktype = SOCK_STREAM
            #endif
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host.isEmpty ? "127.0.0.1" : host, String(port), &hints, &list) == 0, let first = list else {
                return nil
            }
            defer { freeaddrinfo(list) }
            guard let source = first.pointee.ai_addr, Int(first.pointee.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size else {
                return nil
            }
            length = first.pointee.ai_addrlen
            withUnsafeMutableBytes(of: &storage) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: source, count: Int(first.pointee.ai_addrlen)))
            }
        }
    }

    /// The result of a read or a write.
    enum Outcome: Equatable {
        case done(Int)
        case wait
        case ended
    }

    /// For `poll`; closed with the socket.
    let descriptor: Int32

    /// Starts connecting; nil when the system has no socket left.
    /// - Parameters:
    ///   - source: local address to connect from; nil for the system's choice.
    ///   - receiveBuffer: requested size in bytes; 0 for the system's choice.
    init?(_ address: Address, from source: Address? = nil, receiveBuffer: Int32 = 0) {
        #if canImport(Glibc)
            descriptor = socket(
                Int32(address.storage.ss_family), Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
            descriptor = socket(Int32(address.storage.ss_family), SOCK_STREAM, 0)
            if descriptor >= 0 { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        #endif
        guard descriptor >= 0 else { return nil }
        if receiveBuffer > 0 {
            var size = receiveBuffer
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        if let source, !Self.bindSource(descriptor, source) {
            close(descriptor)
            return nil
        }
        let status = withUnsafePointer(to: address.storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, address.length) }
        }
        guard status == 0 || errno == EINPROGRESS || errno == EINTR else {
            close(descriptor)
            return nil
        }
    }

    /// Binds to a local address; the port is chosen on connecting (IP_BIND_ADDRESS_NO_PORT).
    private static func bindSource(_ descriptor: Int32, _ source: Address) -> Bool {
        #if canImport(Glibc)
            // IP_BIND_ADDRESS_NO_PORT of <linux/in.h>: without it a port is taken from all peers at once.
            var option: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_IP), 24, &option, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return withUnsafePointer(to: source.storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, source.length) == 0 }
        }
    }

    /// Sends as many bytes as the system takes.
    func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        return outcome(bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }, isReading: false)
    }

    /// Reads available bytes, up to a bound.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome(recv(descriptor, buffer.baseAddress, buffer.count, 0), isReading: true)
    }

    private func outcome(_ count: Int, isReading: Bool) -> Outcome {
        if count > 0 { return .done(count) }
        if count == 0 { return isReading ? .ended : .done(0) }
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOTCONN || errno == EINPROGRESS
            ? .wait : .ended
    }

    /// Makes close send a reset and drop unsent bytes (SO_LINGER 0).
    func makeAbrupt() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    deinit { close(descriptor) }
}
