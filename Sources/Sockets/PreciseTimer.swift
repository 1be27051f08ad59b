import Dispatch

#if os(Linux)
    import CSockets
#endif

/// One deadline on a loop, to the microsecond. On Linux a descriptor in the epoll set: a thread that sleeps until then costs a load generator
/// 12 % more processor time per action. Elsewhere a strict Dispatch timer. Confined to the loop.
public final class PreciseTimer {
    private let loop: Loop
    private let action: () -> Void
    #if os(Linux)
        private let descriptor: Int32
        private var token: PollToken?
    #else
        private var source: (any DispatchSourceTimer)?
    #endif

    /// A timer that is not armed. It keeps its loop alive, and the loop keeps it, until ``cancel()`` or ``Loop/stop()``.
    /// - Precondition: a descriptor is left.
    public init(on loop: Loop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        #if os(Linux)
            descriptor = bj_timerfd()
            token = loop.poller.add(descriptor, .reading, self)
            precondition(descriptor >= 0 && token != nil, "no descriptor left for a timer")
        #else
            let source = DispatchSource.makeTimerSource(flags: .strict, queue: loop.queue)
            source.setEventHandler { [self] in loop.tick(action) }
            source.schedule(deadline: .distantFuture)
            source.resume()
            self.source = source
        #endif
    }

    /// Sets the deadline, replacing an earlier one. A past one fires at once, never inside this call.
    /// - Parameter nanoseconds: of `DispatchTime.uptimeNanoseconds`.
    public func arm(at nanoseconds: UInt64) {
        #if os(Linux)
            guard token != nil else { return }
            _ = bj_timerfd_set(descriptor, nanoseconds)
        #else
            source?.schedule(deadline: DispatchTime(uptimeNanoseconds: nanoseconds), leeway: .nanoseconds(0))
        #endif
    }

    /// Ends the timer; it fires no more.
    public func cancel() {
        #if os(Linux)
            guard let token else { return }
            self.token = nil
            loop.poller.removeAndClose(token)
        #else
            source?.cancel()
            source = nil
        #endif
    }
}

#if os(Linux)
    extension PreciseTimer: PollTarget {
        func ready(_ readiness: Readiness) {
            // False if it was armed again since the event.
            if bj_timerfd_take(descriptor) { action() }
        }

        func loopStopped() { token = nil }
    }
#endif
