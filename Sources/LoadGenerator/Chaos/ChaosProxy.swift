import CommandLineKit
import Referee
import Sockets
import Wire

/// Stands between any client and any server, and does to their connections what a network may do, and a newer server of the same version.
///
/// Each connection has chances of its own, drawn from the seed and the connection's number: the same seed cuts the third connection after
/// the same time. Confined to its loop.
public final class ChaosProxy {
    public struct Options: Sendable {
        public var server = Endpoint(host: "127.0.0.1", port: 2121)
        /// Address for clients.
        public var listen = Endpoint(host: "127.0.0.1", port: 2120)
        public var seed: UInt64 = 1
        /// Milliseconds that a connection lasts on average; 0: none is cut.
        public var cut: Int64 = 0
        /// Milliseconds that a line is delayed at most.
        public var delay: Int64 = 0
        /// Whether each byte is sent by itself.
        public var splits = false
        public var addsUnknown = false

        public init() {}
    }

    /// The longest line, and what waited before it.
    fileprivate static let limits = ConnectionLimits(outboundBytes: 2 * WireLimits.eventBytes)
    private let loop: Loop
    private let options: Options
    private let report: (String) -> Void
    private var listener: Listener?
    private var relays: [Int: ChaosRelay] = [:]
    private var count = 0

    /// - Parameter report: called with each cut, and with each client that leaves and what it was told last.
    public init(_ options: Options, loop: Loop, report: @escaping (String) -> Void) {
        (self.options, self.loop, self.report) = (options, loop, report)
    }

    /// Listens.
    /// - Returns: the address, with the port that the system chose for 0.
    public func start() throws(SocketError) -> SocketAddress {
        let (host, port) = (options.listen.host, Int(options.listen.port))
        let listener = try Listener(host: host, port: port, loop: loop, limits: Self.limits) { [weak self] in self?.accepted($0) }
        self.listener = listener
        return listener.address
    }

    /// Milliseconds after which a connection is cut.
    package static func lifetime(of connection: Int, _ options: Options) -> Int64 {
        var random = SeededRandom(seed: ~options.seed, stream: UInt64(connection))
        return options.cut / 2 + Int64.random(in: 0...options.cut, using: &random)
    }

    private func accepted(_ client: Connection) {
        guard relays.count < 1000 else { return client.abort() }
        count += 1
        let number = count
        relays[number] = ChaosRelay(number, client, options) { [weak self] text in
            self?.relays[number] = nil
            self?.report("connection \(number): \(text)")
        }
    }
}

/// A client's connection with the one to the server.
private final class ChaosRelay: ConnectionHandler {
    /// Lines on their way in one direction.
    private struct Pipe {
        var framer = LineFramer(limit: WireLimits.eventBytes)
        /// With their ends.
        private var lines: ArraySlice<(bytes: [UInt8], due: Int64)> = []
        /// Bytes of the first line that have left.
        var sent = 0
        var waiting = 0

        mutating func add(_ line: [UInt8], _ due: Int64) {
            lines.append((line + [UInt8(ascii: "\n")], max(due, lines.last?.due ?? due)))
            waiting += line.count + 1
        }

        /// When the next line leaves.
        var due: Int64? { lines.first?.due }

        /// The bytes that leave next, if they are due.
        /// - Parameter count: at most so many.
        func next(_ count: Int, at now: Int64) -> ArraySlice<UInt8>? {
            guard let first = lines.first, first.due <= now else { return nil }
            return first.bytes[sent...].prefix(count)
        }

        /// - Returns: the line without its end, if its last bytes have left.
        mutating func took(_ count: Int) -> [UInt8]? {
            (sent, waiting) = (sent + count, waiting - count)
            guard sent == lines.first?.bytes.count else { return nil }
            sent = 0
            return lines.popFirst()?.bytes.dropLast()
        }
    }

    /// Bytes on their way above which the sender is not read.
    private static let mostWaiting = 64 << 10

    private let client: Connection
    private var server: Connection?
    private var connector: Connector?
    private let options: ChaosProxy.Options
    private let ended: (String) -> Void
    private var random: SeededRandom
    private var (up, down) = (Pipe(), Pipe())
    private var transcript = Transcript()
    private var timer: LoopTimer?
    private var turn: LoopTurn?
    private var cutAt: Int64?
    private var isGreeted = false
    /// Whether the next line that leaves is the last one, and only a part of it.
    private var isCutting = false
    /// Whether client or server said that it is over.
    private var saysGoodbye = false
    private var isOver = false

