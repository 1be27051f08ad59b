import Synchronization

/// The least that a journal has on the disk, in a file beside its segments. Recovery cannot tell a segment that somebody removed from one that
/// was never written, nor a damaged oldest header from history that was pruned: a folder that has less than its anchor says is refused.
///
/// Every statement is true of the disk before it is written here, and the anchor is written once a segment and a checkpoint. So it lags
/// behind: a journal may always have more than its anchor says.
public struct JournalAnchor: Equatable, Sendable {
    public var house: UInt64
    /// The first frame of the oldest segment that is kept: raised before older segments are removed.
    public var oldest: UInt64
    /// Number of the newest segment that was begun; 0 for none.
    public var segment: UInt64
    /// The last frame known to be on the disk, as is every one up to the newest checkpoint.
    public var sequence: UInt64

    /// Version of the format.
    static let version: UInt64 = 1

    var line: [UInt8] {
        var line = Array(#"{"anchor":"#.utf8)
        Text.append(Self.version, to: &line)
        line.append(contentsOf: #","house":""#.utf8)
        Text.append(hex: house, to: &line)
        line.append(contentsOf: #"","oldest":"#.utf8)
        Text.append(oldest, to: &line)
        line.append(contentsOf: #","segment":"#.utf8)
        Text.append(segment, to: &line)
        line.append(contentsOf: #","sequence":"#.utf8)
        Text.append(sequence, to: &line)
        let checksum = CRC32C.extended(over: line[...])
        line.append(contentsOf: #","crc":""#.utf8)
        Text.append(hex: checksum, to: &line)
        line.append(contentsOf: "\"}\n".utf8)
        return line
    }

    /// - Throws: `.damagedAnchor`; `.unsupportedVersion` if a later version has written it.
    static func read(_ bytes: [UInt8]) throws(JournalError) -> JournalAnchor {
        var scanner = TextScanner(bytes[...])
        guard scanner.skip(#"{"anchor":"#) != nil, let version = scanner.number() else { throw .damagedAnchor }
        guard version == Self.version else {
            guard SegmentHeader.isIntactLine(bytes[...]) else { throw .damagedAnchor }
            throw .unsupportedVersion(file: FileName.anchor, version: version)
        }
        guard scanner.skip(#","house":""#) != nil, let house = scanner.hex(UInt64.self),
            scanner.skip(#"","oldest":"#) != nil, let oldest = scanner.number(),
            scanner.skip(#","segment":"#) != nil, let segment = scanner.number(),
            scanner.skip(#","sequence":"#) != nil, let sequence = scanner.number()
        else { throw .damagedAnchor }
        let anchor = JournalAnchor(house: house, oldest: oldest, segment: segment, sequence: sequence)
        guard anchor.line == bytes else { throw .damagedAnchor }
        return anchor
    }
}

/// The file of a folder's anchor. Changes come from the opening, the queue that prepares segments and the checkpointer: one at a time.
final class AnchorFile: Sendable {
    private let storage: any JournalStorage
    private let isChanging = Mutex(())

    init(_ storage: any JournalStorage) { self.storage = storage }

    /// Nil for a folder of a version without anchors, and for a new one.
    func read() throws(JournalError) -> JournalAnchor? {
        var bytes: [UInt8] = []
        do throws(StorageError) {
            try storage.readAll(FileName.anchor, into: &bytes)
        } catch {
            if error.isMissingFile { return nil }
            throw JournalError(error)
        }
        return try JournalAnchor.read(bytes)
    }

    /// Writes the anchor of a journal that was opened, or copied.
    func write(_ anchor: JournalAnchor) throws(StorageError) {
        try isChanging.withLock { _ throws(StorageError) in try replace(by: anchor) }
    }

    /// Notes what is on the disk by now. Without effect in a folder without a readable anchor, which the next opening judges.
    func note(oldest: UInt64 = 0, segment: UInt64 = 0, sequence: UInt64 = 0) throws(StorageError) {
        try isChanging.withLock { _ throws(StorageError) in
            guard let former = (try? read()) ?? nil else { return }
            var anchor = former
            anchor.oldest = max(anchor.oldest, oldest)
            anchor.segment = max(anchor.segment, segment)
            anchor.sequence = max(anchor.sequence, sequence)
            if anchor != former { try replace(by: anchor) }
        }
    }

    private func replace(by anchor: JournalAnchor) throws(StorageError) {
        let unfinished = FileName.anchor + FileName.unfinished
        do {
            let file = try storage.create(unfinished)
            defer { storage.close(file) }
            try storage.write(anchor.line[...], to: file, at: 0)
            try storage.sync(file)
        } catch {
            try? storage.remove(unfinished)
            throw error
        }
        try storage.rename(unfinished, to: FileName.anchor)
        try storage.syncFolder()
    }
}
