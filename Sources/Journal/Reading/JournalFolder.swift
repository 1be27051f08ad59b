/// A journal's folder: its segments and checkpoints.
public struct JournalFolder: Sendable {
    public let storage: any JournalStorage

    /// For reading, also while a server writes to the folder.
    public init(reading storage: any JournalStorage) { self.storage = storage }

    /// For one writer: takes the lock, which ``DurableLog/close()`` or `storage.unlock()` releases, and removes unfinished files.
    public init(locking storage: any JournalStorage) throws(JournalError) {
        self.storage = storage
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
