import CommandLineKit
import EventStreams
import Foundation
import Sockets

/// Measurements of the libraries.
enum LibraryMeasurements {
    /// - Parameter filter: substring of names to measure; empty for all.
    static func run(filter: String, json: Bool) {
        var count = 0
        var report = BenchReport()
        let bench = Bench(filter: filter) { measurement in
            count += 1
            guard !json else { return report.measurements.append(measurement) }
            let median = tenths(measurement.median)
            let gap = String(repeating: " ", count: max(1, 90 - measurement.name.count - median.count))
            let verdict = measurement.limit.map { measurement.least <= $0 ? ", within \(tenths($0))" : ", EXCEEDS \(tenths($0))" }
            // Avoids rounding a few allocations to none.
            let allocations =
                measurement.allocations == 0
                ? "no" : measurement.allocations < 0.1 ? "below 0.1" : tenths(measurement.allocations)
            Console.print(
                "\(measurement.name)\(gap)\(median) ns  (\(tenths(measurement.least))\(verdict ?? ""); \(allocations) allocations)"
            )
        }
        measureSnapshots(bench)
        StreamMeasurements.run(bench)
        TableMeasurements.run(bench)
        WireMeasurements.run(bench)
        RecordMeasurements.run(bench)
        ShardMeasurements.run(bench)
        SocketMeasurements.run(bench)
        if json, count > 0 { Console.print(report.json) }
        guard count == 0 else { return }
        Console.fail(
            "bjbench",
            "no measurement contains '\(filter.unicodeScalars.map { $0.escaped(asASCII: false) }.joined())'; names begin with "
                + "\(bench.skipped.groups.joined(separator: ", ")).\nTry 'bjbench --help'.", status: UsageError.exitStatus)
    }
}

/// Measures the cost of sending, kernel included.
enum SocketMeasurements {
    static func run(_ bench: Bench) {
        guard bench.mayMeasure("sockets:") else { return }
        let (loop, peers) = (Loop(label: "bench.table"), Loop(label: "bench.seats"))
        let accepted = LoopConfined(sending: Connections(), on: loop)
        let connected = LoopConfined(sending: Connections(), on: peers)
        let listening = accepted.performAndWait { accepted in
            try? Listener(host: "127.0.0.1", port: 0, loop: loop) { accepted.add($0) }.address.port
        }
        guard let port = listening else { return }
        connected.performAndWait { connected in
            for _ in 1...7 {
                Connector.connect(host: "127.0.0.1", port: port, loop: peers) { result in
                    if case .success(let connection) = result { connected.add(connection) }
                }
            }
        }
        while accepted.performAndWait({ $0.all.count }) < 7 {}
        let line = [UInt8](repeating: UInt8(ascii: "-"), count: 230)
        bench.measure("sockets: a tick with nothing to do", calls: 1000) { loop.performAndWait {} }
        bench.measure("sockets: a line to each of seven connections", calls: 1000) {
            accepted.performAndWait { for connection in $0.all { connection.send(line) } }
        }
        loop.stop()
        peers.stop()
    }

    /// One side's connections. Confined to its loop.
    private final class Connections: ConnectionHandler {
        private(set) var all: [Connection] = []

        func add(_ connection: Connection) {
            connection.handler = self
            all.append(connection)
        }

        func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {}
        func connection(_ connection: Connection, endedBy reason: EndReason) {}
    }
}

/// Measures the cost per value through a stream.
enum StreamMeasurements {
    /// A sink's target with free writes, so that only the stream is measured.
    private final class Scale {
        let total = UnsafeMutablePointer<Int>.allocate(capacity: 1)

        init() {
            total.initialize(to: 0)
        }

        deinit {
            total.deallocate()
        }
    }

    /// - Parameter values: values per run; of a hundred runs some go undisturbed.
    static func run(_ bench: Bench, values: Int = 100_000) {
        chain("subject to sink", limit: 20, values, bench) { subject, total in subject.sink { total.pointee &+= $0 } }
        chain("map, filter, map, sink", limit: 40, values, bench) { subject, total in
            subject.map { $0 &* 6 }.filter { $0 & 1 == 0 }.map { $0 &+ 1 }.sink { total.pointee &+= $0 }
        }
        hundredSinks(values / 50, bench)
        reentrant(values / 4, bench)
        chain("map, erased, filter, erased, sink", limit: nil, values, bench) { subject, total in
            subject.map { $0 &* 6 }.eraseToAnyPublisher().filter { $0 & 1 == 0 }.eraseToAnyPublisher()
                .sink { total.pointee &+= $0 }
        }
        chain("merge, sink", limit: 150, values / 10, bench) { subject, total in
            subject.merge(with: PassthroughSubject<Int, Never>()).sink { total.pointee &+= $0 }
        }
        // The cost of `receive(on:)` itself, without a queue.
        chain("receive(on:), sink", limit: 400, values / 10, bench) { subject, total in
            subject.receive(on: ImmediateScheduler.shared).sink { total.pointee &+= $0 }
        }
    }

    private static func chain(
        _ name: String, limit: Double?, _ values: Int, _ bench: Bench,
        _ connect: (PassthroughSubject<Int, Never>, UnsafeMutablePointer<Int>) -> AnyCancellable
    ) {
        let (subject, scale) = (PassthroughSubject<Int, Never>(), Scale())
        let cancellable = connect(subject, scale.total)
        defer { cancellable.cancel() }
        measure(bench, name, limit: limit, values) { for value in 0..<$0 { subject.send(value) } }
    }

    private static func hundredSinks(_ values: Int, _ bench: Bench) {
        let (subject, scale) = (PassthroughSubject<Int, Never>(), Scale())
        let total = scale.total
        let cancellables = (0..<100).map { _ in subject.sink { total.pointee &+= $0 } }
        defer { for cancellable in cancellables { cancellable.cancel() } }
        measure(bench, "one subject to 100 sinks", limit: 1_000, values) { for value in 0..<$0 { subject.send(value) } }
    }

    /// Sends each value from within the previous one.
    private static func reentrant(_ values: Int, _ bench: Bench) {
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = subject.sink { if $0 > 0 { subject.send($0 &- 1) } }
        defer { cancellable.cancel() }
        measure(bench, "sent from within", limit: nil, values) { subject.send($0) }
    }

    private static func measure(_ bench: Bench, _ name: String, limit: Double?, _ values: Int, _ send: (Int) -> Void) {
        bench.measure("stream: \(name)", runs: 100, calls: 1, per: values, limit: limit) { send(values) }
    }
}
