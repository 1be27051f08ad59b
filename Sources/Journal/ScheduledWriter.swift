import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The writer of a simulated journal: one step at a time, each carried out at the end of its duration.
final class ScheduledWriter: Sendable {
    private struct State: ~Copyable {
        /// nil once the journal is closed or abandoned.
        var loop: WriterLoop?
        /// The step under way.
        var step: JournalStep?
        /// Number of the latest wake-up; earlier ones have no effect.
        var wakeUp = 0
    }

    private let scheduler: any WriterScheduler
    private let state: Mutex<State>

    init(_ log: DurableLog, _ writer: JournalWriter, on scheduler: any WriterScheduler) {
        self.scheduler = scheduler
        state = Mutex(State(loop: WriterLoop(log, writer)))
        wake(after: 0)
    }

    /// Has the writer look for work, unless a step is under way, at whose end it does anyway.
    func wake(after microseconds: UInt64) {
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
            switch state.loop?.next() {
            case .wait(let time, let forAppend):
                if state.loop?.mayWait(forAppend: forAppend) == true { pause = time.map { $0 - min(now, $0) } } else { pause = 0 }
                return nil
            case .finished, nil:
                state.loop = nil
                return nil
            case .prepare(let segment, let bytes):
                state.step = .prepare(segment: segment, bytes: bytes)
                return scheduler.duration(of: .create)
            case .anchor(let sequence):
                state.step = .anchor(through: sequence)
                return scheduler.duration(of: .create)
            case .write(let batch):
                state.step = .write(batch)
                return scheduler.duration(of: .write)
            case .sync(let segment, let sequence):
                state.step = .sync(segment: segment, through: sequence)
                return scheduler.duration(of: .sync)
            }
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

    /// Carries out everything that waits, at once.
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

    /// Carries out nothing more: the process has ended.
    func abandon() {
        state.withLock { state in
            state.step = nil
            state.loop = nil
        }
    }
}

/// Lets one thread sleep until another wakes it, or until a time of the monotonic clock.
///
/// A Dispatch semaphore's time-out on Linux follows the wall clock: a clock set back would stretch it.
final class WakeUp: @unchecked Sendable {  // `isSet` is read and written with the mutex held
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isSet = false

    init() {
        pthread_mutex_init(mutex, nil)
        #if canImport(Glibc)
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #else
            pthread_cond_init(condition, nil)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Ends the current or the next wait.
    func signal() {
        pthread_mutex_lock(mutex)
        isSet = true
        pthread_mutex_unlock(mutex)
        // After the unlocking: the thread that wakes up finds the mutex free.
        pthread_cond_signal(condition)
    }

    /// Returns after a signal since the last wait, or at a time in microseconds; nil waits for the signal alone.
    func wait(until time: UInt64? = nil) {
        pthread_mutex_lock(mutex)
        var isOver = false
        while !isSet, !isOver {
            if let time {
                isOver = !wait(at: time)
            } else {
                pthread_cond_wait(condition, mutex)
            }
        }
        isSet = false
        pthread_mutex_unlock(mutex)
    }

    /// False when the time has come.
    private func wait(at time: UInt64) -> Bool {
        #if canImport(Glibc)
            var deadline = timespec(tv_sec: Int(time / 1_000_000), tv_nsec: Int(time % 1_000_000) * 1000)
            return pthread_cond_timedwait(condition, mutex, &deadline) == 0
        #else
            let now = MonotonicClock.microseconds()
            guard now < time else { return false }
            var rest = timespec(tv_sec: Int((time - now) / 1_000_000), tv_nsec: Int((time - now) % 1_000_000) * 1000)
            return pthread_cond_timedwait_relative_np(condition, mutex, &rest) == 0
        #endif
    }
}

enum MonotonicClock {
    static func microseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}

/// A thread that can be joined, which Foundation's cannot.
final class JoinableThread: @unchecked Sendable {  // `handle` is set before anybody else sees it, and read after
    #if canImport(Glibc)
        private var handle = pthread_t()
    #else
        private var handle: pthread_t?
    #endif

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    init(_ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(run))
        let status = pthread_create(&handle, nil, startThread, body.toOpaque())
        precondition(status == 0, "the system has no thread left at the start of a journal")
    }

    func join() {
        #if canImport(Glibc)
            pthread_join(handle, nil)
        #else
            if let handle { pthread_join(handle, nil) }
        #endif
    }

    fileprivate static func run(_ body: UnsafeMutableRawPointer) {
        Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
    }
}

#if canImport(Glibc)
    private func startThread(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let body { JoinableThread.run(body) }
        return nil
    }
#else
    private func startThread(_ body: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        JoinableThread.run(body)
        return nil
    }
#endif
