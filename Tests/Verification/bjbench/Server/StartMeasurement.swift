import CBenchmarks
import CommandLineKit
import Fairness
import Foundation
import Journal
import Records
import Sockets
import TableEngine

/// The startup time of bjserver.
struct StartMeasurement {
    struct Options: Sendable {
        var runs = 20
        var tables = 1
        var accounts = 100_000
    }

    /// Milliseconds from the start of the process.
    private struct Start {
        /// Until it prints `listening`.
        var listening: Double
        /// Until a peer that connects then receives the first byte of `hello`.
        var hello: Double
        /// Processor time until it listens: startup on an idle machine.
        var processor: Double
    }

    private static let limit = 50.0

    let options: Options

    func run() {
        guard let folder = Bundle.main.executableURL?.deletingLastPathComponent() else { return }
        let server = folder.appending(path: "bjserver")
        let data = FileManager.default.temporaryDirectory.appending(path: "bjbench-start-\(getpid())")
        defer { try? FileManager.default.removeItem(at: data) }
        do { try fill(data.path) } catch { Console.fail("bjbench", "\(error)", status: 74) }
        var (starts, full, loads): ([Start], [Start], [Double]) = ([], [], [])
        // Skips the first run, which may read the program from disk.
        for run in 0...options.runs {
            guard let start = start(server, "none"), let fullStart = self.start(server, data.path), let load = load(server) else {
                try? FileManager.default.removeItem(at: data)
                Console.fail("bjbench", "bjserver is not beside this program, or cannot start", status: 69)
            }
            guard run > 0 else { continue }
            starts.append(start)
            full.append(fullStart)
            loads.append(load)
        }
        let (listening, hello) = (starts.map(\.listening), starts.map(\.hello))
        let verdict = median(listening) <= Self.limit ? "within" : "EXCEEDS"
        Console.print(
            "bjserver with \(options.tables) \(options.tables == 1 ? "table" : "tables"), \(options.runs) starts, milliseconds:")
        Console.print("  start → listening      \(spread(listening))   (median \(verdict) \(Int(Self.limit)))")
        Console.print(
            "  its processor time     \(spread(starts.map(\.processor)))   about the time on an idle machine")
        Console.print("  start → first of hello \(spread(hello))")
        Console.print("  with \(options.accounts) accounts, first of hello \(spread(full.map(\.hello)))")
        Console.print("  bjserver --version     \(spread(loads))   loads the program, prints a line and exits")
    }

    /// Makes a data folder with all accounts in a checkpoint, as a long run leaves it.
    private func fill(_ path: String) throws {
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        let folder = try JournalFolder(locking: FileStorage(path: path, creating: true))
        let log = try DurableLog(
            folder, continuing: JournalEnd(), house: 1, configuration: JournalConfiguration(),
            callbacks: DurableLog.Callbacks(failed: { Console.fail("bjbench", "\($0)", status: 74) }))
        let last = log.append(Record.started(time: now, version: Release.version).encoded())
        log.waitUntilDurable(last)
        var state = SavedState(house: "0000000000000001")
        for id in 1...options.accounts {
            let secret = SHA256.hash("\(id)".utf8)
            try state.apply(.account(PlayerID(id), name: "player\(id)", isBot: false, secret: secret, chips: 1000, time: now))
        }
        var lines: [UInt8] = []
        state.writeCheckpoint(sequence: last) { lines += copy $0 }
        try folder.writeCheckpoint(at: last) { writer throws(JournalError) in try writer.append(lines) }
        log.close()
    }

    private func spread(_ values: [Double]) -> String {
        "median" + column(tenths(median(values)), 6) + "   most" + column(tenths(values.max() ?? 0), 6)
    }

    private func start(_ program: URL, _ data: String) -> Start? {
        var arguments = ["--listen", "127.0.0.1:0", "--log", "warning", "--data", data, "--max-accounts", "2000000"]
        for table in 0..<options.tables { arguments += ["--table", "t\(table)"] }
        let process = Process()
        let output = process.prepare(program, arguments)
        let begin = ContinuousClock.now
        guard (try? process.run()) != nil else { return nil }
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        let line = String(decoding: output.fileHandleForReading.availableData.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let listening = ContinuousClock.now
        let processor = Double(floor_processor_time(process.processIdentifier)) / 1e6
        guard let port = line.split(separator: ":").last.flatMap({ Int($0) }),
            let peer = try? BlockingSocket.connect(host: "127.0.0.1", port: port, by: .after(60_000)),
            (try? peer.receive(by: .after(60_000)) { _ in }) ?? 0 > 0
        else { return nil }
        return Start(listening: milliseconds(listening - begin), hello: milliseconds(.now - begin), processor: processor)
    }

    private func load(_ program: URL) -> Double? {
        let process = Process()
        let output = process.prepare(program, ["--version"])
        let begin = ContinuousClock.now
        guard (try? process.run()) != nil else { return nil }
        guard !output.fileHandleForReading.availableData.isEmpty else { return nil }
        let end = ContinuousClock.now
        process.waitUntilExit()
        return milliseconds(end - begin)
    }

    private func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }
}
