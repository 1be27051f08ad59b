import Dispatch
import Foundation
import Measuring
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Rings at a moment of ``Microclock``, to the microsecond: a thread of its own that sleeps until then.
///
/// A loop's timers count in milliseconds, and a generator that is a millisecond late has measured itself; a timer of Dispatch goes through
/// two of its threads, and setting it through one, which costs more than the action that it is set for. Setting this one is a store to
/// memory unless the thread would sleep too long. From any thread.
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
        let thread = Thread { [self] in watch(ring) }
        thread.name = name
        thread.start()
    }

    /// Has it ring at this moment, and at no other that was set before.
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
                // What is set while it rings is looked at before it sleeps again: no signal is needed for it.
                (state.due, state.wakesAt) = (.max, now)
                return .ring
            }
            state.wakesAt = state.due
            return .sleep(until: state.due)
        }
    }

    /// Linux lets a thread sleep 50 µs longer than it asked for, to wake several at once. Where it can't be told otherwise, that is how late
    /// this alarm may be, and the generator's lag shows it.
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
