import Dispatch

#if canImport(Darwin)
    import Darwin
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
