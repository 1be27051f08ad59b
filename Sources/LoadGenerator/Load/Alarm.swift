import Dispatch
import Foundation
import Measuring
import Sockets
import Synchronization

#if os(Linux)
    import Glibc
#endif

/// Rings at a moment of ``Microclock``, to the microsecond: a thread that sleeps until then. From any thread. A loop's timers count in
/// milliseconds, and a Dispatch timer passes two threads, which costs more than an action; setting this is a store to memory.
final class Alarm: Sendable {
    private struct State {
        /// When to ring; `max` for never.
        var due = Int64.max
        /// Until when the thread sleeps, at most.
        var wakesAt = Int64.max
        var isStopped = false
    }

    private enum Step {
        case ring
        case stop
        case sleep(until: Int64)
    }

    private let state = Mutex(State())
    private let turn = DispatchSemaphore(value: 0)

    /// An alarm that is not set.
    /// - Parameter ring: called on the alarm's own thread, once for each time that it was set and its moment has come.
    init(name: String, ring: @escaping @Sendable () -> Void) {
        DetachedThread.start(name: name) { [self] in watch(ring) }
    }

    /// Rings at this moment only; replaces the former one.
    func set(_ moment: Int64) {
        let isTooLate = state.withLock { state in
            state.due = moment
            guard moment < state.wakesAt else { return false }
            state.wakesAt = moment
            return true
        }
        if isTooLate { turn.signal() }
    }

    /// Ends its thread; it rings no more, but for the ring that is under way.
    func stop() {
        state.withLock { $0.isStopped = true }
        turn.signal()
    }

    private func watch(_ ring: () -> Void) {
        Self.sleepExactly()
        while true {
            switch step(at: Microclock.now) {
            case .stop: return
            case .ring: ring()
            case .sleep(.max): turn.wait()
            case .sleep(let end): _ = turn.wait(timeout: DispatchTime(uptimeNanoseconds: UInt64(end) * 1000))
            }
        }
    }

    private func step(at now: Int64) -> Step {
        state.withLock { state in
            if state.isStopped { return .stop }
            guard state.due > now else {
                // The thread checks again before it sleeps, so setting it while it rings needs no signal.
                (state.due, state.wakesAt) = (.max, now)
                return .ring
            }
            state.wakesAt = state.due
            return .sleep(until: state.due)
        }
    }

    /// Linux adds up to 50 µs of timer slack to a sleep. Where that cannot be changed the alarm is as late, and the
    /// generator's lag shows it.
    private static func sleepExactly() {
        #if os(Linux)
            let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            guard let thread = link?.split(separator: "/").last else { return }
            let descriptor = open("/proc/\(thread)/timerslack_ns", O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            _ = write(descriptor, "1", 1)
            close(descriptor)
        #endif
    }
}
