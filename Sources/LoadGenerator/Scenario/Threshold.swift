/// Something that must hold of a run's figures, such as `p(99)<20ms` or `rounds/s>1000`.
public struct Threshold: Sendable, Equatable {
    /// A figure of the report.
    enum Metric: Sendable, Equatable {
        /// A percentile of a latency, 0…100.
        case percentile(Latency, Double)
        case mean(Latency)
        case maximum(Latency)
        case count(Count)

        /// Which latency.
        enum Latency: String, CaseIterable, Sendable {
            /// From the intended moment of an action until its effect was seen.
            case corrected
            /// From the moment it was sent.
            case raw
            /// The generator's own delay.
            case lag
            /// From the intended moment of a session until its bot sat at a table.
            case join
        }

        /// A figure that is not a time.
        enum Count: String, CaseIterable, Sendable {
            case errors, violations, unanswered, disconnects, rounds, actions, sessions
            case roundsPerSecond = "rounds/s"
            case actionsPerSecond = "actions/s"
        }

        var isTime: Bool { latency != nil }

        /// The latency that it is about; nil for a figure that is not a time.
        var latency: Latency? {
            switch self {
            case .percentile(let latency, _), .mean(let latency), .maximum(let latency): latency
            case .count: nil
            }
        }
    }

    public enum Comparison: String, CaseIterable, Sendable {
        case atMost = "<="
        case atLeast = ">="
        case equal = "=="
        case different = "!="
        case less = "<"
        case more = ">"

        func holds(_ a: Double, _ b: Double) -> Bool {
            switch self {
            case .atMost: a <= b
            case .atLeast: a >= b
            case .equal: a == b
            case .different: a != b
            case .less: a < b
            case .more: a > b
            }
        }
    }

    var metric: Metric
    var comparison: Comparison
    /// Microseconds for a time, a plain number otherwise.
    var bound: Double
    /// As it was written.
    public var text: String

    /// Whether a figure keeps to it.
    public func holds(_ value: Double) -> Bool { comparison.holds(value, bound) }
}

/// Why a text is no threshold.
public struct ThresholdError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
}

extension Threshold {
    /// Reads `p(99)<20ms`, `lag.max<=5ms`, `errors==0`, `rounds/s>1000`. Spaces do not matter.
    public init(parsing text: String) throws(ThresholdError) {
        let bare = text.filter { !$0.isWhitespace }
        // The longer signs first: "<=" begins with "<".
        let found = Comparison.allCases.compactMap { sign in bare.firstRange(of: sign.rawValue).map { (sign, $0) } }
        guard let (comparison, range) = found.min(by: { $0.1.lowerBound < $1.1.lowerBound }) else {
            throw Self.error(text, "has no comparison: one of < <= > >= == !=")
        }
        let (name, value) = (String(bare[..<range.lowerBound]), String(bare[range.upperBound...]))
        metric = try Metric(parsing: name, in: text)
        self.comparison = comparison
        self.text = text
        if metric.isTime {
            // A bound beyond the histogram's range would hold for every measurement.
            guard let milliseconds = Distribution.Span.milliseconds(in: value), milliseconds <= Distribution.longest else {
                throw Self.error(text, "'\(value)' is not a time such as 250us, 20ms or 1.5s, at most an hour")
            }
            bound = milliseconds * 1000
        } else {
            guard value.allSatisfy({ "0123456789.-+e".contains($0) }), let number = Double(value), number.isFinite else {
                throw Self.error(text, "'\(value)' is not a number")
            }
            bound = number
        }
    }

    fileprivate static func error(_ text: String, _ reason: String) -> ThresholdError {
        ThresholdError(description: "threshold '\(text)': \(reason)")
    }
}

extension Threshold.Metric {
    fileprivate init(parsing name: String, in text: String) throws(ThresholdError) {
        if let count = Count(rawValue: name) {
            self = .count(count)
            return
        }
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        var (latency, figure) = (Latency.corrected, name)
        if parts.count == 2, let named = Latency(rawValue: parts[0]) { (latency, figure) = (named, parts[1]) }
        if figure == "mean" {
            self = .mean(latency)
        } else if figure == "max" {
            self = .maximum(latency)
        } else if figure.hasPrefix("p("), figure.hasSuffix(")") {
            let digits = String(figure.dropFirst(2).dropLast())
            guard let percentile = Double(digits), (0...100).contains(percentile) else {
                throw Threshold.error(text, "'\(digits)' is not a percentile from 0 to 100")
            }
            self = .percentile(latency, percentile)
        } else {
            let counts = Count.allCases.map(\.rawValue).joined(separator: ", ")
            throw Threshold.error(
                text, "unknown figure '\(name)': there are p(99), mean, max (also lag.p(99), raw.…, join.…), \(counts)")
        }
    }
}
