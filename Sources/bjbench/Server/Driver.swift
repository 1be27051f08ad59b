import Sockets

/// A table whose seven players a driver moves.
protocol DrivenTable: AnyObject {
    /// True when all are seated.
    var isReady: Bool { get }
    /// Sends the table's next line; false when none is due.
    func act() -> Bool
    /// Called when the effect of the last line has arrived, and on later changes.
    var onChange: (() -> Void)? { get set }
}

/// Counters of a driver.
struct DriverCount: Sendable {
    var actions = 0
    /// Turns of a table without a line to send.
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

/// Drives all tables of a server, one line per table and interval, or as fast as each table's lines are answered. Confined to its loop; the
/// measuring thread holds a `LoopConfined<Driver>`.
final class Driver {
    fileprivate let loop: Loop
    var count = DriverCount()
    fileprivate private(set) var tables: [any DrivenTable] = []
    private var timers: [LoopTimer] = []
    fileprivate private(set) var failure: String?
    private var waiting: [() -> Void] = []
    private var connecting = 0

    /// Connects in progress: within any listener's backlog.
    private static let atOnce = 200

    fileprivate init(_ loop: Loop) { self.loop = loop }

    func add(_ table: any DrivenTable) { tables.append(table) }

    /// Queues a connect.
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

    fileprivate func start(interval: Int64) {
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

    fileprivate func startAtOnce() {
        for table in tables {
            table.onChange = { [unowned self, unowned table] in
                if table.act() { count.actions += 1 }
            }
            table.onChange?()
        }
    }

    fileprivate func release() {
        timers = []
        tables = []
        waiting = []
    }
}

extension LoopConfined<Driver> {
    /// A driver on a loop of its own.
    static func makeDriver() -> Self {
        let loop = Loop(label: "bench.driver")
        return LoopConfined(sending: Driver(loop), on: loop)
    }

    /// True when every table is ready; throws the failure of any.
    func isReady() throws(BenchFailure) -> Bool {
        let failure: String? = performAndWait { $0.failure }
        if let failure { throw BenchFailure(failure) }
        let ended = counted.ended
        guard ended == 0 else { throw BenchFailure("the server ended \(ended) connections before all were seated") }
        return performAndWait { $0.tables.allSatisfy { $0.isReady } }
    }

    /// One line per table and interval in milliseconds, spread evenly.
    func start(interval: Int64) { performAndWait { $0.start(interval: interval) } }

    /// Each table sends its next line as soon as possible.
    func startAtOnce() { performAndWait { $0.startAtOnce() } }

    var counted: DriverCount { performAndWait { $0.count } }

    func stop() {
        loop.stop()
        performAndWait { $0.release() }
    }
}

/// Why a measurement failed.
struct BenchFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// One player's connection: counts bytes and passes them to an optional reader.
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
        // A reply comes first in a tick's bytes: `{"type":"error"…`.
        if bytes.count > 10, bytes[9] == UInt8(ascii: "e"), bytes[10] == UInt8(ascii: "r") { driver.count.refused += 1 }
        read?(bytes)
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) { driver.count.ended += 1 }
}
