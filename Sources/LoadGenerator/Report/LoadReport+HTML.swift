import Foundation

extension LoadReport {
    /// The report as one page that needs nothing else: no script, no font, no picture from anywhere.
    public var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Load report: \(escaped(target))</title>
        <style>\(Self.style)</style>
        </head>
        <body>
        <h1>Load report</h1>
        <p class="sub">\(escaped(target)) · \(escaped(server)) · \(escaped(started)) · \(fixed(seconds, 1)) s · seed \(seed)\
        \(isInterrupted ? " · interrupted" : "")<br>\(escaped(plan))</p>
        \(banner)
        \(tiles)
        <section class="plots">\(plots.map(\.html).joined(separator: "\n"))</section>
        \(section("Latency", Self.latencyHeads, latencyRows))
        <p class="sub">Corrected: from the time an action was due until its effect was seen; raw: from the time it was sent.</p>
        \(section("Figures", ["", ""], figures.map { [$0.name, $0.text] }, style: "words"))
        \(section("Failure conditions", ["", "condition", "figure"], verdicts.map { [$0.failed ? "FAILED" : "held", $0.condition, $0.figure] }, style: "words"))
        \(section("Violations", ["the first ones"], violations.prefix(50).map { [$0.description] }, style: "words"))
        \(section("Errors", ["error", "times"], worstErrors.map { [$0.name, grouped($0.count)] }, style: "words"))
        \(section("Hostile bots", Self.hostileHeads, hostileRows))
        </body>
        </html>

