import Synchronization

/// Updates that a subscriber on another queue has not handled, with a bound: beyond it nothing is read, so that TCP slows the server down.
final class UpdateBacklog: Sendable {
    private let limit: Int
    private let waiting = Atomic<Int>(0)
    private let isPaused = Atomic<Bool>(false)

    init(limit: Int) { self.limit = limit }

    /// One more waits.
    /// - Returns: whether reading is to pause.
    func added() -> Bool {
        guard waiting.add(1, ordering: .sequentiallyConsistent).newValue >= limit else { return false }
        isPaused.store(true, ordering: .sequentiallyConsistent)
        // All of them may have been handled meanwhile, and nobody else would resume.
        return !resumes(waiting.load(ordering: .sequentiallyConsistent))
    }

    /// One less waits.
    /// - Returns: whether reading is to resume.
    func handled() -> Bool { resumes(waiting.subtract(1, ordering: .sequentiallyConsistent).newValue) }

    private func resumes(_ count: Int) -> Bool {
        count <= limit / 2 && isPaused.exchange(false, ordering: .sequentiallyConsistent)
    }
}
