#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

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
