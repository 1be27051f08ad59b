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
}
