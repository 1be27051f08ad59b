/// Counts durations from 1 µs to 1 h to three significant digits: a high-dynamic-range histogram (Gil Tene).
///
/// One counter per microsecond up to 2047 µs, then 1024 per power of two: no counter is wider than a 1024th of its value.
struct Histogram: Sendable, Equatable {
    /// The largest duration, in microseconds; longer ones are counted as this one.
    static let highest: Int64 = 3_600_000_000

    /// Durations of up to 11 bits are counted one by one.
    private static let exactBits = 11
    private static let half = 1 << (exactBits - 1)
    /// How many counters there are.
    static let slots = slot(of: highest) + 1

    private var counts: [UInt64]
    /// How many durations were recorded.
    private(set) var count: UInt64 = 0
    /// The shortest one, in microseconds; 0 when there is none.
    private(set) var min: Int64 = 0
    /// The longest one, in microseconds, exactly; 0 when there is none.
    private(set) var max: Int64 = 0
    private var sum = 0.0

    init() { counts = Array(repeating: 0, count: Self.slots) }

    var isEmpty: Bool { count == 0 }

    /// The exact arithmetic mean, in microseconds; 0 when nothing was recorded.
    var mean: Double { count == 0 ? 0 : sum / Double(count) }

    /// Counts a duration, in microseconds, a number of times. Values below 0 or above ``highest`` count at the bound.
    mutating func record(_ value: Int64, times: UInt64 = 1) {
        guard times > 0 else { return }
        let value = Swift.min(Swift.max(value, 0), Self.highest)
        counts[Self.slot(of: value)] &+= times
        min = count == 0 ? value : Swift.min(min, value)
        max = Swift.max(max, value)
        count &+= times
        sum += Double(value) * Double(times)
    }

    /// Adds everything that another histogram counted.
    mutating func merge(_ other: Histogram) {
        guard other.count > 0 else { return }
        for slot in counts.indices { counts[slot] &+= other.counts[slot] }
        min = count == 0 ? other.min : Swift.min(min, other.min)
        max = Swift.max(max, other.max)
        count &+= other.count
        sum += other.sum
    }

