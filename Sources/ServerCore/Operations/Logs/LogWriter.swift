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
/// A ``LogBudget`` protects the game from its log: it suppresses lines of too frequent events, and lines for which the queue has no room.
/// Lines that fail to be written count as suppressed. A report names each event with its number of suppressed lines.
public final class LogWriter: Sendable {
    /// Level and format; may change at any time.
    public let settings: LogSettings
    /// Lines lost: queue full or write failed.
    let dropped: Metric
    /// Lines queued at most.
    private let capacity: Int
    private let descriptor: Int32
    /// A line in words for people, in place of logfmt; nil for a line without words.
    private let words: @Sendable (LogLine) -> String?
    private let clock = LoopClock()
    private let waiting = Atomic<Int>(0)
    private let budget: Mutex<LogBudget>
    private let queue = DispatchQueue(label: "bj.log")
    /// True when a write ended within a line. Changes on the queue.
    private let isTorn = Atomic(false)

    /// - Parameters:
    ///   - descriptor: 2 for standard error.
    ///   - dropped: counts lost lines.
    ///   - budget: per event; nil for the server's.
    ///   - words: a line in words, for a terminal; called on the writer's queue. Safe to print. nil: logfmt.
    public init(
        settings: LogSettings = LogSettings(), descriptor: Int32 = 2, capacity: Int = 4096,
        dropped: Metric = Metrics().droppedLines, budget: RateLimit? = nil,
        words: @escaping @Sendable (LogLine) -> String? = { _ in nil }
    ) {
        self.settings = settings
        self.descriptor = descriptor
        self.capacity = capacity
        self.dropped = dropped
        self.words = words
        self.budget = Mutex(budget.map { LogBudget(limit: $0) } ?? LogBudget())
    }

    /// Writes a line if its level is logged and its event's budget admits it; else counts it, and later reports the number.
    public func write(_ line: LogLine) {
        guard settings.includes(line.level) else { return }
        let hasRoom = waiting.wrappingAdd(1, ordering: .relaxed).newValue <= capacity
        guard isAdmitted(line, hasRoom: hasRoom) else {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            if !hasRoom { dropped.add() }
            return
        }
        queue.async { [self] in
            put(line)
            waiting.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    private func isAdmitted(_ line: LogLine, hasRoom: Bool) -> Bool {
        let (isAdmitted, isFirst) = budget.withLock { budget in
            let wasDue = budget.isReportDue
            let isAdmitted = budget.admits(line, hasRoom: hasRoom)
            return (isAdmitted, !wasDue && budget.isReportDue)
        }
        if isFirst {
            let delay = DispatchTimeInterval.milliseconds(Int(LogBudget.reportInterval))
            queue.asyncAfter(deadline: .now() + delay) { [self] in reportSuppressed() }
        }
        return isAdmitted
    }

    /// Blocks until the queue is empty, before the process ends; gives up after the timeout.
    public func flush(timeout milliseconds: Int = 2_000) {
        let done = DispatchSemaphore(value: 0)
        queue.async { [self] in
            reportSuppressed()
            done.signal()
        }
        _ = done.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    // MARK: Writing, on the queue

    private func reportSuppressed() {
        _ = clock.follow()
        for item in budget.withLock({ $0.report() }) { put(LogLine(item, at: clock.wall)) }
    }

    private func put(_ line: LogLine) {
        let wasTorn = isTorn.load(ordering: .relaxed)
        let text = (settings.format == .logfmt ? words(line) : nil) ?? line.text(settings.format)
        let bytes = Array(((wasTorn ? "\n" : "") + text + "\n").utf8)
        let sent = put(bytes)
        isTorn.store(sent < bytes.count && (sent > 0 || wasTorn), ordering: .relaxed)
        // A full disk or a closed reader. Reported once writing succeeds.
        guard sent < bytes.count else { return }
        dropped.add()
        _ = isAdmitted(line, hasRoom: false)
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
