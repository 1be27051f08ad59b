import Sockets
import Synchronization
import Wire

/// One event of the log, in either format. Always one line of printable ASCII of bounded length, so that network data can neither forge a
/// line nor control the reader's terminal.
public struct LogLine: Sendable {
    /// Milliseconds since 1970.
    public let time: Int64
    public let level: LogLevel
    public let event: StaticString
    public let fields: [LogField]

    /// Scalars written per value; an escaped `…` marks a cut.
    static let valueLimit = 256

    public init(time: Int64, level: LogLevel, event: StaticString, fields: [LogField]) {
        self.time = time
        self.level = level
        self.event = event
        self.fields = fields
    }

    /// The line in logfmt.
    public var text: String { text(.logfmt) }

    /// The line without its line break.
    public func text(_ format: LogFormat) -> String {
        switch format {
        case .logfmt: logfmt
        case .json: json
        }
    }

    private var logfmt: String {
        var line = "time=\(RFC3339(time)) level=\(level.rawValue) event=\(event)"
        for field in fields { line += " \(field.key)=\(Self.quoted(field.value))" }
        return line
    }

    private var json: String {
        var line = #"{"time":"\#(RFC3339(time))","level":"\#(level.rawValue)","event":"\#(event)""#
        for field in fields {
            line += ",\"\(field.key)\":"
            line += field.isNumber ? field.value : "\"\(Self.escapedForJSON(field.value))\""
        }
        return line + "}"
    }

    /// A value in printable ASCII: escaped, and quoted where needed.
    static func quoted(_ value: String) -> String {
        var escaped = ""
        var needsQuotes = value.isEmpty
        for scalar in shown(value) {
            switch scalar {
            case "\"", "\\":
                escaped += "\\\(scalar)"
                needsQuotes = true
            case " ", "=":
                escaped.unicodeScalars.append(scalar)
                needsQuotes = true
            case "!"..."~": escaped.unicodeScalars.append(scalar)
            default:
                escaped += "\\u{" + String(scalar.value, radix: 16) + "}"
                needsQuotes = true
            }
        }
        return needsQuotes ? "\"\(escaped)\"" : escaped
    }

    /// The content of a JSON string in printable ASCII.
    static func escapedForJSON(_ value: String) -> String {
        var escaped = ""
        for scalar in shown(value) {
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case " "..."~": escaped.unicodeScalars.append(scalar)
            default:
                for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                    let digits = String(unit, radix: 16)
                    escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return escaped
    }

    private static func shown(_ value: String) -> [Unicode.Scalar] {
        var scalars = Array(value.unicodeScalars.prefix(valueLimit + 1))
        if scalars.count > valueLimit { scalars[valueLimit] = "\u{2026}" }
        return scalars
    }
}

/// The rate limit of log lines, per event, so that a flood of one event does not hide others. Counts and reports suppressed lines. Reads no
/// clock.
struct LogBudget: Sendable {
    /// Suppressed lines of one event.
    struct Suppressed: Sendable, Equatable {
        let event: String
        let level: LogLevel
        let count: Int
        /// Time of the first and the last, in milliseconds.
        let span: ClosedRange<Int64>
    }

    private struct Event {
        var bucket = TokenBucket()
        var suppressed: Suppressed?
    }

    /// Delay of a report of suppressed lines, in milliseconds.
    static let reportInterval: Int64 = 10_000
    /// Events with a bucket of their own; a program has far fewer.
    private static let eventLimit = 1024

    private let limit: RateLimit
    private var events: [String: Event] = [:]
    /// Whether suppressed lines wait for a report.
    private(set) var isReportDue = false

    /// - Parameter limit: per event. 20 lines a second are readable and show password guessing; the burst is ten seconds' worth.
    init(limit: RateLimit = .perSecond(20, burst: 200)) { self.limit = limit }

    /// Whether a line is within its budget; counts it otherwise. Lines at level `debug` have no limit.
    mutating func admits(_ line: LogLine, hasRoom: Bool = true) -> Bool {
        let (name, now) = (line.event.description, line.time)
        guard events[name] != nil || events.count < Self.eventLimit else { return false }
        if hasRoom, line.level == .debug || events[name, default: Event()].bucket.take(of: limit, at: now) == .granted {
            return true
        }
        let former = events[name]?.suppressed
        events[name, default: Event()].suppressed = Suppressed(
            event: name, level: max(line.level, former?.level ?? line.level), count: (former?.count ?? 0) + 1,
            span: (former?.span.lowerBound ?? now)...max(now, former?.span.lowerBound ?? now))
        isReportDue = true
        return false
    }

