import Dispatch
import Sockets
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes the log to a descriptor from any thread without blocking the caller: a queue of its own formats and writes lines.
///
/// Two bounds protect the game from its log. A full queue or a failing descriptor *drops* lines of any event: `dropped` counts them,
/// and the first line that gets through is followed by `log_dropped` with the count since the last one. A ``LogBudget`` *suppresses*
/// lines of an event that peers cause too often: its report names event and count. The counters only rise; the difference of `dropped` to
/// `Output.reported` is not yet reported.
public final class LogWriter: Sendable {
    /// Level and format; may change at any time.
    public let settings: LogSettings
    /// Lines dropped: queue full or write failed.
    public let dropped = Counter()
    /// Lines over the budget.
    public let suppressed = Counter()
    /// Lines queued at most.
    private let capacity: Int
    private let descriptor: Int32
    /// A line in words for people, in place of logfmt; nil for a line without.
    private let words: @Sendable (LogLine) -> String?
    private let clock = LoopClock()
    private let waiting = Atomic<Int>(0)
    private let budget: Mutex<LogBudget>
    private let queue = DispatchQueue(label: "bj.log")
    private let output = Mutex(Output())

    /// State of the output, confined to the queue.
    private struct Output {
        /// The part of `dropped` that a `log_dropped` line has reported.
        var reported = 0
        /// Earliest time of the next such line, in milliseconds: at most one a second, unless the queue is empty.
        var nextReport = Int64.min
        /// True when a write ended within a line.
        var isTorn = false
    }

    /// Minimum interval between reports of dropped lines, in milliseconds.
    private static let reportInterval: Int64 = 1_000

    /// - Parameters:
    ///   - descriptor: 2 for standard error.
    ///   - budget: per event, for ``writeBudgeted(_:)``.
    ///   - words: a line in words, for a terminal; called on the writer's queue. Safe to print. nil: logfmt.
    public init(
        settings: LogSettings = LogSettings(), descriptor: Int32 = 2, capacity: Int = 4096, budget: RateLimit = .unreached,
        words: @escaping @Sendable (LogLine) -> String? = { _ in nil }
    ) {
        self.settings = settings
        self.descriptor = descriptor
        self.capacity = capacity
        self.words = words
        self.budget = Mutex(LogBudget(limit: budget))
    }

    /// Writes a line if its level is logged.
    public func write(_ line: LogLine) {
        guard settings.includes(line.level) else { return }
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= capacity else {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            return dropped.add()
        }
        queue.async { [self] in
            put(line)
            let left = waiting.wrappingSubtract(1, ordering: .relaxed).newValue
            reportDropped(atOnce: left == 0)
        }
    }

    /// Writes a line that peers can cause, within its event's budget; `debug` is unlimited. Counts and later reports lines over
    /// the budget.
    public func writeBudgeted(_ line: LogLine) {
        guard settings.includes(line.level) else { return }
        guard line.level > .debug else { return write(line) }
        let (isAdmitted, isFirst) = budget.withLock { budget in
            let wasDue = budget.reportDue
            let isAdmitted = budget.admits(line, at: line.time)
            return (isAdmitted, wasDue == nil && budget.reportDue != nil)
        }
        if isAdmitted { return write(line) }
        suppressed.add()
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(LogBudget.reportInterval))) { [self] in reportSuppressed() }
    }

    /// Applies a new budget to every event.
    public func setBudget(_ limit: RateLimit) { budget.withLock { $0.limit = limit } }

    /// Blocks until the queue is empty, before the process ends; gives up after the timeout.
    public func flush(timeout milliseconds: Int = 2_000) {
        let done = DispatchSemaphore(value: 0)
        reportSuppressed()
        queue.async { [self] in
            reportDropped(atOnce: true)
            done.signal()
        }
        _ = done.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    // MARK: Suppressed and dropped lines

    private func reportSuppressed() {
        let now = clock.now
        // Runs when the report is due.
        for item in budget.withLock({ $0.report(at: now, isLast: true) }) { write(LogLine(item, at: now)) }
    }

    private func reportDropped(atOnce: Bool) {
        let now = clock.now
        let count = output.withLock { output in
            let count = dropped.value - output.reported
            guard count > 0, atOnce || output.nextReport <= now else { return 0 }
            output.reported += count
            output.nextReport = now + Self.reportInterval
            return count
        }
        guard count > 0 else { return }
        _ = clock.follow()
        put(LogLine(time: clock.wall, level: .warning, event: "log_dropped", fields: [LogField("lines", count)]))
    }

    // MARK: Writing, on the queue

    private func put(_ line: LogLine) {
        let isTorn = output.withLock { output in
            defer { output.isTorn = false }
            return output.isTorn
        }
        let text = (settings.format == .logfmt ? words(line) : nil) ?? line.text(settings.format)
        let bytes = Array(((isTorn ? "\n" : "") + text + "\n").utf8)
        let sent = put(bytes)
        guard sent < bytes.count else { return }
        // A full disk or a closed reader. Reported once writing succeeds.
        dropped.add()
        output.withLock { $0.isTorn = sent > 0 || isTorn }
    }

    /// - Returns: bytes written.
    private func put(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Self.systemWrite(descriptor, $0) }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN {
                // Another process made the descriptor non-blocking: wait until it is writable.
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Self.systemPoll(&poll)
                continue
            }
            guard count > 0 else { return sent }
            sent += count
        }
        return sent
    }

    private static func systemPoll(_ descriptor: inout pollfd) -> Int32 { poll(&descriptor, 1, 1_000) }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            return Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #else
            return Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
