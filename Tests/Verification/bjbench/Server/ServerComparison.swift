import CBenchmarks
import CommandLineKit
import Foundation
import Sockets
import Synchronization

/// The cost of a player's action on the real server, beside a floor that reads a line and writes the same bytes.
struct ServerComparison {
    struct Options: Sendable {
        var tables = [10, 100, 1000]
        var seconds = 5
        var rounds = 3
        var rate: Int?
        var isBusy = false
    }

    /// One server's figures in one window.
    struct Window {
        /// Nanoseconds per action.
        var cost: Double
        /// Share of `cost` in user mode.
        var user: Double
        var actionsPerSecond: Double
        /// Bytes per action to each of the seven connections, replies included.
        var bytes: Double
        var count: DriverCount
    }

    static let floorVariable = "BJ_BENCH_FLOOR"
    /// `{"type":"ok","id":123,"to":"act"}` with its line end.
    private static let replyBytes = 34

    let options: Options

    func run() {
        RunningServers.measure { () throws(BenchFailure) in
            Console.print("tables  actions/s  server µs (user + system)  floor µs (user + system)   ratio   of each round")
            for tables in options.tables { try compare(tables) }
        }
    }

    /// Milliseconds from one line of a table to its next: a human pace at this many tables, within the server's limit per
    /// connection and one processor's capacity. Nil: as soon as the last line is answered.
    func interval(_ tables: Int) -> Int64? {
        let rate = options.rate ?? min(100 * tables, 10_000)
        return options.isBusy ? nil : Int64(max(1, 1000 * tables / rate))
    }

    /// Alternates server and floor, so that disturbances affect both.
    private func compare(_ tables: Int) throws(BenchFailure) {
        let interval = interval(tables)
        var (servers, floors): ([Window], [Window]) = ([], [])
        for _ in 0..<options.rounds {
            let server = try play(tables, interval)
            servers.append(server)
            let diff = max(1, Int(server.bytes) - Self.replyBytes / 7)
            // The real server's pace: its players wait for each other, the floor's do not.
            let pace = Int64((1000 * Double(tables) / server.actionsPerSecond).rounded())
            floors.append(
                try measure(tables, options.isBusy ? nil : max(1, pace), try startFloor(tables, diff: diff)) { driver, port in
                    for number in 0..<tables {
                        driver.add(
                            FanOutTable(driver, port, joining: "\(number)\n") {
                                Array("{\"type\":\"act\",\"action\":\"stand\",\"turn\":1,\"id\":\($0)}\n".utf8)
                            })
                    }
                })
        }
        report(tables, servers, floors)
    }

    /// Plays at a server, which is stopped.
    func play(_ tables: Int, _ interval: Int64?) throws(BenchFailure) -> Window {
        try measure(tables, interval, try startServer(tables), isSteady: Self.hasEdge) { driver, port in
            for number in 0..<tables {
                driver.add(PlayedTable("t\(number)", number: number, driver: driver, port: port))
            }
        }
    }

    /// Whether the server has computed the edge of its rules, which it does once, from 3 s after its start: its lobby has it then.
    private static func hasEdge(port: Int) -> Bool {
        let lines = "{\"type\":\"login\",\"name\":\"bench\"}\n{\"type\":\"lobby\"}\n{\"type\":\"logout\"}\n"
        let peer = try? BlockingSocket.connect(host: "127.0.0.1", port: port, by: .after(60_000))
        var said: [UInt8] = []
        try? peer?.send(Array(lines.utf8), by: .after(10_000))
        while let count = try? peer?.receive(by: .after(10_000), { said += $0 }), count > 0 {}
        return String(decoding: said, as: UTF8.self).contains("\"edge\":")
    }

    private func startServer(_ tables: Int) throws(BenchFailure) -> MeasuredProcess {
        var arguments = [
            "--data", "none", "--listen", "127.0.0.1:0", "--settle", "0s", "--chips", "100000000", "--log", "warning",
        ]
        for number in 0..<tables { arguments += ["--table", "t\(number)"] }
        let environment = [
            "BJ_MAX_CONNECTIONS": String(7 * tables + 100), "BJ_MAX_PLAYERS": String(7 * tables + 100),
            "BJ_REQUEST_RATE": "100000",
        ]
        guard let folder = Bundle.main.executableURL?.deletingLastPathComponent(),
            let process = MeasuredProcess(folder.appending(path: "bjserver"), arguments, environment: environment)
        else { throw BenchFailure("bjserver is not beside this program, or cannot start") }
        return process
    }

    private func startFloor(_ tables: Int, diff: Int) throws(BenchFailure) -> MeasuredProcess {
        let setting = [Self.floorVariable: "\(Self.replyBytes),\(diff),\(tables)"]
        guard let program = Bundle.main.executableURL, let process = MeasuredProcess(program, [], environment: setting) else {
            throw BenchFailure("the floor program cannot start")
        }
        return process
    }

