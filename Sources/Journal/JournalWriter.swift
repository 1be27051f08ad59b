/// Bytes to write at a place of a segment: one or more frames.
public struct JournalBatch: Sendable {
    public let segment: UInt64
    public let offset: Int
    public fileprivate(set) var bytes: [UInt8]
    /// Sequence of the last frame in it.
    public let last: UInt64
}

/// Decides what the journal writes, where and when: frames, segments, groups. A state machine without a thread, I/O or clock.
///
/// The caller appends frames, asks for the ``next(now:)`` step, performs it, and reports its result. At most one batch is in
/// flight. Invariant: `synced <= written <= appended`, and a segment is begun only when everything in the one before it is
/// synced, so a crash can tear only the last segment. The next segment is created and filled ahead of its use: a full disk is
/// noticed while the current segment still has room.
///
/// Groups begin at least ``JournalConfiguration/groupInterval`` apart, which bounds the syncs per second under load; the first
/// frame after a pause is written at once. A large backlog (``JournalConfiguration/groupBytes``) does not wait.
public struct JournalWriter: Sendable {
    public let configuration: JournalConfiguration
    public let house: UInt64
    /// One more than the journal's last.
    public let epoch: UInt64
    /// Sequence of the last frame that is written; a crash of the process keeps it.
    public private(set) var written: UInt64
    /// Sequence of the last frame that is synced; a power cut keeps it.
    public private(set) var synced: UInt64

