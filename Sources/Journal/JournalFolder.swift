/// A journal's folder: its segments, checkpoints and anchor.
///
/// Invariants: segments have ascending numbers, and each continues the last frame of the one before by its checksum; only the newest
/// segment with frames may end in an incomplete write. A checkpoint exists only if every frame up to its sequence is on the disk. Pruning
/// removes checkpoints before segments, and keeps the newest checkpoint with all frames after it.
///
/// One process writes, under the lock. Others may read meanwhile: a file that is pruned under a reader makes it begin again.
public struct JournalFolder: Sendable {
    public let storage: any JournalStorage
    /// Shared by the copies of this value: one writes at a time.
    let anchor: AnchorFile

    /// For reading, also while a server writes to the folder.
    public init(reading storage: any JournalStorage) {
        self.storage = storage
        anchor = AnchorFile(storage)
    }

    /// For one writer: takes the lock, which ``DurableLog/close()`` or `storage.unlock()` releases, and removes unfinished files.
    public init(locking storage: any JournalStorage) throws(JournalError) {
        self.init(reading: storage)
        try storage.lock()
        do throws(JournalError) {
            for name in try storage.names() where FileName.isUnfinished(name) { try storage.remove(name) }
        } catch {
            storage.unlock()
            throw error
        }
    }

    /// Whether a storage has a journal. Locking leaves a file behind, so look before it where no journal may begin.
    package static func isBegun(in storage: any JournalStorage) throws(JournalError) -> Bool {
        try storage.names().contains(where: FileName.isContent)
    }

    /// Numbers of the segments, ascending.
    func segments() throws(JournalError) -> [UInt64] {
        try storage.names().compactMap(FileName.segmentNumber).sorted()
    }

    /// The frame up to which the anchor says that everything is on the disk; 0 without one. Each start raises it by the frames of the one before.
    /// - Throws: `.unsupportedVersion` if another version has written the journal.
    public func anchoredFrame() throws(JournalError) -> UInt64 {
        let anchored = try anchor.read()?.sequence ?? 0
        var newest: (number: UInt64, header: SegmentHeader.Reading)?
        for number in try segments().reversed() {
            let header = try storage.segmentHeader(number)
            // Prepared, and not begun.
            if header == .blank { continue }
            newest = (number, header)
            break
        }
        if let newest, case .unsupported(let version) = newest.header {
            throw .unsupportedVersion(file: FileName.segment(newest.number), version: version)
        }
        return anchored
    }

    /// Returns when every frame that was read is on the disk. Unproven frames are written once more: after a failed sync the system
    /// may hold them as clean pages, which no sync writes.
    package func settle(_ end: JournalEnd) throws(JournalError) {
        if let unproven = end.unproven {
            let file = try storage.open(FileName.segment(unproven.segment), forWriting: true)
            defer { storage.close(file) }
            var bytes: [UInt8] = []
            try storage.read(file, at: unproven.bytes.lowerBound, count: unproven.bytes.count, into: &bytes)
            try storage.write(bytes[...], to: file, at: unproven.bytes.lowerBound)
        }
        try syncSegments()
    }

    // MARK: The anchor

    /// Creates the segment after those that were begun, and notes that they were.
    /// - Parameter synced: the last frame that is on the disk.
    package func prepare(_ segment: UInt64, bytes: Int, synced: UInt64) throws(JournalError) {
        try anchor.note(segment: segment - 1, sequence: synced)
        try storage.prepare(FileName.segment(segment), bytes: bytes)
    }

    /// Anchors a journal at its end. A full disk does not stop a server that has room to write: the anchor stays behind.
    /// - Parameter sequence: the last frame that is on the disk.
    package func anchor(_ end: JournalEnd, house: UInt64, through sequence: UInt64) throws(JournalError) {
        let former = try anchor.read()
        var oldest = former?.oldest
        if oldest == nil { oldest = try oldestSegment()?.header.first }
        let checkpoint = try checkpoints().last ?? 0
        do throws(JournalError) {
            // Blank ones that an earlier anchor knew of: this one's next segment is to have no successor yet.
            if former == nil {
                for number in try segments() where number > end.nextSegment { try storage.remove(FileName.segment(number)) }
            }
            try anchor.write(
                JournalAnchor(
                    house: house, oldest: oldest ?? end.sequence + 1, segment: max(former?.segment ?? 0, end.nextSegment - 1),
                    sequence: max(former?.sequence ?? 0, sequence, checkpoint)))
        } catch {
            if !error.isFull { throw error }
        }
    }

