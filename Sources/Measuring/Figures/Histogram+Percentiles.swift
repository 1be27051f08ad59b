extension Histogram {
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
}