    func measure(
        _ tables: Int, _ interval: Int64?, _ process: MeasuredProcess, isSteady: (Int) -> Bool = { _ in true },
        _ seat: @Sendable (Driver, Int) -> Void
    ) throws(BenchFailure) -> Window {
        RunningServers.add(process)
        let driver = LoopConfined<Driver>.makeDriver()
        let port = process.port
        defer {
            driver.stop()
            RunningServers.stop(process)
        }
        driver.performAndWait { seat($0, port) }
        try driver.waitUntilReady(process)
        if let interval { driver.start(interval: interval) } else { driver.startAtOnce() }
        warmUp(tables, driver) { isSteady(port) }
        let (before, usedBefore, start) = (driver.counted, process.usage, ContinuousClock.now)
        Thread.sleep(forTimeInterval: Double(options.seconds))
        let (count, used) = (driver.counted - before, process.usage - usedBefore)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        guard process.isRunning, count.actions > 0 else {
            throw BenchFailure("the server stopped serving: \(process.isRunning ? "running" : "ended"), \(count)")
        }
        let actions = Double(count.actions)
        return Window(
            cost: used.total / actions, user: used.user / actions, actionsPerSecond: actions / seconds,
            bytes: Double(count.bytes) / actions / 7, count: count)
    }

    /// Plays until each player has sent some twenty lines, which fills the retry caches, histories and shoes of a server in steady
    /// state, and until its one-off work is done. Bounded where the pace is slow.
    private func warmUp(_ tables: Int, _ driver: LoopConfined<Driver>, _ isSteady: () -> Bool) {
        for _ in 0..<60 {
            Thread.sleep(forTimeInterval: 0.5)
            if driver.counted.actions >= 140 * tables, isSteady() { return }
        }
    }

    /// The median of the windows' costs in microseconds, with its parts.
    func cost(_ windows: [Window]) -> String {
        let (total, user) = (median(windows.map(\.cost)) / 1000, median(windows.map(\.user)) / 1000)
        return "\(tenths(total)) (\(tenths(user)) + \(tenths(total - user)))"
    }

    private func report(_ tables: Int, _ servers: [Window], _ floors: [Window]) {
        let ratios = zip(servers, floors).map { $0.cost / $1.cost }
        Console.print(
            column(String(tables), 6) + column(String(Int(median(servers.map(\.actionsPerSecond)))), 11)
                + column(cost(servers), 27)
                + column(cost(floors), 26) + column(hundredths(median(ratios)), 8) + "   "
                + ratios.map(hundredths).joined(separator: " "))
        let (server, floor) = (servers[0].count, floors[0].count)
        Console.print(
            "        \(Int(servers[0].bytes)) bytes to each of 7 per action; "
                + "refused \(server.refused), not their turn \(server.idle), lost \(server.ended); "
                + "the floor: \(Int(floors[0].bytes)) bytes, \(Int(floors[0].actionsPerSecond)) actions/s, lost \(floor.ended)")
    }
}

/// Servers to stop with this program.
enum RunningServers {
    private static let running = Mutex<[MeasuredProcess]>([])

    static func add(_ process: MeasuredProcess) { running.withLock { $0.append(process) } }

    static func stop(_ process: MeasuredProcess) {
        process.stop()
        running.withLock { $0.removeAll { $0 === process } }
    }

    /// Measures from the driver's processor, and stops the servers on every exit.
    static func measure(_ body: () throws(BenchFailure) -> Void) {
        DescriptorLimit.raise()
        guard floor_pin(MeasuredProcess.driverProcessor) == 0 else {
            Console.fail("bjbench", "requires Linux and two processors", status: 69)
        }
        // `exit` on a failed print included.
        atexit { RunningServers.stopAll() }
        let signals = Signals.observe([SIGINT, SIGTERM], on: .global()) { _ in exit(1) }
        do throws(BenchFailure) {
            try body()
        } catch {
            Console.fail("bjbench", error, status: 69)
        }
        withExtendedLifetime(signals) {}
    }

    private static func stopAll() {
        for process in running.withLock({ $0 }) { process.stop() }
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
func hundredths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
func column(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(1, width - text.count)) + text }

/// A message broker that fans out the bytes of a table's diffs. It knows no game.
enum Broker: String, CaseIterable, Sendable {
    case redis = "redis-server"
    case nats = "nats-server"

    /// Of a publication: the average diff of a round at a full table.
    static let payload = String(repeating: "x", count: 230)

    func arguments(port: Int) -> [String] {
        switch self {
        case .redis:
            [
                "--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no",
                "--maxclients", "20000", "--loglevel", "warning",
            ]
        case .nats: ["-a", "127.0.0.1", "-p", String(port)]
        }
    }

