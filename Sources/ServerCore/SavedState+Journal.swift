import Journal
import Records

extension JournalFolder {
    /// Reads the records of a journal, line by line.
    /// - Parameters:
    ///   - first: the sequence of the first frame.
    ///   - last: the sequence of the last frame.
    ///   - body: gets each line without its newline, and its place. The line is valid during the call.
    /// - Returns: the end of the journal; nil if `last` was reached.
    @discardableResult
    public func records<Failure: Error>(
        from first: UInt64 = 1, through last: UInt64 = .max,
        _ body: (UnsafeBufferPointer<UInt8>, RecordPlace) throws(Failure) -> Void
    ) throws -> JournalEnd? {
        var reader = try JournalReader(self, from: first, through: last)
        while let frame = try reader.next() {
            var number = 0
            var rest = frame.records
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                let place = RecordPlace(sequence: frame.sequence, line: number)
                try rest[..<end].withUnsafeBufferPointer { line throws(Failure) in try body(line, place) }
                rest = rest[(end + 1)...]
            }
        }
        return reader.end
    }
}

/// Why the state of a journal cannot be read.
public enum RecoveryError: Error, CustomStringConvertible {
    case journal(JournalError)
    /// A record does not fit those before it.
    case replay(ReplayError)
    case record(RecordError, at: RecordPlace)
    case checkpoint(CheckpointError)
    /// The chips of the state do not add up to 0.
    case imbalance(Int)
    /// Accounts and tables do not fit together, although every record is well-formed.
    case contradiction(String)
    /// There is no journal to read.
    case empty(folder: String)

    public var description: String {
        switch self {
        case .journal(let error): error.description
        case .replay(let error): "the journal contradicts itself: \(error)"
        case .record(let error, let place): "\(place): \(error)"
        case .checkpoint(let error): "the checkpoint is damaged: \(error)"
        case .imbalance(let chips): "the journal's chips do not add up: \(chips) too many"
        case .contradiction(let text): "the journal contradicts itself: \(text)"
        case .empty(let folder): "\(folder) has no journal: name the folder that a server was given as --data"
        }
    }

    /// Whether the folder's content is damaged.
    public var isDamage: Bool {
        switch self {
        case .journal(.corrupt), .journal(.shortened), .journal(.damagedCheckpoint), .journal(.unsupportedVersion),
            .journal(.missing), .journal(.older), .journal(.otherHouse), .journal(.damagedAnchor), .journal(.pruned), .replay,
            .record, .checkpoint, .imbalance, .contradiction:
            true
        case .journal, .empty: false
        }
    }

    /// - Parameter error: one that reading a journal throws.
    public init(_ error: any Error) {
        switch error {
        case let error as JournalError: self = .journal(error)
        case let error as StorageError: self = .journal(.storage(error))
        case let error as ReplayError: self = .replay(error)
        case let error as CheckpointError: self = .checkpoint(error)
        case let error as RecoveryError: self = error
        default: preconditionFailure("recovery fails with these errors alone: \(error)")
        }
    }
}

extension SavedState {
    /// The state of a journal: its newest checkpoint, and the records after it.
    /// - Parameter last: the sequence of the last frame to read.
    /// - Returns: the state, and the end of the journal; nil for one that was read only in part.
    static func recover(
        from folder: JournalFolder, through last: UInt64 = .max
    ) throws(RecoveryError) -> (state: SavedState, end: JournalEnd?) {
        do {
            let newest = try folder.checkpoints().last { $0 <= last } ?? 0
            var state = newest > 0 ? try checkpoint(at: newest, in: folder) : SavedState(house: try folder.houseText())
            let end = try folder.records(from: newest + 1, through: last) { line, place throws(ReplayError) in
                try state.apply(line: line, at: place)
            }
            let ledger = state.ledger
            guard ledger == 0 else { throw RecoveryError.imbalance(ledger) }
            return (state, end)
        } catch { throw RecoveryError(error) }
    }

    static func checkpoint(at sequence: UInt64, in folder: JournalFolder) throws -> SavedState {
        var reader = CheckpointReader()
        // The beginning of a line whose end is in the next part.
        var open: [UInt8] = []
        var failure: CheckpointError?
        try folder.readCheckpoint(at: sequence) { part throws(JournalError) in
            guard failure == nil else { return }
            open += part
            var rest = open[...]
            do throws(CheckpointError) {
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    try rest[...end].withUnsafeBufferPointer { line throws(CheckpointError) in try reader.read(line) }
                    rest = rest[(end + 1)...]
                }
            } catch { failure = error }
            open = Array(rest)
        }
        if let failure { throw failure }
        return try reader.finish().state
    }

    /// Writes a checkpoint of this state.
    func write(to folder: JournalFolder, at sequence: UInt64) throws(JournalError) {
        try folder.writeCheckpoint(at: sequence) { writer throws(JournalError) in
            var failure: JournalError?
            writeCheckpoint(sequence: sequence) { lines in
                guard failure == nil else { return }
                do throws(JournalError) { try writer.append(copy lines) } catch { failure = error }
            }
            if let failure { throw failure }
        }
    }
}

extension JournalFolder {
    /// The id of the house; empty for an empty journal.
    func houseText() throws(JournalError) -> String { try house().map(SavedState.houseText) ?? "" }
}

extension SavedState {
    /// 16 hexadecimal digits.
    static func houseText(_ house: UInt64) -> String {
        hexadecimal(stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: house >> UInt64($0)) })
    }
}
