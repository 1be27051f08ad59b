/// An integer of small units printed in the base unit: 1,500,000 nanoseconds are `0.0015` seconds. Exact: no floating point.
struct Decimal: CustomStringConvertible {
    /// The number of small units.
    let value: Int
    /// Decimal digits between the units: 9 for nanoseconds, 0 for counts.
    let digits: Int

    var description: String {
        guard digits > 0 else { return String(value) }
        var text = String(value.magnitude)
        if text.count <= digits { text = String(repeating: "0", count: digits + 1 - text.count) + text }
        let whole = text.dropLast(digits)
        let fraction = text.suffix(digits)
        let shown = fraction.lastIndex { $0 != "0" }.map { "." + fraction[...$0] } ?? ""
        return (value < 0 ? "-" : "") + whole + shown
    }
}