        """
    }

    private var banner: String {
        var notes: [(String, String)] = []
        if violationCount > 0 { notes.append(("bad", "\(grouped(violationCount)) violations of the rules")) }
        notes += verdicts.filter(\.failed).map { ("bad", "FAILED: \($0.condition) (\($0.figure))") }
        if let invalid { notes.append(("bad", "INVALID: \(invalid)")) }
        if notes.isEmpty { notes = [("good", "No violations" + (verdicts.isEmpty ? "" : ", no failure condition met"))] }
        notes += warnings.map { ("warn", $0) }
        return notes.map { "<p class=\"note \($0.0)\">\(escaped($0.1))</p>" }.joined(separator: "\n")
    }

    private var tiles: String {
        let entries = [
            ("latency p50", spoken(microseconds: Double(latency.corrected.value(at: 50)))),
            ("latency p99", spoken(microseconds: Double(latency.corrected.value(at: 99)))),
            ("latency max", spoken(microseconds: Double(latency.corrected.max))), ("actions/s", plain(actionsPerSecond)),
            ("rounds/s", plain(roundsPerSecond)), ("bots", grouped(honestBots)), ("hostile", grouped(hostileBots)),
            ("errors", grouped(errorCount)), ("violations", grouped(violationCount)),
        ]
        return "<section class=\"tiles\">" + entries.map { "<div><b>\($0.1)</b><span>\($0.0)</span></div>" }.joined()
            + "</section>"
    }

    /// A heading and a table; nothing without rows.
    private func section(_ title: String, _ heads: [String], _ rows: [[String]], style: String = "figures") -> String {
        func row(_ tag: String, _ cells: [String]) -> String {
            "<tr>" + cells.map { "<\(tag)>\(escaped($0))</\(tag)>" }.joined() + "</tr>"
        }
        guard !rows.isEmpty else { return "" }
        return "<h2>\(title)</h2><div class=\"scroll\"><table class=\"\(style)\">"
            + ([row("th", heads)] + rows.map { row("td", $0) }).joined(separator: "\n") + "</table></div>"
    }

    private static let style = """
        :root{--bg:#fbfbfa;--fg:#1c1f23;--dim:#646b75;--line:#dfe2e6;--card:#fff;--c1:#2563c9;--c2:#c2570c;--c3:#8a8f98;--good:#1a7f45;--bad:#b42318;--warn:#8a6100}
        @media(prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e6e8eb;--dim:#9aa2ad;--line:#2c3138;--card:#1c2025;--c1:#6aa5ff;--c2:#f0944d;--c3:#7f8792;--good:#5cc98a;--bad:#ff8a7d;--warn:#e2b84d}}
        *{box-sizing:border-box}
        body{margin:0 auto;padding:1.2rem 1rem 3rem;max-width:68rem;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
        h1{font-size:1.5rem;margin:0}h2{font-size:1.1rem;margin:1.8rem 0 .5rem}
        .sub{color:var(--dim);margin:.2rem 0 1rem;overflow-wrap:anywhere}
        .note{margin:.4rem 0;padding:.5rem .8rem;border-left:4px solid;background:var(--card);border-radius:4px}
        .good{border-color:var(--good)}.bad{border-color:var(--bad)}.warn{border-color:var(--warn)}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(46%,11rem),1fr));gap:.6rem;margin:1rem 0}
        .tiles div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.55rem .7rem}
        .tiles b{display:block;font-size:1.12rem;white-space:nowrap}.tiles span{color:var(--dim);font-size:.82rem}
        .plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem}
        figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.7rem}
        figcaption{display:flex;flex-wrap:wrap;gap:.2rem 1rem;justify-content:space-between;margin-bottom:.3rem}
        .legend{color:var(--dim);font-size:.85rem}.legend span{margin-left:.8rem;white-space:nowrap}
        .legend i{display:inline-block;width:.9rem;height:3px;margin-right:.3rem;vertical-align:middle;border-radius:2px}
        i.c1{background:var(--c1)}i.c2{background:var(--c2)}i.c3{background:var(--c3)}
        svg{display:block;width:100%;height:auto}
        path{fill:none;stroke-width:1.8;stroke-linejoin:round}path.c1{stroke:var(--c1)}path.c2{stroke:var(--c2)}path.c3{stroke:var(--c3)}
        .grid{stroke:var(--line);stroke-width:1}.tick{fill:var(--dim);font-size:11px}
        .scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
        th,td{text-align:right;padding:.3rem .6rem;border-bottom:1px solid var(--line);white-space:nowrap}
        th:first-child,td:first-child,.words th,.words td,th:nth-child(6):last-child,td:nth-child(6):last-child{text-align:left;white-space:normal}
        th{color:var(--dim);font-weight:500}
        """

    // MARK: Plots

    /// Every plot of the page.
    var plots: [Plot] { timeline.count > 1 ? [byPercentile, latencyOverTime, rateOverTime, connectedOverTime] : [byPercentile] }

    private var byPercentile: Plot {
        let histograms = [("corrected", latency.corrected), ("raw", latency.raw), ("generator lag", latency.lag)]
        let curves = histograms.enumerated().map { index, entry in
            Plot.Curve(
                name: entry.0, colour: index + 1,
                points: entry.1.curve.map { point in
                    // The last point has no distance to 100 % left: it stands where half a duration is.
                    let left = max(100 - point.percentile, 50 / Double(max(entry.1.count, 1)))
                    return (log10(100 / left), Self.power(point.value))
                })
        }
        let values = histograms.filter { !$0.1.isEmpty }.flatMap { [Double($0.1.value(at: 1)), Double($0.1.max)] }
        return Plot(
            title: "Latency by percentile", x: .percentiles(upTo: latency.corrected.count),
            y: .durations(from: values.min() ?? 1, to: values.max() ?? 10), curves: curves)
    }

    private var latencyOverTime: Plot {
        let played = timeline.filter { $0.max > 0 }
        let y = Plot.Axis.durations(from: Double(played.map(\.p50).min() ?? 1), to: Double(played.map(\.max).max() ?? 10))
        return plot(
            "Latency over time", y, played, ("p50", 1, { Self.power($0.p50) }), ("p99", 2, { Self.power($0.p99) }),
            ("max", 3, { Self.power($0.max) }))
    }

    private var rateOverTime: Plot {
        let y = Plot.Axis.linear(upTo: timeline.map(\.actions).max() ?? 0) { grouped(Int($0.rounded())) }
        return plot("Per second", y, timeline, ("actions", 1, \.actions), ("rounds", 2, \.rounds))
    }

    private var connectedOverTime: Plot {
        let most = timeline.map { Double(max($0.connected, $0.errors)) }.max() ?? 0
        let y = Plot.Axis.linear(upTo: most) { grouped(Int($0.rounded())) }
        return plot(
            "Bots", y, timeline, ("connected", 1, { Double($0.connected) }), ("errors per point", 3, { Double($0.errors) }))
    }

    /// A plot over the time of a run.
    private func plot(
        _ title: String, _ y: Plot.Axis, _ points: [Point], _ curves: (name: String, colour: Int, value: (Point) -> Double)...
    ) -> Plot {
        let curves = curves.map { curve in
            Plot.Curve(name: curve.name, colour: curve.colour, points: points.map { ($0.time, curve.value($0)) })
        }
        let x = Plot.Axis.linear(upTo: timeline.last?.time ?? 1, isTight: true) { "\(plain($0)) s" }
        return Plot(title: title, x: x, y: y, curves: curves)
    }

    private static func power(_ microseconds: Int64) -> Double { log10(Double(max(microseconds, 1))) }
}

/// A line plot as inline SVG: drawn here, so that a page needs nothing from anywhere. Colours come from the page's style sheet.
struct Plot {
    /// One curve. Its colour is the style sheet's `.cN`.
    struct Curve {
        var name: String
        /// Of the style sheet, from 1.
        var colour: Int
        var points: [(x: Double, y: Double)]
    }

    /// How an axis places a value, and where its marks are.
    struct Axis {
        var low: Double
        var high: Double
        var marks: [(value: Double, text: String)]

        func place(_ value: Double, _ length: Double) -> Double {
            high > low ? (min(max(value, low), high) - low) / (high - low) * length : 0
        }
    }

    var title: String
    var x: Axis
    var y: Axis
    var curves: [Curve]

    private static let (width, height) = (420.0, 250.0)
    private static let (left, right, top, bottom) = (54.0, 12.0, 10.0, 26.0)
    private var across: Double { Self.width - Self.left - Self.right }
    private var down: Double { Self.height - Self.top - Self.bottom }

    /// The figure with its title and legend, as HTML.
    var html: String {
        let legend = curves.map { "<span><i class=\"c\($0.colour)\"></i>\(escaped($0.name))</span>" }.joined()
        return """
            <figure><figcaption><b>\(escaped(title))</b><span class="legend">\(legend)</span></figcaption>
            <svg viewBox="0 0 \(number(Self.width)) \(number(Self.height))" role="img" aria-label="\(escaped(title))">
            \(grid)\(curves.map(line).joined())</svg></figure>
            """
    }

    private var grid: String {
        var text = ""
        for mark in y.marks {
            let level = Self.top + down - y.place(mark.value, down)
            text += "<line class=\"grid\" x1=\"\(number(Self.left))\" x2=\"\(number(Self.width - Self.right))\" "
            text += "y1=\"\(number(level))\" y2=\"\(number(level))\"/>"
            text += "<text class=\"tick\" x=\"\(number(Self.left - 6))\" y=\"\(number(level + 4))\" text-anchor=\"end\">"
            text += "\(escaped(mark.text))</text>"
        }
        var taken = -Double.infinity
        let last = x.marks.last.map { label(of: $0).start } ?? 0
        for mark in x.marks {
            let place = Self.left + x.place(mark.value, across)
            text += "<line class=\"grid\" x1=\"\(number(place))\" x2=\"\(number(place))\" y1=\"\(number(Self.top))\" "
            text += "y2=\"\(number(Self.top + down))\"/>"
            let label = label(of: mark)
            // The last one is always there; of the others each that has room before it and behind the one before.
            guard label.start > taken, mark.value == x.marks.last?.value || label.end < last else { continue }
            taken = label.end
            text += "<text class=\"tick\" x=\"\(number(label.x))\" y=\"\(number(Self.height - 8))\" "
            text += "text-anchor=\"\(label.anchor)\">\(escaped(mark.text))</text>"
        }
        return text
    }

    /// Where the text of a mark of the x axis stands, and from where to where it is about.
    private func label(of mark: (value: Double, text: String)) -> (x: Double, anchor: String, start: Double, end: Double) {
        let place = Self.left + x.place(mark.value, across)
        let width = 7 * Double(mark.text.count)
        // The last one would stand out of the picture.
        guard place > Self.left + across - 20 else { return (place, "middle", place - width / 2, place + width / 2) }
        return (Self.width - 2, "end", Self.width - 2 - width, Self.width - 2)
    }

    private func line(_ curve: Curve) -> String {
        guard let first = curve.points.first else { return "" }
        var path = "M" + place(first)
        for point in curve.points.dropFirst() { path += "L" + place(point) }
        return "<path class=\"c\(curve.colour)\" d=\"\(path)\"><title>\(escaped(curve.name))</title></path>"
    }

    private func place(_ point: (x: Double, y: Double)) -> String {
        "\(number(Self.left + x.place(point.x, across))) \(number(Self.top + down - y.place(point.y, down)))"
    }

    private func number(_ value: Double) -> String { fixed(value, 1) }
}

extension Plot.Axis {
    /// An axis from 0 with a handful of round marks.
    /// - Parameter isTight: whether it ends where the values do, not at the next mark.
    static func linear(upTo high: Double, isTight: Bool = false, _ text: (Double) -> String) -> Self {
        guard high > 0 else { return Self(low: 0, high: 1, marks: [(0, text(0))]) }
        var step = 1.0
        while step * 10 <= high { step *= 10 }
        while step > high { step /= 10 }
        if high / step < 2 { step /= 5 } else if high / step < 4 { step /= 2 } else if high / step > 6 { step *= 2 }
        let top = (high / step).rounded(.up) * step
        let marks = (0...Int((top / step).rounded())).map { Double($0) * step }
        return Self(
            low: 0, high: isTight ? high : top, marks: marks.filter { !isTight || $0 <= high }.map { ($0, text($0)) })
    }

    /// An axis of powers of ten, from logarithms of microseconds.
    static func durations(from low: Double, to high: Double) -> Self {
        let first = log10(max(low, 1)).rounded(.down)
        let last = max(first + 1, log10(max(high, 10)).rounded(.up))
        let marks = (Int(first)...Int(last)).map { power -> (Double, String) in
            var value = 1.0
            for _ in 0..<power { value *= 10 }
            return (
                Double(power),
                value >= 1_000_000
                    ? "\(Int(value / 1_000_000)) s" : value >= 1000 ? "\(Int(value / 1000)) ms" : "\(Int(value)) µs"
            )
        }
        return Self(low: first, high: last, marks: marks)
    }

    /// An axis on which each further nine has the same width: by the logarithm of 1/(1 − p).
    static func percentiles(upTo count: UInt64) -> Self {
        let named = [(0.0, "0%"), (1, "90%"), (2, "99%"), (3, "99.9%"), (4, "99.99%"), (5, "99.999%"), (6, "99.9999%")]
        let high = min(6, max(2, log10(Double(max(count, 1))).rounded(.up)))
        return Self(low: 0, high: high, marks: named.filter { $0.0 <= high })
    }
}
