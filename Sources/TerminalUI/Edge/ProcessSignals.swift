import Dispatch
import EventStreams

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
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: action)
        source.resume()
        return AnyCancellable { source.cancel() }
    } stop: {
        kill(getpid(), SIGSTOP)
    }
}
