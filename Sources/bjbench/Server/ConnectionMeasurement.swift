import CBenchmarks
import CommandLineKit
import Foundation
import Sockets

/// The cost of an idle connection: resident memory and wake-ups.
struct ConnectionMeasurement {
    struct Options: Sendable {
        var count = 18_000
        var seconds = 3
    }

    static let peersVariable = "BJ_BENCH_PEERS"
    private static let limit = 4096

    let options: Options

    /// The accepted side is this process, the peers are another one: both have a limit on descriptors.
    func run() {
        let most = DescriptorLimit.raise()
        guard most >= options.count + 100 else {
            Console.fail("bjbench", "this process is limited to \(most) open descriptors", status: 69)
        }
        let loop = Loop(label: "bench.connections")
        let echo = LoopConfined(sending: Echo(), on: loop)
        let listening = Result { () throws(SocketError) in try listen(echo) }
        guard case .success(let port) = listening, let peers = Peers(port: port, count: options.count) else {
            Console.fail("bjbench", "the connections cannot be made on this machine", status: 69)
        }
        // The first thousand cover one-time costs: queues, buffers, first growth of tables.
        let warm = min(1000, options.count / 10)
        guard wait(for: warm, echo, peers) else { peers.fail() }
        let before = residentBytes()
        guard wait(for: options.count, echo, peers) else { peers.fail() }
        Thread.sleep(forTimeInterval: 0.5)
        let each = Double(residentBytes() - before) / Double(options.count - warm)
        let idleBefore = ProcessUse()
        Thread.sleep(forTimeInterval: Double(options.seconds))
        let idle = ProcessUse() - idleBefore
        peers.stop()
        let verdict = Int(each) <= Self.limit ? "within" : "EXCEEDS"
        Console.print(
            "\(options.count) connections, each of which has sent a line and got one: \(Int(each.rounded())) bytes resident each, "
                + "\(verdict) \(Self.limit)")
        Console.print(
            "idle for \(options.seconds) s: \(idle.microseconds) µs of processor time, \(idle.wakeups) wake-ups of all threads")
    }

    private func listen(_ echo: LoopConfined<Echo>) throws(SocketError) -> Int {
        let loop = echo.loop
        let result = echo.performAndWait { echo -> Result<Int, SocketError> in
            Result { () throws(SocketError) in
                try Listener(host: "127.0.0.1", port: 0, loop: loop) { connection in
                    connection.handler = echo
                    echo.connections.append(connection)
                }.address.port
            }
        }
        return try result.get()
    }

    private func wait(for count: Int, _ echo: LoopConfined<Echo>, _ peers: Peers) -> Bool {
        for _ in 0..<600 {
            if echo.performAndWait({ $0.lines }) >= count { return true }
            guard peers.isRunning else { return false }
            Thread.sleep(forTimeInterval: 0.05)
        }
        return false
    }

    private func residentBytes() -> Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return (pages.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Answers each line with one as long as a table's diff. Confined to its loop.
    private final class Echo: ConnectionHandler {
        var connections: [Connection] = []
        private(set) var lines = 0
        private let answer = [UInt8](repeating: UInt8(ascii: "-"), count: 230)

        func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
            lines += 1
            connection.send(answer)
        }

        func connection(_ connection: Connection, endedBy reason: EndReason) {}
    }

    /// The peer process.
    private struct Peers {
        private let process = Process()
        private let input = Pipe()

        init?(port: Int, count: Int) {
            process.executableURL = Bundle.main.executableURL
            process.environment = [peersVariable: "\(port),\(count)"]
            process.standardInput = input
            guard (try? process.run()) != nil else { return nil }
        }

        var isRunning: Bool { process.isRunning }

        func stop() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }

        func fail() -> Never {
            process.terminate()
            Console.fail("bjbench", "the peers cannot connect", status: 69)
        }
    }
}

/// The peer side of ``ConnectionMeasurement``, run by this program.
enum PeerProcess {
    private final class Peer: ConnectionHandler {
        func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {}
        func connection(_ connection: Connection, endedBy reason: EndReason) {}
    }

    /// Confined to its loop.
    private final class Crowd {
        private let loop: Loop
        private let port: Int
        private var left: Int
        private let peer = Peer()
        private var connections: [Connection] = []

        init(_ loop: Loop, port: Int, count: Int) {
            (self.loop, self.port, left) = (loop, port, count)
        }

        func connectNext() {
            guard left > 0 else { return }
            left -= 1
            Connector.connect(host: "127.0.0.1", port: port, loop: loop, timeout: 60_000) { [self] result in
                guard case .success(let connection) = result else { exit(1) }
                connection.handler = peer
                connections.append(connection)
                connection.send(Array("{\"type\":\"ping\"}\n".utf8))
                connectNext()
            }
        }
    }

    /// Connects and stays until the other process is done, if the environment asks for it.
    static func runIfAsked() {
        guard let setting = ProcessInfo.processInfo.environment[ConnectionMeasurement.peersVariable] else { return }
        let numbers = setting.split(separator: ",").compactMap { Int($0) }
        guard numbers.count == 2 else {
            Console.fail("bjbench", "\(ConnectionMeasurement.peersVariable) is set by bjbench only", status: 64)
        }
        DescriptorLimit.raise()
        let loop = Loop(label: "bench.peers")
        loop.performAndWait {
            let crowd = Crowd(loop, port: numbers[0], count: numbers[1])
            for _ in 0..<50 { crowd.connectNext() }
        }
        _ = try? FileHandle.standardInput.readToEnd()
        exit(0)
    }
}

/// Resource usage of this process.
struct ProcessUse {
    /// Processor time, user and system.
    var microseconds: Int
    /// Voluntary context switches.
    var wakeups: Int

    init() {
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        let (user, system) = (usage.ru_utime, usage.ru_stime)
        microseconds = (Int(user.tv_sec) + Int(system.tv_sec)) * 1_000_000 + Int(user.tv_usec) + Int(system.tv_usec)
        wakeups = Int(usage.ru_nvcsw)
    }

    static func - (later: ProcessUse, earlier: ProcessUse) -> ProcessUse {
        var difference = later
        difference.microseconds -= earlier.microseconds
        difference.wakeups -= earlier.wakeups
        return difference
    }
}
