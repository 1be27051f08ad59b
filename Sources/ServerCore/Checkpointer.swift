import Dispatch
import Journal
import Records
import Sockets
import Synchronization

/// Writes checkpoints in the background: runs recovery over the last checkpoint and the segments sealed since.
///
/// Takes no lock that a loop takes.
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
    private let history: JournalHistory
    private let queue: BackgroundQueue
    private let isStopped = Atomic(false)

    init(_ folder: JournalFolder, keeping history: JournalHistory, on system: (any SimulatedSystem)? = nil) {
        queue = BackgroundQueue(label: "bj.checkpoint", qos: .background, on: system)
        self.folder = folder
        self.history = history
    }

    private let usage = Inquiry(())
    private let usageQueue = DispatchQueue(label: "bj.usage")

    /// Measures the folder. The gauges keep their values while the disk or database does not answer, and are -1 for what is not known.
    func measure(into metrics: Metrics, within milliseconds: Int) {
        _ = usage.ask(timeout: milliseconds) { [self] answer in
            usageQueue.async { [self] in
                // The next pass reports an unreadable folder.
                let (found, free) = (try? folder.usage(), try? folder.storage.freeBytes())
                let age = found.map { $0.checkpointTime.map { Int(max(0, queue.wallClock - Int64(clamping: $0)) / 1000) } ?? 0 }
                metrics.journalBytes.set(found?.bytes ?? -1)
                metrics.checkpointAge.set(age ?? -1)
                metrics.freeBytes.set(free ?? -1)
                answer(())
            }
        }
    }

    /// Sealed bytes that start a pass on a busy server: a recovery reads them in a quarter of a second.
    private static let bytesPerPass = 16 << 20
    /// The longest time in milliseconds before a quiet server writes pending work.
    private static let longestPause: Int64 = 10_000

    /// Whether a pass is worth its cost. A checkpoint of 100,000 accounts has 40 MB, so a pass waits for as many bytes of journal:
    /// checkpoints are then at most half of what is written, and a recovery replays about as much as it reads.
    /// - Parameters:
    /// - sealed: bytes of sealed segments after the newest checkpoint.
    /// - checkpoint: length of that checkpoint.
    /// - pause: milliseconds since the last pass; nil before the first.
    static func isDue(sealed: Int, checkpoint: Int, pause: Int64?) -> Bool {
        sealed > 0 && sealed >= checkpoint && (sealed >= bytesPerPass || pause.map { $0 >= longestPause } ?? true)
    }

    /// Runs a pass at once, then periodically.
    /// - Parameters:
    /// - interval: seconds between two checks for work.
    /// - last: time of the last pass.
    /// - report: called with the outcome of each pass that had work to do.
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
        // The pass reports an unreadable folder.
        guard let newest = try? folder.checkpoints().last ?? 0, let sealed = try? folder.sealedBytes(after: newest),
            let length = try? folder.checkpointBytes(at: newest)
        else { return true }
        return Self.isDue(sealed: sealed, checkpoint: length, pause: last.map { queue.clock.now - $0 })
    }

    /// Ends the passes. Waits for a running one.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        queue.wait()
    }

    func run() -> Outcome {
        do {
            let newest = try folder.checkpoints().last ?? 0
            let sealed = try folder.sealedThrough()
            guard sealed > newest else { return .nothingNew }
            let state = try SavedState.recover(from: folder, through: sealed).state
            try state.write(to: folder, at: sealed)
            return .written(sealed, removed: try folder.prune(keeping: history))
        } catch {
            return .failed("\(error)")
        }
    }
}

/// The state of a data folder at one moment. Changes nothing; a server may write to the folder meanwhile.
public struct DataSnapshot: Sendable {
    public let folder: JournalFolder
    /// After the frame ``last``.
    public let state: SavedState
    /// The last frame.
    public let last: UInt64
    /// The frame before the history that is kept: 0, or that of the oldest checkpoint.
    public let start: UInt64
    /// The state after the frame ``start``; nil for a journal from its beginning.
    public let beginning: SavedState?

    /// - Parameter withHistory: also reads the state before the history.
    /// - Throws: also if the folder has no journal.
    public init(_ storage: any JournalStorage, withHistory: Bool = false) throws(JournalError) {
        folder = JournalFolder(reading: storage)
        let found = try SavedState.recover(from: folder)
        guard let end = found.end, end.house != nil else { throw .empty(folder: storage.location) }
        _ = try found.state.checkedNames()
        (state, last) = (found.state, end.sequence)
        start = try folder.checkedHistoryStart()
        beginning = withHistory && start > 0 ? try SavedState.checkpoint(at: start, in: folder) : nil
    }

    /// Reads the lines of the records after ``start`` and up to ``last``.
    /// - Parameters:
    ///   - frame: the first frame to read.
    ///   - body: gets each line without its newline, valid during the call, and its place.
    public func lines(
        from frame: UInt64 = 1, _ body: (UnsafeBufferPointer<UInt8>, RecordPlace) throws(JournalError) -> Void
    ) throws(JournalError) {
        let first = max(frame, start + 1)
        guard first <= last else { return }
        var reader = try JournalReader(folder, from: first, through: last)
        while let frame = try reader.next() { try frame.forEachLine(body) }
    }

    /// Reads the records after ``start`` and up to ``last``.
    public func records(_ body: (Record, RecordPlace) -> Void) throws(JournalError) {
        guard start < last else { return }
        try folder.decodedFrames(from: start + 1, through: last, isShown: true) { frame throws(JournalError) in
            for (place, line) in frame.records { body(try line.record(at: place), place) }
        }
    }
}

extension JournalFolder {
    /// The frame before the history that is kept.
    /// - Throws: `.pruned` if no checkpoint is left for it.
    func checkedHistoryStart() throws(JournalError) -> UInt64 {
        if let start = try historyStart() { return start }
        _ = try JournalReader(self)
        return 0
    }
}

extension Result<Record, RecordError> {
    /// The record of a line.
    func record(at place: RecordPlace) throws(JournalError) -> Record {
        switch self {
        case .success(let record): return record
        case .failure(let error): throw .unreadable("\(place): \(error)")
        }
    }
}
