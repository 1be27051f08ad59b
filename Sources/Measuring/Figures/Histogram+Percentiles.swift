extension Histogram {
    /// The duration that so many percent do not exceed, in microseconds: the upper end of its counter, so never less than the true one and
    /// never more than a thousandth above it. 0 when nothing was recorded.
    /// - Parameter percentile: 0…100.
    public func value(at percentile: Double) -> Int64 { position(at: percentile).value }

    /// How many of the recorded durations are known to be no longer than this one, in microseconds.
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

    /// This histogram as it would be had a request been sent every so often, whether or not the one before was answered: each duration longer
    /// than the interval stands for the requests that were not sent meanwhile, which would have waited one interval less each.
    ///
    /// For measurements whose intended moments are not known. Where they are, durations are counted from them and need no correction.
    /// - Parameter interval: microseconds, at least 1.
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
