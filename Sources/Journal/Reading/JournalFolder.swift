/// A journal's folder: its segments and checkpoints.
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
        do throws(StorageError) {
            for name in try storage.names() where name.hasSuffix(FileName.unfinished) { try storage.remove(name) }
        } catch {
            storage.unlock()
            throw .storage(error)
        }
    }

    /// Numbers of the segments, ascending.
    func segments() throws(StorageError) -> [UInt64] {
        try storage.names().compactMap(FileName.segmentNumber).sorted()
    }

    /// Returns when every frame that was read is on the disk. Unproven frames are written once more: after a failed sync the system
    /// may hold them as clean pages, which no sync writes.
    package func settle(_ end: JournalEnd) throws(JournalError) {
        do throws(StorageError) {
            if let unproven = end.unproven {
                let file = try storage.open(FileName.segment(unproven.segment), forWriting: true)
                defer { storage.close(file) }
                var bytes: [UInt8] = []
                try storage.read(file, at: unproven.bytes.lowerBound, count: unproven.bytes.count, into: &bytes)
                try storage.write(bytes[...], to: file, at: unproven.bytes.lowerBound)
            }
        } catch {
            throw .storage(error)
        }
        try syncSegments()
    }

    // MARK: The anchor

    /// Creates the segment after those that were begun, and notes that they were.
    /// - Parameter synced: the last frame that is on the disk.
    package func prepare(_ segment: UInt64, bytes: Int, synced: UInt64) throws(StorageError) {
        try anchor.note(segment: segment - 1, sequence: synced)
        try SegmentFiles.prepare(segment, bytes: bytes, on: storage)
    }

    /// Anchors a journal at its end. A full disk does not stop a server that has room to write: the anchor stays behind.
    /// - Parameter sequence: the last frame that is on the disk.
    package func anchor(_ end: JournalEnd, house: UInt64, through sequence: UInt64) throws(JournalError) {
        let former = try anchor.read()
        var oldest = former?.oldest
        if oldest == nil { oldest = try oldestSegment()?.header.first }
        do throws(StorageError) {
            try anchor.write(
                JournalAnchor(
                    house: house, oldest: oldest ?? end.sequence + 1, segment: max(former?.segment ?? 0, end.nextSegment - 1),
                    sequence: max(former?.sequence ?? 0, sequence)))
        } catch {
            if !error.isFull { throw .storage(error) }
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
        let numbers: [UInt64]
        do throws(StorageError) { numbers = try segments() } catch { throw .storage(error) }
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
        var found: (number: UInt64, header: SegmentHeader)?
        var before: (number: UInt64, bytes: [UInt8]) = (0, [])
        do throws(StorageError) {
            for number in try segments() {
                if case .header(let header, _) = try storage.segmentHeader(number) {
                    found = (number, header)
                    break
                }
                before.number = number
            }
            guard let found, found.header.first > 1, before.number > 0 else { return found }
            try storage.readAll(FileName.segment(before.number), into: &before.bytes)
        } catch {
            throw .storage(error)
        }
        var last: FrameHeader?
        _ = JournalReader.scan(before.bytes, from: 0) { frame in
            last = frame
            return true
        }
        guard let found, last?.checksum == found.header.previous else { return found }
        throw .corrupt(file: FileName.segment(before.number), offset: 0, sequence: found.header.first - 1)
    }

    /// Returns when every segment is on the disk.
    func syncSegments() throws(JournalError) {
        do throws(StorageError) {
            for number in try segments() { try sync(FileName.segment(number)) }
            try storage.syncFolder()
        } catch {
            throw .storage(error)
        }
    }

    func sync(_ name: String) throws(StorageError) {
        let file = try storage.open(name, forWriting: true)
        defer { storage.close(file) }
        try storage.sync(file)
    }
}
