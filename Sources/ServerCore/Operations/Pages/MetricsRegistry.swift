import Foundation
import Synchronization

/// The metrics and their Prometheus names. Filled at startup, rendered at each scrape.
///
/// An invalid name is a programmer's error and traps.
public final class MetricsRegistry: Sendable {
    /// One line: name suffix, labels, value.
    struct Sample {
        var suffix = ""
        var labels: [(name: String, value: String)] = []
        let value: Decimal
    }

    struct Family: Sendable {
        let name: String
        let help: String
        let type: String
        let samples: @Sendable () -> [Sample]
    }

    private let families = Mutex<[Family]>([])
    private let beforeScrape = Mutex<[@Sendable () -> Void]>([])

    public init() {}

    /// Registers an update before each scrape, for values cheaper to read than to count.
    func beforeEachScrape(_ update: @escaping @Sendable () -> Void) { beforeScrape.withLock { $0.append(update) } }

    /// Adds a counter.
    /// - Parameters:
    ///   - name: ends in `_total`, in base units (seconds, bytes).
    ///   - digits: decimal digits from the counter's unit to the base unit: 9 for nanoseconds.
    @discardableResult
    public func counter(_ name: String, _ help: String, digits: Int = 0, _ counter: Counter = Counter()) -> Counter {
        precondition(name.hasSuffix("_total"), "\(name): a counter's name ends in _total")
        add(name, help, "counter") { [Sample(value: Decimal(value: counter.value, digits: digits))] }
        return counter
    }

    /// Adds a counter per value of a label.
    @discardableResult
    public func counters<Label: MetricLabel>(
        _ name: String, _ help: String, label: String, _ family: CounterFamily<Label> = CounterFamily<Label>()
    ) -> CounterFamily<Label> {
        precondition(name.hasSuffix("_total"), "\(name): a counter's name ends in _total")
        check(label: label)
        add(name, help, "counter") {
            Label.allCases.map {
                Sample(labels: [(label, $0.labelValue)], value: Decimal(value: family[$0].value, digits: 0))
            }
        }
        return family
    }

    @discardableResult
    public func gauge(_ name: String, _ help: String, digits: Int = 0, _ gauge: Gauge = Gauge()) -> Gauge {
        precondition(!name.hasSuffix("_total"), "\(name): a gauge's name does not end in _total")
        add(name, help, "gauge") { [Sample(value: Decimal(value: gauge.value, digits: digits))] }
        return gauge
    }

    /// Adds a gauge per value of a label.
    @discardableResult
    public func gauges<Label: MetricLabel>(
        _ name: String, _ help: String, label: String, _ family: GaugeFamily<Label> = GaugeFamily<Label>()
    ) -> GaugeFamily<Label> {
        precondition(!name.hasSuffix("_total"), "\(name): a gauge's name does not end in _total")
        check(label: label)
        add(name, help, "gauge") {
            Label.allCases.map {
                Sample(labels: [(label, $0.labelValue)], value: Decimal(value: family[$0].value, digits: 0))
            }
        }
        return family
    }

    /// Adds a constant gauge of 1 that carries information in its labels.
    public func info(_ name: String, _ help: String, labels: [(name: String, value: String)]) {
        precondition(name.hasSuffix("_info"), "\(name): an info metric's name ends in _info")
        for (label, _) in labels { check(label: label) }
        add(name, help, "gauge") { [Sample(labels: labels, value: Decimal(value: 1, digits: 0))] }
    }

    /// Adds a histogram.
    /// - Parameter digits: decimal digits from the unit of the observations to the base unit.
    @discardableResult
    public func histogram(_ name: String, _ help: String, digits: Int = 0, _ histogram: Histogram) -> Histogram {
        add(name, help, "histogram") {
            let counts = histogram.counts
            var total = 0
            var samples: [Sample] = []
            for (bound, count) in zip(histogram.bounds, counts) {
                total += count
                let text = Decimal(value: bound, digits: digits).description
                samples.append(Sample(suffix: "_bucket", labels: [("le", text)], value: Decimal(value: total, digits: 0)))
            }
            total += counts[counts.count - 1]
            samples.append(Sample(suffix: "_bucket", labels: [("le", "+Inf")], value: Decimal(value: total, digits: 0)))
            samples.append(Sample(suffix: "_sum", value: Decimal(value: histogram.sum, digits: digits)))
            // Computed from the buckets, so that count and last bucket agree.
            samples.append(Sample(suffix: "_count", value: Decimal(value: total, digits: 0)))
            return samples
        }
        return histogram
    }

    /// Registered names, in order.
    public var names: [String] { families.withLock { $0.map(\.name) } }

    /// All families, in order of registration.
    func collect() -> [Family] {
        for update in beforeScrape.withLock({ $0 }) { update() }
        return families.withLock { $0 }
    }

    private func check(label: String) {
        precondition(
            Self.isName(label, allowsColon: false) && label != "le" && !label.hasPrefix("__"), "\(label) is not a valid label")
    }

