import CommandLineKit
import Foundation

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
        var tables = [10, 100, 1000]
        var seconds = 5
        var rounds = 3
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
            Console.printError("SKIPPED: \(broker.rawValue) is not in the PATH")
        }
        RunningServers.measure { () throws(BenchFailure) in
            if !options.json {
                Console.print(
                    "µs of processor time per action (user + system)\ntables  actions/s" + column("bjserver", 21)
                        + brokers.map { column($0.rawValue, 21) }.joined())
            }
            var rows: [Row] = []
            for tables in options.tables { rows.append(try compare(tables, brokers)) }
            guard options.json, let text = try? JSONEncoder().encode(rows) else { return }
            Console.print(String(decoding: text, as: UTF8.self))
        }
    }

    /// Alternates all, so that disturbances affect each.
    private func compare(_ tables: Int, _ brokers: [Broker]) throws(BenchFailure) -> Row {
        var settings = ServerComparison.Options()
        (settings.seconds, settings.rounds) = (options.seconds, options.rounds)
        let comparison = ServerComparison(options: settings)
        let interval = comparison.interval(tables)
        var servers: [ServerComparison.Window] = []
        var windows: [Broker: [ServerComparison.Window]] = [:]
        for _ in 0..<options.rounds {
            let server = try comparison.play(tables, interval, try comparison.startServer(tables, ["--data", "none"]))
            servers.append(server)
            let pace = max(1, Int64((1000 * Double(tables) / server.actionsPerSecond).rounded()))
            for broker in brokers {
                let process = try start(broker)
                windows[broker, default: []].append(
                    try comparison.measure(tables, pace, process) { driver, port, _ in
                        for number in 0..<tables { driver.add(BrokerTable(broker, number, driver, port)) }
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
        let port = BlockingPeer.freePort
        guard let program = broker.program, let port,
            let process = MeasuredProcess(program, broker.arguments(port: port), port: port)
        else { throw BenchFailure("\(broker.rawValue) cannot start") }
        RunningServers.add(process)
        return process
    }
}

/// Seven subscribers and a publisher at a broker.
final class BrokerTable: DrivenTable {
    private let publication: [UInt8]
    private unowned let driver: Driver
    private var seats: [DriverSeat] = []
    private var publisher: DriverSeat?
    private var ready = 0
    var onChange: (() -> Void)?

    init(_ broker: Broker, _ number: Int, _ driver: Driver, _ port: Int) {
        publication = Array(broker.publish("t\(number)").utf8)
        self.driver = driver
        let (readiness, last) = (Array(broker.readiness.utf8), broker.readiness.utf8.count)
        for _ in 1...7 {
            driver.connect(to: port) { [unowned self] connection in
                var isNew = true
                seats.append(
                    DriverSeat(connection, driver) { [unowned self] bytes in
                        guard isNew, bytes.count >= last, bytes[(bytes.count - last)...].elementsEqual(readiness) else { return }
                        isNew = false
                        ready += 1
                    })
                connection.send(Array(broker.subscribe("t\(number)").utf8))
            }
        }
        driver.connect(to: port) { [unowned self] connection in
            publisher = DriverSeat(connection, driver)
            if !broker.greeting.isEmpty { connection.send(Array(broker.greeting.utf8)) }
        }
    }

    var isReady: Bool { ready == 7 && publisher != nil }

    func act() -> Bool {
        publisher?.connection.send(publication)
        return true
    }
}
