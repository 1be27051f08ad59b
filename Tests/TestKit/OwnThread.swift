import Dispatch
import Foundation
import Testing

/// Runs a test on a thread of its own, a few of such tests at a time.
///
/// Tests share as many threads as there are processors, and all of them begin at once: whoever awaits goes to the end of a queue of hundreds,
/// and on a busy machine comes back minutes later. The clocks of a real server do not wait for that. So a test with real sockets, processes
/// or clocks has this trait: what it awaits resumes it at once, and when it blocks it holds nobody up. One that never ends is named, and ends
/// the run (``Deadline``).
public struct OwnThreadTrait: TestTrait, SuiteTrait, TestScoping {
    public let isRecursive = true
    /// Where its tests wait for their turn.
    let turnstile: Turnstile

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(OwnThread()) {
            await turnstile.enter()
            defer { turnstile.leave() }
            let deadline = Deadline.set(Deadline.ofTest) {
                "\(test.name) has not ended"
            } expire: {
                exit(1)
            }
            defer { deadline.cancel() }
            try await function()
        }
    }
}

extension Trait where Self == OwnThreadTrait {
    /// For tests with real sockets, processes or clocks.
    public static var ownThread: Self { Self(turnstile: .ofRealTime) }

    /// The same for tests that mostly wait for other processes: they do not queue up behind those that want processors.
    public static var ownThreadMostlyIdle: Self { Self(turnstile: .ofIdleTime) }
}

/// A serial queue, which has a thread to itself whenever it has something to do.
private final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "test.thread")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
