import Dispatch
import EventStreams
import Sockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The signals of a process, as a value: a test sends its own without touching the process that runs it.
struct ProcessSignals: Sendable {
    /// Replaces a signal's default action by a closure on a queue, until cancelled.
    var observe: @Sendable (_ number: Int32, DispatchQueue, @escaping @Sendable () -> Void) -> AnyCancellable
    /// Stops the process until `SIGCONT`.
    var stop: @Sendable () -> Void

    /// The process's own.
    static let standard = ProcessSignals { number, queue, action in
        let sources = Signals.observe([number], on: queue) { _ in action() }
        return AnyCancellable { for source in sources { source.cancel() } }
    } stop: {
        kill(getpid(), SIGSTOP)
    }
}