    /// The segment after the current one, created ahead so that a full disk is noticed early.
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
    var segment: JournalEnd.Segment?
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
    /// The frame that the anchor has, and the time when it is to follow: nil without a later one, `.max` while it is written.
    private var (anchored, anchorDue): (UInt64, UInt64?)

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
        (anchored, anchorDue) = (synced, nil)
        checksum = end.checksum
        segment = end.segment
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
            segment = JournalEnd.Segment(number: nextNumber, bytes: bytes, offset: 0)
            nextNumber += 1
            nextSegment = .wanted
        }
        guard var segment else { return nil }
        let start = segment.offset
        buffer.removeAll(keepingCapacity: true)
        // Not yet written to.
        if start == 0 {
            let header = SegmentHeader(
                house: house, segment: segment.number, epoch: epoch, first: framed + 1, previous: checksum,
                bytes: segment.bytes)
            header.append(to: &buffer)
        }
        while let count = pending.firstCount, start + buffer.count + LineMembers.mostBytes + count <= segment.bytes {
            framed += 1
            pending.takeFirst { records in
                let header = FrameHeader(
                    epoch: epoch, sequence: framed, durable: synced, bytes: records.count, previous: checksum)
                checksum = header.append(records, to: &buffer)
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

    /// Length of a segment that begins with a frame of this many bytes of records.
    static func segmentBytes(for records: Int) -> Int {
        2 * LineMembers.mostBytes + records
    }

    /// Bytes left in the current segment.
    var room: Int { segment.map { $0.bytes - $0.offset } ?? 0 }

    func hasRoom(for records: Int) -> Bool { LineMembers.mostBytes + records <= room }
}

// MARK: - Steps

/// An operation that a ``JournalWriter`` asks for.
public enum JournalStep: Sendable {
    /// Create a segment of newlines, durably. May go on beside later steps. Answered by `prepared` or `couldNotPrepare`.
    case prepare(segment: UInt64, bytes: Int)
    /// Answered by `wrote`, `couldNotWrite` or `fail`.
    case write(JournalBatch)
    /// Answered by `synced(through:)` or `fail`.
    case sync(segment: UInt64, through: UInt64)
    /// Have the anchor say that this frame is on the disk. May go on beside later steps. Answered by `anchored(through:)`.
    case anchor(through: UInt64)
    /// Nothing to do until a time; nil for none. An append or an answer may come before it.
    /// - `forAppend`: whether an append gives reason to ask again at once.
    case wait(until: UInt64?, forAppend: Bool)
    /// After `close`: everything is written, or cannot be.
    case finished
}

extension JournalWriter {
    /// The next step. Times are in microseconds of one clock that never runs backwards.
    public mutating func next(now: UInt64) -> JournalStep {
        if isFailed || closing == .givenUp { return closing == .no ? .wait(until: nil, forAppend: false) : .finished }
        // Syncs first: the anchor, which is written with the next segment, then covers these frames.
        if isSyncDue(now: now), let segment { return .sync(segment: segment.number, through: written) }
        if let sequence = sequenceToAnchor(now: now) { return .anchor(through: sequence) }
        if let bytes = bytesToPrepare(now: now) {
            nextSegment = .preparing(bytes: bytes)
            return .prepare(segment: nextNumber, bytes: bytes)
        }
        if case .refused(let batch, let time) = flight, now >= time || closing != .no {
            flight = .writing
            return .write(batch)
        }
        if now >= groupDue || closing != .no, let batch = beginWrite() {
            noteGroup(of: batch.last - written, at: now)
            return .write(batch)
        }
        if closing != .no, case .none = flight, pending.isEmpty { return .finished }
        return wait(now: now)
    }

    /// Reports a prepared segment.
    public mutating func prepared(segment: UInt64, bytes: Int) {
        if segment == nextNumber { nextSegment = .ready(bytes: bytes) }
    }

    /// Reports that there is no space for a segment.
    public mutating func couldNotPrepare(now: UInt64) {
        guard case .preparing(let bytes) = nextSegment else { return }
        nextSegment = .refused(bytes: bytes, retryAt: now + configuration.retryInterval)
        if closing != .no { closing = .givenUp }
    }

    /// Reports that there was no space to write a batch; any part of it may be written.
    public mutating func couldNotWrite(_ batch: consuming JournalBatch, now: UInt64) {
        flight = .refused(batch, retryAt: now + configuration.retryInterval)
        if closing != .no { closing = .givenUp }
    }

    /// Reports the frame that the anchor has; an earlier one if it could not be written, which is tried again after the interval.
    public mutating func anchored(through sequence: UInt64) {
        (anchored, anchorDue) = (max(anchored, sequence), nil)
    }

    /// Reports any other error: nothing more is ever written, and `durable` stays.
    public mutating func fail() { isFailed = true }

    /// Nothing more is appended: writes what waits without pauses.
    public mutating func close() {
        if closing == .no { closing = .flushing }
    }

    /// Whether frames wait for a segment or for space.
    public var isStalled: Bool {
        if case .refused = flight { return true }
        if case .refused = nextSegment, let first = pending.firstCount { return !hasRoom(for: first) }
        return false
    }

    /// Earliest time of the next group: at once for a large one.
    private var groupDue: UInt64 {
        if pending.byteCount >= configuration.groupBytes { return 0 }
        let interval =
            if configuration.durability == .none {
                configuration.syncInterval
            } else {
                configuration.groupInterval * (isBusy ? JournalConfiguration.busyFactor : 1)
            }
        return lastGroup.map { $0 + interval } ?? 0
    }

    private mutating func noteGroup(of frames: UInt64, at now: UInt64) {
        isBusy = lastGroup.map { now - $0 <= frames * 1000 / JournalConfiguration.busyFrames } ?? false
        lastGroup = now
    }

    /// Length of the segment to prepare now; nil for none.
    private func bytesToPrepare(now: UInt64) -> Int? {
        let needed = pending.firstCount.flatMap { hasRoom(for: $0) ? nil : Self.segmentBytes(for: $0) }
        // A closing journal makes no segment ahead.
        guard needed != nil || closing == .no else { return nil }
        let bytes = max(configuration.segmentBytes, needed ?? 0)
        switch nextSegment {
        case .wanted: return bytes
        case .preparing: return nil
        case .ready(let ready): return ready < needed ?? 0 ? bytes : nil
        case .refused(_, let time): return now >= time || closing != .no ? bytes : nil
        }
    }

    private func isSyncDue(now: UInt64) -> Bool {
        guard written > synced, case .none = flight else { return false }
        switch configuration.durability {
        case .sync: return true
        case .interval:
            let endsSegment = pending.firstCount.map { !hasRoom(for: $0) } ?? false
            return endsSegment || closing != .no || now >= syncDue
        case .none: return false
        }
    }

    /// The frame that the anchor is to have now; nil for none. The interval begins with the first frame that it lacks.
    private mutating func sequenceToAnchor(now: UInt64) -> UInt64? {
        guard let interval = configuration.anchorInterval, synced > anchored, closing == .no else { return nil }
        let due = anchorDue ?? now + interval
        anchorDue = now < due ? due : .max
        return now < due ? nil : synced
    }

    private var syncDue: UInt64 { unsyncedSince.map { $0 + configuration.syncInterval } ?? .max }

    private func wait(now: UInt64) -> JournalStep {
        var (until, forAppend) = (UInt64.max, false)
        if case .none = flight {
            if pending.isEmpty {
                // Sleeps through the rest of the group's time: appends need not wake it.
                if now < groupDue { until = groupDue } else { forAppend = true }
            } else if now < groupDue {
                until = groupDue
            }
            if configuration.durability == .interval { until = min(until, syncDue) }
        }
        if case .refused(_, let time) = flight { until = min(until, time) }
        if case .refused(_, let time) = nextSegment { until = min(until, time) }
        if let anchorDue { until = min(until, anchorDue) }
        return .wait(until: until == .max ? nil : until, forAppend: forAppend)
    }
}

/// The meaning of "durable": what a crash can lose.
public enum Durability: String, CaseIterable, Sendable {
    /// Durable when synced to the disk. Neither `kill -9` nor a power cut loses a durable frame.
    case sync
    /// Durable when written to the system, synced once a second. `kill -9` loses nothing, a power cut up to a second.
    case interval
    /// Durable at once, written within a second, never synced. `kill -9` loses up to a second, a power cut anything.
    case none
}

/// Sizes and times of a journal. Times are in microseconds.
public struct JournalConfiguration: Sendable {
    public var durability: Durability
    /// Length of a prefilled segment; a longer frame gets a longer segment.
    public var segmentBytes: Int
    /// The least time from one group's start to the next's; four times as long while frames come fast. The first append after a
    /// pause is written at once.
    public var groupInterval: UInt64
    /// Bytes of waiting frames that are written without regard to that time.
    public var groupBytes = 1 << 20
    /// With `.interval`: the longest time from a write to its sync. With `.none`: from an append to its write.
    public var syncInterval: UInt64
    /// The longest time for which the anchor lacks a synced frame; nil: it follows with each segment and checkpoint alone.
    public var anchorInterval: UInt64? = 1_000_000
    /// Time until an operation is tried again for which the disk was full.
    public var retryInterval: UInt64
    /// The longest time for which a removed folder is written to unnoticed.
    public var lookInterval: UInt64 = 1_000_000
    /// Bound of the bytes that wait for the disk. The caller stops long before; beyond the bound the journal fails.
    public var waitingBytes: Int

    /// Frames per millisecond from which on groups are rarer: each costs 60 µs of processor time. Ratio of an action to one without
    /// syncs, at 100 tables and 10,000 actions a second: 1.15 with a group every 2 ms, 1.07 every 4 ms.
    static let busyFrames: UInt64 = 4
    static let busyFactor: UInt64 = 4
    /// Room for a header and a frame.
    static let fewestSegmentBytes = 1024

    public init(
        durability: Durability = .sync, segmentBytes: Int = 4 << 20, groupInterval: UInt64 = 1000,
        syncInterval: UInt64 = 1_000_000, retryInterval: UInt64 = 1_000_000, waitingBytes: Int = 256 << 20
    ) {
        precondition(segmentBytes >= Self.fewestSegmentBytes, "a segment has room for its header and a frame")
        self.durability = durability
        self.segmentBytes = segmentBytes
        self.groupInterval = groupInterval
        self.syncInterval = syncInterval
        self.retryInterval = retryInterval
        self.waitingBytes = waitingBytes
    }
}

/// Frames that wait to be written, oldest first. Without allocations once its buffers have grown.
struct PendingFrames: Sendable {
    private var bytes: [UInt8] = []
    /// End of each frame in `bytes`.
    private var ends: [Int] = []
    /// Frames removed from the front.
    private var removed = 0

    var isEmpty: Bool { removed == ends.count }
    var count: Int { ends.count - removed }
    var byteCount: Int { bytes.count - start }

    private var start: Int { removed == 0 ? 0 : ends[removed - 1] }

    /// Length of the oldest frame's records.
    var firstCount: Int? { isEmpty ? nil : ends[removed] - start }

    /// Removes the oldest frame after `body` has read its records. They share the queue's memory: a reference that outlived `body`
    /// would have the removal copy it.
    mutating func takeFirst(_ body: (ArraySlice<UInt8>) -> Void) {
        body(bytes[start..<ends[removed]])
        removed += 1
        if isEmpty { removeAll() }
    }

    mutating func append(_ records: borrowing [UInt8]) {
        precondition(records.isEmpty || records[records.count - 1] == Text.newline, "a record is a line")
        bytes.append(contentsOf: copy records)
        ends.append(bytes.count)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        removed = 0
    }

    /// Moves all frames of another queue to the end of this one.
    mutating func absorb(_ other: inout PendingFrames) {
        guard !other.isEmpty else { return }
        // Exchanges the buffers instead of copying: the usual case.
        if isEmpty { return swap(&self, &other) }
        let (shift, first) = (bytes.count - other.start, other.start)
        bytes.append(contentsOf: other.bytes[first...])
        for end in other.ends[other.removed...] { ends.append(end + shift) }
        other.removeAll()
    }
}

/// Performs a writer's steps on a storage. Confined to one thread.
package struct SegmentFiles {
    let storage: any JournalStorage
    /// The segment that was written last, open.
    private var open: (number: UInt64, file: StorageFile)?

    package init(_ storage: any JournalStorage) { self.storage = storage }

    package mutating func write(_ batch: borrowing JournalBatch) throws(JournalError) {
        try storage.write(batch.bytes[...], to: file(of: batch.segment), at: batch.offset)
    }

    /// Whether a segment has its name.
    package mutating func isNamed(_ segment: UInt64) throws(JournalError) -> Bool {
        try storage.isNamed(file(of: segment))
    }

    package mutating func sync(segment: UInt64) throws(JournalError) { try storage.sync(file(of: segment)) }

    package mutating func close() {
        if let open { storage.close(open.file) }
        open = nil
    }

    private mutating func file(of segment: UInt64) throws(JournalError) -> StorageFile {
        if let open, open.number == segment { return open.file }
        close()
        let file = try storage.open(FileName.segment(segment), forWriting: true)
        open = (segment, file)
        return file
    }
}
