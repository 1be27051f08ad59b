import CBenchmarks
import CommandLineKit
import Foundation
import Rules
import Sockets
import TableModel
import Wire

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

    /// Waits until all players are seated: for a minute.
    func waitUntilReady(_ process: MeasuredProcess) throws(BenchFailure) {
        var waited = 0
        while try !isReady() {
            waited += 1
            guard process.isRunning, waited < 1200 else { throw BenchFailure("not all players got a seat") }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// True when every table is ready; throws the failure of any.
    private func isReady() throws(BenchFailure) -> Bool {
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

/// Seven players in real rounds on a real server: hit below 12 and on soft totals below 18, else stand. One parses the table;
/// for the others only bytes count.
final class PlayedTable: DrivenTable {
    private let name: String
    private let number: Int
    private unowned let driver: Driver
    private var seats: [Int: DriverSeat] = [:]
    private var framer = LineFramer(limit: WireLimits.eventBytes)
    private var snapshot = TableSnapshot()
    /// True when the effect of the last line has arrived.
    private var isAnswered = true
    private var requests = 0
    var onChange: (() -> Void)?

    init(_ name: String, number: Int, driver: Driver, port: Int) {
        self.name = name
        self.number = number
        self.driver = driver
        for seat in 1...7 {
            driver.connect(to: port) { [unowned self] in sit($0, seat) }
        }
    }

    private func sit(_ connection: Connection, _ seat: Int) {
        seats[seat] = DriverSeat(connection, driver, read: seat == 1 ? { [unowned self] in read($0) } : nil)
        let secret = String(repeating: "5a", count: 32)
        connection.send(Array("{\"type\":\"login\",\"name\":\"p\(number).\(seat)\",\"secret\":\"\(secret)\"}\n".utf8))
        connection.send(Array("{\"type\":\"sit\",\"table\":\"\(name)\",\"seat\":\(seat)}\n".utf8))
    }

    var isReady: Bool { snapshot.seats.count == 7 && snapshot.seats.allSatisfy { snapshot.player($0) != nil } }

    func act() -> Bool {
        guard isAnswered else { return false }
        switch snapshot.phase {
        case .waiting, .betting:
            guard let seat = (1...7).first(where: { !hasBet($0) }) else { return false }
            return say("{\"type\":\"bet\",\"amount\":10,\"round\":\(snapshot.round?.number ?? 0)", seat)
        case .insurance, .surrender, .playing:
            guard let seat = (1...7).first(where: { snapshot.isAsked($0) }), let choice = snapshot.choice(seat) else {
                return false
            }
            return say("{\"type\":\"act\",\"action\":\"\(answer(to: choice, seat))\",\"turn\":\(choice.turn)", seat)
        case .settled, .closed, nil: return false
        }
    }

    /// Bets of the last round stay with their results until the next bet.
    private func hasBet(_ seat: Int) -> Bool {
        let hand = HandIdentifier(seat: seat, number: 1)
        return snapshot.bet(hand) != nil && snapshot.result(hand) == nil
    }

    private func answer(to choice: Choice, _ seat: Int) -> String {
        guard snapshot.phase == .playing else { return "decline" }
        switch snapshot.total(HandIdentifier(seat: seat, number: choice.hand)) {
        case .hard(let points): return points < 12 ? "hit" : "stand"
        case .soft(let points): return points < 18 ? "hit" : "stand"
        case .blackjack, nil: return "stand"
        }
    }

    private func say(_ beginning: String, _ seat: Int) -> Bool {
        guard let connection = seats[seat]?.connection else { return false }
        requests += 1
        isAnswered = false
        connection.send(Array("\(beginning),\"id\":\(requests)}\n".utf8))
        return true
    }

    private func read(_ bytes: UnsafeRawBufferPointer) {
        framer.append(bytes) { line in
            switch try? ServerMessage(line: line) {
            case .snapshot(_, _, _, let snapshot, _): self.snapshot = snapshot
            case .diff(_, _, _, let difference, _):
                if let next = try? snapshot.applying(difference) { snapshot = next }
                isAnswered = true
            // Shows no table.
            default: break
            }
            return true
        }
        if isAnswered { onChange?() }
    }
}

/// Seven connections that receive a table's lines, sent by each of them in turn, or by a publisher beside them.
final class FanOutTable: DrivenTable {
    private let publication: (_ number: Int) -> [UInt8]
    private let hasPublisher: Bool
    private unowned let driver: Driver
    private var seats: [DriverSeat] = []
    private var publisher: DriverSeat?
    private var ready = 0
    private var requests = 0
    var onChange: (() -> Void)?

    /// - Parameters:
    ///   - joining: what a receiver sends first.
    ///   - readiness: the end of the bytes by which it is one; any bytes do if empty.
    ///   - greeting: what the publisher sends first, which may be nothing; nil without a publisher.
    init(
        _ driver: Driver, _ port: Int, joining: String, readiness: String = "", greeting: String? = nil,
        publication: @escaping (_ number: Int) -> [UInt8]
    ) {
        (self.driver, self.publication, hasPublisher) = (driver, publication, greeting != nil)
        for _ in 1...7 {
            driver.connect(to: port) { [unowned self] connection in
                var isNew = true
                let reads = seats.isEmpty
                seats.append(
                    DriverSeat(connection, driver) { [unowned self] bytes in
                        if !isNew, reads { onChange?() }
                        guard isNew, bytes.suffix(readiness.utf8.count).elementsEqual(readiness.utf8) else { return }
                        isNew = false
                        ready += 1
                    })
                connection.send(Array(joining.utf8))
            }
        }
        guard let greeting else { return }
        driver.connect(to: port) { [unowned self] connection in
            publisher = DriverSeat(connection, driver)
            if !greeting.isEmpty { connection.send(Array(greeting.utf8)) }
        }
    }

    var isReady: Bool { ready == 7 && (publisher != nil) == hasPublisher }

    func act() -> Bool {
        requests += 1
        (publisher ?? seats[requests % 7]).connection.send(publication(requests))
        return true
    }
}

/// A server process pinned to its own processor, with its processor time.
final class MeasuredProcess: Sendable {
    /// Nanoseconds. `user` has the resolution of clock ticks (usually 10 ms), `total` is exact.
    struct Usage {
        var total: Double
        var user: Double

        static func - (later: Usage, earlier: Usage) -> Usage {
            Usage(total: later.total - earlier.total, user: later.user - earlier.user)
        }
    }

    /// Processors of the servers and of the driver.
    static let (serverProcessor, driverProcessor) = (Int32(0), Int32(1))

    let port: Int
    private let process = Process()

    /// Starts a server that prints a line `listening on HOST:PORT`.
    init?(_ program: URL, _ arguments: [String], environment: [String: String] = [:]) {
        let output = process.prepare(program, arguments, environment: environment)
        guard Self.runPinned(process) else { return nil }
        var said: [UInt8] = []
        while let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            said.append(byte)
        }
        guard let port = String(decoding: said, as: UTF8.self).split(separator: ":").last.flatMap({ Int($0) }) else {
            process.terminate()
            return nil
        }
        self.port = port
    }

    /// Starts a server of others at a port, and waits until it listens there.
    init?(_ program: URL, _ arguments: [String], port: Int) {
        self.port = port
        _ = process.prepare(program, arguments)
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        guard Self.runPinned(process) else { return nil }
        for _ in 0..<200 where process.isRunning {
            if (try? BlockingSocket.connect(host: "127.0.0.1", port: port, by: .after(60_000))) != nil { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        process.terminate()
        return nil
    }

    private static func runPinned(_ process: Process) -> Bool {
        guard floor_pin(serverProcessor) == 0 else { return false }
        defer { _ = floor_pin(driverProcessor) }
        return (try? process.run()) != nil
    }

    var isRunning: Bool { process.isRunning }

    var usage: Usage {
        let ticks = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8))
            // The name stands in parentheses and may hold any character.
            .flatMap { $0.split(separator: ")").last?.split(separator: " ") }
        let user = ticks.flatMap { $0.count > 11 ? Double($0[11]) : nil } ?? 0
        return Usage(
            total: Double(floor_processor_time(process.processIdentifier)),
            user: user * 1e9 / Double(max(1, sysconf(Int32(_SC_CLK_TCK)))))
    }

    /// Kills at once: a signal would drain first.
    func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

extension Process {
    /// - Parameter environment: beside the user's own, of which it excludes settings of the server.
    /// - Returns: its output.
    func prepare(_ program: URL, _ arguments: [String], environment given: [String: String] = [:]) -> Pipe {
        executableURL = program
        self.arguments = arguments
        environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("BJ_") }.merging(given) { $1 }
        standardInput = FileHandle.nullDevice
        let output = Pipe()
        standardOutput = output
        return output
    }
}

/// The least that any server of this protocol must do, in C: one epoll loop that answers each line with a reply and a diff of fixed
/// bytes to seven connections, without parsing, game or journal (`CBenchmarks`). ``ServerComparison`` starts this program a second time with
/// `BJ_BENCH_FLOOR` set, drives both servers with the same load in turn, and reports the ratio of their processor time: the price of
/// everything above system calls, independent of the machine's speed.
enum FloorServer {
    /// Serves for ever if the environment asks for the floor.
    static func runIfAsked() {
        guard let setting = ProcessInfo.processInfo.environment[ServerComparison.floorVariable] else { return }
        let numbers = setting.split(separator: ",").compactMap { Int32($0) }
        guard numbers.count == 3, numbers.allSatisfy({ $0 > 0 }) else {
            Console.fail("bjbench", "\(ServerComparison.floorVariable) is set by bjbench only", status: 64)
        }
        let code = floor_serve(numbers[0], numbers[1], numbers[2]) { Console.print("listening on 127.0.0.1:\($0)") }
        Console.fail("bjbench", "the floor: \(String(cString: strerror(code)))", status: 74)
    }
}