    /// Compares the files with the anchor, also beside a writer.
    /// - Returns: the anchor; nil for none. The journal's end must not be before it.
    /// - Throws: `.missing`, `.corrupt` for a header of the oldest segment, `.otherHouse`.
    func checkedAnchor() throws(JournalError) -> JournalAnchor? {
        var anchor = try anchor.read()
        while true {
            do throws(JournalError) {
                try check(anchor)
                return anchor
            } catch {
                // A server may have pruned meanwhile: it raises the anchor first.
                let former = anchor
                anchor = try self.anchor.read()
                if anchor == former { throw error }
            }
        }
    }

    private func check(_ anchor: JournalAnchor?) throws(JournalError) {
        guard let anchor, anchor.segment > 0 else { return }
        let numbers = try segments()
        // Before the successor of a segment in use appears, the anchor has it. A power cut may leave two blank ones.
        if numbers.last ?? 0 > anchor.segment + 1, try usedSegments().last?.number ?? 0 > anchor.segment {
            throw .overwritten(segment: anchor.segment)
        }
        if !numbers.contains(anchor.segment) { throw .missing(file: FileName.segment(anchor.segment)) }
        let oldest = try oldestSegment()
        let first = oldest?.number ?? anchor.segment
        if first < anchor.segment, let gap = (first...anchor.segment).first(where: { !numbers.contains($0) }) {
            throw .missing(file: FileName.segment(gap))
        }
        guard let oldest else {
            // Begun, and cut off by a power cut before anything was on the disk.
            if anchor.sequence < anchor.oldest { return }
            throw .corrupt(file: FileName.segment(first), offset: 0, sequence: anchor.oldest)
        }
        guard oldest.header.house == anchor.house else { throw .otherHouse }
        guard oldest.header.first > anchor.oldest, anchor.sequence >= anchor.oldest else { return }
        let before = oldest.number - 1
        if !numbers.contains(before) { throw .missing(file: FileName.segment(before)) }
        throw .corrupt(file: FileName.segment(before), offset: 0, sequence: anchor.oldest)
    }

    /// The oldest segment whose header is intact.
    /// - Throws: `.corrupt` if the one before it leads up to it: its header was damaged after it was written.
    func oldestSegment() throws(JournalError) -> (number: UInt64, header: SegmentHeader)? {
        let numbers = try segments()
        let found = try firstHeader(of: numbers)
        guard let found, found.header.first > 1, let before = numbers.last(where: { $0 < found.number }) else { return found }
        var bytes: [UInt8] = []
        try storage.readAll(FileName.segment(before), into: &bytes)
        var last: FrameHeader?
        _ = JournalReader.scan(bytes, from: 0) { frame, _ in
            last = frame
            return true
        }
        guard last?.checksum == found.header.previous else { return found }
        throw .corrupt(file: FileName.segment(before), offset: 0, sequence: found.header.first - 1)
    }

    /// The first of some segments whose header is intact.
    private func firstHeader(of numbers: [UInt64]) throws(JournalError) -> (number: UInt64, header: SegmentHeader)? {
        for number in numbers {
            if case .header(let header, _) = try storage.segmentHeader(number) { return (number, header) }
        }
        return nil
    }

    /// Returns when every segment is on the disk.
    func syncSegments() throws(JournalError) {
        for number in try segments() { try sync(FileName.segment(number)) }
        try storage.syncFolder()
    }

    func sync(_ name: String) throws(JournalError) {
        let file = try storage.open(name, forWriting: true)
        defer { storage.close(file) }
        try storage.sync(file)
    }

    // MARK: Backup

