/// A frame that was read.
public struct JournalFrame: Sendable {
    public var epoch: UInt64
    public var sequence: UInt64
    /// The highest sequence known durable when the frame was written.
    public var durable: UInt64
    /// Lines, each with its newline. Shares the segment's memory: do not keep it.
    public var records: ArraySlice<UInt8>
}

/// Yields the frames of a journal in order, over its segments.
///
/// Also reads a folder that a server writes to: it ends where the server had got to. Holds one segment in memory.
public struct JournalReader {
    let storage: any JournalStorage
    let first: UInt64
    private let last: UInt64
    /// Read before the segments: the journal has at least as much.
    let anchor: JournalAnchor?

    /// Numbers of the segments, ascending.
    var numbers: [UInt64] = []
    /// Number of the segment in `bytes`; nil for an empty journal.
    var current: UInt64?
    var bytes: [UInt8] = []
    /// End of the last frame in `bytes`; 0 before the segment's header.
    var offset = 0

    /// Sequence of the last frame read, also of those before `first`.
    private(set) var sequence: UInt64
    /// Of the last frame read; nil if unknown, because the start of the journal is damaged.
    private(set) var checksum: UInt32?
    private(set) var house: UInt64?
    private(set) var epoch: UInt64 = 0
    private(set) var durable: UInt64 = 0
    /// Sequence of a frame for which the segment was read a second time.
    var rereadFor: UInt64?

    /// The end of the journal, once ``next()`` has returned nil there; nil before, and when reading stopped at `last`.
    public internal(set) var end: JournalEnd?

    /// - Parameters:
    ///   - first: sequence of the first frame to yield; an empty journal and the end of one allow the next one.
    ///   - last: sequence of the last frame to yield.
    /// - Throws: `.pruned` if the journal begins later, `.corrupt`, `.unsupportedVersion`, `.storage`; `.missing`, `.otherHouse` and
    ///   `.damagedAnchor` where the folder has less than its anchor says.
    public init(_ folder: JournalFolder, from first: UInt64 = 1, through last: UInt64 = .max) throws(JournalError) {
        precondition(first > 0, "the first frame is 1")
        storage = folder.storage
        self.first = first
        self.last = last
        sequence = first - 1
        anchor = try folder.checkedAnchor()
        try findStart()
    }

    var expected: UInt64 { sequence + 1 }

    /// Name of the segment with the last frame read; nil for an empty journal.
    public var file: String? { current.map(FileName.segment) }

    /// The next frame; nil at the end.
    /// - Throws: `.corrupt` if a frame cannot be read that a later one says to be durable, `.unsupportedVersion`, `.storage`.
    public mutating func next() throws(JournalError) -> JournalFrame? {
        while end == nil, sequence < last {
            guard let current else {
                try finish(cut: nil)
                continue
            }
            if offset == 0 {
                try enter(current)
            } else if let (header, records) = FrameHeader.read(bytes[offset...]), continues(header) {
                sequence = header.sequence
                checksum = header.checksum
                epoch = header.epoch
                durable = max(durable, header.durable)
                offset = records.upperBound
                guard sequence >= first else { continue }
                return JournalFrame(
                    epoch: header.epoch, sequence: header.sequence, durable: header.durable, records: bytes[records])
            } else if isBlank {
                try advance()
            } else {
                try resolve(Place(segment: current, offset: offset))
            }
        }
        return nil
    }

    private func continues(_ header: FrameHeader) -> Bool {
        header.sequence == expected && (checksum == nil || header.previous == checksum) && header.epoch >= epoch
    }

    /// Whether a segment begins where the last frame ended.
    func chains(_ header: SegmentHeader, number: UInt64) -> Bool {
        header.segment == number && header.first == expected && (checksum == nil || header.previous == checksum)
            && (house == nil || header.house == house)
    }

    /// Whether the rest of the segment was never written to.
    var isBlank: Bool { Text.endOfContent(in: bytes, from: offset) == offset }

    /// Reads the header of the segment in memory.
    private mutating func enter(_ number: UInt64) throws(JournalError) {
        switch SegmentHeader.read(bytes[...]) {
        case .header(let header, let end) where chains(header, number: number):
            house = header.house
            checksum = header.previous
            // Of its frames none may be whole: the next opening's epoch is later all the same.
            epoch = max(epoch, header.epoch)
            offset = end
        case .unsupported(let version):
            throw .unsupportedVersion(file: FileName.segment(number), version: version)
        case .blank where isBlank: try advance()
        default: try resolve(Place(segment: number, offset: 0))
        }
    }

    /// The segment with the first frame asked for: the newest that begins at it or before.
    private mutating func findStart() throws(JournalError) {
        try list()
        var firstUsed: (number: UInt64, header: SegmentHeader?)?
        for number in numbers.reversed() {
            switch try header(of: number) {
            case .header(let header, _) where header.first <= first:
                sequence = header.first - 1
                checksum = header.previous
                return try load(number)
            case .header(let header, _): firstUsed = (number, header)
            case .unsupported(let version): throw .unsupportedVersion(file: FileName.segment(number), version: version)
            case .blank: break
            case .damaged: firstUsed = (number, nil)
            }
        }
        if let header = firstUsed?.header { throw .pruned(sequence: first, oldest: header.first) }
        // Blank, or damaged: reading goes on at the oldest segment and judges it.
        if let number = firstUsed?.number ?? numbers.first { return try load(number) }
        checksum = 0
    }

    // MARK: Files

    mutating func list() throws(JournalError) {
        do throws(StorageError) { numbers = try storage.names().compactMap(FileName.segmentNumber).sorted() } catch {
            throw .storage(error)
        }
    }

    mutating func load(_ number: UInt64) throws(JournalError) {
        do throws(StorageError) { try storage.readAll(FileName.segment(number), into: &bytes) } catch { throw .storage(error) }
        current = number
        offset = 0
    }

    func header(of number: UInt64) throws(JournalError) -> SegmentHeader.Reading {
        do throws(StorageError) { return try storage.segmentHeader(number) } catch { throw .storage(error) }
    }
}

extension JournalStorage {
    func segmentHeader(_ number: UInt64) throws(StorageError) -> SegmentHeader.Reading {
        let file = try open(FileName.segment(number), forWriting: false)
        defer { close(file) }
        var bytes: [UInt8] = []
        try read(file, at: 0, count: SegmentHeader.maximumBytes, into: &bytes)
        return SegmentHeader.read(bytes[...])
    }
}
