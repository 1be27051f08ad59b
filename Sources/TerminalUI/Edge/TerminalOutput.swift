import Dispatch
import Synchronization

/// Writes to a terminal on a queue of its own: a terminal that takes nothing (Control-S, a stalled connection) delays no other work.
/// Text that waits has a bound.
final class TerminalOutput: Sendable {
    /// Bytes that may wait. The oldest texts beyond them are dropped, and a note says so.
    static let limit = 1 << 20

    private struct State {
        var waiting: [String] = []
        /// Bytes of `waiting`, without those before `first`.
        var bytes = 0
        /// The oldest text kept.
        var first = 0
        var dropped = 0
        var isWriting = false
        var hasFailed = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "bj.terminal")
    private let write: @Sendable (String) -> Bool
    private let idle: @Sendable (_ hasFailed: Bool) -> Void

    /// - Parameters:
    ///   - write: blocks until the terminal has the text; false when the reader has closed it.
    ///   - idle: called on any queue each time when nothing is left to write.
    init(write: @escaping @Sendable (String) -> Bool, idle: @escaping @Sendable (_ hasFailed: Bool) -> Void) {
        self.write = write
        self.idle = idle
    }

    var isIdle: Bool { state.withLock { !$0.isWriting } }

    /// Returns at once.
    func send(_ text: String) {
        let starts = state.withLock { state in
            state.waiting.append(text)
            state.bytes += text.utf8.count
            while state.bytes > Self.limit, state.first < state.waiting.count - 1 {
                state.bytes -= state.waiting[state.first].utf8.count
                state.waiting[state.first] = ""
                (state.first, state.dropped) = (state.first + 1, state.dropped + 1)
            }
            // Amortised: each text is moved once at most.
            if state.first > 1024, state.first > state.waiting.count / 2 {
                state.waiting.removeFirst(state.first)
                state.first = 0
            }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if starts { queue.async { [self] in writeAll() } }
    }

    /// Waits until everything is written, at most this time.
    func finish(within milliseconds: Int) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    private func writeAll() {
        while let text = next() {
            if !write(text) { state.withLock { $0.hasFailed = true } }
        }
        idle(state.withLock { $0.hasFailed })
    }

    private func next() -> String? {
        state.withLock { state in
            let (texts, dropped) = (state.waiting[state.first...], state.dropped)
            (state.waiting, state.first, state.bytes, state.dropped) = ([], 0, 0, 0)
            guard !state.hasFailed, !texts.isEmpty else {
                state.isWriting = false
                return nil
            }
            let note = dropped == 0 ? "" : "(\(dropped) lines are left out: the terminal took nothing for too long.)\n"
            return note + texts.joined()
        }
    }
}
