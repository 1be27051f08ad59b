import Dispatch
import Sockets
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes the log to a descriptor, from any thread, without ever holding up who logs: lines are made and written on a queue of its own.
/// Lines that find no room there, because nobody reads fast enough, are counted, and the count is logged when there is room again. What
/// strangers can cause is bounded by a ``LogBudget`` besides.
public final class LogWriter: Sendable {
    /// What is logged and how; may be changed at any time.
    public let settings: LogSettings
    /// Lines that found no room, or could not be written.
    public let dropped = Counter()
    /// Lines over the budget.
    public let suppressed = Counter()
    /// The most lines that wait.
    private let capacity: Int
    private let descriptor: Int32
    private let clock = LoopClock()
    private let waiting = Atomic<Int>(0)
    private let budget: Mutex<LogBudget>
    private let queue = DispatchQueue(label: "bj.log")
    private let output = Mutex(Output())

    /// What the queue knows of what it has written.
    private struct Output {
        /// Dropped lines that were told of.
        var told = 0
        /// When dropped lines may be told of again, in milliseconds.
        var tellsFrom = Int64.min
        /// Whether a line was cut off in its midst.
        var isTorn = false
    }

    /// How often dropped lines are told of while ever more are dropped, in milliseconds.
    private static let tellingInterval: Int64 = 1_000

    /// - Parameters:
    ///   - descriptor: 2 for standard error.
    ///   - budget: for each event, of what is written by ``writeBudgeted(_:)``.
    public init(
        settings: LogSettings = LogSettings(), descriptor: Int32 = 2, capacity: Int = 4096, budget: RateLimit = .unreached
    ) {
        self.settings = settings
        self.descriptor = descriptor
        self.capacity = capacity
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

    /// Writes a line that peers can cause, within the budget of its event; `debug` has none, since it is asked for. What is over it is
    /// counted, and told after a while.
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

    /// Has another budget hold for each event from now on.
    public func setBudget(_ limit: RateLimit) { budget.withLock { $0.limit = limit } }

    /// Waits until everything that was logged is written, as the last thing before the process ends. Gives up after so many milliseconds.
    public func flush(timeout milliseconds: Int = 2_000) {
        let done = DispatchSemaphore(value: 0)
        tellOfSuppressed()
        queue.async { [self] in
            tellOfDropped(atOnce: true)
            done.signal()
        }
        _ = done.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    // MARK: What was not written

    private func tellOfSuppressed() {
        let now = clock.now
        // It is called when it is time.
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
        let bytes = Array(((isTorn ? "\n" : "") + line.text(settings.format) + "\n").utf8)
        let sent = put(bytes)
        guard sent < bytes.count else { return }
        // A full disk, or nobody reads any more. It is told of if that ends.
        dropped.add()
        output.withLock { $0.isTorn = sent > 0 || isTorn }
    }

    /// - Returns: how many bytes were written.
    private func put(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Self.systemWrite(descriptor, $0) }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN {
                // Somebody else has made the descriptor non-blocking: wait for room.
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
