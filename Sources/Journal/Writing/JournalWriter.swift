/// Bytes to write at a place of a segment: one or more frames.
public struct JournalBatch: Sendable {
    public let segment: UInt64
    public let offset: Int
    public fileprivate(set) var bytes: [UInt8]
    /// Sequence of the last frame in it.
    public let last: UInt64
}

/// Decides what is written where and when: frames, segments, groups. No thread, no input or output, no clock.
///
/// A caller appends, asks for the next step, performs it and reports its result. At most one batch is in flight.
public struct JournalWriter: Sendable {
    public let configuration: JournalConfiguration
    public let house: UInt64
    /// One more than the journal's last.
    public let epoch: UInt64
    /// Sequence of the last frame that is written; a crash of the process keeps it.
    public private(set) var written: UInt64
    /// Sequence of the last frame that is synced; a power cut keeps it.
    public private(set) var synced: UInt64

    /// A segment that has frames.
    struct Segment: Sendable {
        var number: UInt64
        var bytes: Int
        var offset: Int
        /// Header of a segment that is not yet written to.
        var isNew: Bool { offset == 0 }
    }

    /// The segment after the current one, made ahead so that a full disk is met early.
    enum NextSegment: Sendable {
        case wanted
        case preparing(bytes: Int)
        case ready(bytes: Int)
        /// No space: tried again at this time.
        case refused(bytes: Int, retryAt: UInt64)
    }

    enum Flight: Sendable {
        case none
        case writing
        /// No space in the file system for a segment that was prefilled (copy-on-write): tried again at this time.
        case refused(JournalBatch, retryAt: UInt64)
    }

    var pending = PendingFrames()
    var segment: Segment?
    var nextSegment: NextSegment
    var nextNumber: UInt64
    var flight = Flight.none
    var isFailed = false
    var closing = Closing.no
    /// Start of the last group.
    var lastGroup: UInt64?
    /// Whether frames came at ``JournalConfiguration/busyFrames`` or faster before it.
    var isBusy = false
    /// With `.interval`: time of the oldest write that is not synced.
    var unsyncedSince: UInt64?

    enum Closing: Sendable { case no, flushing, givenUp }

    private var framed: UInt64
    private var checksum: UInt32
    /// Memory of the next batch.
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - end: of the journal, everything before it synced, unless the durability is `.none`.
    ///   - house: identifier for a new journal; an existing one keeps its own.
    public init(continuing end: JournalEnd, house: UInt64, configuration: JournalConfiguration = JournalConfiguration()) {
        self.configuration = configuration
        self.house = end.house ?? house
        epoch = end.epoch + 1
        framed = end.sequence
        written = end.sequence
        synced = configuration.durability == .none ? end.durable : end.sequence
        checksum = end.checksum
        segment = end.segment.map { Segment(number: $0.number, bytes: $0.bytes, offset: $0.offset) }
        nextNumber = end.nextSegment
        nextSegment = end.preparedBytes.map { .ready(bytes: $0) } ?? .wanted
    }

    /// Number of the newest segment that was begun; 0 for none.
    package var begun: UInt64 { segment?.number ?? nextNumber - 1 }

    /// Sequence of the last frame appended.
    public var appended: UInt64 { framed + UInt64(pending.count) }

    /// Sequence of the last frame that is durable in the sense of the durability chosen.
    public var durable: UInt64 {
        switch configuration.durability {
        case .sync: synced
        case .interval: written
        case .none: appended
        }
    }

    /// Appends one frame; returns its sequence.
    /// - Parameter records: lines, each with its newline.
    public mutating func append(_ records: borrowing [UInt8]) -> UInt64 {
        pending.append(records)
        return appended
    }

    /// The bytes to write next: all waiting frames that fit into the segment. Nil while a batch is in flight, nothing waits, no
    /// segment has room, or the current one must be synced before the next is begun.
    public mutating func beginWrite() -> JournalBatch? {
        guard case .none = flight, !isFailed, let first = pending.firstCount else { return nil }
        if !hasRoom(for: first) {
            guard case .ready(let bytes) = nextSegment, bytes >= Self.segmentBytes(for: first),
                written == synced || configuration.durability == .none
            else { return nil }
            segment = Segment(number: nextNumber, bytes: bytes, offset: 0)
            nextNumber += 1
            nextSegment = .wanted
        }
        guard var segment else { return nil }
        let start = segment.offset
        buffer.removeAll(keepingCapacity: true)
        if segment.isNew {
            let header = SegmentHeader(
                house: house, segment: segment.number, epoch: epoch, first: framed + 1, previous: checksum,
                bytes: segment.bytes)
            header.append(to: &buffer)
        }
        while let count = pending.firstCount, start + buffer.count + FrameHeader.maximumBytes + count <= segment.bytes {
            framed += 1
            pending.takeFirst { records in
                checksum = FrameHeader.append(
                    epoch: epoch, sequence: framed, durable: synced, records: records, previous: checksum, to: &buffer)
            }
        }
        segment.offset = start + buffer.count
        self.segment = segment
        flight = .writing
        // Moves the buffer into the batch, which returns it: no copy, no allocation per batch.
        var batch = JournalBatch(segment: segment.number, offset: start, bytes: [], last: framed)
        swap(&batch.bytes, &buffer)
        return batch
    }

    /// Reports that a batch is written.
    public mutating func wrote(_ batch: consuming JournalBatch, now: UInt64 = 0) {
        swap(&batch.bytes, &buffer)
        written = batch.last
        flight = .none
        if unsyncedSince == nil { unsyncedSince = now }
    }

    /// Reports that everything written is synced.
    public mutating func synced(through sequence: UInt64) {
        precondition(sequence <= written, "only what is written can be synced")
        synced = max(synced, sequence)
        if synced == written { unsyncedSince = nil }
    }

    /// Reports that a batch is written and synced; returns the sequence that is durable.
    public mutating func synced(_ batch: consuming JournalBatch) -> UInt64 {
        let last = batch.last
        wrote(batch)
        synced(through: last)
        return durable
    }

    /// Length of a segment that begins with a frame of so many bytes of records.
    static func segmentBytes(for records: Int) -> Int {
        SegmentHeader.maximumBytes + FrameHeader.maximumBytes + records
    }

    func hasRoom(for records: Int) -> Bool {
        guard let segment else { return false }
        return segment.offset + FrameHeader.maximumBytes + records <= segment.bytes
    }
}
