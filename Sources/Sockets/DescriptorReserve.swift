import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Descriptors reserved for operations that must work after the process has run out of them.
public final class DescriptorReserve: Sendable {
    private let held: Mutex<[Int32]>
    private let count: Int

    public init(count: Int) {
        self.count = count
        held = Mutex([])
        held.withLock { fill(&$0) }
    }

    private func fill(_ held: inout [Int32]) {
        while held.count < count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return }
            held.append(descriptor)
        }
    }

    /// Frees the reserve while `body` runs. One caller at a time.
    public func lend<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let lent = held.withLock { held in
            defer { held = [] }
            return held
        }
        for descriptor in lent { Descriptor.close(descriptor) }
        defer { held.withLock { fill(&$0) } }
        return try body()
    }

    deinit { for descriptor in held.withLock({ $0 }) { Descriptor.close(descriptor) } }
}

extension DescriptorReserve {
    /// Makes Dispatch open its own descriptors now: it creates timerfds on first use, and without them no timer ever fires.
    public static func prepareDispatch() {
        let queue = DispatchQueue(label: "bj.prepare")
        let fired = DispatchSemaphore(value: 0)
        let timers = (0..<2).map { _ in DispatchSource.makeTimerSource(flags: .strict, queue: queue) }
        for timer in timers {
            timer.setEventHandler { fired.signal() }
        }
        timers[0].schedule(deadline: .now() + .milliseconds(1))
        timers[1].schedule(wallDeadline: .now() + .milliseconds(1))
        for timer in timers { timer.resume() }
        for _ in timers { _ = fired.wait(timeout: .now() + .seconds(1)) }
        for timer in timers { timer.cancel() }
    }
}
