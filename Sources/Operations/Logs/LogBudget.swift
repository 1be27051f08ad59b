/// How many lines of each event are written: a bucket for each, so that a flood of one hides no other. What is over it is counted and told.
/// It is told the time.
public struct LogBudget: Sendable {
    /// Lines of one event that were not written.
    public struct Suppressed: Sendable, Equatable {
        public let event: String
        public let level: LogLevel
        public let count: Int
        /// The moment of the first and the last, in milliseconds.
        public let span: ClosedRange<Int64>
    }

    private struct Event {
        var bucket = TokenBucket()
        var suppressed: Suppressed?
    }

    /// How long suppressed lines wait to be told, in milliseconds.
    public static let reportInterval: Int64 = 10_000
    /// The most events that have a bucket of their own: those of a program are far fewer.
    private static let eventLimit = 1024

    /// Lines of one event.
    public var limit: RateLimit
    private var events: [String: Event] = [:]
    /// When the suppressed lines are to be told; nil while there are none.
    public private(set) var reportDue: Int64?

    public init(limit: RateLimit) { self.limit = limit }

    /// Whether a line may be written at a moment.
    public mutating func admits(_ line: LogLine, at now: Int64) -> Bool {
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

    /// What was suppressed since it was told last, if it is time to tell it; by event.
    /// - Parameter isLast: tells it now, as the last thing.
    public mutating func report(at now: Int64, isLast: Bool = false) -> [Suppressed] {
        guard let reportDue, isLast || reportDue <= now else { return [] }
        self.reportDue = nil
        let suppressed = events.values.compactMap(\.suppressed).sorted { $0.event < $1.event }
        for item in suppressed { events[item.event]?.suppressed = nil }
        return suppressed
    }
}

extension LogLine {
    /// The line that stands for those that were not written.
    init(_ suppressed: LogBudget.Suppressed, at now: Int64) {
        self.init(
            time: now, level: suppressed.level, event: "suppressed",
            fields: [
                LogField("lines", suppressed.count), LogField("of", suppressed.event),
                LogField("since", Timestamp(suppressed.span.lowerBound)),
            ])
    }
}
