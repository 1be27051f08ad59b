import Measuring

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
    /// Whether a curve keeps its height until the next point.
    var isStepped = false

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
        for (before, point) in zip(curve.points, curve.points.dropFirst()) {
            if isStepped { path += "L" + place((point.x, before.y)) }
            path += "L" + place(point)
        }
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
        let named = [(0.0, "0 %"), (1, "90 %"), (2, "99 %"), (3, "99.9 %"), (4, "99.99 %"), (5, "99.999 %"), (6, "99.9999 %")]
        let high = min(6, max(2, log10(Double(max(count, 1))).rounded(.up)))
        return Self(low: 0, high: high, marks: named.filter { $0.0 <= high })
    }

    static func log10(_ value: Double) -> Double { Math.log(value) / Math.log(10) }
}
