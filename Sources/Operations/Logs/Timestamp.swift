/// RFC 3339 in UTC with milliseconds: `2026-07-31T12:00:00.250Z`.
///
/// Avoids Foundation's formatter, which quadruples the size of a static binary.
public struct Timestamp: Sendable, CustomStringConvertible {
    /// Milliseconds since 1970.
    public let milliseconds: Int64

    /// Clamps to the years 0 to 9999, the notation's range.
    public init(_ milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
    }

    public var description: String {
        let day = floorDivide(milliseconds, 86_400_000)
        let time = milliseconds - day * 86_400_000
        let date = Self.date(ofDay: day)
        let clock = [time / 3_600_000, time / 60_000 % 60, time / 1000 % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T\(clock).\(padded(time % 1000, 3))Z"
    }

    /// The proleptic Gregorian date of a day counted from 1970-01-01.
    private static func date(ofDay days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // Years start in March, so that a leap day comes last; 400 years are always 146,097 days.
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

private func floorDivide(_ a: Int64, _ b: Int64) -> Int64 { (a - (a % b + b) % b) / b }

private func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
