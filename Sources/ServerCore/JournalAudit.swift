import Journal
import Records

/// The result of an audit without a wrong record.
public struct AuditReport: Sendable {
    public let summary: AuditSummary
    /// The last frame before those audited: 0, or that of the oldest checkpoint kept.
    public let start: UInt64
    /// The end of the journal, as it was found.
    public let end: JournalEnd

    public var frames: UInt64 { end.sequence - start }
}

/// Why an audit fails.
public enum AuditFailure: Error, CustomStringConvertible {
    /// The journal cannot be read up to its end.
    case unreadable(RecoveryError)
    /// A record is wrong; `file` is the segment with it, nil for the state that the audit starts from.
    case wrong(AuditFinding, file: String?)
    /// A checkpoint differs from the state that the records give.
    case checkpoint(file: String, sequence: UInt64)

    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .wrong(let finding, let file): (file.map { "\($0), " } ?? "") + finding.description
        case .checkpoint(let file, let sequence):
            "\(file) is not the state after frame \(sequence): remove it to recover from an older checkpoint"
        }
    }
}

extension JournalFolder {
    /// Recomputes every record that is kept, and compares every checkpoint with the result; also while a server writes to the folder.
    public func audit() throws(AuditFailure) -> AuditReport {
        // A server may prune files meanwhile: begin again at the later start, a few times.
        var attempts = 3
        while true {
            attempts -= 1
            do {
                return try auditOnce()
            } catch let error as AuditFailure {
                throw error
            } catch {
                let isPruned = (error as? JournalError).map(\.mayBePruning) ?? false
                guard isPruned, attempts > 0 else { throw .unreadable(RecoveryError(error)) }
            }
        }
    }

    /// Recovery trusts its newest checkpoint.
    private func compareCheckpoint(at sequence: UInt64, with state: SavedState) throws {
        guard try SavedState.checkpoint(at: sequence, in: self) == state.asKept(at: sequence) else {
            throw AuditFailure.checkpoint(file: FileName.checkpoint(sequence), sequence: sequence)
        }
    }

    private func auditOnce() throws -> AuditReport {
        let start = try checkedHistoryStart()
        let state = start > 0 ? try SavedState.checkpoint(at: start, in: self) : SavedState(house: try houseText())
        var auditor: Auditor
        do { auditor = try Auditor(state) } catch { throw AuditFailure.wrong(error, file: nil) }
        let checkpoints = Set(try checkpoints())
        let end = try decodedFrames(from: start + 1, withAnswers: true) { frame in
            for (place, record) in frame.records {
                do throws(AuditFinding) {
                    try auditor.audit(record, at: place)
                } catch {
                    throw AuditFailure.wrong(error, file: frame.file)
                }
            }
            if checkpoints.contains(frame.sequence) { try compareCheckpoint(at: frame.sequence, with: auditor.state) }
            return true
        }
        guard let end else { preconditionFailure("reading everything reaches the end") }
        guard end.house != nil else { throw RecoveryError.empty(folder: storage.location) }
        _ = try auditor.state.checkedNames()
        do { return AuditReport(summary: try auditor.summary(), start: start, end: end) } catch {
            throw AuditFailure.wrong(error, file: nil)
        }
    }

}

extension SavedState {
    /// The state without the answers that a checkpoint drops.
    fileprivate func asKept(at sequence: UInt64) throws(CheckpointError) -> SavedState {
        var (reader, failure) = (CheckpointReader(), CheckpointError?.none)
        writeCheckpoint(sequence: sequence) { lines in
            guard failure == nil else { return }
            var rest = (copy lines)[...]
            do throws(CheckpointError) {
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    try rest[...end].withUnsafeBufferPointer { line throws(CheckpointError) in try reader.read(line) }
                    rest = rest[(end + 1)...]
                }
            } catch { failure = error }
        }
        if let failure { throw failure }
        return try reader.finish().state
    }
}

extension JournalError {
    /// Whether a file may be missing because a server has removed it.
    fileprivate var mayBePruning: Bool {
        switch self {
        case .pruned: true
        case .storage(let error): error.isMissingFile
        default: false
        }
    }
}
