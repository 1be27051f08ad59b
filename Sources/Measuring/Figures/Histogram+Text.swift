extension Histogram {
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
