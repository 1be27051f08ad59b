import Journal
import Synchronization

/// Virtual time, and the work of it, for the writer of a simulated journal.
package protocol VirtualWriting: WriterScheduler {
    /// Runs work after a number of microseconds.
    func schedule(after microseconds: UInt64, _ work: @escaping () -> Void)
    /// Microseconds that an operation takes; it is carried out at their end.
    func duration(of operation: StorageError.Operation) -> UInt64
}

extension VirtualWriting {
    package func start(_ writer: consuming sending WriterLoop) -> any SteppedWriter { ScheduledWriter(writer, on: self) }
}

/// The writer of a simulated journal: one step at a time, each carried out at the end of its duration.
private final class ScheduledWriter: SteppedWriter {
    private struct State: ~Copyable {
        /// nil once the journal is closed or abandoned.
        var loop: WriterLoop?
        /// The step under way.
        var step: JournalStep?
        /// Number of the latest wake-up; earlier ones have no effect.
        var wakeUp = 0
    }

    private let scheduler: any VirtualWriting
    private let state: Mutex<State>

    init(_ writer: consuming sending WriterLoop, on scheduler: any VirtualWriting) {
        self.scheduler = scheduler
        state = Mutex(State(loop: writer))
        wake(after: 0)
    }

    func wake() { wake(after: 0) }

    /// Has the writer look for work, unless a step is under way, at whose end it does anyway.
    private func wake(after microseconds: UInt64) {
        let number: Int? = state.withLock { state in
            guard state.step == nil, state.loop != nil else { return nil }
            state.wakeUp += 1
            return state.wakeUp
        }
        guard let number else { return }
        scheduler.schedule(after: microseconds) { [weak self] in self?.begin(number) }
    }

    private func begin(_ number: Int) {
        var pause: UInt64?
        let duration: UInt64? = state.withLock { state in
            guard state.wakeUp == number, state.step == nil, state.loop != nil else { return nil }
            let now = scheduler.microseconds
            let step = state.loop?.next()
            let operation: StorageError.Operation
            switch step {
            case .wait(let time, let forAppend):
                if state.loop?.mayWait(forAppend: forAppend) == true { pause = time.map { $0 - min(now, $0) } } else { pause = 0 }
                return nil
            case .finished, nil:
                state.loop = nil
                return nil
            case .prepare, .anchor: operation = .create
            case .write: operation = .write
            case .sync: operation = .sync
            }
            state.step = step
            return scheduler.duration(of: operation)
        }
        if let pause { wake(after: pause) }
        guard let duration else { return }
        scheduler.schedule(after: duration) { [weak self] in self?.end() }
    }

    private func end() {
        state.withLock { state in
            guard let step = state.step.take() else { return }
            _ = state.loop?.perform(step)
        }
        wake(after: 0)
    }

    func finish() {
        state.withLock { state in
            if let step = state.step.take() { _ = state.loop?.perform(step) }
            while let step = state.loop?.next() {
                if case .wait = step { break }
                if state.loop?.perform(step) != true { break }
            }
            state.loop?.finish()
            state.loop = nil
        }
    }

    func abandon() {
        state.withLock { state in
            state.step = nil
            state.loop = nil
        }
    }
}
