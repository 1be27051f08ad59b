import Journal
import Records

/// A data folder as it is at one moment. Only reads, also while a server writes to the folder.
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
    /// - Throws: also for a folder without a journal.
    public init(folder path: String, withHistory: Bool = false) throws(RecoveryError) {
        do {
            folder = JournalFolder(reading: try FileStorage(path: path, creating: false))
            let found = try SavedState.recover(from: folder)
            guard let end = found.end, end.house != nil else { throw RecoveryError.empty(folder: path) }
            _ = try found.state.checkedNames()
            (state, last) = (found.state, end.sequence)
            start = try folder.checkedHistoryStart()
            beginning = withHistory && start > 0 ? try SavedState.checkpoint(at: start, in: folder) : nil
        } catch { throw RecoveryError(error) }
    }

    /// Reads the lines of the records after ``start`` and up to ``last``.
    /// - Parameters:
    ///   - frame: the first frame to read.
    ///   - body: gets each line without its newline, valid during the call, and its place.
    public func lines(
        from frame: UInt64 = 1, _ body: (UnsafeBufferPointer<UInt8>, RecordPlace) throws(RecoveryError) -> Void
    ) throws(RecoveryError) {
        let first = max(frame, start + 1)
        guard first <= last else { return }
        do {
            try folder.records(from: first, through: last, body)
        } catch { throw RecoveryError(error) }
    }

    /// Reads the records after ``start`` and up to ``last``, but remembered answers.
    public func records(_ body: (Record, RecordPlace) -> Void) throws(RecoveryError) {
        try frames(after: start) { frame in
            for (place, line) in frame.records { body(try line.record(at: place), place) }
            return true
        }
    }

    /// Reads frames up to ``last``, without remembered answers, as long as `body` returns true.
    func frames(after frame: UInt64, _ body: (DecodedFrame) throws -> Bool) throws(RecoveryError) {
        guard frame < last else { return }
        do { try folder.decodedFrames(from: frame + 1, through: last, withAnswers: false, body) } catch {
            throw RecoveryError(error)
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
    func record(at place: RecordPlace) throws(RecoveryError) -> Record {
        switch self {
        case .success(let record): return record
        case .failure(let error): throw .record(error, at: place)
        }
    }
}
