extension JournalFolder {
    /// Copies a journal, also while a server writes to it: checkpoints and every frame written before the call.
    ///
    /// The copy is read back before this returns: recovery reads it as it reads the original.
    /// - Parameter target: an empty folder, which is empty again after an error.
    /// - Returns: the end of the copy.
    public static func backup(from source: JournalFolder, to target: any JournalStorage) throws(JournalError) -> JournalEnd {
        do throws(StorageError) {
            guard try target.names().isEmpty else { throw StorageError(.create, target.location, code: 0) }
        } catch {
            throw error.code == 0 ? .notEmpty(folder: target.location) : .storage(error)
        }
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
                guard attempts > 0, case .storage(let cause) = error, cause.isMissingFile else { throw error }
            }
        }
    }

    private static func copyOnce(from source: JournalFolder, to copy: JournalFolder) throws(JournalError) -> JournalEnd {
        let start = try source.historyStart() ?? 0
        var reader = try JournalReader(source, from: start + 1)
        while try reader.next() != nil {}
        let last = reader.sequence
        do throws(StorageError) {
            for sequence in try source.storage.names().compactMap(FileName.checkpointSequence) where sequence <= last {
                try source.copy(FileName.checkpoint(sequence), upTo: nil, to: copy.storage)
            }
            for number in try source.segments() where number <= reader.current ?? 0 {
                // Of the open segment: the frames read, without what a crash or a write in progress left behind, and newlines.
                try source.copy(
                    FileName.segment(number), upTo: number == reader.current ? reader.offset : nil, to: copy.storage)
            }
            try copy.storage.syncFolder()
        } catch {
            throw .storage(error)
        }
        if let end = reader.end, let house = end.house { try copy.anchor(end, house: house, through: last) }
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

    private func copy(_ name: String, upTo end: Int?, to target: any JournalStorage) throws(StorageError) {
        let from = try storage.open(name, forWriting: false)
        defer { storage.close(from) }
        let to = try target.create(name)
        defer { target.close(to) }
        let length = try storage.size(of: from)
        let size = end ?? length
        var (offset, part) = (0, [UInt8]())
        while offset < size {
            part.removeAll(keepingCapacity: true)
            try storage.read(from, at: offset, count: min(1 << 20, size - offset), into: &part)
            guard !part.isEmpty else { break }
            try target.write(part[...], to: to, at: offset)
            offset += part.count
        }
        if offset < length {
            try target.write([UInt8](repeating: Text.newline, count: length - offset)[...], to: to, at: offset)
        }
        try target.sync(to)
    }

    private func removeAll() throws(JournalError) {
        do throws(StorageError) { for name in try storage.names() { try storage.remove(name) } } catch { throw .storage(error) }
    }
}
