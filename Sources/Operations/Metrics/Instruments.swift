import Synchronization

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
