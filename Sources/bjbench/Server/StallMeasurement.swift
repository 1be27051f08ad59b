import CFloor
import CommandLineKit
import Foundation
import Sockets

/// What peers that do not read do to those that do: how long the others wait for what a player did, without them and with them.
struct StallMeasurement {
    struct Options: Sendable {
        var tables = 100
        var stalled = 1000
        var rate = 500
        var seconds = 8
        var pairs = 5
    }

    /// From a player's line to its difference at another player, in microseconds.
    private struct Window {
        var median: Double
        var p99: Double
        var actions: Int
        /// Processor time of the server per action, in microseconds.
        var cost: Double
    }

    private static let limit = 1.10

    let options: Options

    func run() {
        DescriptorLimit.raise()
        guard floor_pin(MeasuredProcess.driverProcessor) == 0 else {
            Console.fail("bjbench", "this needs Linux and two processors", status: 69)
        }
        let signals = Console.onSignals([SIGINT, SIGTERM]) { _ in
            RunningServers.stopAll()
            exit(1)
        }
        do throws(BenchFailure) {
            try compare()
        } catch {
            RunningServers.stopAll()
            Console.fail("bjbench", error, status: 69)
        }
        withExtendedLifetime(signals) {}
    }

    private func compare() throws(BenchFailure) {
        let process = try startServer()
        let driver = Driver()
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
        Console.print("pair   without: p50     p99  CPU/action   with \(options.stalled): p50     p99  CPU/action   ratio of p99")
        var ratios: [Double] = []
        for pair in 1...options.pairs {
            // Now these first, now those: what drifts does so for both.
            let window: (Window, Window)
            if pair % 2 == 1 {
                let without = try measure(driver, process, waits)
                window = (without, try measureStalled(driver, process, waits))
            } else {
                let with = try measureStalled(driver, process, waits)
                window = (try measure(driver, process, waits), with)
            }
            let ratio = window.1.p99 / window.0.p99
            ratios.append(ratio)
            Console.print(
                column(String(pair), 3) + figures(window.0, 15) + figures(window.1, 15 + String(options.stalled).count)
                    + column(hundredths(ratio), 12))
        }
        let figure = median(ratios)
        Console.print(
            "median ratio \(hundredths(figure)): \(figure <= Self.limit ? "within" : "EXCEEDS") \(hundredths(Self.limit))")
        let figures = metrics(process, ["bj_viewers_collapsed_total", "bj_viewers_evicted_total"])
        Console.print("collapsed into one difference: \(figures[0]); closed because they did not read: \(figures[1])")
    }

    private func figures(_ window: Window, _ width: Int) -> String {
        column(String(Int(window.median)), width) + column(String(Int(window.p99)), 8) + column(tenths(window.cost), 12)
    }

    private func startServer() throws(BenchFailure) -> MeasuredProcess {
        // Nobody is closed for not reading while this lasts.
        var arguments = [
            "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--settle", "0s", "--chips", "100000000", "--log", "warning",
            "--stall-timeout", "1h", "--max-connections", String(7 * options.tables + options.stalled + 100),
        ]
        for number in 0..<options.tables { arguments += ["--table", "t\(number)"] }
        guard let folder = Bundle.main.executableURL?.deletingLastPathComponent(),
            let process = MeasuredProcess(folder.appending(path: "bjserver"), arguments, lines: 2)
        else { throw BenchFailure("no bjserver beside this program, or it can't start") }
        RunningServers.add(process)
        return process
    }

    private func seat(_ driver: Driver, _ process: MeasuredProcess) throws(BenchFailure) -> Waits {
        let waits = Waits()
        let (tables, port) = (options.tables, process.port)
        driver.loop.performAndWait {
            for number in 0..<tables {
                let table = PlayedTable("t\(number)", number: number, driver: driver, port: port)
                table.onAnswer = { waits.note($0) }
                driver.add(table)
            }
        }
        var waited = 0
        while try !driver.isReady() {
            waited += 1
            guard process.isRunning, waited < 1200 else { throw BenchFailure("not everybody could be seated") }
            Thread.sleep(forTimeInterval: 0.05)
        }
        return waits
    }

    private func measure(_ driver: Driver, _ process: MeasuredProcess, _ waits: Waits) throws(BenchFailure) -> Window {
        Thread.sleep(forTimeInterval: 1)
        let (before, used) = (driver.counted, process.usage)
        driver.loop.performAndWait { waits.all.removeAll(keepingCapacity: true) }
        Thread.sleep(forTimeInterval: Double(options.seconds))
        let (count, use) = (driver.counted - before, process.usage - used)
        let all = driver.loop.performAndWait { waits.all }.sorted()
        guard process.isRunning, all.count >= 100, count.actions > 0, count.ended == 0 else {
            throw BenchFailure("the server did not last: \(count)")
        }
        return Window(
            median: all[all.count / 2], p99: all[all.count * 99 / 100], actions: count.actions,
            cost: use.total / 1000 / Double(count.actions))
    }

    /// The same with peers that watch and do not read: each asks for the list of tables until more waits for it than it may, before
    /// anything is measured.
    private func measureStalled(_ driver: Driver, _ process: MeasuredProcess, _ waits: Waits) throws(BenchFailure) -> Window {
        var peers: [BlockingPeer] = []
        for number in 0..<options.stalled {
            guard let peer = BlockingPeer(port: process.port, receiveBuffer: 4096) else {
                throw BenchFailure("a peer can't connect")
            }
            peers.append(peer)
            var lines =
                "{\"type\":\"login\",\"name\":\"s\(number)\"}\n{\"type\":\"watch\",\"table\":\"t\(number % options.tables)\"}\n"
            // About 150 KB: what the kernel takes, and some more than makes a peer count as slow.
            for _ in 0..<max(2, 400 / options.tables) { lines += "{\"type\":\"lobby\"}\n" }
            peer.send(lines)
        }
        var waited = 0
        while metrics(process, ["bj_outbound_queue_bytes"])[0] < options.stalled * 20_000 {
            waited += 1
            guard process.isRunning, waited < 100 else { throw BenchFailure("the peers could not be brought to stall") }
            Thread.sleep(forTimeInterval: 0.2)
        }
        return try withExtendedLifetime(peers) { () throws(BenchFailure) in try measure(driver, process, waits) }
    }

    private func metrics(_ process: MeasuredProcess, _ names: [String]) -> [Int] {
        guard let peer = process.otherPorts.first.flatMap({ BlockingPeer(port: $0) }) else { return names.map { _ in 0 } }
        peer.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let lines = String(decoding: peer.receiveAll(), as: UTF8.self).split(whereSeparator: \.isNewline)
        return names.map { name in
            lines.first { $0.hasPrefix(name + " ") }.flatMap { Int($0.dropFirst(name.count + 1)) } ?? 0
        }
    }
}

/// How long players have waited, in microseconds.
private final class Waits: @unchecked Sendable {  // touched on the driver's loop alone
    var all: [Double] = []

    func note(_ duration: Duration) { all.append(duration / .microseconds(1)) }
}
