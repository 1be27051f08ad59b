import Sockets

/// A table whose seven players a driver moves.
protocol DrivenTable: AnyObject {
    /// Whether everybody sits.
    var isReady: Bool { get }
    /// Sends the table's next line, unless nobody is to say anything just now.
    func act() -> Bool
    /// Told when the last line's effect has been seen, and when the table has changed since.
    var onChange: (() -> Void)? { get set }
}

/// What a driver has done and met so far.
struct DriverCount: Sendable {
    var actions = 0
    /// Moments at which a table was to act and had nothing to say.
    var idle = 0
    var refused = 0
    var bytes = 0
    var ended = 0

    static func - (later: DriverCount, earlier: DriverCount) -> DriverCount {
        DriverCount(
            actions: later.actions - earlier.actions, idle: later.idle - earlier.idle, refused: later.refused - earlier.refused,
            bytes: later.bytes - earlier.bytes, ended: later.ended - earlier.ended)
    }
}

/// Plays all tables of a server: at a steady pace, where each table says one line an interval, one after the other, or as fast as each
/// table's lines are answered.
final class Driver: @unchecked Sendable {  // everything but `loop` is touched on the loop's queue alone
    let loop = Loop(label: "bench.driver")
    var count = DriverCount()
    private var tables: [any DrivenTable] = []
    private var timers: [LoopTimer] = []
    private var failure: String?
    private var waiting: [() -> Void] = []
    private var connecting = 0

    /// How many connections are on their way at once: few enough for any listener's backlog.
    private static let atOnce = 200

    func add(_ table: any DrivenTable) { tables.append(table) }

    /// Connects when it is this one's turn.
    func connect(to port: Int, _ connected: @escaping (Connection) -> Void) {
        waiting.append { [unowned self] in
            Connector.connect(host: "127.0.0.1", port: port, loop: loop) { [unowned self] result in
                connecting -= 1
                switch result {
                case .success(let connection): connected(connection)
                case .failure(let error): failure = error.description
                }
                connectNext()
            }
        }
        connectNext()
    }

    private func connectNext() {
        while connecting < Self.atOnce, let next = waiting.popLast() {
            connecting += 1
            next()
        }
    }

    /// Whether every table is ready; fails with what went wrong.
    func isReady() throws(BenchFailure) -> Bool {
        let failure: String? = loop.performAndWait { self.failure }
        if let failure { throw BenchFailure(failure) }
        let ended = counted.ended
        guard ended == 0 else { throw BenchFailure("the server ended \(ended) connections before everybody sat") }
        return loop.performAndWait { tables.allSatisfy { $0.isReady } }
    }

    /// Has each table say a line every so many milliseconds, spread evenly.
    func start(interval: Int64) {
        loop.performAndWait {
            let start = loop.now + 10
            for (index, table) in tables.enumerated() {
                var next = start + interval * Int64(index) / Int64(tables.count)
                let timer = loop.makeTimer { [unowned self] in
                    if table.act() { count.actions += 1 } else { count.idle += 1 }
                    next += interval
                    timers[index].arm(at: next)
                }
                timers.append(timer)
                timer.arm(at: next)
            }
        }
    }

    /// Has each table say its next line as soon as it can.
    func startAtOnce() {
        loop.performAndWait {
            for table in tables {
                table.onChange = { [unowned self, unowned table] in
                    if table.act() { count.actions += 1 }
                }
                table.onChange?()
            }
        }
    }

    var counted: DriverCount { loop.performAndWait { count } }

    func stop() {
        loop.stop()
        loop.performAndWait {
            timers = []
            tables = []
            waiting = []
        }
    }
}

/// Why nothing could be measured.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// One player's connection: counts what arrives, and hands it to whoever wants to read it.
final class DriverSeat: ConnectionHandler {
    let connection: Connection
    private unowned let driver: Driver
    private let read: ((UnsafeRawBufferPointer) -> Void)?

    init(_ connection: Connection, _ driver: Driver, read: ((UnsafeRawBufferPointer) -> Void)? = nil) {
        self.connection = connection
        self.driver = driver
        self.read = read
        connection.handler = self
    }

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        driver.count.bytes += bytes.count
        // The reply comes first in what a tick sends: {"type":"error"…
        if bytes.count > 10, bytes[9] == UInt8(ascii: "e"), bytes[10] == UInt8(ascii: "r") { driver.count.refused += 1 }
        read?(bytes)
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) { driver.count.ended += 1 }
}
