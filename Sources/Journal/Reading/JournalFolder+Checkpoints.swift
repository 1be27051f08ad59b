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
        CheckpointTrailer(sequence: sequence, bytes: offset, checksum: checksum).append(to: &buffer)
        try flush()
        do throws(StorageError) { try storage.sync(file) } catch { throw .storage(error) }
    }

    private mutating func flush() throws(JournalError) {
        do throws(StorageError) { try storage.write(buffer[...], to: file, at: offset) } catch { throw .storage(error) }
        checksum = CRC32C.extended(checksum, over: buffer[...])
        offset += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}

/// The last line of a checkpoint.
struct CheckpointTrailer: Equatable {
    var sequence: UInt64
    /// Length of the content before it.
    var bytes: Int
    /// Of the content.
    var checksum: UInt32

    static let maximumBytes = 96

    func append(to line: inout [UInt8]) {
        line.append(contentsOf: #"{"checkpoint":"#.utf8)
        Text.append(sequence, to: &line)
        line.append(contentsOf: #","bytes":"#.utf8)
        Text.append(UInt64(bytes), to: &line)
        line.append(contentsOf: #","crc":""#.utf8)
        Text.append(hex: checksum, to: &line)
        line.append(contentsOf: "\"}\n".utf8)
    }

    /// The trailer at the end of a file whose last bytes these are.
    static func read(_ tail: ArraySlice<UInt8>) -> CheckpointTrailer? {
        guard tail.last == Text.newline else { return nil }
        let line = tail.dropLast().lastIndex(of: Text.newline).map { $0 + 1 } ?? tail.startIndex
        var scanner = TextScanner(tail[line...])
        guard scanner.skip(#"{"checkpoint":"#) != nil, let sequence = scanner.number(),
            scanner.skip(#","bytes":"#) != nil, let bytes = scanner.number(), let bytes = Int(exactly: bytes),
            scanner.skip(#","crc":""#) != nil, let checksum = scanner.hex(UInt32.self), scanner.skip("\"}\n") != nil,
            scanner.index == tail.endIndex
        else { return nil }
        return CheckpointTrailer(sequence: sequence, bytes: bytes, checksum: checksum)
    }

    /// Length of the line.
    var length: Int {
        var line: [UInt8] = []
        append(to: &line)
        return line.count
    }
}

extension JournalFolder {
    /// Sequences of the checkpoints, ascending.
    public func checkpoints() throws(JournalError) -> [UInt64] {
        do throws(StorageError) { return try storage.names().compactMap(FileName.checkpointSequence).sorted() } catch {
            throw .storage(error)
        }
    }

    /// Writes a checkpoint: the state after the frame `sequence`, which must be durable. Takes no lock and waits for no append.
    ///
    /// The file appears complete or not at all. Every segment is synced before, so that no checkpoint outlives its frames.
    /// - Parameter content: appends lines, each with its newline.
    public func writeCheckpoint(
        at sequence: UInt64, _ content: (inout CheckpointWriter) throws(JournalError) -> Void
    ) throws(JournalError) {
        try syncSegments()
        let name = FileName.checkpoint(sequence)
        let unfinished = name + FileName.unfinished
        do {
            let file: StorageFile
            do throws(StorageError) { file = try storage.create(unfinished) } catch { throw JournalError.storage(error) }
            defer { storage.close(file) }
            var writer = CheckpointWriter(storage, file)
            try content(&writer)
            try writer.finish(at: sequence)
        } catch {
            try? storage.remove(unfinished)
            throw error as? JournalError ?? .damagedCheckpoint(file: name)
        }
        do throws(StorageError) {
            try storage.rename(unfinished, to: name)
            try storage.syncFolder()
            try anchor.note(sequence: sequence)
        } catch {
            throw .storage(error)
        }
    }

    /// Reads a checkpoint in parts of up to 1 MiB, which need not end with a line. All of it is checked before the first part.
    /// - Throws: `.damagedCheckpoint` if the content is not as it was written.
    public func readCheckpoint(
        at sequence: UInt64, _ body: (ArraySlice<UInt8>) throws(JournalError) -> Void
    ) throws(JournalError) {
        let name = FileName.checkpoint(sequence)
        let file: StorageFile
        do throws(StorageError) { file = try storage.open(name, forWriting: false) } catch { throw .storage(error) }
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
        let size: Int
        do throws(StorageError) {
            size = try storage.size(of: file)
            let count = min(size, CheckpointTrailer.maximumBytes)
            try storage.read(file, at: size - count, count: count, into: &tail)
        } catch {
            throw .storage(error)
        }
        guard let trailer = CheckpointTrailer.read(tail[...]), trailer.bytes + trailer.length == size else {
            throw .damagedCheckpoint(file: name)
        }
        return trailer
    }

    private func readParts(
        of file: StorageFile, count: Int, _ body: (ArraySlice<UInt8>) throws(JournalError) -> Void
    ) throws(JournalError) {
        var (offset, part) = (0, [UInt8]())
        while offset < count {
            part.removeAll(keepingCapacity: true)
            do throws(StorageError) {
                try storage.read(file, at: offset, count: min(1 << 20, count - offset), into: &part)
            } catch {
                throw .storage(error)
            }
            guard !part.isEmpty else { return }
            try body(part[...])
            offset += part.count
        }
    }
}