    private func add(_ name: String, _ help: String, _ type: String, _ samples: @escaping @Sendable () -> [Sample]) {
        precondition(Self.isName(name, allowsColon: true), "\(name) is not a valid metric name")
        precondition(!help.isEmpty, "\(name) needs help")
        families.withLock { families in
            precondition(!families.contains { $0.name == name }, "\(name) is already registered")
            families.append(Family(name: name, help: help, type: type, samples: samples))
        }
    }

    private static func isName(_ name: String, allowsColon: Bool) -> Bool {
        guard let first = name.utf8.first, !(48...57).contains(first) else { return false }
        return name.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (97...122).contains(byte | 0x20) || byte == UInt8(ascii: "_")
                || (allowsColon && byte == UInt8(ascii: ":"))
        }
    }

    // MARK: Text

    /// All metrics in Prometheus's text format, version 0.0.4.
    public var text: String {
        var text = ""
        for family in collect() {
            text += "# HELP \(family.name) \(Self.escaped(help: family.help))\n# TYPE \(family.name) \(family.type)\n"
            for sample in family.samples() {
                text += family.name + sample.suffix
                if !sample.labels.isEmpty {
                    let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped(label: $0.value))\"" }
                    text += "{\(labels.joined(separator: ","))}"
                }
                text += " \(sample.value)\n"
            }
        }
        return text
    }

    /// Help texts escape line breaks.
    static func escaped(help: String) -> String { escaped(help, quotes: false) }

    /// Label values escape quotes as well.
    static func escaped(label: String) -> String { escaped(label, quotes: true) }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\"" where quotes: "\\\""
            default: String(scalar)
            }
        }.joined()
    }
}

// Relaxed atomics: no memory access is ordered by them. Loop-confined values would save a few nanoseconds per increment, but a
// scrape would wait for every loop, stuck ones included.

/// A monotonic count: events, bytes, seconds. Starts at 0.
public final class Counter: Sendable {
    private let cell = Atomic<Int>(0)

    public init() {}

    public var value: Int { cell.load(ordering: .relaxed) }

    /// - Parameter amount: 0 or more.
    public func add(_ amount: Int = 1) {
        precondition(amount >= 0, "a counter only grows")
        cell.wrappingAdd(amount, ordering: .relaxed)
    }
}

/// A value that rises and falls. Starts at 0.
public final class Gauge: Sendable {
    private let cell = Atomic<Int>(0)

    public init() {}

    public var value: Int { cell.load(ordering: .relaxed) }
    public func set(_ value: Int) { cell.store(value, ordering: .relaxed) }
    public func add(_ amount: Int) { cell.wrappingAdd(amount, ordering: .relaxed) }
}

/// A distribution over fixed buckets.
public final class Histogram: Sendable {
    /// Inclusive upper bounds of all buckets but the last, ascending; the last is unbounded.
    public let bounds: [Int]
    private let cells: Cells

    /// - Parameter bounds: ascending, at least one, in the unit of the observations.
    public init(bounds: [Int]) {
        precondition(!bounds.isEmpty && zip(bounds, bounds.dropFirst()).allSatisfy(<), "bounds ascend")
        self.bounds = bounds
        // One per bucket including the unbounded one, then the sum.
        cells = Cells(count: bounds.count + 2)
    }

    /// Records a value, 0 or more.
    public func observe(_ value: Int) {
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        cells.add(1, at: bucket)
        cells.add(max(0, value), at: bounds.count + 1)
    }

    /// Values per bucket (not cumulative), the unbounded one included.
    public var counts: [Int] { (0...bounds.count).map { cells.load($0) } }

    /// Sum of all values.
    public var sum: Int { cells.load(bounds.count + 1) }
}

/// Atomics in one allocation.
final class Cells: @unchecked Sendable {  // `buffer` is immutable, and its elements are atomics
    private let buffer: UnsafeMutableBufferPointer<Atomic<Int>>

    init(count: Int) {
        buffer = .allocate(capacity: count)
        for index in 0..<count { (buffer.baseAddress! + index).initialize(to: Atomic(0)) }  // count is at least 1
    }

    deinit {
        buffer.deinitialize()
        buffer.deallocate()
    }

    func add(_ amount: Int, at index: Int) { buffer[index].wrappingAdd(amount, ordering: .relaxed) }
    func load(_ index: Int) -> Int { buffer[index].load(ordering: .relaxed) }
}

/// A label's values: a closed set, so that network data cannot create time series.
public protocol MetricLabel: CaseIterable, RawRepresentable<Int>, Sendable {
    /// The value as written. Raw values count from 0 in case order.
    var labelValue: String { get }
}

extension MetricLabel {
    /// The case's name in snake case: `timedOut` is `timed_out`.
    public var labelValue: String {
        "\(self)".unicodeScalars.map { $0.properties.isUppercase ? "_" + $0.properties.lowercaseMapping : String($0) }.joined()
    }
}

