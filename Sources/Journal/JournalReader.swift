/// A frame that was read.
public struct JournalFrame: Sendable {
    public var sequence: UInt64
    /// Lines, each with its newline. Shares the segment's memory: do not keep it.
    public var records: ArraySlice<UInt8>
}

/// Yields the frames of a journal in order, over its segments.
///
/// Also reads a folder that a server writes to: it ends where the server had got to. Holds one segment in memory.
///
/// Bytes that do not continue the journal are one of four things:
/// 1. Noted as cut: a later segment begins exactly after the last good frame. Reading goes on there.
/// 2. Corruption: a later valid frame says that the next expected one is durable, or a segment is missing or does not continue the one before.
/// 3. A shortened file: a segment is prefilled before its name appears, so no crash leaves it shorter than its header says.
/// 4. A cut: nothing says that the bytes were durable. A crash interrupted their group, of which a power cut may keep a later page and lose an
///    earlier one. A flipped bit in the last group looks the same.
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
                return JournalFrame(sequence: header.sequence, records: bytes[records])
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
        numbers = try storage.names().compactMap(FileName.segmentNumber).sorted()
    }

    mutating func load(_ number: UInt64) throws(JournalError) {
        try storage.readAll(FileName.segment(number), into: &bytes)
        current = number
        offset = 0
    }

    func header(of number: UInt64) throws(JournalError) -> SegmentHeader.Reading {
        try storage.segmentHeader(number)
    }

    // MARK: Damage

    /// A byte of a segment.
    struct Place {
        var segment: UInt64
        var offset: Int
    }

    /// At the end of a segment's frames: enters the next one, or ends.
    mutating func advance() throws(JournalError) {
        guard let current else { return }
        if numbers.last == current { try list() }
        var previous = current
        for number in numbers where number > current {
            switch try header(of: number) {
            case .blank:
                guard try contentEnd(of: number) == 0 else { return try resolve(Place(segment: number, offset: 0)) }
                previous = number
            case .header(let header, _) where chains(header, number: number): return try load(number)
            case .header(let header, _):
                if number > previous + 1 { return try resolve(Place(segment: previous + 1, offset: 0)) }
                let isMissing = header.first > expected
                return try resolve(isMissing ? Place(segment: current, offset: offset) : Place(segment: number, offset: 0))
            case .unsupported(let version): throw .unsupportedVersion(file: FileName.segment(number), version: version)
            case .damaged: return try resolve(Place(segment: number, offset: 0))
            }
        }
        try finish(cut: nil)
    }

    /// Decides about bytes that do not continue the journal: noted as cut by a later writer, corruption, or the end.
    mutating func resolve(_ place: Place) throws(JournalError) {
        for number in numbers where number > current ?? 0 {
            if case .header(let header, _) = try header(of: number), chains(header, number: number) { return try load(number) }
        }
        let isKnown = expected < first || expected <= anchor?.sequence ?? 0
        let isClaimed = if isKnown { true } else { try isClaimed(after: place) }
        guard isClaimed else { return try finish(cut: place) }
        guard rereadFor == expected else {
            // A server may have written the frame after this segment was read.
            rereadFor = expected
            return try reread()
        }
        let actual = try damagedHeader(after: place) ?? place
        throw .corrupt(file: FileName.segment(actual.segment), offset: actual.offset, sequence: expected)
    }

    private mutating func reread() throws(JournalError) {
        guard let current else { return }
        let offset = offset
        try list()
        try load(current)
        self.offset = offset
    }

    /// Whether a valid frame after a place says that the next expected frame is durable.
    private func isClaimed(after place: Place) throws(JournalError) -> Bool {
        var isClaimed = false
        try scan(after: place) { _, header in
            isClaimed = header.durable >= expected
            return !isClaimed
        }
        return isClaimed
    }

    /// The start of the segment that holds the next expected frame after a noted cut, and whose own header is damaged.
    private func damagedHeader(after place: Place) throws(JournalError) -> Place? {
        var found: UInt64?
        try scan(after: place) { number, header in
            if number > place.segment, header.sequence == expected, header.previous == checksum { found = number }
            return found == nil
        }
        guard let found, case .damaged = try header(of: found) else { return nil }
        return Place(segment: found, offset: 0)
    }

    /// Finds valid frames after a place, whatever is between them, until `visit` returns false.
    private func scan(
        after place: Place, _ visit: (_ segment: UInt64, FrameHeader) -> Bool
    ) throws(JournalError) {
        var other: [UInt8] = []
        for number in numbers where number >= min(place.segment, current ?? .max) {
            var position = number == place.segment ? place.offset : 0
            if number == current {
                position = max(position, offset)
                guard Self.scan(bytes, from: position, { header, _ in visit(number, header) }) else { return }
            } else {
                try storage.readAll(FileName.segment(number), into: &other)
                guard Self.scan(other, from: position, { header, _ in visit(number, header) }) else { return }
            }
        }
    }

    /// Visits the valid frames, whatever is between them, until `visit` returns false.
    /// - Returns: whether it never has.
    static func scan(_ bytes: [UInt8], from start: Int, _ visit: (FrameHeader, _ records: Range<Int>) -> Bool) -> Bool {
        var position = start
        while let brace = Text.firstIndex(of: UInt8(ascii: "{"), in: bytes, from: position) {
            if let (header, records) = FrameHeader.read(bytes[brace...]) {
                guard visit(header, records) else { return false }
                position = records.upperBound
            } else {
                position = brace + 1
            }
        }
        return true
    }

    /// Length of a segment's content, without the newlines at its end.
    private func contentEnd(of number: UInt64) throws(JournalError) -> Int {
        var other: [UInt8] = []
        try storage.readAll(FileName.segment(number), into: &other)
        return Text.endOfContent(in: other, from: 0)
    }

    /// Ends the reading after the last good frame.
    mutating func finish(cut place: Place?) throws(JournalError) {
        if sequence + 1 < first {
            throw .corrupt(file: FileName.segment(current ?? 1), offset: offset, sequence: expected)
        }
        if let place, numbers.contains(place.segment), try size(of: place.segment) < JournalConfiguration.fewestSegmentBytes {
            try throwShortened(place.segment)
        }
        if let current, case .header(let header, _) = SegmentHeader.read(bytes[...]), bytes.count < header.bytes {
            try throwShortened(current)
        }
        if let anchor, sequence < anchor.sequence { throw .older(last: sequence, sequence: anchor.sequence) }
        if let house, let anchor, house != anchor.house { throw .otherHouse }
        var end = JournalEnd()
        end.anchor = anchor
        (end.house, end.epoch, end.sequence, end.durable, end.checksum) = (house, epoch, sequence, durable, checksum ?? 0)
        if place == nil, let current, offset > 0 {
            end.segment = JournalEnd.Segment(number: current, bytes: bytes.count, offset: offset)
        }
        end.unproven = unproven
        var cutBytes = 0
        end.nextSegment = offset > 0 || place != nil ? (current ?? 0) + 1 : current ?? 1
        if current != nil, place != nil { cutBytes = Text.endOfContent(in: bytes, from: offset) - offset }
        for number in numbers where number > current ?? 0 {
            let content = try contentEnd(of: number)
            cutBytes += content
            if content > 0 { end.nextSegment = number + 1 }
        }
        if let place { end.cut = JournalEnd.Cut(file: FileName.segment(place.segment), offset: place.offset, bytes: cutBytes) }
        if numbers.contains(end.nextSegment) { end.preparedBytes = try size(of: end.nextSegment) }
        self.end = end
    }

    /// A file that is prefilled before its name appears is never cut short by a crash.
    private func throwShortened(_ number: UInt64) throws(JournalError) {
        throw .shortened(file: FileName.segment(number), bytes: try size(of: number))
    }

    /// Frames of the segment in memory that no frame says to be durable.
    private var unproven: JournalEnd.Range? {
        guard let current, sequence > durable, case .header(_, var start) = SegmentHeader.read(bytes[...]) else { return nil }
        let firstFrame = start
        while start < offset, let (header, records) = FrameHeader.read(bytes[start..<offset]), header.sequence <= durable {
            start = records.upperBound
        }
        // The segment's header was written with its first frame.
        return JournalEnd.Range(segment: current, bytes: (start == firstFrame ? 0 : start)..<offset)
    }

    private func size(of number: UInt64) throws(JournalError) -> Int {
        try storage.size(ofFile: FileName.segment(number))
    }
}

