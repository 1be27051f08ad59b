import CommandLineKit

/// How long something takes, as chance has it. Durations are milliseconds.
public enum Distribution: Sendable, Equatable {
    /// Always the same.
    case constant(Double)
    /// Anything between two durations, each equally likely.
    case uniform(from: Double, to: Double)
    /// Many short ones and few long ones, with this mean.
    case exponential(mean: Double)
    /// As people take: around the median, with a long tail. `spread` is the standard deviation of the logarithm.
    case logNormal(median: Double, spread: Double)

    /// No draw is longer, in milliseconds: an hour.
    static let longest = 3_600_000.0

    /// A duration, in microseconds.
    func microseconds(_ random: inout SeededRandom) -> Int64 {
        let milliseconds =
            switch self {
            case .constant(let value): value
            case .uniform(let from, let to): from + (to - from) * random.unit()
            case .exponential(let mean): mean * random.exponential()
            case .logNormal(let median, let spread): median * Math.exp(spread * random.normal())
            }
        return Int64(min(milliseconds, Self.longest) * 1000)
    }

    /// The mean, in milliseconds, cuts aside.
    public var mean: Double {
        switch self {
        case .constant(let value): value
        case .uniform(let from, let to): (from + to) / 2
        case .exponential(let mean): mean
        case .logNormal(let median, let spread): median * Math.exp(spread * spread / 2)
        }
    }
}

extension Distribution: LosslessStringConvertible {
    /// Completes an error message: "… is not".
    public static let expected =
        "a time such as 200ms, or uniform:50ms-2s, exponential:200ms, lognormal:300ms,0.6 (median, spread)"

    /// Reads `200ms`, `uniform:50ms-2s`, `exponential:200ms` or `lognormal:300ms,0.6`.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else {
            guard let time = Span.milliseconds(in: text), time <= Self.longest else { return nil }
            self = .constant(time)
            return
        }
        let values = parts[1].split(separator: parts[0] == "uniform" ? "-" : ",", omittingEmptySubsequences: false).map(
            String.init)
        guard let first = Span.milliseconds(in: values[0]), first <= Self.longest else { return nil }
        switch (parts[0], values.count) {
        case ("uniform", 2):
            guard let to = Span.milliseconds(in: values[1]), first <= to, to <= Self.longest else { return nil }
            self = .uniform(from: first, to: to)
        case ("exponential", 1): self = .exponential(mean: first)
        case ("lognormal", 2):
            guard let spread = Double(values[1]), (0...10).contains(spread) else { return nil }
            self = .logNormal(median: first, spread: spread)
        default: return nil
        }
    }

    public var description: String {
        switch self {
        case .constant(let value): Span.text(milliseconds: value)
        case .uniform(let from, let to): "uniform:\(Span.text(milliseconds: from))-\(Span.text(milliseconds: to))"
        case .exponential(let mean): "exponential:\(Span.text(milliseconds: mean))"
        case .logNormal(let median, let spread): "lognormal:\(Span.text(milliseconds: median)),\(JSONTree.digits(of: spread))"
        }
    }

    /// Durations as one number with a unit.
    enum Span {
        private static let units: [(name: String, milliseconds: Double)] = [
            ("us", 0.001), ("µs", 0.001), ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000),
        ]

        /// `250us`, `1.5ms`, `60s`, `5m`, `1h` in milliseconds; nil for anything else.
        static func milliseconds(in text: String) -> Double? {
            let digits = text.prefix { "0123456789.".contains($0) }
            guard let unit = units.first(where: { $0.name == text.dropFirst(digits.count) }), let number = Double(digits),
                number.isFinite
            else { return nil }
            return number * unit.milliseconds
        }

        /// The same in the largest unit that gives a whole number; otherwise in milliseconds.
        static func text(milliseconds: Double) -> String {
            for unit in units.reversed() where unit.name != "µs" {
                let count = milliseconds / unit.milliseconds
                if count >= 1, count == count.rounded() { return "\(Int64(count))\(unit.name)" }
            }
            return milliseconds == 0 ? "0ms" : "\(milliseconds)ms"
        }
    }
}