    init(_ number: Int, _ client: Connection, _ options: ChaosProxy.Options, ended: @escaping (String) -> Void) {
        (self.client, self.options, self.ended) = (client, options, ended)
        random = SeededRandom(seed: options.seed, stream: UInt64(number))
        let loop = client.loop
        if options.cut > 0 { cutAt = loop.now + ChaosProxy.lifetime(of: number, options) }
        client.handler = self
        timer = loop.makeTimer { [weak self] in self?.advance() }
        turn = loop.makeTurn { [weak self] in self?.advance() }
        let (host, port) = (options.server.host, Int(options.server.port))
        connector = Connector.connect(host: host, port: port, loop: loop, limits: ChaosProxy.limits) { [weak self] result in
            guard let self, !isOver else { return }
            guard case .success(let server) = result else { return end("\(options.server) cannot be reached") }
            self.server = server
            server.handler = self
            advance()
        }
        advance()
    }

    // MARK: Lines

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        let isFromClient = connection === client
        let due = connection.loop.now + Int64.random(in: 0...options.delay, using: &random)
        var lines: [[UInt8]] = []
        func take(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
            lines.append(Array(line))
            return true
        }
        if isFromClient { up.framer.append(bytes, onLine: take) } else { down.framer.append(bytes, onLine: take) }
        for line in lines { isFromClient ? up.add(line, due) : heard(line, due) }
        if up.framer.isOverLimit || down.framer.isOverLimit { return end("a line of more than \(WireLimits.eventBytes) bytes") }
        advance()
    }

    /// A line of the server, with what a newer one would add. Nothing comes before a 'hello'.
    private func heard(_ line: [UInt8], _ due: Int64) {
        if isGreeted, options.addsUnknown, Bool.random(using: &random) { down.add(UnknownAdditions.message, due) }
        isGreeted = true
        down.add(options.addsUnknown ? UnknownAdditions.added(to: line) : line, due)
    }

    /// Sends what is due, and sets the timer for the rest.
    private func advance() {
        guard !isOver else { return }
        let now = client.loop.now
        if let cutAt, now >= cutAt {
            guard !isCutting, Bool.random(using: &random) else {
                client.reset()
                return end("cut")
            }
            // Waits this long for a line to cut in two.
            (isCutting, self.cutAt) = (true, cutAt + 1000)
        }
        if let server { pass(&up, to: server, isSent: true, now) }
        pass(&down, to: client, isSent: false, now)
        guard !isOver else { return }
        client.isReading = up.waiting < Self.mostWaiting && server?.isCongested != true
        server?.isReading = down.waiting < Self.mostWaiting && !client.isCongested
        // A receiver that reads slowly tells when it has drained.
        let isOpen = (up: server?.isCongested == false, down: !client.isCongested)
        let due = [isOpen.up ? up.due : nil, isOpen.down ? down.due : nil, cutAt].compactMap(\.self).min()
        if let due { due <= now ? turn?.request() : timer?.arm(at: due) }
    }

    /// Sends the lines that are due, or one byte.
    private func pass(_ pipe: inout Pipe, to receiver: Connection, isSent: Bool, _ now: Int64) {
        while !isOver, !receiver.isCongested, let bytes = pipe.next(options.splits ? 1 : .max, at: now) {
            if isCutting {
                receiver.send(Array(bytes.prefix(Int.random(in: 0..<max(1, bytes.count), using: &random))))
                return end("cut within a line for the \(isSent ? "server" : "client")")
            }
            receiver.send(Array(bytes))
            if let line = pipe.took(bytes.count) { note(line, isSent: isSent, now) }
            if options.splits { return }
        }
    }

    private func note(_ line: [UInt8], isSent: Bool, _ now: Int64) {
        transcript.note(line, isSent: isSent, at: now)
        let mark = Array((isSent ? #""logout""# : #""type":"bye""#).utf8)
        if line.prefix(200).firstRange(of: mark) != nil { saysGoodbye = true }
    }

    func connectionHasDrained(_ connection: Connection) { advance() }

    // MARK: Ends

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        guard !isOver else { return }
        // The last lines are still on their way.
        var (pipe, receiver) = connection === client ? (up, server) : (down, client)
        while let bytes = pipe.next(.max, at: .max) {
            receiver?.send(Array(bytes))
            _ = pipe.took(bytes.count)
        }
        let news = saysGoodbye ? "over" : "the client left: \(reason)\n" + transcript.text([])
        end(connection === client ? news : "the server closed: \(reason)")
    }

    private func end(_ text: String) {
        isOver = true
        timer?.disarm()
        connector?.cancel()
        client.close()
        server?.close()
        ended(text)
    }
}
