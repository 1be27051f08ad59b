/// A place between two frames, where a repair ends the journal.
package struct JournalCut: Sendable {
    /// The last frame before it.
    package var sequence: UInt64
    /// Number of the segment with that frame, and the frame's end in it; nil for an empty journal.
    var segment: UInt64?
    var offset: Int
}

extension JournalReader {
    /// The place after the last frame read.
    package var place: JournalCut { JournalCut(sequence: sequence, segment: offset > 0 ? current : nil, offset: offset) }
}

/// Cutting off what cannot be read. Nothing is deleted: the files stay under names that no reader looks at.
extension JournalFolder {
    /// Sets a file aside.
    package func setAside(_ name: String) throws(StorageError) { try storage.rename(name, to: name + FileName.setAside) }

    /// Undoes ``setAside(_:)``.
    package func putBack(_ name: String) throws(StorageError) { try storage.rename(name + FileName.setAside, to: name) }

    /// Ends the journal at a place. The segments with later bytes are set aside, the first of them as a copy.
    ///
    /// After a crash in between, the journal is one that is still damaged, or that ends at the place.
    /// - Returns: the names of the files set aside, as they were.
    package func cut(at place: JournalCut) throws(JournalError) -> [String] {
        do throws(StorageError) {
            var names: [String] = []
            // From the end, so that no gap is left.
            for number in try segments().reversed() where number > place.segment ?? 0 {
                try setAside(FileName.segment(number))
                names.append(FileName.segment(number))
            }
            if let number = place.segment {
                let name = FileName.segment(number)
                var bytes: [UInt8] = []
                try storage.readAll(name, into: &bytes)
                try write(bytes[...], to: name + FileName.setAside)
                if case .header(let header, _) = SegmentHeader.read(bytes[...]) {
                    // One that was shortened gets its length back.
                    let length = max(bytes.count, header.bytes ?? 0)
                    bytes.removeSubrange(place.offset...)
                    bytes += [UInt8](repeating: Text.newline, count: length - bytes.count)
                }
                try write(bytes[...], to: name + FileName.unfinished)
                try storage.rename(name + FileName.unfinished, to: name)
                names.append(name)
            }
            try storage.syncFolder()
            return names.reversed()
        } catch {
            throw .storage(error)
        }
    }

    /// The intact frames after a place, in files that were set aside: what is lost, as far as it can be read.
    package func lostFrames(
        after place: JournalCut, in names: [String], _ body: (JournalFrame) -> Void
    ) throws(JournalError) {
        for name in names where FileName.segmentNumber(name) != nil {
            var bytes: [UInt8] = []
            do throws(StorageError) { try storage.readAll(name + FileName.setAside, into: &bytes) } catch {
                throw .storage(error)
            }
            var position = FileName.segmentNumber(name) == place.segment ? place.offset : 0
            while let brace = Text.firstIndex(of: UInt8(ascii: "{"), in: bytes, from: position) {
                guard let (header, records) = FrameHeader.read(bytes[brace...]) else {
                    position = brace + 1
                    continue
                }
                body(
                    JournalFrame(
                        epoch: header.epoch, sequence: header.sequence, durable: header.durable, records: bytes[records]))
                position = records.upperBound
            }
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>, to name: String) throws(StorageError) {
        let file = try storage.create(name)
        defer { storage.close(file) }
        try storage.write(bytes, to: file, at: 0)
        try storage.sync(file)
    }
}
