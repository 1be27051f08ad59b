import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Restores the terminal when a signal ends the process that the session does not handle: a trap, an invalid access, `abort`, Control-\, SIGUSR1.
/// The handler calls only `write`, `tcsetattr`, `sigaction` and `raise`, which are async-signal-safe (POSIX, signal-safety(7)).
enum CrashGuard {
    private struct State {
        var settings: termios
        let text: UnsafeMutableBufferPointer<UInt8>
        let input: Int32
        let output: Int32
    }

    private static let signals = [
        SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGQUIT, SIGSYS, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF,
        SIGXCPU, SIGXFSZ,
    ]
    /// Above the highest of ``signals`` on every platform.
    private static let signalLimit = 64

    /// The address of a ``State``, 0 for none. Taken by whoever restores the terminal first: a handler finds a whole one or none.
    private static let state = Atomic<UInt>(0)
    /// The address of the former actions by signal. Set once, before the first handler.
    private static let former = Atomic<UInt>(0)
    /// The signal that was handled; 0 for none.
    private static let crash = Atomic<Int32>(0)

    static func arm(_ settings: termios, leaving: String, input: Int32, output: Int32) {
        guard state.load(ordering: .acquiring) == 0 else { return }
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: leaving.utf8.count)
        _ = text.initialize(from: leaving.utf8)
        let new = UnsafeMutablePointer<State>.allocate(capacity: 1)
        new.initialize(to: State(settings: settings, text: text, input: input, output: output))
        state.store(UInt(bitPattern: new), ordering: .releasing)
        install()
    }

    static func disarm() {
        guard let old = take() else { return }
        old.pointee.text.deallocate()
        old.deallocate()
    }

    private static func take() -> UnsafeMutablePointer<State>? {
        UnsafeMutablePointer(bitPattern: state.exchange(0, ordering: .acquiringAndReleasing))
    }

    /// Installs the handlers once, before whatever was installed: a crash still gets its report.
    private static func install() {
        guard former.load(ordering: .acquiring) == 0 else { return }
        let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: signalLimit)
        actions.initialize(repeating: sigaction(), count: signalLimit)
        former.store(UInt(bitPattern: actions), ordering: .releasing)
        for number in signals {
            var action = sigaction()
            #if canImport(Glibc)
                action.__sigaction_handler.sa_handler = { CrashGuard.restore($0) }
            #else
                action.__sigaction_u.__sa_handler = { CrashGuard.restore($0) }
            #endif
            // A stack that overflowed has no room for a handler.
            action.sa_flags = SA_ONSTACK
            sigaction(number, nil, actions + Int(number))
            // The parent process wants the signal ignored.
            if isIgnored(actions[Int(number)]) { continue }
            sigaction(number, &action, nil)
        }
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        #if canImport(Glibc)
            let handler = action.__sigaction_handler.sa_handler
        #else
            let handler = action.__sigaction_u.__sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends the process if a handler that was installed before came back: a signal that was sent has no fault to repeat.
    static func endAfterCrash() {
        let number = crash.load(ordering: .relaxed)
        if number != 0 { _exit(128 + number) }
    }

    private static func restore(_ number: Int32) {
        crash.store(number, ordering: .relaxed)
        if let now = take() {
            _ = write(now.pointee.output, now.pointee.text.baseAddress, now.pointee.text.count)
            tcsetattr(now.pointee.input, TCSANOW, &now.pointee.settings)
        }
        // The former action comes as soon as this one returns.
        if let former = UnsafeMutablePointer<sigaction>(bitPattern: former.load(ordering: .acquiring)) {
            sigaction(number, former + Int(number), nil)
        }
        raise(number)
    }
}
