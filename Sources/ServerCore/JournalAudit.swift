import Dispatch
import Journal
import Records
import Sockets
import Synchronization
import TableEngine

/// The result of an audit without a wrong record.
public struct AuditReport: Sendable {
    public let summary: AuditSummary
    /// The last frame before those audited: 0, or that of the oldest checkpoint kept.
    public let start: UInt64
    /// The end of the journal, as it was found.
    public let end: JournalEnd
    /// The state after it.
    public let state: SavedState

    public var frames: UInt64 { end.sequence - start }
}

extension JournalFolder {
    /// Recomputes all kept records and compares every checkpoint with the result. Works while a server writes to the folder.
    public func audit() throws(JournalError) -> AuditReport {
        // A server may prune files meanwhile: starts again at the later beginning, a few times.
        var attempts = 3
        while true {
            attempts -= 1
            do throws(JournalError) { return try auditOnce() } catch {
                guard error.mayBePruning, attempts > 0 else { throw error }
            }
        }
    }

    /// A start trusts the newest checkpoint, so each must equal the state that the records give.
    private func compareCheckpoint(at sequence: UInt64, with state: SavedState) throws(JournalError) {
        guard try SavedState.checkpoint(at: sequence, in: self) == state.asKept(at: sequence) else {
            throw .wrong(
                "\(FileName.checkpoint(sequence)) differs from the state after frame \(sequence): remove it to recover from an older checkpoint"
            )
        }
    }

    private func auditOnce() throws(JournalError) -> AuditReport {
        let start = try checkedHistoryStart()
        let state = try SavedState.start(after: start, in: self)
        var auditor: Auditor
        do { auditor = try Auditor(state) } catch { throw .wrong("\(error)") }
        let checkpoints = Set(try checkpoints())
        let end = try decodedFrames(from: start + 1) { frame throws(JournalError) in
            for (place, record) in frame.records {
                do { try auditor.audit(record, at: place) } catch {
                    throw JournalError.wrong("\(frame.file.map { "\($0), " } ?? "")\(error)")
                }
            }
            if checkpoints.contains(frame.sequence) { try compareCheckpoint(at: frame.sequence, with: auditor.state) }
        }
        guard let end else { preconditionFailure("reading everything reaches the end") }
        guard end.house != nil else { throw .empty(folder: storage.location) }
        _ = try auditor.state.checkedNames()
        do { return AuditReport(summary: try auditor.summary(), start: start, end: end, state: auditor.state) } catch {
            throw .wrong("\(error)")
        }
    }
}

/// Audits the accounts of a house: each must be in exactly one place, and no chips may be lost between partitions. Input: all
/// partitions, then all rows, of one database snapshot.
///
/// A row changes before `arrived` is recorded, and after `departed`. In between the account is in transit: in the bytes of a claimed row,
/// or among the departures of the row's partition. Chips moved between partitions and chips outside of all partitions add up to 0.
public struct HouseAudit: Sendable {
    private struct Departed {
        let partition: Int
        let serial: UInt64
        let chips: Int
    }

    private var resident: [PlayerID: (partition: Int, serial: UInt64)] = [:]
    private var departed: [PlayerID: [Departed]] = [:]
    private var sum = 0
    /// Accounts in partitions, in their rows, and between the two.
    public private(set) var (residents, inRows, onTheWay) = (0, 0, 0)

    public init() {}

    /// - Throws: for an account that another partition has as well.
    public mutating func add(_ state: SavedState, of partition: Int) throws(JournalError) {
        sum &+= state.travelled
        for (id, account) in state.accounts {
            if let other = resident.updateValue((partition, account.serial), forKey: id) {
                throw .wrong("account \(id.rawValue) is in partitions \(other.partition) and \(partition)")
            }
        }
        for (id, departure) in state.departures {
            let account = departure.account
            departed[id, default: []].append(Departed(partition: partition, serial: account.serial, chips: account.chips))
        }
    }

    /// - Throws: for an account that is not where its row says.
    public mutating func add(_ row: AccountRow) throws(JournalError) {
        let id = row.id
        if let place = resident.removeValue(forKey: id) {
            guard place.partition == row.place, place.serial == row.serial else {
                throw .wrong(
                    "account \(id.rawValue) is in partition \(place.partition) with serial \(place.serial), its row has place "
                        + "\(row.place) and serial \(row.serial)")
            }
            residents += 1
        } else if let departed = departed[id]?.first(where: { $0.partition == row.place && $0.serial == row.serial }) {
            onTheWay += 1
            sum &+= departed.chips
        } else if !row.account.isEmpty || row.place == 0 {
            guard let account = row.state else {
                throw .wrong("the row of account \(id.rawValue) cannot be read")
            }
            if row.place == 0 { inRows += 1 } else { onTheWay += 1 }
            sum &+= account.chips
        }
    }

