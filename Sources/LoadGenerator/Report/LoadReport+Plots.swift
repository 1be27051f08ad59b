import Measuring

extension LoadReport {
    /// Every plot of the page.
    var plots: [Plot] { timeline.count > 1 ? [byPercentile, latencyOverTime, rateOverTime, connectedOverTime] : [byPercentile] }

    private var byPercentile: Plot {
        let histograms = [("corrected", latency.corrected), ("raw", latency.raw), ("generator lag", latency.lag)]
        let curves = histograms.enumerated().map { index, entry in
            Plot.Curve(
                name: entry.0, colour: index + 1,
                points: entry.1.percentilePoints().map { point in
                    // The last point has no distance to 100 % left: it stands where half a duration is.
                    let left = max(100 - point.percentile, 50 / Double(max(entry.1.count, 1)))
                    return (Plot.Axis.log10(100 / left), Plot.Axis.log10(Double(max(point.value, 1))))
                })
        }
        let values = histograms.filter { !$0.1.isEmpty }.flatMap { [Double($0.1.value(at: 1)), Double($0.1.max)] }
        return Plot(
            title: "Latency by percentile", x: .percentiles(upTo: latency.corrected.count),
            y: .durations(from: values.min() ?? 1, to: values.max() ?? 10), curves: curves)
    }

    private var latencyOverTime: Plot {
        let played = timeline.filter { $0.max > 0 }
        func curve(_ name: String, _ colour: Int, _ value: (Point) -> Int64) -> Plot.Curve {
            Plot.Curve(
                name: name, colour: colour, points: played.map { ($0.time, Plot.Axis.log10(Double(max(value($0), 1)))) })
        }
        return Plot(
            title: "Latency over time", x: time,
            y: .durations(
                from: Double(played.map(\.p50).min() ?? 1), to: Double(played.map(\.max).max() ?? 10)),
            curves: [curve("p50", 1, \.p50), curve("p99", 2, \.p99), curve("max", 3, \.max)])
    }

    private var rateOverTime: Plot {
        Plot(
            title: "Per second", x: time, y: .linear(upTo: timeline.map(\.actions).max() ?? 0) { grouped(Int($0.rounded())) },
            curves: [
                Plot.Curve(name: "actions", colour: 1, points: timeline.map { ($0.time, $0.actions) }),
                Plot.Curve(name: "rounds", colour: 2, points: timeline.map { ($0.time, $0.rounds) }),
            ])
    }

    private var connectedOverTime: Plot {
        let most = timeline.map { Double(max($0.connected, $0.errors)) }.max() ?? 0
        return Plot(
            title: "Bots", x: time, y: .linear(upTo: most) { grouped(Int($0.rounded())) },
            curves: [
                Plot.Curve(name: "connected", colour: 1, points: timeline.map { ($0.time, Double($0.connected)) }),
                Plot.Curve(name: "errors a point", colour: 3, points: timeline.map { ($0.time, Double($0.errors)) }),
            ])
    }

    private var time: Plot.Axis { .linear(upTo: timeline.last?.time ?? 1, isTight: true) { "\(JSONTree.text(of: $0)) s" } }
}