    /// Copies a journal, also while a server writes to it: checkpoints and every frame written before the call.
    ///
    /// The copy is read back before this returns: recovery reads it as it reads the original.
    /// - Parameter target: an empty folder, but for the file system's own files; it is empty again after an error.
    /// - Returns: the end of the copy.
    public static func backup(from source: JournalFolder, to target: any JournalStorage) throws(JournalError) -> JournalEnd {
        guard try target.names().allSatisfy(FileName.isFileSystems) else { throw .notEmpty(folder: target.location) }
        let copy = JournalFolder(reading: target)
        // A server may prune files between the listing and the copying: begin again, a few times.
        var attempts = 3
        while true {
            attempts -= 1
            do throws(JournalError) {
                return try copyOnce(from: source, to: copy)
            } catch {
                // Nobody takes a part for a copy.
                try? copy.removeAll()
                guard attempts > 0, error.isMissingFile else { throw error }
            }
        }
    }

    private static func copyOnce(from source: JournalFolder, to copy: JournalFolder) throws(JournalError) -> JournalEnd {
        let start = try source.historyStart() ?? 0
        var reader = try JournalReader(source, from: start + 1)
        while try reader.next() != nil {}
        let last = reader.sequence
        for sequence in try source.storage.names().compactMap(FileName.checkpointSequence) where sequence <= last {
            try source.copy(FileName.checkpoint(sequence), upTo: nil, to: copy.storage)
        }
        for number in try source.segments() where number <= reader.current ?? 0 {
            // Of the open segment: the frames read, without what a crash or a write in progress left behind, and newlines.
            try source.copy(
                FileName.segment(number), upTo: number == reader.current ? reader.offset : nil, to: copy.storage)
        }
        try copy.storage.syncFolder()
        if var end = reader.end, let house = end.house {
            // Not the segments behind a torn end, which were not copied: without syncs there are some after a power cut.
            end.nextSegment = min(end.nextSegment, (reader.current ?? 0) + 1)
            try copy.anchor(end, house: house, through: last)
        }
        return try copy.checked(from: start, last: last)
    }

    /// Reads all of a copy.
    private func checked(from start: UInt64, last: UInt64) throws(JournalError) -> JournalEnd {
        for sequence in try checkpoints() { try readCheckpoint(at: sequence) { _ throws(JournalError) in } }
        var reader = try JournalReader(self, from: start + 1)
        while try reader.next() != nil {}
        guard let end = reader.end, end.sequence == last else {
            throw .corrupt(file: FileName.segment(reader.current ?? 1), offset: reader.offset, sequence: reader.expected)
        }
        return end
    }

    private func copy(_ name: String, upTo end: Int?, to target: any JournalStorage) throws(JournalError) {
        let from = try storage.open(name, forWriting: false)
        defer { storage.close(from) }
        let to = try target.create(name)
        defer { target.close(to) }
        let length = try storage.size(of: from)
        var offset = 0
        try readParts(of: from, count: end ?? length) { part throws(JournalError) in
            try target.write(part, to: to, at: offset)
            offset += part.count
        }
        if offset < length {
            try target.write([UInt8](repeating: Text.newline, count: length - offset)[...], to: to, at: offset)
        }
        try target.sync(to)
    }

    /// Removes the journal.
    public func removeAll() throws(JournalError) {
        for name in try storage.names() where FileName.isJournals(name) { try storage.remove(name) }
    }
}

// MARK: - Checkpoints

/// Writes a checkpoint's content in parts.
public struct CheckpointWriter: ~Copyable {
    private let storage: any JournalStorage
    private let file: StorageFile
    private var buffer: [UInt8] = []
    private var offset = 0
    private var checksum: UInt32 = 0
    private var endsWithNewline = true

    /// Bytes per write.
    private static let bufferBytes = 1 << 20

    init(_ storage: any JournalStorage, _ file: StorageFile) {
        self.storage = storage
        self.file = file
    }

