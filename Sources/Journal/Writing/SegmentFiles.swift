/// Performs a writer's steps on a storage. Confined to one thread.
package struct SegmentFiles {
    let storage: any JournalStorage
    /// The segment that was written last, open.
    private var open: (number: UInt64, file: StorageFile)?

    package init(_ storage: any JournalStorage) { self.storage = storage }

    package mutating func write(_ batch: borrowing JournalBatch) throws(StorageError) {
        try storage.write(batch.bytes[...], to: file(of: batch.segment), at: batch.offset)
    }

    /// Whether a segment has its name.
    package mutating func isNamed(_ segment: UInt64) throws(StorageError) -> Bool {
        try storage.isNamed(file(of: segment))
    }

    package mutating func sync(segment: UInt64) throws(StorageError) { try storage.sync(file(of: segment)) }

    package mutating func close() {
        if let open { storage.close(open.file) }
        open = nil
    }

    private mutating func file(of segment: UInt64) throws(StorageError) -> StorageFile {
        if let open, open.number == segment { return open.file }
        close()
        let file = try storage.open(FileName.segment(segment), forWriting: true)
        open = (segment, file)
        return file
    }

    /// Bytes prefilled per sync: a concurrent sync of the current segment waits in the disk's queue for at most so much.
    private static let sliceBytes = 256 << 10

    /// Creates a segment of newlines under its name, durably. Its blocks are allocated: a later write of them needs no space.
    package static func prepare(_ segment: UInt64, bytes: Int, on storage: any JournalStorage) throws(StorageError) {
        let name = FileName.segment(segment)
        let unfinished = name + FileName.unfinished
        do {
            let file = try storage.create(unfinished)
            defer { storage.close(file) }
            let slice = [UInt8](repeating: Text.newline, count: min(bytes, sliceBytes))
            var done = 0
            while done < bytes {
                let count = min(slice.count, bytes - done)
                try storage.write(slice[..<count], to: file, at: done)
                try storage.sync(file)
                done += count
            }
        } catch {
            // On a full disk the part that was written takes the space that others need.
            try? storage.remove(unfinished)
            throw error
        }
        try storage.rename(unfinished, to: name)
        try storage.syncFolder()
    }
}
