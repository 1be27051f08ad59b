/// A number with a fixed count of decimal places, rounded to the nearest: `fixed(3.14159, 2)` is `3.14`.
package func fixed(_ value: Double, _ places: Int) -> String {
    guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = (value * scale).rounded()
    // Beyond this a double has no digits behind the point that mean anything.
    guard abs(scaled) < 9e18 else { return Int64(exactly: value.rounded()).map { String($0) } ?? value.description }
    let whole = Int64(scaled)
    guard places > 0 else { return String(whole) }
    let digits = String(whole.magnitude)
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return (whole < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
}

/// The shortest text that reads back as the same number; whole numbers below 2^53 without a point.
package func shortest(_ value: Double) -> String {
    if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return String(whole) }
    return value.description
}

/// A number with at most one digit behind the point, none where that is 0.
package func plain(_ value: Double) -> String {
    let tenths = (value * 10).rounded() / 10
    // A finite value whose tenths overflow has none.
    return tenths.isFinite ? shortest(tenths) : value.description
}

/// A duration for people, from microseconds: `850 µs`, `12.3 ms`, `1.25 s`.
package func spoken(microseconds value: Double) -> String {
    switch abs(value) {
    case ..<1000: "\(fixed(value, value == value.rounded() ? 0 : 1)) µs"
    case ..<10_000: "\(fixed(value / 1000, 2)) ms"
    case ..<1_000_000: "\(fixed(value / 1000, 1)) ms"
    default: "\(fixed(value / 1_000_000, 2)) s"
    }
}

/// A count for people, its thousands set apart: `1,234,567`.
package func grouped(_ value: Int) -> String {
    let digits = String(value.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
        if index > 0 && (digits.count - index) % 3 == 0 { text += "," }
        text.append(digit)
    }
    return (value < 0 ? "-" : "") + text
}
