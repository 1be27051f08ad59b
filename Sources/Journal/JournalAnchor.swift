import Synchronization

/// The minimum that a journal has on the disk, in a file beside its segments. Without it recovery could not tell a removed segment from
/// one that was never written, or a damaged oldest header from pruned history. A folder that has less than its anchor says is refused.
///
/// Invariant: each value is true of the disk before it is written here. The anchor is written before a segment and a checkpoint appear, and
/// in a folder a second after a sync, so it lags: a journal may have more than its anchor says, but never less.
public struct JournalAnchor: Equatable, Sendable, JournalLine {
    public var house: UInt64 = 0
    /// The first frame of the oldest segment that is kept: raised before older segments are removed.
    public var oldest: UInt64 = 0
    /// Number of the newest segment that was begun; 0 for none.
    public var segment: UInt64 = 0
    /// The last frame known to be on the disk, as is every one up to the newest checkpoint.
    public var sequence: UInt64 = 0

    mutating func visit(_ members: inout LineMembers) {
        members.version("anchor")
        members.hex("house", &house)
        members.number("oldest", &oldest)
        members.number("segment", &segment)
        members.number("sequence", &sequence)
    }

    var line: [UInt8] {
        var line: [UInt8] = []
        append(to: &line)
        return line
    }

    /// - Throws: `.damagedAnchor`; `.unsupportedVersion` if another version has written it.
    static func read(_ bytes: [UInt8]) throws(JournalError) -> JournalAnchor {
        if let (anchor, end) = read(line: bytes[...]), end == bytes.count { return anchor }
        guard let version = JournalFormat.otherVersion(bytes[...]) else { throw .damagedAnchor }
        throw .unsupportedVersion(file: FileName.anchor, version: version)
    }
}

/// The file of a folder's anchor. Changes come from the opening, the queue that prepares segments and the checkpointer: one at a time.
final class AnchorFile: Sendable {
    private let storage: any JournalStorage
    private let isChanging = Mutex(())

    init(_ storage: any JournalStorage) { self.storage = storage }

    /// Nil for a new folder, and after a repair.
    func read() throws(JournalError) -> JournalAnchor? {
        var bytes: [UInt8] = []
        do throws(JournalError) {
            try storage.readAll(FileName.anchor, into: &bytes)
        } catch {
            if error.isMissingFile { return nil }
            throw error
        }
        return try JournalAnchor.read(bytes)
    }

    /// Writes the anchor of a journal that was opened, or copied.
    func write(_ anchor: JournalAnchor) throws(JournalError) {
        try isChanging.withLock { _ throws(JournalError) in try replace(by: anchor) }
    }

    /// Notes what is on the disk by now. Without effect in a folder without a readable anchor, which the next opening judges.
    /// - Throws: also for a want of descriptors: what is to follow the note must not be there without it.
    func note(oldest: UInt64 = 0, segment: UInt64 = 0, sequence: UInt64 = 0) throws(JournalError) {
        try isChanging.withLock { _ throws(JournalError) in
            var found: JournalAnchor?
            do throws(JournalError) { found = try read() } catch {
                if error.isShortage { throw error }
            }
            guard let former = found else { return }
            var anchor = former
            anchor.oldest = max(anchor.oldest, oldest)
            anchor.segment = max(anchor.segment, segment)
            anchor.sequence = max(anchor.sequence, sequence)
            if anchor != former { try replace(by: anchor) }
        }
    }

    private func replace(by anchor: JournalAnchor) throws(JournalError) {
        try storage.make(FileName.anchor) { file throws(JournalError) in
            try storage.write(anchor.line[...], to: file, at: 0)
            try storage.sync(file)
        }
    }
}
