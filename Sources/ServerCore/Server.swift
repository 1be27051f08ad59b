import Dispatch
import Journal
import Sockets
import TableEngine
import TableModel
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A casino behind a TCP port: the thin shell that gives it peers, time and chance. Everything runs on one loop.
///
/// Once started it lives until ``stop(code:message:completion:)`` has called back: its loop's timers and connections refer to it.
public final class Server: @unchecked Sendable {  // everything but `loop` and `log` is touched on the loop's queue alone
    public struct Options: Sendable {
        /// A name or numeric address; empty for every local IPv4 address.
        public var host = "127.0.0.1"
        /// 0…65535; 0 for one that is free.
        public var port = 2121
        /// Repeats every shoe at each start; nil for real chance.
        public var seed: UInt64?
        public var limits = ConnectionLimits()
        public var logLevel = LogLevel.info

        public init() {}
    }

    public let loop: Loop
    private let options: Options
    private let log: @Sendable (LogLine) -> Void
    private let records = VolatileLog<(table: String, facts: [Fact])>()
    private var casino: Casino!
    private var listener: Listener?
    private var peers: [ConnectionID: Peer] = [:]
    private var timers: [Reminder: LoopTimer] = [:]
    private var entropy: ServerEntropy

    /// One connection with its unfinished line.
    private final class Peer {
        let connection: Connection
        var framer = LineFramer(limit: WireLimits.requestBytes)
        init(_ connection: Connection) { self.connection = connection }
    }

    /// - Parameter log: takes a line of the log; called on the loop.
    public init(
        casino configuration: CasinoConfiguration, options: Options = Options(),
        log: @escaping @Sendable (LogLine) -> Void = { _ in }
    ) {
        self.options = options
        self.log = log
        loop = Loop(label: "bj.loop")
        entropy = options.seed.map { .seeded(SeededStream(seed: $0)) } ?? .system
        let records = records
        loop.queue.sync { casino = Casino(configuration: configuration, environment: self) }
        loop.gateFlushes(isOpen: { records.isDurable }, whenOpen: { records.whenDurable($0) })
    }

    /// Listens.
    /// - Returns: the address, with the real port.
    public func start() throws(SocketError) -> SocketAddress {
        let result = loop.performAndWait { () -> Result<SocketAddress, SocketError> in
            Result { () throws(SocketError) in
                let listener = try Listener(host: options.host, port: options.port, loop: loop, limits: options.limits) {
                    [unowned self] in accepted($0)
                }
                self.listener = listener
                return listener.address
            }
        }
        return try result.get()
    }

    /// Stops: no new connections, a word to everybody, and a moment for it to leave.
    /// - Parameter completion: called on the loop when every connection is closed.
    public func stop(
        code: String = "shutting_down", message: String = "The server stops.", completion: @escaping @Sendable () -> Void
    ) {
        loop.perform { [self] in
            listener?.close()
            listener = nil
            casino.sayGoodbye(code: code, message: message)
            whenEmpty = { [self] in
                loop.stop()
                completion()
            }
            finishIfEmpty()
        }
    }

    /// Looks into the casino, on the loop.
    package func inspect<Result: Sendable>(_ body: @Sendable (Casino) throws -> Result) rethrows -> Result {
        try loop.performAndWait { try body(casino) }
    }

    private var whenEmpty: (() -> Void)?

    private func finishIfEmpty() {
        guard peers.isEmpty, let done = whenEmpty else { return }
        whenEmpty = nil
        let ledger = casino.ledger
        log(
            .info, "stopped",
            [
                LogField("rounds", casino.rounds), LogField("bank", ledger.bank), LogField("accounts", ledger.accounts),
                LogField("tables", ledger.tables), LogField("house", ledger.house), LogField("imbalance", ledger.imbalance),
            ])
        done()
    }

    private func accepted(_ connection: Connection) {
        connection.handler = self
        peers[connection.id] = Peer(connection)
        log(.debug, "connected", [LogField("conn", connection.id), LogField("peer", connection.peer)])
        casino.connected(connection.id, at: loop.now)
    }
}

extension Server: ConnectionHandler {
    public func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        guard let peer = peers[connection.id] else { return }
        let now = loop.now
        peer.framer.append(bytes) { line in
            casino.received(line, from: connection.id, at: now)
            return connection.isOpen
        }
        if peer.framer.isOverLimit { casino.receivedTooLongLine(from: connection.id) }
    }

    public func connection(_ connection: Connection, endedBy reason: EndReason) {
        guard peers.removeValue(forKey: connection.id) != nil else { return }
        log(.debug, "disconnected", [LogField("conn", connection.id), LogField("reason", reason)])
        casino.disconnected(connection.id, at: loop.now)
        finishIfEmpty()
    }
}

extension Server: Environment {
    public func send(_ bytes: [UInt8], to connection: ConnectionID) { peers[connection]?.connection.send(bytes) }

    public func isCongested(_ connection: ConnectionID) -> Bool { (peers[connection]?.connection.pendingBytes ?? 0) > 16 * 1024 }

    public func move(_ connection: ConnectionID, to loop: Int, _ passage: Passage) {}

    public func spreadLobby() {}

    public func close(_ connection: ConnectionID) { peers[connection]?.connection.close() }

    public func remind(_ reminder: Reminder, at moment: Int64?) {
        guard let moment else {
            timers[reminder]?.disarm()
            // A table has one for life; the others come and go with their connections and players.
            if case .table = reminder { return }
            timers[reminder] = nil
            return
        }
        if timers[reminder] == nil {
            timers[reminder] = loop.makeTimer { [unowned self] in goOff(reminder) }
        }
        timers[reminder]?.arm(at: moment)
    }

    private func goOff(_ reminder: Reminder) {
        // A table has its timer for life; one of a connection or a player is made anew if it is wanted again.
        if case .table = reminder {} else { timers[reminder] = nil }
        casino.remind(reminder, at: loop.now)
    }

    public func randomBytes(_ count: Int) -> [UInt8] { entropy.bytes(count) }

    public func record(_ facts: [Fact], table: String) { records.append((table, facts)) }

    public func log(_ level: LogLevel, _ event: StaticString, _ fields: @autoclosure () -> [LogField]) {
        guard level >= options.logLevel else { return }
        log(LogLine(time: loop.now, level: level, event: event, fields: fields()))
    }
}
