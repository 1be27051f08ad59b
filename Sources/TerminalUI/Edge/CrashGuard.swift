#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Restores the terminal when a signal that nobody can handle ends the process: a trap, an invalid access, `abort`, Control-\.
/// The handler calls only `write`, `tcsetattr`, `sigaction` and `raise`, which are async-signal-safe (POSIX, signal-safety(7)).
enum CrashGuard {
    private struct State {
        var settings: termios
        let text: UnsafeMutableBufferPointer<UInt8>
        let input: Int32
        let output: Int32
    }

    private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGQUIT, SIGSYS]
    /// Above the highest of ``signals`` on every platform.
    private static let signalLimit = 64

    // Written by the one thread that opens and closes the terminal; the handler takes a pointer that is whole or nil.
    nonisolated(unsafe) private static var state: UnsafeMutablePointer<State>?
    // Set once, before the first handler.
    nonisolated(unsafe) private static var former: UnsafeMutablePointer<sigaction>?

    static func arm(_ settings: termios, leaving: String, input: Int32, output: Int32) {
        guard state == nil else { return }
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: leaving.utf8.count)
        _ = text.initialize(from: leaving.utf8)
        let new = UnsafeMutablePointer<State>.allocate(capacity: 1)
        new.initialize(to: State(settings: settings, text: text, input: input, output: output))
        state = new
        install()
    }

    static func disarm() {
        guard let old = state else { return }
        state = nil
        old.pointee.text.deallocate()
        old.deallocate()
    }

    /// Installs the handlers once, before whatever was installed: a crash still gets its report.
    private static func install() {
        guard former == nil else { return }
        let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: signalLimit)
        actions.initialize(repeating: sigaction(), count: signalLimit)
        former = actions
        for number in signals {
            var action = sigaction()
            #if canImport(Glibc)
                action.__sigaction_handler.sa_handler = { CrashGuard.restore($0) }
            #else
                action.__sigaction_u.__sa_handler = { CrashGuard.restore($0) }
            #endif
            // A stack that overflowed has no room for a handler.
            action.sa_flags = SA_ONSTACK
            sigaction(number, &action, actions + Int(number))
        }
    }

    private static func restore(_ number: Int32) {
        if let now = state {
            state = nil
            _ = write(now.pointee.output, now.pointee.text.baseAddress, now.pointee.text.count)
            tcsetattr(now.pointee.input, TCSANOW, &now.pointee.settings)
        }
        // The former action comes as soon as this one returns.
        if let former { sigaction(number, former + Int(number), nil) }
        raise(number)
    }
}