    /// - Throws: for an account without a row, and if chips are lost or made between the partitions.
    public func finish() throws(JournalError) {
        if let (id, place) = resident.min(by: { $0.key.rawValue < $1.key.rawValue }) {
            throw .wrong("account \(id.rawValue) of partition \(place.partition) has no row")
        }
        guard sum == 0 else {
            throw .wrong("the chips of the house do not add up: \(sum) too many on the way between partitions")
        }
    }
}

extension SavedState {
    /// The state without what a checkpoint drops.
    fileprivate func asKept(at sequence: UInt64) throws(JournalError) -> SavedState {
        var reader = CheckpointReader()
        do throws(CheckpointError) {
            try writeCheckpoint(sequence: sequence) { lines throws(CheckpointError) in
                _ = try reader.read(lines: (copy lines)[...])
            }
            return try reader.finish().state
        } catch { throw JournalError(error) }
    }
}

extension JournalError {
    /// Whether a file may be missing because a server has removed it.
    fileprivate var mayBePruning: Bool { if case .pruned = self { true } else { isMissingFile } }
}

/// A frame with its records.
struct DecodedFrame: Sendable {
    let sequence: UInt64
    /// Name of its segment.
    let file: String?
    /// The records with the places of their lines, in order. A line that is no record ends the list.
    let records: [(place: RecordPlace, record: Result<Record, RecordError>)]
}

/// The records of a journal, decoded on all processors and folded in order: decoding takes most of the time of an audit or an export.
///
/// The calling thread reads chunks of frames, checks that they follow one another, and folds each chunk once it is decoded; meanwhile other
/// threads decode the next ones.
extension JournalFolder {
    /// Bytes of records that a thread decodes at once.
    private static let chunkBytes = 64 << 10

    private final class Chunk: Sendable {
        let decoded = Mutex<[DecodedFrame]>([])
        let isDecoded = DispatchSemaphore(value: 0)
    }

    private typealias Frame = (frame: JournalFrame, file: String?)

    /// Reads the frames of a journal.
    /// - Parameters:
    ///   - first: the sequence of the first frame.
    ///   - last: the sequence of the last frame.
    ///   - isShown: whether to date records by the wall clock, for people.
    ///   - body: gets the frames in order; an error ends the reading.
    /// - Returns: the end of the journal; nil if `last` was reached.
    @discardableResult
    func decodedFrames(
        from first: UInt64, through last: UInt64 = .max, isShown: Bool = false,
        _ body: (DecodedFrame) throws(JournalError) -> Void
    ) throws(JournalError) -> JournalEnd? {
        var reader = try JournalReader(self, from: first, through: last)
        let queue = DispatchQueue(label: "journal.decode", attributes: .concurrent)
        let width = 2 * Loop.processors
        var chunks: [Chunk] = []
        // A failure is thrown once the frames before it are folded.
        var (isRead, failure) = (false, JournalError?.none)
        repeat {
            while !isRead, chunks.count < width {
                let frames: [Frame]
                (frames, isRead) = Self.readChunk(&reader, &failure)
                let chunk = Chunk()
                chunks.append(chunk)
                queue.async {
                    let decoded = frames.map { DecodedFrame($0.frame, $0.file, isShown: isShown) }
                    chunk.decoded.withLock { $0 = decoded }
                    chunk.isDecoded.signal()
                }
            }
            let chunk = chunks.removeFirst()
            chunk.isDecoded.wait()
            for frame in chunk.decoded.withLock({ $0 }) { try body(frame) }
        } while !chunks.isEmpty || !isRead
        if let failure { throw failure }
        return reader.end
    }

    /// The next frames, and whether they are the last ones: at the end, and before a place that cannot be read.
    private static func readChunk(_ reader: inout JournalReader, _ failure: inout JournalError?) -> (frames: [Frame], isEnd: Bool)
    {
        var (frames, bytes) = ([Frame](), 0)
        do throws(JournalError) {
            while bytes < chunkBytes {
                guard let frame = try reader.next() else { return (frames, true) }
                frames.append((frame, reader.file))
                bytes += frame.records.count
            }
            return (frames, false)
        } catch {
            failure = error
            return (frames, true)
        }
    }
}

extension DecodedFrame {
    fileprivate init(_ frame: JournalFrame, _ file: String?, isShown: Bool) {
        (sequence, self.file) = (frame.sequence, file)
        var records: [(place: RecordPlace, record: Result<Record, RecordError>)] = []
        frame.forEachLine { line, place in
            if case .failure? = records.last?.record { return }
            records.append((place, Result { () throws(RecordError) in try Record(line: line, isShown: isShown) }))
        }
        self.records = records
    }
}
