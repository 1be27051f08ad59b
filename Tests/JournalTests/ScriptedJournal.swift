import TestKit

@testable import Journal

/// Drives a writer on a storage in memory, in one thread and with a clock of its own.
struct ScriptedJournal {
    let storage: FaultStorage
    let folder: JournalFolder
    var writer: JournalWriter
    var files: SegmentFiles
    /// Microseconds.
    var now: UInt64 = 0
    /// Every frame appended in this run and before it, with its records; index 0 is frame 1.
    var appended: [[UInt8]]
    /// The highest sequence that was called durable.
    private(set) var promised: UInt64 = 0
    /// The error that ended the journal.
    private(set) var failure: JournalError?

    static let house: UInt64 = 0x0123_4567_89AB_CDEF
    static let small = {
        var small = JournalConfiguration(segmentBytes: 2048, groupInterval: 0, syncInterval: 1000, retryInterval: 10)
        small.anchorInterval = 500
        return small
    }()

    static func small(_ durability: Durability) -> JournalConfiguration {
        var configuration = small
        configuration.durability = durability
        return configuration
    }

    /// Recovers the journal and opens it.
    init(_ storage: FaultStorage, _ configuration: JournalConfiguration = small) throws {
        self.storage = storage
        folder = try JournalFolder(locking: storage)
        let (frames, end) = try Self.recover(storage)
        if configuration.durability != .none { try folder.settle(end) }
        appended = frames
        writer = JournalWriter(continuing: end, house: Self.house, configuration: configuration)
        try folder.anchor(end, house: writer.house, through: writer.synced)
        files = SegmentFiles(storage)
    }

    /// Reads a journal from its first frame on.
    static func recover(_ storage: FaultStorage) throws -> (frames: [[UInt8]], end: JournalEnd) {
        var reader = try JournalReader(JournalFolder(reading: storage))
        var frames: [[UInt8]] = []
        while let frame = try reader.next() {
            frames.append(Array(frame.records))
            guard frame.sequence == UInt64(frames.count) else { throw Failure.order }
        }
        guard let end = reader.end else { throw Failure.noEnd }
        return (frames, end)
    }

    enum Failure: Error { case order, noEnd }

    /// Records of a frame: lines that differ from every other frame's.
    static func records(_ number: Int, bytes: Int = 60) -> [UInt8] {
        let line = Array(#"{"type":"test","frame":\#(number),"filling":""#.utf8)
        return line + [UInt8](repeating: UInt8(ascii: "a") + UInt8(number % 26), count: max(0, bytes - line.count - 3))
            + Array("\"}\n".utf8)
    }

    mutating func append(bytes: Int = 60) {
        let records = Self.records(appended.count + 1, bytes: bytes)
        appended.append(records)
        _ = writer.append(records)
    }

    /// Performs steps until there is nothing to do but wait, at most so many.
    mutating func run(steps: Int = .max) {
        var steps = steps
        while steps > 0, failure == nil {
            steps -= 1
            let step = writer.next(now: now)
            do throws(JournalError) {
                guard try perform(step) else { return }
            } catch {
                failed(step, error)
            }
            promised = max(promised, writer.durable)
        }
    }

    /// False when there is nothing to do.
    private mutating func perform(_ step: JournalStep) throws(JournalError) -> Bool {
        switch step {
        case .prepare(let segment, let bytes):
            try folder.prepare(segment, bytes: bytes, synced: writer.synced)
            writer.prepared(segment: segment, bytes: bytes)
        case .write(let batch):
            try files.write(batch)
            writer.wrote(batch, now: now)
        case .sync(let segment, let sequence):
            try files.sync(segment: segment)
            writer.synced(through: sequence)
        case .anchor(let sequence): writer.anchored(through: (try? folder.anchor.note(sequence: sequence)) != nil ? sequence : 0)
        case .wait(let time?, _) where writer.isStalled: now = time
        case .wait, .finished:
            promised = max(promised, writer.durable)
            return false
        }
        return true
    }

    private mutating func failed(_ step: JournalStep, _ error: JournalError) {
        switch step {
        case .prepare where error.isFull: writer.couldNotPrepare(now: now)
        case .write(let batch) where error.isFull: writer.couldNotWrite(batch, now: now)
        default:
            failure = error
            writer.fail()
        }
    }
}

extension JournalWriter {
    /// The next batch, which must be there.
    mutating func batch() throws -> JournalBatch {
        guard let batch = beginWrite() else { throw ScriptedJournal.Failure.order }
        return batch
    }
}
