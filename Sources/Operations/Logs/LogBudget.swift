/// Rate limit of log lines per event: a flood of one event hides no other. Counts and reports suppressed lines. Reads no clock.
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

    /// Rate per event.
    var limit: RateLimit
    private var events: [String: Event] = [:]
    /// Time of the next report; nil without suppressed lines.
    private(set) var reportDue: Int64?

    init(limit: RateLimit) { self.limit = limit }

    /// True when a line is within its budget.
    mutating func admits(_ line: LogLine, at now: Int64) -> Bool {
        let name = line.event.description
        guard events[name] != nil || events.count < Self.eventLimit else { return false }
        guard events[name, default: Event()].bucket.take(of: limit, at: now) != .granted else { return true }
        let former = events[name]?.suppressed
        events[name]?.suppressed = Suppressed(
            event: name, level: max(line.level, former?.level ?? line.level), count: (former?.count ?? 0) + 1,
            span: (former?.span.lowerBound ?? now)...max(now, former?.span.lowerBound ?? now))
        if reportDue == nil { reportDue = min(now, .max - Self.reportInterval) + Self.reportInterval }
        return false
    }

    /// Suppressed lines since the last report, by event, if a report is due.
    /// - Parameter isLast: reports now, before the process ends.
    mutating func report(at now: Int64, isLast: Bool = false) -> [Suppressed] {
        guard let reportDue, isLast || reportDue <= now else { return [] }
        self.reportDue = nil
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
                LogField("since", Timestamp(suppressed.span.lowerBound)),
            ])
    }
}
