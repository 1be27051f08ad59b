import CBenchmarks
import CommandLineKit
import Foundation
import Sockets

/// The effect of peers that do not read on those that do: latency of a diff with and without them.
struct StallMeasurement {
    struct Options: Sendable {
        var tables = 100
        var stalled = 1000
        var rate = 500
        var seconds = 8
        var pairs = 5
    }

    /// From a player's line to its diff at another player, in microseconds.
    private struct Window {
        var median: Double
        /// One per second: the median discards disturbed seconds.
        var p99s: [Double]
        /// Server processor time per action, in microseconds.
        var cost: Double
    }

    private static let limit = 1.10

    let options: Options

    func run() { RunningServers.measure(compare) }

    private func compare() throws(BenchFailure) {
        let process = try startServer()
        let driver = LoopConfined<Driver>.makeDriver()
        defer {
            driver.stop()
            RunningServers.stop(process)
        }
        let waits = try seat(driver, process)
        driver.start(interval: Int64(max(1, 1000 * options.tables / options.rate)))
        Thread.sleep(forTimeInterval: 2)
        Console.print(
            "\(options.tables) tables of seven, \(options.rate) actions/s; microseconds from an action to its difference at another player"
        )
        Console.print("pair   without: p50     p99  CPU/action   with \(options.stalled): p50     p99  CPU/action")
        var (without, with): ([Window], [Window]) = ([], [])
        var waiting = 0
        var peers: [BlockingPeer] = []
        for pair in 1...options.pairs {
            // Alternates the order within pairs: drift affects both sides.
            if pair % 2 == 1 {
                without.append(try measure(driver, process, waits))
                peers = try stall(process)
                with.append(try measure(driver, process, waits))
            } else {
                with.append(try measure(driver, process, waits))
                waiting = queuedBytes(process)
                peers.removeAll()
                without.append(try measure(driver, process, waits))
            }
            Console.print(
                column(String(pair), 3) + figures(without[pair - 1], 15)
                    + figures(with[pair - 1], 15 + String(options.stalled).count))
        }
        if !peers.isEmpty { waiting = queuedBytes(process) }
        withExtendedLifetime(peers) {}
        let ratio = median(with.flatMap(\.p99s)) / median(without.flatMap(\.p99s))
        Console.print(
            "99th percentiles of all seconds, their median: \(Int(median(without.flatMap(\.p99s)))) without, "
                + "\(Int(median(with.flatMap(\.p99s)))) with; ratio \(hundredths(ratio)), "
                + "\(ratio <= Self.limit ? "within" : "EXCEEDS") \(hundredths(Self.limit))")
        Console.print(
            "processor time per action, with ÷ without: \(hundredths(median(with.map(\.cost)) / median(without.map(\.cost)))); "
                + "bytes queued for peers that do not read: \(waiting)")
    }

    private func figures(_ window: Window, _ width: Int) -> String {
        column(String(Int(window.median)), width) + column(String(Int(bjbench.median(window.p99s))), 8)
            + column(tenths(window.cost), 12)
    }

    private func startServer() throws(BenchFailure) -> MeasuredProcess {
        // Time-outs longer than the measurement.
        var arguments = [
            "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--settle", "0s", "--chips", "100000000", "--log", "warning",
            "--stall-timeout", "1h", "--request-burst", "2000", "--max-connections",
            String(7 * options.tables + options.stalled + 100),
        ]
        for number in 0..<options.tables { arguments += ["--table", "t\(number)"] }
        guard let folder = Bundle.main.executableURL?.deletingLastPathComponent(),
            let process = MeasuredProcess(folder.appending(path: "bjserver"), arguments, lines: 2)
        else { throw BenchFailure("bjserver is not beside this program, or cannot start") }
        RunningServers.add(process)
        return process
    }

    private func seat(
        _ driver: LoopConfined<Driver>, _ process: MeasuredProcess
    ) throws(BenchFailure) -> LoopConfined<Waits> {
        let waits = LoopConfined(sending: Waits(), on: driver.loop)
        let (tables, port) = (options.tables, process.port)
        driver.performAndWait { driver in
            let waits = waits.value
            for number in 0..<tables {
                let table = PlayedTable("t\(number)", number: number, driver: driver, port: port)
                table.onAnswer = { waits.note($0) }
                driver.add(table)
            }
        }
        try driver.waitUntilReady(process)
        return waits
    }

    private func measure(
        _ driver: LoopConfined<Driver>, _ process: MeasuredProcess, _ waits: LoopConfined<Waits>
    ) throws(BenchFailure) -> Window {
        Thread.sleep(forTimeInterval: 1)
        let (before, used) = (driver.counted, process.usage)
        waits.performAndWait { $0.all.removeAll(keepingCapacity: true) }
        var slices: [[Double]] = []
        for _ in 0..<options.seconds {
            Thread.sleep(forTimeInterval: 1)
            slices.append(
                waits.performAndWait { waits in
                    defer { waits.all.removeAll(keepingCapacity: true) }
                    return waits.all.sorted()
                })
        }
        let (count, use) = (driver.counted - before, process.usage - used)
        slices.removeAll { $0.count < 20 }
        guard process.isRunning, !slices.isEmpty, count.actions > 0, count.ended == 0 else {
            throw BenchFailure("the server did not last: \(count)")
        }
        let all = slices.flatMap(\.self).sorted()
        return Window(
            median: all[all.count / 2], p99s: slices.map { $0[$0.count * 99 / 100] },
            cost: use.total / 1000 / Double(count.actions))
    }

    /// Connects peers that watch without reading: each requests the whole table until its backlog exceeds the limit.
    private func stall(_ process: MeasuredProcess) throws(BenchFailure) -> [BlockingPeer] {
        var peers: [BlockingPeer] = []
        for number in 0..<options.stalled {
            guard let peer = BlockingPeer(port: process.port, receiveBuffer: 4096) else {
                throw BenchFailure("a peer cannot connect")
            }
            peers.append(peer)
            // More than 100 KB: the kernel's buffer and the server's backlog limit.
            let watch = "{\"type\":\"watch\",\"table\":\"t\(number % options.tables)\"}\n"
            peer.send("{\"type\":\"login\",\"name\":\"s\(number)\"}\n" + String(repeating: watch, count: 100))
            // In batches: the games continue meanwhile.
            if number % 20 == 19 { Thread.sleep(forTimeInterval: 0.05) }
        }
        var waited = 0
        while queuedBytes(process) < options.stalled * 20_000 {
            waited += 1
            guard process.isRunning, waited < 600 else { throw BenchFailure("the peers could not be brought to stall") }
            Thread.sleep(forTimeInterval: 0.2)
        }
        return peers
    }

    /// Bytes queued for peers that do not read; 0 without an answer.
    private func queuedBytes(_ process: MeasuredProcess) -> Int {
        guard let peer = process.otherPorts.first.flatMap({ BlockingPeer(port: $0) }) else { return 0 }
        peer.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let name = "bj_outbound_queue_bytes "
        let lines = String(decoding: peer.receiveAll(), as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.first { $0.hasPrefix(name) }.flatMap { Int($0.dropFirst(name.count)) } ?? 0
    }
}

/// Latencies, in microseconds. Confined to the driver's loop.
final class Waits {
    var all: [Double] = []

    func note(_ duration: Duration) { all.append(duration / .microseconds(1)) }
}
