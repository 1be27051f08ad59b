/// The bounds of the protocol, published in `hello`.
public enum WireLimits {
    /// The version of the protocol that this code speaks best.
    public static let version = 1
    /// Every version that this code speaks.
    public static let versions = 1...1
    /// The longest line from a client, in bytes without its end.
    public static let requestBytes = 4096
    /// The longest line from a server that our client takes, in bytes without its end: a table's snapshot fits many times over.
    public static let eventBytes = 1 << 20
    /// Objects and arrays inside each other, the outermost counted.
    public static let depth = 16
    /// Members of an object in a request.
    public static let members = 64
    /// Members of an object in a line from a server: a full table has up to 190 items, a change of the lobby 500 tables that come and 500 that go.
    static let eventMembers = 1000
    /// Items and rules of a table that a client of this version does not know, and the bytes of their contents, at most.
    public static let unknownItems = 256
    public static let unknownBytes = 64 << 10
    /// The longest name of a table, in bytes.
    public static let tableNameBytes = 32
    /// The longest code that makes an owner, in bytes.
    public static let codeBytes = 64
    /// The longest pass phrase of a table, in bytes.
    public static let passBytes = 64
    /// The most minutes for which a table's owner sends somebody away.
    public static let kickMinutes = 10
    /// Rounds of a match at most.
    package static let matchRounds = 1000
    /// The longest epoch, in bytes.
    package static let epochBytes = 16
    /// Results of a player that are kept for a lost connection: one for each round and seat.
    public static let results = 16
    /// Lines of a table's chat that are kept.
    public static let chatLines = 32
    /// Rounds of a history at most.
    public static let historyRounds = 20
    /// Rounds of a page of history at most, in up to ``historyMessages`` messages.
    public static let historyPage = 500
    public static let historyMessages = 4
    /// The longest line of a history, in bytes without its end: what does not fit is cut, oldest first.
    public static let historyBytes = 32 << 10
    /// People, and bots, that the standings list at most.
    public static let standings = 20
    /// Facts beside a diff at most.
    public static let facts = 256
    /// Rows of a chart at most.
    public static let chartRows = 256
    /// Tables that a lobby lists at most, by their names.
    public static let lobbyTables = 500
    /// Bytes of these tables' entries at most: a list fits what may be queued for a client, whose least is 64 KiB.
    public static let lobbyBytes = 62 << 10
    /// The seconds that a client may choose for the option `silence`.
    package static let silenceSeconds = 5...300
    /// The largest number of a card: shoes of 416 cards can be dealt many times over before a table starts anew.
    static let cards = 1_000_000
    /// The most chips in a bet.
    public static let chips = 1_000_000_000_000
}

/// Times in UTC by the proleptic Gregorian calendar, and spans of time.
package enum UniversalTime {
    /// `2026-11-22 14:03:07`.
    /// - Parameter time: milliseconds since 1970, clamped to the years 0 to 9999.
    package static func text(_ time: Int64) -> String {
        // Five times 400 years later all numbers are positive; 400 years are always 146,097 days.
        let later = min(max(time, -62_167_219_200_000), 253_402_300_799_999) + 5 * 146_097 * 86_400_000
        let (year, month, day) = date(daysSince1970: Int(later / 86_400_000))
        let rest = Int(later / 1000 % 86_400)
        return "\(padded(year - 2000, 4))-\(padded(month))-\(padded(day)) "
            + "\(padded(rest / 3600)):\(padded(rest / 60 % 60)):\(padded(rest % 60))"
    }

    /// `2026-11-22 14:03`.
    package static func minutes(_ time: Int64) -> String { String(text(time).dropLast(3)) }

    /// Milliseconds in words, rounded up: `1 second`, `90 seconds`, `about 10 minutes`.
    package static func duration(_ milliseconds: Int) -> String {
        let (seconds, minutes) = ((milliseconds + 999) / 1000, (milliseconds + 59_999) / 60_000)
        guard seconds >= 120 else { return seconds == 1 ? "1 second" : "\(seconds) seconds" }
        return "\(milliseconds % 60_000 == 0 ? "" : "about ")\(minutes) minutes"
    }

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