    /// Sent by a subscriber; its answer has ``readiness``.
    func subscribe(_ subject: String) -> String {
        switch self {
        case .redis: "SUBSCRIBE \(subject)\r\n"
        case .nats: "CONNECT {\"verbose\":false}\r\nSUB \(subject) 1\r\nPING\r\n"
        }
    }

    /// The end of the answer to a subscription.
    var readiness: String {
        switch self {
        case .redis: ":1\r\n"
        case .nats: "PONG\r\n"
        }
    }

    /// Sent by a publisher before its first publication.
    var greeting: String {
        switch self {
        case .redis: ""
        case .nats: "CONNECT {\"verbose\":false}\r\n"
        }
    }

    func publish(_ subject: String) -> String {
        switch self {
        case .redis:
            "*3\r\n$7\r\nPUBLISH\r\n$\(subject.utf8.count)\r\n\(subject)\r\n$\(Self.payload.utf8.count)\r\n\(Self.payload)\r\n"
        case .nats: "PUB \(subject) \(Self.payload.utf8.count)\r\n\(Self.payload)\r\n"
        }
    }

    /// In the PATH, or in /usr/sbin, where Debian keeps one of them.
    var program: URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/sbin"]
        return folders.map { URL(filePath: $0).appending(path: rawValue) }.first {
            FileManager.default.isExecutableFile(atPath: $0.path)
        }
    }
}

/// Brokers that fan out the bytes of a table, beside `bjserver` playing whole rounds.
struct BrokerComparison {
    struct Options: Sendable {
        var load = ServerComparison.Options()
        var json = false
    }

    /// Medians in microseconds of processor time per action, or per publication.
    private struct Row: Encodable {
        var tables: Int
        var actionsPerSecond: Double
        var costs: [String: Double]
    }

    let options: Options

    func run() {
        let brokers = Broker.allCases.filter { $0.program != nil }
        for broker in Broker.allCases where broker.program == nil {
            Console.printError("SKIPPED: \(broker.rawValue) is not in PATH")
        }
        RunningServers.measure { () throws(BenchFailure) in
            if !options.json {
                Console.print(
                    "µs of processor time per action (user + system)\ntables  actions/s" + column("bjserver", 21)
                        + brokers.map { column($0.rawValue, 21) }.joined())
            }
            var rows: [Row] = []
            for tables in options.load.tables { rows.append(try compare(tables, brokers)) }
            guard options.json, let text = try? JSONEncoder().encode(rows) else { return }
            Console.print(String(decoding: text, as: UTF8.self))
        }
    }

    /// Alternates all, so that disturbances affect each.
    private func compare(_ tables: Int, _ brokers: [Broker]) throws(BenchFailure) -> Row {
        let comparison = ServerComparison(options: options.load)
        let interval = comparison.interval(tables)
        var servers: [ServerComparison.Window] = []
        var windows: [Broker: [ServerComparison.Window]] = [:]
        for _ in 0..<options.load.rounds {
            let server = try comparison.play(tables, interval)
            servers.append(server)
            let pace = max(1, Int64((1000 * Double(tables) / server.actionsPerSecond).rounded()))
            for broker in brokers {
                let process = try start(broker)
                windows[broker, default: []].append(
                    try comparison.measure(tables, pace, process) { driver, port in
                        for subject in (0..<tables).map({ "t\($0)" }) {
                            let publication = Array(broker.publish(subject).utf8)
                            driver.add(
                                FanOutTable(
                                    driver, port, joining: broker.subscribe(subject), readiness: broker.readiness,
                                    greeting: broker.greeting
                                ) { _ in publication })
                        }
                    })
            }
        }
        let all = [servers] + brokers.map { windows[$0] ?? [] }
        if !options.json {
            Console.print(
                column(String(tables), 6) + column(String(Int(median(servers.map(\.actionsPerSecond)))), 11)
                    + all.map { column(comparison.cost($0), 21) }.joined())
        }
        let names = ["bjserver"] + brokers.map(\.rawValue)
        return Row(
            tables: tables, actionsPerSecond: median(servers.map(\.actionsPerSecond)),
            costs: Dictionary(uniqueKeysWithValues: zip(names, all.map { median($0.map(\.cost)) / 1000 })))
    }

    private func start(_ broker: Broker) throws(BenchFailure) -> MeasuredProcess {
        let loop = Loop(label: "bench.port")
        // A port that nobody listens on at the moment.
        let port = try? loop.performAndWait {
            let listener = try Listener(host: "127.0.0.1", port: 0, loop: loop) { _ in }
            defer { listener.close() }
            return listener.address.port
        }
        loop.stop()
        guard let program = broker.program, let port,
            let process = MeasuredProcess(program, broker.arguments(port: port), port: port)
        else { throw BenchFailure("\(broker.rawValue) cannot start") }
        return process
    }
}
