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

    /// Reads the records after ``start`` and up to ``last``.
    public func records(_ body: (Record, RecordPlace) -> Void) throws(RecoveryError) {
        try lines { line, place throws(RecoveryError) in
            let record: Record
            do throws(RecordError) {
                record = try Record(line: line)
            } catch {
                throw .record(error, at: place)
            }
            body(record, place)
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
