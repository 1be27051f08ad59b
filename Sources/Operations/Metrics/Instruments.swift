import Synchronization

// Each value is one relaxed atomic. The alternative, values confined to a loop each and summed at the scrape, saves a few nanoseconds an
// increment, but the scrape would then have to wait for every loop: a loop that is stuck is what one most wants to see. Nothing is
// ordered by these values, so relaxed is enough; a scrape may see one of two increments made together.

/// A number that only grows: events, bytes, seconds. Starts at 0.
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

/// A number that goes up and down. Starts at 0.
public final class Gauge: Sendable {
    private let cell = Atomic<Int>(0)

    public init() {}

    public var value: Int { cell.load(ordering: .relaxed) }
    public func set(_ value: Int) { cell.store(value, ordering: .relaxed) }
    public func add(_ amount: Int) { cell.wrappingAdd(amount, ordering: .relaxed) }
}

/// How values are spread over fixed buckets.
public final class Histogram: Sendable {
    /// The greatest value of each bucket but the last, which takes all others; ascending.
    public let bounds: [Int]
    private let cells: Cells

    /// - Parameter bounds: ascending, at least one, in the unit of what is observed.
    public init(bounds: [Int]) {
        precondition(!bounds.isEmpty && zip(bounds, bounds.dropFirst()).allSatisfy(<), "bounds ascend")
        self.bounds = bounds
        // One for each bucket and the last, then the sum.
        cells = Cells(count: bounds.count + 2)
    }

    /// Notes a value, 0 or more.
    public func observe(_ value: Int) {
        var bucket = 0
        while bucket < bounds.count, value > bounds[bucket] { bucket += 1 }
        cells.add(1, at: bucket)
        cells.add(max(0, value), at: bounds.count + 1)
    }

    /// How many values lie in each bucket alone, the last one included.
    public var counts: [Int] { (0...bounds.count).map { cells.load($0) } }

    /// All values added up.
    public var sum: Int { cells.load(bounds.count + 1) }
}

/// Atomics in one piece of memory.
final class Cells: @unchecked Sendable {  // the buffer is fixed for life and holds atomics alone
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

/// The values of a label: a closed set, so that nothing from outside can make a new time series.
public protocol MetricLabel: CaseIterable, RawRepresentable<Int>, Sendable {
    /// The label's value as it is written. Raw values count from 0 in the order of the cases.
    var labelValue: String { get }
}

extension MetricLabel {
    /// The case's name with words parted by `_`: `timedOut` is `timed_out`.
    public var labelValue: String {
        "\(self)".unicodeScalars.map { $0.properties.isUppercase ? "_" + $0.properties.lowercaseMapping : String($0) }.joined()
    }
}

/// One counter for each value of a label.
public struct CounterFamily<Label: MetricLabel>: Sendable {
    let counters: [Counter]

    public init() {
        let cases = Array(Label.allCases)
        precondition(cases.map(\.rawValue) == Array(0..<cases.count), "raw values count from 0")
        counters = cases.map { _ in Counter() }
    }

    public subscript(label: Label) -> Counter { counters[label.rawValue] }
}

/// One gauge for each value of a label.
public struct GaugeFamily<Label: MetricLabel>: Sendable {
    let gauges: [Gauge]

    public init() {
        let cases = Array(Label.allCases)
        precondition(cases.map(\.rawValue) == Array(0..<cases.count), "raw values count from 0")
        gauges = cases.map { _ in Gauge() }
    }

    public subscript(label: Label) -> Gauge { gauges[label.rawValue] }
}