    /// Forgets everything; the memory is kept.
    mutating func reset() {
        guard count > 0 else { return }
        for slot in counts.indices { counts[slot] = 0 }
        (count, min, max, sum) = (0, 0, 0, 0)
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
    var filledSlots: some Sequence<(range: ClosedRange<Int64>, count: UInt64)> {
        counts.indices.lazy.filter { counts[$0] > 0 }.map { (Self.range(of: $0), counts[$0]) }
    }

    // MARK: Percentiles

    /// The shortest duration that at least this share of all do not exceed, in microseconds; 0 when empty. It is its counter's
    /// upper end: at most a thousandth too long.
    /// - Parameter percentile: 0…100.
    func value(at percentile: Double) -> Int64 { position(at: percentile).value }

    /// The duration at a percentile, and how many durations do not exceed it.
    func position(at percentile: Double) -> (value: Int64, count: UInt64) {
        let rank = Self.rank(of: percentile, among: count)
        var seen: UInt64 = 0
        for (range, number) in filledSlots {
            seen += number
            if seen >= rank { return (Swift.min(range.upperBound, max), seen) }
        }
        return (max, count)
    }

    /// The place, from 1, of a percentile in a sorted list: the nearest rank. Products such as 99.9 % of 1000 are not quite whole in binary.
    static func rank(of percentile: Double, among count: UInt64) -> UInt64 {
        let exact = Swift.min(Swift.max(percentile, 0), 100) / 100 * Double(count)
        return Swift.max(1, Swift.min(count, UInt64((exact - exact * 1e-12).rounded(.up))))
    }

    /// One line of the distribution.
    struct PercentilePoint: Encodable, Equatable {
        /// 0…100.
        var percentile: Double
        /// Microseconds.
        var value: Int64
        /// Durations up to this value.
        var count: UInt64
    }

    /// Percentiles that become denser towards 100, five for each halving of the rest, up to the longest duration.
    var curve: [PercentilePoint] {
        guard count > 0 else { return [] }
        var points: [PercentilePoint] = []
        var percentile = 0.0
        while percentile < 100 {
            let (value, upTo) = position(at: percentile)
            points.append(PercentilePoint(percentile: percentile, value: value, count: upTo))
            if upTo == count { break }
            var halvings = 1.0
            while 100 / (100 - percentile) >= halvings * 2 { halvings *= 2 }
            percentile += 100 / (10 * halvings)
        }
        points.append(PercentilePoint(percentile: 100, value: max, count: count))
        return points
    }
}

extension Histogram: Encodable {
    private enum Key: String, CodingKey {
        case count, mean, min, p50, p75, p90, p99
        case p999 = "p99.9"
        case p9999 = "p99.99"
        case max, curve
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(count, forKey: .count)
        try container.encode(mean, forKey: .mean)
        try container.encode(min, forKey: .min)
        try container.encode(max, forKey: .max)
        let percentiles: [(Key, Double)] = [(.p50, 50), (.p75, 75), (.p90, 90), (.p99, 99), (.p999, 99.9), (.p9999, 99.99)]
        for (key, percentile) in percentiles {
            try container.encode(value(at: percentile), forKey: key)
        }
        try container.encode(curve, forKey: .curve)
    }
}

/// The measurements of one kind of request: three distributions, and whether they are valid.
struct LatencyBook: Encodable, Sendable, Equatable {
    /// From the moment that the request was meant to be sent until its effect was seen. The figure to quote: a server that stalls is
    /// charged for everything that was due meanwhile (no coordinated omission).
    private(set) var corrected = Histogram()
    /// From the moment that it was sent.
    private(set) var raw = Histogram()
    /// How much later than it could have been the request was sent: the load generator's own fault.
    private(set) var lag = Histogram()
    /// Requests without an answer when the run ended, or when their connection did. They are in the distributions with the time that they
    /// had waited until then, which is less than the truth.
    private(set) var unanswered = 0
    /// Whether no request was answered.
    var isUnanswered: Bool { UInt64(unanswered) == corrected.count }

    init() {}

    /// The timestamps of one request, in microseconds on one clock.
    struct Timestamps: Sendable, Equatable {
        /// When it was meant to be sent.
        var intended: Int64
        /// When it could be sent at the earliest: a bot was free, and the table was waiting for it. The time from `intended` until then is
        /// the server's, from then until `sent` the generator's.
        var possible: Int64
        var sent: Int64
    }

    /// Counts a request whose effect was seen at a moment.
    mutating func record(_ timestamps: Timestamps, seen: Int64) {
        corrected.record(seen - timestamps.intended)
        raw.record(seen - timestamps.sent)
        lag.record(timestamps.sent - max(timestamps.intended, timestamps.possible))
    }

    /// Counts a request that was sent and is given up.
    mutating func giveUp(_ timestamps: Timestamps, at now: Int64) {
        record(timestamps, seen: now)
        unanswered += 1
    }

    /// Counts a request that was due and could not even be sent.
    mutating func giveUpUnsent(intended: Int64, at now: Int64) {
        corrected.record(now - intended)
        unanswered += 1
    }

    mutating func merge(_ other: LatencyBook) {
        corrected.merge(other.corrected)
        raw.merge(other.raw)
        lag.merge(other.lag)
        unanswered += other.unanswered
    }

    /// Bound of tolerated lag, in microseconds: waking up on a busy machine takes over a tenth of a fast server's latency.
    static let lagFloor: Int64 = 1000

    /// The reason why the figures are invalid; nil when valid. The p99 of the generator's lag must stay within a tenth of the
    /// latency's, or below ``lagFloor``.
    var fault: String? {
        guard !corrected.isEmpty else { return nil }
        let (late, latency) = (lag.value(at: 99), corrected.value(at: 99))
        guard late > Self.lagFloor, late * 10 > latency else { return nil }
        return
            "the generator itself lagged: lag p99 \(spoken(microseconds: Double(late))) exceeds a tenth of the latency's p99, "
            + spoken(microseconds: Double(latency)) + ", and more than \(spoken(microseconds: Double(Self.lagFloor)))"
    }
}
