/// Times in UTC by the Gregorian calendar.
package enum UniversalTime {
    /// `2026-11-22 14:03:07`.
    /// - Parameter time: milliseconds since 1970.
    package static func text(_ time: Int64) -> String {
        let seconds = Int(time.magnitude / 1000) % 253_402_300_800
        let (year, month, day) = date(daysSince1970: seconds / 86_400)
        let rest = seconds % 86_400
        return "\(padded(year, 4))-\(padded(month))-\(padded(day)) "
            + "\(padded(rest / 3600)):\(padded(rest / 60 % 60)):\(padded(rest % 60))"
    }

    /// `2026-11-22 14:03`.
    package static func minutes(_ time: Int64) -> String { String(text(time).dropLast(3)) }

    /// `2026-11-22`.
    package static func day(_ time: Int64) -> String { String(text(time).prefix(10)) }

    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`, for days from 1970.
    private static func date(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isNextYear = month >= 10
        return (
            yearOfEra + era * 400 + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    private static func padded(_ number: Int, _ digits: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