/// One counter per value of a label.
public struct CounterFamily<Label: MetricLabel>: Sendable {
    let counters: [Counter]

    public init() {
        let cases = Array(Label.allCases)
        precondition(cases.map(\.rawValue) == Array(0..<cases.count), "raw values count from 0")
        counters = cases.map { _ in Counter() }
    }

    public subscript(label: Label) -> Counter { counters[label.rawValue] }
}

/// One gauge per value of a label.
public struct GaugeFamily<Label: MetricLabel>: Sendable {
    let gauges: [Gauge]

    public init() {
        let cases = Array(Label.allCases)
        precondition(cases.map(\.rawValue) == Array(0..<cases.count), "raw values count from 0")
        gauges = cases.map { _ in Gauge() }
    }

    public subscript(label: Label) -> Gauge { gauges[label.rawValue] }
}

/// An integer of small units printed in the base unit: 1,500,000 nanoseconds are `0.0015` seconds. Exact: no floating point.
struct Decimal: CustomStringConvertible {
    /// The number of small units.
    let value: Int
    /// Decimal digits between the units: 9 for nanoseconds, 0 for counts.
    let digits: Int

    var description: String {
        guard digits > 0 else { return String(value) }
        var text = String(value.magnitude)
        if text.count <= digits { text = String(repeating: "0", count: digits + 1 - text.count) + text }
        let whole = text.dropLast(digits)
        let fraction = text.suffix(digits)
        let shown = fraction.lastIndex { $0 != "0" }.map { "." + fraction[...$0] } ?? ""
        return (value < 0 ? "-" : "") + whole + shown
    }
}

#if canImport(Darwin)
    // `mach_task_self_` is a variable there, though nobody writes it.
    @preconcurrency import Darwin
#endif

/// Metrics of the process under the standard names of Prometheus client libraries.
public enum ProcessMetrics {
    /// Adds the metrics; they are read at each scrape. Metrics from `/proc` exist on Linux only.
    public static func add(to registry: MetricsRegistry) {
        let seconds = registry.counter("process_cpu_seconds_total", "CPU time of this process, user and system.", digits: 6)
        registry.beforeEachScrape { seconds.add(max(0, cpuMicroseconds() - seconds.value)) }
        let resident = registry.gauge("process_resident_memory_bytes", "Resident memory of this process.")
        registry.beforeEachScrape { resident.set(residentBytes() ?? 0) }
        let limit = registry.gauge("process_max_fds", "Limit on open file descriptors.")
        registry.beforeEachScrape { limit.set(descriptorLimit()) }
        #if os(Linux)
            let open = registry.gauge("process_open_fds", "Open file descriptors.")
            registry.beforeEachScrape { open.set(openDescriptors()) }
            if let start = startMilliseconds() {
                registry.gauge("process_start_time_seconds", "Start time of this process, in seconds since 1970.", digits: 3).set(
                    start)
            }
        #endif
    }

    static func cpuMicroseconds() -> Int {
        var usage = rusage()
        #if canImport(Glibc)
            let status = getrusage(RUSAGE_SELF.rawValue, &usage)
        #else
            let status = getrusage(RUSAGE_SELF, &usage)
        #endif
        guard status == 0 else { return 0 }
        let seconds = Int(usage.ru_utime.tv_sec) + Int(usage.ru_stime.tv_sec)
        return seconds * 1_000_000 + Int(usage.ru_utime.tv_usec) + Int(usage.ru_stime.tv_usec)
    }

    private static func descriptorLimit() -> Int {
        var limit = rlimit()
        #if canImport(Glibc)
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        #else
            guard getrlimit(RLIMIT_NOFILE, &limit) == 0 else { return 0 }
        #endif
        return Int(clamping: limit.rlim_cur)
    }

    #if os(Linux)
        static func residentBytes() -> Int? {
            // The second field counts pages.
            let words = text("/proc/self/statm").split(separator: " ")
            return words.count > 1 ? Int(words[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
        }

        private static func openDescriptors() -> Int {
            // Subtracts the descriptor of the listing itself. Without one left for it, all are in use.
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { max(0, $0.count - 1) }
                ?? descriptorLimit()
        }

        private static func startMilliseconds() -> Int? {
            // Field 22, in clock ticks since boot. The name in field 2 may hold spaces: split after the last parenthesis.
            let fields = text("/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
            let boot = text("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Int($0.dropFirst(6)) }
            guard fields.count > 19, let ticks = Int(fields[19]), let boot else { return nil }
            return boot * 1000 + ticks * 1000 / sysconf(Int32(_SC_CLK_TCK))
        }

        private static func text(_ path: String) -> String {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    #else
        static func residentBytes() -> Int? {
            var info = mach_task_basic_info()
            var count = mach_msg_type_number_t(MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size)
            let status = withUnsafeMutablePointer(to: &info) {
                $0.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                    task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
                }
            }
            return status == KERN_SUCCESS ? Int(info.resident_size) : nil
        }
    #endif
}
