/// Counts durations from 1 µs to 1 h to three significant digits: a high-dynamic-range histogram (Gil Tene).
///
/// One counter per microsecond up to 2047 µs, then 1024 per power of two: no counter is wider than a 1024th of its value.
public struct Histogram: Sendable, Equatable {
    /// The largest duration, in microseconds; longer ones are counted as this one.
    static let highest: Int64 = 3_600_000_000

    /// Durations of up to 11 bits are counted one by one.
    private static let exactBits = 11
    private static let half = 1 << (exactBits - 1)
    /// How many counters there are.
    static let slots = slot(of: highest) + 1

    private var counts: [UInt64]
    /// How many durations were recorded.
    public private(set) var count: UInt64 = 0
    /// The shortest one, in microseconds; 0 when there is none.
    public private(set) var min: Int64 = 0
    /// The longest one, in microseconds, exactly; 0 when there is none.
    public private(set) var max: Int64 = 0
    private var sum = 0.0
    private var squares = 0.0

    public init() { counts = Array(repeating: 0, count: Self.slots) }

    public var isEmpty: Bool { count == 0 }

    /// The exact arithmetic mean, in microseconds; 0 when nothing was recorded.
    public var mean: Double { count == 0 ? 0 : sum / Double(count) }

    /// The population's standard deviation, in microseconds; 0 when nothing was recorded.
    public var standardDeviation: Double {
        count == 0 ? 0 : Swift.max(0, squares / Double(count) - mean * mean).squareRoot()
    }

    /// Counts a duration, in microseconds, a number of times. Values below 0 or above ``highest`` count at the bound.
    public mutating func record(_ value: Int64, times: UInt64 = 1) {
        guard times > 0 else { return }
        let value = Swift.min(Swift.max(value, 0), Self.highest)
        counts[Self.slot(of: value)] &+= times
        min = count == 0 ? value : Swift.min(min, value)
        max = Swift.max(max, value)
        count &+= times
        sum += Double(value) * Double(times)
        squares += Double(value) * Double(value) * Double(times)
    }

    /// Adds everything that another histogram counted.
    public mutating func merge(_ other: Histogram) {
        guard other.count > 0 else { return }
        for slot in counts.indices { counts[slot] &+= other.counts[slot] }
        min = count == 0 ? other.min : Swift.min(min, other.min)
        max = Swift.max(max, other.max)
        count &+= other.count
        sum += other.sum
        squares += other.squares
    }

    /// Forgets everything; the memory is kept.
    public mutating func reset() {
        guard count > 0 else { return }
        for slot in counts.indices { counts[slot] = 0 }
        (count, min, max, sum, squares) = (0, 0, 0, 0, 0)
    }

    /// The counter of a duration of 0…``highest`` microseconds.
    static func slot(of value: Int64) -> Int {
        let shift = Swift.max(0, Int64.bitWidth - value.leadingZeroBitCount - exactBits)
        return shift * half + Int(value >> Int64(shift))
    }

    /// The durations that share a counter, in microseconds.
    static func range(of slot: Int) -> ClosedRange<Int64> {
        let shift = Swift.max(0, slot / half - 1)
        let low = Int64(slot - shift * half) << Int64(shift)
        return low...low + (1 << Int64(shift)) - 1
    }

    /// Each counter that is not zero, the shortest durations first.
    func forEachSlot(_ body: (_ range: ClosedRange<Int64>, _ count: UInt64) -> Void) {
        for slot in counts.indices where counts[slot] > 0 { body(Self.range(of: slot), counts[slot]) }
    }
}
