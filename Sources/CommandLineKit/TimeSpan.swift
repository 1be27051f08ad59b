/// Durations as text, such as `1h30m`, to and from whole milliseconds.
enum TimeSpan {
    private static let units: [(name: String, milliseconds: Int)] = [("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)]

    /// The text in milliseconds; nil for other text, repeated or unordered units, or overflow.
    static func milliseconds<Value: FixedWidthInteger>(in text: String) -> Value? {
        var rest = text[...]
        var smallest = Int.max
        var sum: Value = 0
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            let letters = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(letters.count)
            guard let unit = units.first(where: { $0.name == letters }), unit.milliseconds < smallest else { return nil }
            // A narrow type may not hold the unit's factor, but "0s" is valid in all.
            guard let number = Value(digits), let factor = number == 0 ? 0 : Value(exactly: unit.milliseconds) else { return nil }
            let product = number.multipliedReportingOverflow(by: factor)
            let total = sum.addingReportingOverflow(product.partialValue)
            guard !product.overflow, !total.overflow else { return nil }
            sum = total.partialValue
            smallest = unit.milliseconds
        } while !rest.isEmpty
        return sum
    }

    /// Milliseconds as text: `5400000` is `1h30m`, `0` is `0s`.
    static func text<Value: FixedWidthInteger>(of milliseconds: Value) -> String {
        var rest = milliseconds
        var text = ""
        for unit in units {
            guard let factor = Value(exactly: unit.milliseconds), rest >= factor else { continue }
            text += "\(rest / factor)\(unit.name)"
            rest %= factor
        }
        return text.isEmpty ? "0s" : text
    }
}