extension JournalStorage {
    /// - Returns: `.damaged` also for the header of another segment, of which this one's file is a copy.
    func segmentHeader(_ number: UInt64) throws(JournalError) -> SegmentHeader.Reading {
        let file = try open(FileName.segment(number), forWriting: false)
        defer { close(file) }
        var bytes: [UInt8] = []
        try read(file, at: 0, count: LineMembers.mostBytes, into: &bytes)
        let reading = SegmentHeader.read(bytes[...])
        if case .header(let header, _) = reading, header.segment != number { return .damaged }
        return reading
    }
}

/// The end of a journal that was read: the place where a writer continues.
public struct JournalEnd: Equatable, Sendable {
    /// A segment's file.
    public struct Segment: Equatable, Sendable {
        public var number: UInt64
        /// Length of the file.
        public var bytes: Int
        /// End of the last frame.
        public var offset: Int
    }

    /// A range of a segment's file.
    public struct Range: Equatable, Sendable {
        public var segment: UInt64
        public var bytes: Swift.Range<Int>
    }

    /// Bytes after the last frame that are no frames: of a write that a crash interrupted, and that was never durable.
    public struct Cut: Equatable, Sendable {
        public var file: String
        public var offset: Int
        /// Bytes from there on, without the newlines at the end of a segment.
        public var bytes: Int
    }

    /// Nil for an empty journal.
    public var house: UInt64?
    /// Read before the frames; nil for a folder that has none.
    public var anchor: JournalAnchor?
    /// Epoch of the last frame; 0 for none.
    public var epoch: UInt64 = 0
    /// Sequence of the last frame; 0 for none.
    public var sequence: UInt64 = 0
    /// The highest sequence that a frame says to be durable.
    public var durable: UInt64 = 0
    /// Later frames in the last segment: written, perhaps not synced. Nil for none.
    public var unproven: Range?
    /// Checksum of the last frame; 0 for none.
    public var checksum: UInt32 = 0
    /// The segment to continue; nil for a new one.
    public var segment: Segment?
    /// Number of the next segment.
    public var nextSegment: UInt64 = 1
    /// Length of the next segment's file if it is prepared.
    public var preparedBytes: Int?
    /// Nil if the journal ends with its last frame.
    public var cut: Cut?
    /// The known extent of the frames in a cut.
    public var lossByCut: String {
        "frames from \(sequence + 1) on are lost"
            + (anchor == nil
                ? ", up to an unknown one; without \(FileName.anchor) clients may have seen them"
                : "; no client has seen them if the disk kept what it had synced")
    }

    public init() {}
}
