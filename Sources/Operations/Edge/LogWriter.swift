import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes the log to a descriptor, from any thread, without ever holding up who logs: lines are made and written on a queue of its own, and
/// when whoever reads them is too slow, those that find no room are counted instead.
public final class LogWriter: Sendable {
    /// What is logged and how; may be changed at any time.
    public let settings: LogSettings
    /// Lines that found no room.
    public let dropped = Counter()
    /// The most lines that wait.
    private let capacity: Int
    private let descriptor: Int32
    private let waiting = Atomic<Int>(0)
    private let queue = DispatchQueue(label: "bj.log")

    /// - Parameter descriptor: 2 for standard error.
    public init(settings: LogSettings = LogSettings(), descriptor: Int32 = 2, capacity: Int = 4096) {
        self.settings = settings
        self.descriptor = descriptor
        self.capacity = capacity
    }

    /// Writes a line if its level is logged.
    public func write(_ line: LogLine) {
        guard settings.includes(line.level) else { return }
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= capacity else {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            return dropped.add()
        }
        queue.async { [self] in
            put(Array((line.text(settings.format) + "\n").utf8))
            waiting.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    /// Waits until everything that was logged is written, as the last thing before the process ends. Gives up after so many milliseconds.
    public func flush(timeout milliseconds: Int = 2_000) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    private func put(_ bytes: [UInt8]) {
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
            // Nobody reads the log any more: there is nobody to tell.
            guard count > 0 else { return }
            sent += count
        }
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
