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

    // MARK: Percentiles

    /// The shortest duration that at least this share of all do not exceed, in microseconds; 0 when empty. It is its counter's
    /// upper end: at most a thousandth too long.
    /// - Parameter percentile: 0…100.
    public func value(at percentile: Double) -> Int64 { position(at: percentile).value }

    /// Recorded durations certainly not longer than this one, in microseconds.
    public func count(upTo value: Int64) -> UInt64 {
        var sum: UInt64 = 0
        forEachSlot { range, count in if range.upperBound <= value { sum += count } }
        return sum
    }

    /// The duration at a percentile, and how many durations do not exceed it.
    func position(at percentile: Double) -> (value: Int64, count: UInt64) {
        let rank = Self.rank(of: percentile, among: count)
        var seen: UInt64 = 0
        var result: (value: Int64, count: UInt64) = (max, count)
        var isFound = count == 0
        forEachSlot { range, number in
            guard !isFound else { return }
            seen += number
            if seen >= rank {
                result = (Swift.min(range.upperBound, max), seen)
                isFound = true
            }
        }
        return result
    }

    /// The place, from 1, of a percentile in a sorted list: the nearest rank. Products such as 99.9 % of 1000 are not quite whole in binary.
    static func rank(of percentile: Double, among count: UInt64) -> UInt64 {
        let exact = Swift.min(Swift.max(percentile, 0), 100) / 100 * Double(count)
        return Swift.max(1, Swift.min(count, UInt64((exact - exact * 1e-12).rounded(.up))))
    }

    /// Corrects for coordinated omission: a duration longer than the interval also stands for the requests that were not sent
    /// meanwhile, each waiting one interval less. Durations counted from their due moments need no correction.
    /// - Parameter interval: microseconds between intended requests, at least 1.
    public func corrected(forInterval interval: Int64) -> Histogram {
        precondition(interval > 0, "requests follow each other in time")
        var copy = self
        forEachSlot { range, count in
            var missing = Swift.min(range.upperBound, max) - interval
            while missing >= interval {
                copy.record(missing, times: count)
                missing -= interval
            }
        }
        return copy
    }

    // MARK: Text

    /// The distribution by percentile in the text format of HdrHistogram (`.hgrm`), which public plotters read. Values are milliseconds.
    /// - Parameter ticks: how many lines each halving of the distance to 100 % has.
    public func percentileText(ticksPerHalfDistance ticks: Int = 5) -> String {
        func right(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: Swift.max(0, width - text.count)) + text
        }
        var text = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
        for point in percentilePoints(ticksPerHalfDistance: ticks) {
            text += right(fixed(Double(point.value) / 1000, 3), 12) + " " + fixed(point.percentile / 100, 12)
            text += " " + right(String(point.count), 10)
            if point.percentile < 100 { text += " " + right(fixed(100 / (100 - point.percentile), 2), 14) }
            text += "\n"
        }
        text +=
            "#[Mean    = \(right(fixed(mean / 1000, 3), 12)), StdDeviation   = \(right(fixed(standardDeviation / 1000, 3), 12))]\n"
        text += "#[Max     = \(right(fixed(Double(max) / 1000, 3), 12)), Total count    = \(right(String(count), 12))]\n"
        text += "#[Buckets = \(right("22", 12)), SubBuckets     = \(right("2048", 12))]\n"
        return text
    }

    /// One line of the distribution.
    package struct PercentilePoint: Equatable {
        /// 0…100.
        package var percentile: Double
        /// Microseconds.
        package var value: Int64
        /// Durations up to this value.
        package var count: UInt64
    }

    /// Percentiles that become denser towards 100, up to the longest duration.
    package func percentilePoints(ticksPerHalfDistance ticks: Int = 5) -> [PercentilePoint] {
        guard count > 0 else { return [] }
        var points: [PercentilePoint] = []
        var percentile = 0.0
        while percentile < 100 {
            let (value, upTo) = position(at: percentile)
            points.append(PercentilePoint(percentile: percentile, value: value, count: upTo))
            if upTo == count { break }
            // A half distance halves what is left to 100 %, in this many ticks.
            var halvings = 1.0
            while 100 / (100 - percentile) >= halvings * 2 { halvings *= 2 }
            percentile += 100 / (Double(ticks) * halvings * 2)
        }
        points.append(PercentilePoint(percentile: 100, value: max, count: count))
        return points
    }
}

/// The measurements of one kind of request: three distributions, and whether they are valid.
public struct LatencyBook: Sendable, Equatable {
    /// From the moment that the request was meant to be sent until its effect was seen. The figure to quote: a server that stalls is
    /// charged for everything that was due meanwhile (no coordinated omission).
    public private(set) var corrected = Histogram()
    /// From the moment that it was sent.
    public private(set) var raw = Histogram()
    /// How much later than it could have been the request was sent: the load generator's own fault.
    public private(set) var lag = Histogram()
    /// Requests without an answer when the run ended, or when their connection did. They are in the distributions with the time that they
    /// had waited until then, which is less than the truth.
    public private(set) var unanswered = 0

    public init() {}

    /// The moments of one request, in microseconds on one clock.
    public struct Moments: Sendable, Equatable {
        /// When it was meant to be sent.
        public var intended: Int64
        /// When it could be sent at the earliest: a bot was free, and the table was waiting for it. The time from `intended` until then is
        /// the server's, from then until `sent` the generator's.
        public var possible: Int64
        public var sent: Int64

        public init(intended: Int64, possible: Int64, sent: Int64) {
            self.intended = intended
            self.possible = possible
            self.sent = sent
        }
    }

    /// Counts a request whose effect was seen at a moment.
    public mutating func record(_ moments: Moments, seen: Int64) {
        corrected.record(seen - moments.intended)
        raw.record(seen - moments.sent)
        lag.record(moments.sent - max(moments.intended, moments.possible))
    }

    /// Counts a request that was sent and is given up.
    public mutating func giveUp(_ moments: Moments, at now: Int64) {
        record(moments, seen: now)
        unanswered += 1
    }

    /// Counts a request that was due and could not even be sent.
    public mutating func giveUpUnsent(intended: Int64, at now: Int64) {
        corrected.record(now - intended)
        unanswered += 1
    }

    public mutating func merge(_ other: LatencyBook) {
        corrected.merge(other.corrected)
        raw.merge(other.raw)
        lag.merge(other.lag)
        unanswered += other.unanswered
    }

    /// Forgets everything; the memory is kept.
    public mutating func reset() {
        corrected.reset()
        raw.reset()
        lag.reset()
        unanswered = 0
    }

    /// Bound of tolerated lag, in microseconds: waking up on a busy machine takes over a tenth of a fast server's latency.
    static let lagFloor: Int64 = 1000

    /// The reason why the figures are invalid; nil when valid. The p99 of the generator's lag must stay within a tenth of the
    /// latency's, or below ``lagFloor``.
    public var fault: String? {
        guard !corrected.isEmpty else { return nil }
        let (late, latency) = (lag.value(at: 99), corrected.value(at: 99))
        guard late > Self.lagFloor, late * 10 > latency else { return nil }
        return
            "the generator was late itself: lag p99 \(spoken(microseconds: Double(late))) is more than a tenth of the latency's p99, "
            + spoken(microseconds: Double(latency)) + ", and more than \(spoken(microseconds: Double(Self.lagFloor)))"
    }
}
