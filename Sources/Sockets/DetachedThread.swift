import Dispatch

#if canImport(Glibc)
    import CSystem
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Starts detached threads. Foundation's `Thread` adds 44 MB to a static program: Core Foundation and ICU's tables.
public enum DetachedThread {
    private final class Body: Sendable {
        let name: String?
        let run: @Sendable () -> Void

        init(_ name: String?, _ run: @escaping @Sendable () -> Void) { (self.name, self.run) = (name, run) }
    }

    /// Runs `run` on a thread of its own. Traps when the system has no thread left.
    /// - Parameter name: shown by debuggers and `ps -L`; Linux keeps its first 15 bytes.
    public static func start(name: String? = nil, _ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(name, run)).toOpaque()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // The size of a main thread's stack, as Foundation's threads have.
        pthread_attr_setstacksize(&attributes, 8 << 20)
        #if canImport(Glibc)
            var handle = pthread_t()
        #else
            var handle: pthread_t?
        #endif
        precondition(pthread_create(&handle, &attributes, startDetachedThread, body) == 0, "the system has no thread left")
    }

    fileprivate static func run(_ body: UnsafeMutableRawPointer) {
        let body = Unmanaged<Body>.fromOpaque(body).takeRetainedValue()
        if let name = body.name {
            #if canImport(Glibc)
                bj_name_thread(name)
            #else
                pthread_setname_np(name)
            #endif
        }
        body.run()
    }
}

#if canImport(Glibc)
    private func startDetachedThread(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let body { DetachedThread.run(body) }
        return nil
    }
#else
    private func startDetachedThread(_ body: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        DetachedThread.run(body)
        return nil
    }
#endif

/// The signals of this process.
public enum Signals {
    /// Replaces the default action of signals by `action` on a queue, until the sources are cancelled. No signal is lost: one before this
    /// returns has its default action or is observed, every later one is observed.
    public static func observe(
        _ numbers: [Int32], on queue: DispatchQueue = .main, _ action: @escaping @Sendable (Int32) -> Void
    ) -> [any DispatchSourceSignal] {
        numbers.map { number in
            // A queue of its own, since the caller waits, perhaps on `queue`.
            let source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "bj.signal"))
            source.setEventHandler { queue.async { action(number) } }
            // Dispatch installs its handler on another thread, some time after `resume`: were the signal ignored until then, it would be
            // lost, and a program told to end would go on.
            let installed = DispatchSemaphore(value: 0)
            source.setRegistrationHandler { installed.signal() }
            source.resume()
            installed.wait()
            #if canImport(Darwin)
                // On Darwin a source only observes, and the default action would follow.
                signal(number, SIG_IGN)
            #endif
            return source
        }
    }
}