    /// Suppressed lines since the last report, by event.
    mutating func report() -> [Suppressed] {
        isReportDue = false
        let suppressed = events.values.compactMap(\.suppressed).sorted { $0.event < $1.event }
        for item in suppressed { events[item.event]?.suppressed = nil }
        return suppressed
    }
}

extension LogLine {
    /// The report line.
    init(_ suppressed: LogBudget.Suppressed, at now: Int64) {
        self.init(
            time: now, level: suppressed.level, event: "suppressed",
            fields: [
                LogField("lines", suppressed.count), LogField("of", suppressed.event),
                LogField("since", RFC3339(suppressed.span.lowerBound)),
            ])
    }
}

/// A key and value of a log line.
public struct LogField: Sendable {
    /// `a-z`, `0-9` and `_`; never from the network.
    public let key: StaticString
    /// Any text; escaped when written.
    public let value: String
    /// True for values without quotes in JSON.
    let isNumber: Bool

    public init(_ key: StaticString, _ value: some CustomStringConvertible) {
        self.key = key
        self.value = value.description
        isNumber = value is any FixedWidthInteger
    }
}

/// Severity of an event, lowest first.
/// The fields of a line, as a dictionary literal, in their order.
public struct LogFields: ExpressibleByDictionaryLiteral, Sendable {
    public private(set) var all: [LogField] = []

    public init(dictionaryLiteral fields: (StaticString, any CustomStringConvertible)...) {
        for (key, value) in fields { add(key, value) }
    }

    public mutating func add(_ key: StaticString, _ value: some CustomStringConvertible) { all.append(LogField(key, value)) }
}

public enum LogLevel: String, Comparable, CaseIterable, Sendable {
    case debug, info, warning, error

    /// 0 for the lowest.
    var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }
}

/// Format of log lines.
public enum LogFormat: String, CaseIterable, Sendable {
    /// `time=… level=info event=login name="ann b"`
    case logfmt
    /// `{"time":"…","level":"info","event":"login","name":"ann b"}`
    case json
}

/// Level and format of the log; readable on every thread, changeable while the program runs.
public final class LogSettings: Sendable {
    private let rank: Atomic<Int>

    public init(level: LogLevel = .info, format: LogFormat = .logfmt) {
        rank = Atomic(level.rank)
        self.format = format
    }

    /// The lowest severity logged.
    public var level: LogLevel {
        get { LogLevel.allCases[rank.load(ordering: .relaxed)] }
        set { rank.store(newValue.rank, ordering: .relaxed) }
    }

    /// The format of lines.
    public let format: LogFormat

    public func includes(_ level: LogLevel) -> Bool { level.rank >= rank.load(ordering: .relaxed) }
}

/// A text never shown in logs, errors or printed configurations: a password, a pass phrase.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself.
    public let revealed: String

    public init(_ text: String) { revealed = text }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    // Covers `dump` and failed expectations, which use reflection.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Whether two secrets are canonically equivalent: keyboards spell `é` as one scalar or two. Compares hashes of the normal form under
    /// a random key first, so the time does not depend on where the texts differ.
    public static func isSame(_ shown: String, _ secret: String) -> Bool {
        shown.hashValue == secret.hashValue && shown == secret
    }
}

/// The text of a time by RFC 3339, in UTC with milliseconds: `2026-07-31T12:00:00.250Z`.
///
/// Avoids Foundation's formatter, which quadruples the size of a static binary.
public struct RFC3339: Sendable, CustomStringConvertible {
    /// Milliseconds since 1970.
    public let milliseconds: Int64

    /// Clamps to the years 0 to 9999, the notation's range.
    public init(_ milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
    }

    public var description: String {
        let text = UniversalTime.text(milliseconds)
        return "\(text.prefix(10))T\(text.suffix(8)).\(String((milliseconds % 1000 + 1000) % 1000 + 1000).suffix(3))Z"
    }
}
