import Journal
import Records
import Sockets
import Synchronization

/// Writes checkpoints in the background: runs recovery over the last checkpoint and the segments sealed since.
///
/// Reads files only and takes no lock that a loop takes.
final class Checkpointer: Sendable {
    /// The result of one pass.
    enum Outcome: Equatable {
        /// No segment was sealed since the last checkpoint.
        case nothingNew
        /// A checkpoint of the state after this frame; `removed`: bytes of the journal removed.
        case written(UInt64, removed: Int)
        case failed(String)
    }

    private let folder: JournalFolder
    private let history: Mutex<JournalHistory>
    private let queue: BackgroundQueue
    private let isStopped = Atomic(false)

    init(_ folder: JournalFolder, keeping history: JournalHistory, on system: (any SimulatedSystem)? = nil) {
        queue = BackgroundQueue(label: "bj.checkpoint", qos: .background, on: system)
        self.folder = folder
        self.history = Mutex(history)
    }

    func keep(_ history: JournalHistory) { self.history.withLock { $0 = history } }

    /// A busy server's pass waits for so many sealed segments: reading and writing the whole state costs as much as the records
    /// of two. They are what a recovery replays: 16 MiB, a quarter of a second.
    private static let segmentsPerPass = 4
    /// A quiet server's pass waits no longer than this, in milliseconds.
    private static let longestPause: Int64 = 10_000

    /// Runs a pass at once, then now and then.
    /// - Parameters:
    ///   - interval: seconds from one look for work to the next.
    ///   - last: time of the last pass.
    ///   - report: called with the outcome of each pass that had work to do.
    func start(
        every interval: Int, after last: Int64? = nil, report: @escaping @Sendable (Outcome) -> Void
    ) {
        queue.async { [weak self] in
            guard let self, !isStopped.load(ordering: .relaxed) else { return }
            let (now, isDue) = (queue.clock.now, isDue(after: last))
            let outcome = isDue ? run() : .nothingNew
            if outcome != .nothingNew { report(outcome) }
            queue.async(afterMilliseconds: Int64(interval) * 1000) { [weak self] in
                self?.start(every: interval, after: isDue ? now : last, report: report)
            }
        }
    }

    private func isDue(after last: Int64?) -> Bool {
        guard let last, queue.clock.now - last < Self.longestPause else { return true }
        // A folder that cannot be read is the pass's to report.
        guard let newest = try? folder.checkpoints().last ?? 0, let sealed = try? folder.sealedSegments(after: newest) else {
            return true
        }
        return sealed >= Self.segmentsPerPass
    }

    /// Ends the passes, after one that is running.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        queue.wait()
    }

    /// One pass.
    func run() -> Outcome {
        do {
            let newest = try folder.checkpoints().last ?? 0
            let sealed = try folder.sealedThrough()
            guard sealed > newest else { return .nothingNew }
            let state = try SavedState.recover(from: folder, through: sealed).state
            try state.write(to: folder, at: sealed)
            let now = UInt64(max(0, queue.wallClock))
            return .written(sealed, removed: try folder.prune(keeping: history.withLock { $0 }, now: now))
        } catch {
            return .failed("\(error)")
        }
    }
}