    public mutating func append(_ bytes: some Sequence<UInt8>) throws(JournalError) {
        buffer.append(contentsOf: bytes)
        endsWithNewline = buffer.last.map { $0 == Text.newline } ?? endsWithNewline
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    /// Appends the last line, which holds the length and the checksum of the content.
    mutating func finish(at sequence: UInt64) throws(JournalError) {
        precondition(endsWithNewline, "a checkpoint's content is lines")
        try flush()
        CheckpointTrailer(sequence: sequence, bytes: offset, checksum: checksum).append(to: &buffer) { _ in checksum }
        try flush()
        try storage.sync(file)
    }

    private mutating func flush() throws(JournalError) {
        try storage.write(buffer[...], to: file, at: offset)
        checksum = CRC32C.extended(checksum, over: buffer[...])
        offset += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}

/// The last line of a checkpoint.
struct CheckpointTrailer: JournalLine {
    var sequence: UInt64 = 0
    /// Length of the content before it.
    var bytes = 0
    /// Of the content.
    var checksum: UInt32 = 0

    mutating func visit(_ members: inout LineMembers) {
        members.number("checkpoint", &sequence)
        members.number("bytes", &bytes)
        members.checksum(&checksum)
    }

    /// The trailer at the end of a file of this size whose last bytes these are.
    static func read(_ tail: ArraySlice<UInt8>, fileBytes: Int) -> CheckpointTrailer? {
        let start = tail.dropLast().lastIndex(of: Text.newline).map { $0 + 1 } ?? tail.startIndex
        guard let (trailer, end) = read(line: tail[start...], { line, _ in line.checksum }), end == tail.endIndex,
            trailer.bytes == fileBytes - (end - start)
        else { return nil }
        return trailer
    }
}

extension JournalFolder {
    /// Sequences of the checkpoints, ascending.
    public func checkpoints() throws(JournalError) -> [UInt64] {
        try storage.names().compactMap(FileName.checkpointSequence).sorted()
    }

    /// Writes a checkpoint: the state after the frame `sequence`, which must be durable. Takes no lock and waits for no append.
    ///
    /// The file appears complete or not at all. Every segment is synced before, so that no checkpoint outlives its frames.
    /// - Parameter content: appends lines, each with its newline.
    public func writeCheckpoint(
        at sequence: UInt64, _ content: (inout CheckpointWriter) throws(JournalError) -> Void
    ) throws(JournalError) {
        try syncSegments()
        try storage.make(FileName.checkpoint(sequence)) { file throws(JournalError) in
            var writer = CheckpointWriter(storage, file)
            try content(&writer)
            try writer.finish(at: sequence)
            // Before the checkpoint appears: one that the anchor lacks is of another time than the anchor.
            try anchor.note(sequence: sequence)
        }
    }

    /// Reads a checkpoint in parts of up to 1 MiB, which need not end with a line. All of it is checked before the first part.
    /// - Throws: `.damagedCheckpoint` if the content is not as it was written.
    public func readCheckpoint(
        at sequence: UInt64, _ body: (ArraySlice<UInt8>) throws(JournalError) -> Void
    ) throws(JournalError) {
        let name = FileName.checkpoint(sequence)
        let file = try storage.open(name, forWriting: false)
        defer { storage.close(file) }
        let trailer = try trailer(of: file, name)
        guard trailer.sequence == sequence else { throw .damagedCheckpoint(file: name) }
        var checksum: UInt32 = 0
        try readParts(of: file, count: trailer.bytes) { part in checksum = CRC32C.extended(checksum, over: part) }
        guard checksum == trailer.checksum else { throw .damagedCheckpoint(file: name) }
        try readParts(of: file, count: trailer.bytes, body)
    }

    private func trailer(of file: StorageFile, _ name: String) throws(JournalError) -> CheckpointTrailer {
        var tail: [UInt8] = []
        let size = try storage.size(of: file)
        let count = min(size, LineMembers.mostBytes)
        try storage.read(file, at: size - count, count: count, into: &tail)
        guard let trailer = CheckpointTrailer.read(tail[...], fileBytes: size) else { throw .damagedCheckpoint(file: name) }
        return trailer
    }

    private func readParts(
        of file: StorageFile, count: Int, _ body: (ArraySlice<UInt8>) throws(JournalError) -> Void
    ) throws(JournalError) {
        var (offset, part) = (0, [UInt8]())
        while offset < count {
            part.removeAll(keepingCapacity: true)
            try storage.read(file, at: offset, count: min(1 << 20, count - offset), into: &part)
            guard !part.isEmpty else { return }
            try body(part[...])
            offset += part.count
        }
    }
}

// MARK: - History

/// History to keep behind the newest checkpoint.
public enum JournalHistory: Hashable, Sendable {
    case everything
    /// As much as fits into this many bytes, including checkpoints.
    case size(bytes: Int)
}

extension JournalFolder {
    /// Sequence after which every frame is kept: 0, or a checkpoint's. Nil if no checkpoint is left for the frames kept.
    public func historyStart() throws(JournalError) -> UInt64? {
        let checkpoints = try checkpoints()
        guard let oldest = try oldestSegment()?.header, oldest.first > 1 else { return 0 }
        return checkpoints.first { $0 + 1 >= oldest.first }
    }

    /// The first frame of each segment, ascending.
    public func segmentStarts() throws(JournalError) -> [UInt64] {
        try usedSegments().map(\.first)
    }

    /// Sequence after which at most `bytes` bytes are left to read: 0, or a checkpoint's. If only the newest checkpoint qualifies, the
    /// one before it, since the newest may have been written a moment ago.
    /// - Parameter last: the last frame to read.
    ///
    /// ``prune(keeping:)`` keeps a checkpoint in ``readingStep`` segments for this.
    public func readingStart(within bytes: Int, through last: UInt64 = .max) throws(JournalError) -> UInt64 {
        let checkpoints = try checkpoints().filter { $0 < last }
        let segments = try usedSegments().filter { $0.first <= last }
        // Newest first: the history before the bound is not looked at.
        var (total, firstRead) = (0, UInt64.max)
        for segment in segments.reversed() {
            total += try storage.size(ofFile: FileName.segment(segment.number))
            guard total <= bytes else { break }
            firstRead = segment.number
        }
        let beginnings = (segments.first.map { $0.first == 1 } ?? true ? [0] : []) + checkpoints
        let fitting = beginnings.first { Self.segment(after: $0, in: segments) >= firstRead }
        if let fitting, fitting != checkpoints.last { return fitting }
        return beginnings.dropLast().last ?? beginnings.last ?? 0
    }

    /// Identifies the host; nil for an empty journal.
    public func house() throws(JournalError) -> UInt64? {
        try firstHeader(of: segments())?.header.house
    }

    /// The last frame before the segment that is being written; 0 for none.
    public func sealedThrough() throws(JournalError) -> UInt64 {
        // From the end: a long history has hundreds of segments.
        try firstHeader(of: segments().reversed()).map { $0.header.first - 1 } ?? 0
    }

    /// Bytes of the segments that are sealed and have frames after a checkpoint's.
    package func sealedBytes(after checkpoint: UInt64) throws(JournalError) -> Int {
        var (bytes, isOpen) = (0, true)
        // From the end: a long history has hundreds of segments.
        for number in try segments().reversed() {
            guard case .header(let header, _) = try storage.segmentHeader(number) else { continue }
            if !isOpen { bytes += try storage.size(ofFile: FileName.segment(number)) }
            isOpen = false
            if header.first <= checkpoint + 1 { break }
        }
        return bytes
    }

    /// Length of a checkpoint's file; 0 for the state before the first frame.
    package func checkpointBytes(at sequence: UInt64) throws(JournalError) -> Int {
        guard sequence > 0 else { return 0 }
        return try storage.size(ofFile: FileName.checkpoint(sequence))
    }

    /// Bytes of the journal's files, and the time of the newest checkpoint in milliseconds since 1970; nil for none. A folder has other files
    /// too, such as a server's socket, which cannot be opened.
    package func usage() throws(JournalError) -> (bytes: Int, checkpointTime: UInt64?) {
        let newest = try checkpoints().last
        var bytes = 0
        for name in try storage.names() where FileName.isContent(name) {
            // A server may prune it meanwhile.
            do throws(JournalError) { bytes += try storage.size(ofFile: name) } catch {
                if !error.isMissingFile { throw error }
            }
        }
        guard let newest else { return (bytes, nil) }
        return (bytes, try storage.modificationTime(of: FileName.checkpoint(newest)))
    }

    /// Where all history is kept, one checkpoint stays in so many segments: readers of the past begin there.
    static let readingStep: UInt64 = 4

    /// Removes old checkpoints, and the segments before the oldest that stays. Recovery from the newest one keeps all that it needs.
    /// - Returns: bytes removed.
    /// - Throws: `.damagedCheckpoint` for the newest one; then nothing is removed.
    @discardableResult
    public func prune(keeping history: JournalHistory) throws(JournalError) -> Int {
        let checkpoints = try checkpoints()
        guard let newest = checkpoints.last else { return 0 }
        try readCheckpoint(at: newest) { _ throws(JournalError) in }
        let segments = try usedSegments()
        // A damaged newest checkpoint must leave another to recover from.
        let start = min(try start(of: history, checkpoints, segments), checkpoints.dropLast().last ?? 0)
        var removed = 0
        // Checkpoints before segments, each oldest first: after a crash in between, the oldest checkpoint has its frames.
        for sequence in surplus(checkpoints, from: start, history, segments) {
            removed += try remove(FileName.checkpoint(sequence))
        }
        let firstKept = Self.segment(after: start, in: segments)
        if let kept = segments.first(where: { $0.number == firstKept }) { try anchor.note(oldest: kept.first) }
        // Also those that a power cut left without a header.
        for number in try self.segments() where number < firstKept { removed += try remove(FileName.segment(number)) }
        if removed > 0 { try storage.syncFolder() }
        return removed
    }

    /// The checkpoint that becomes the oldest; 0 to keep the journal's beginning.
    private func start(
        of history: JournalHistory, _ checkpoints: [UInt64], _ segments: [UsedSegment]
    ) throws(JournalError) -> UInt64 {
        guard case .size(let bytes) = history else { return 0 }
        for start in [0] + checkpoints {
            var total = 0
            for kept in checkpoints where kept >= start { total += try storage.size(ofFile: FileName.checkpoint(kept)) }
            let first = Self.segment(after: start, in: segments)
            for segment in segments where segment.number >= first {
                total += try storage.size(ofFile: FileName.segment(segment.number))
            }
            if total <= bytes { return start }
        }
        return checkpoints.last ?? 0
    }

    /// Checkpoints to remove: those before the start, and those that no later pruning needs: it cuts between segments.
    private func surplus(
        _ checkpoints: [UInt64], from start: UInt64, _ history: JournalHistory, _ segments: [UsedSegment]
    ) -> [UInt64] {
        var segmentsSeen: Set<UInt64> = []
        return checkpoints.filter { sequence in
            if sequence < start { return true }
            let segment = Self.segment(after: sequence, in: segments)
            let isFirstOfSegment = segmentsSeen.insert(segment).inserted
            if sequence == start || checkpoints.suffix(2).contains(sequence) { return false }
            return history == .everything && segment % Self.readingStep != 0 || !isFirstOfSegment
        }
    }

    // MARK: Segments

    struct UsedSegment {
        var number: UInt64
        /// Sequence of its first frame.
        var first: UInt64
    }

    /// Segments with an intact header, ascending.
    func usedSegments() throws(JournalError) -> [UsedSegment] {
        var used: [UsedSegment] = []
        for number in try segments() {
            if case .header(let header, _) = try storage.segmentHeader(number) {
                used.append(UsedSegment(number: number, first: header.first))
            }
        }
        return used
    }

    /// The segment in which reading after a frame begins: the newest that starts with the next frame or before.
    private static func segment(after sequence: UInt64, in segments: [UsedSegment]) -> UInt64 {
        segments.last { $0.first <= sequence + 1 }?.number ?? 0
    }

    private func remove(_ name: String) throws(JournalError) -> Int {
        let bytes = try storage.size(ofFile: name)
        try storage.remove(name)
        return bytes
    }
}

// MARK: - Repair

/// A place between two frames, where a repair ends the journal.
package struct JournalCut: Sendable {
    /// The last frame before it.
    package var sequence: UInt64
    /// Number of the segment with that frame, and the frame's end in it; nil for an empty journal.
    package var segment: UInt64?
    var offset: Int
}

extension JournalReader {
    /// The place after the last frame read.
    package var place: JournalCut { JournalCut(sequence: sequence, segment: offset > 0 ? current : nil, offset: offset) }
}

/// Cutting off what cannot be read. Nothing is deleted: the files stay under names that no reader looks at.
extension JournalFolder {
    /// The ending for the files of a repair, which no earlier repair has used.
    package func freeEnding() throws(JournalError) -> String {
        let names = try storage.names()
        var (ending, number) = (FileName.setAside, 1)
        while names.contains(where: { $0.hasSuffix(ending) }) {
            number += 1
            ending = "\(FileName.setAside)-\(number)"
        }
        return ending
    }

    /// Sets a file aside.
    package func setAside(_ name: String, ending: String) throws(JournalError) { try storage.rename(name, to: name + ending) }

    /// Undoes ``setAside(_:ending:)``.
    package func putBack(_ name: String, ending: String) throws(JournalError) { try storage.rename(name + ending, to: name) }

    /// Ends the journal at a place. The segments with later bytes are set aside, the first of them as a copy.
    ///
    /// After a crash in between, the journal is one that is still damaged, or that ends at the place.
    /// - Returns: the names of the files set aside, as they were.
    package func cut(at place: JournalCut, ending: String) throws(JournalError) -> [String] {
        var names: [String] = []
        // From the end, so that no gap is left.
        for number in try segments().reversed() where number > place.segment ?? 0 {
            try setAside(FileName.segment(number), ending: ending)
            names.append(FileName.segment(number))
        }
        if let number = place.segment {
            let name = FileName.segment(number)
            var bytes: [UInt8] = []
            try storage.readAll(name, into: &bytes)
            try write(bytes[...], to: name + ending)
            if case .header(let header, _) = SegmentHeader.read(bytes[...]) {
                // One that was shortened gets its length back.
                let length = max(bytes.count, header.bytes)
                bytes.removeSubrange(place.offset...)
                bytes += [UInt8](repeating: Text.newline, count: length - bytes.count)
            }
            try write(bytes[...], to: name + FileName.unfinished)
            try storage.rename(name + FileName.unfinished, to: name)
            names.append(name)
        }
        try storage.syncFolder()
        return names.reversed()
    }

    /// Begins the history at a checkpoint: sets older checkpoints aside, and the segments before the one with the next frame.
    ///
    /// The order is that of a pruning: after a crash in between, the oldest checkpoint has its frames, and the anchor no others.
    /// - Returns: the names of the files set aside, as they were.
    package func cutHistory(before checkpoint: UInt64, ending: String) throws(JournalError) -> [String] {
        let older = try checkpoints().filter { $0 < checkpoint }.map(FileName.checkpoint)
        let used = try usedSegments()
        let first = Self.segment(after: checkpoint, in: used)
        let segments = try segments().filter { $0 < first }.map(FileName.segment)
        for name in older { try setAside(name, ending: ending) }
        if let kept = used.first(where: { $0.number == first }) { try anchor.note(oldest: kept.first) }
        for name in segments { try setAside(name, ending: ending) }
        try storage.syncFolder()
        return older + segments
    }

    /// The intact frames after a place, in files that were set aside: what is lost, as far as it can be read.
    package func lostFrames(
        after place: JournalCut, in names: [String], ending: String, _ body: (JournalFrame) -> Void
    ) throws(JournalError) {
        for name in names where FileName.segmentNumber(name) != nil {
            var bytes: [UInt8] = []
            try storage.readAll(name + ending, into: &bytes)
            let start = FileName.segmentNumber(name) == place.segment ? place.offset : 0
            _ = JournalReader.scan(bytes, from: start) { header, records in
                body(JournalFrame(sequence: header.sequence, records: bytes[records]))
                return true
            }
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>, to name: String) throws(JournalError) {
        let file = try storage.create(name)
        defer { storage.close(file) }
        try storage.write(bytes, to: file, at: 0)
        try storage.sync(file)
    }
}
