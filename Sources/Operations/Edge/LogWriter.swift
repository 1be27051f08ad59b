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
/// Drops lines when the queue is full and logs their count later. A ``LogBudget`` bounds lines that peers can cause.
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
        /// Dropped lines already reported.
        var told = 0
        /// Earliest time of the next report of dropped lines, in milliseconds.
        var tellsFrom = Int64.min
        /// True when a write ended within a line.
        var isTorn = false
    }

    /// Minimum interval between reports of dropped lines, in milliseconds.
    private static let tellingInterval: Int64 = 1_000

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
            tellOfDropped(atOnce: left == 0)
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
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(LogBudget.reportInterval))) { [self] in tellOfSuppressed() }
    }

    /// Applies a new budget to every event.
    public func setBudget(_ limit: RateLimit) { budget.withLock { $0.limit = limit } }

    /// Blocks until the queue is empty, before the process ends; gives up after the timeout.
    public func flush(timeout milliseconds: Int = 2_000) {
        let done = DispatchSemaphore(value: 0)
        tellOfSuppressed()
        queue.async { [self] in
            tellOfDropped(atOnce: true)
            done.signal()
        }
        _ = done.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    // MARK: Suppressed and dropped lines

    private func tellOfSuppressed() {
        let now = clock.now
        // Runs when the report is due.
        for item in budget.withLock({ $0.report(at: now, isLast: true) }) { write(LogLine(item, at: now)) }
    }

    private func tellOfDropped(atOnce: Bool) {
        let now = clock.now
        let count = output.withLock { output in
            let count = dropped.value - output.told
            guard count > 0, atOnce || output.tellsFrom <= now else { return 0 }
            output.told += count
            output.tellsFrom = now + Self.tellingInterval
            return count
        }
        guard count > 0 else { return }
        put(LogLine(time: now, level: .warning, event: "log_dropped", fields: [LogField("lines", count)]))
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
