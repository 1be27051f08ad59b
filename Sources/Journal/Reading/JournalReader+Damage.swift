extension JournalReader {
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
                guard Self.scan(bytes, from: position, { visit(number, $0) }) else { return }
            } else {
                do throws(StorageError) { try storage.readAll(FileName.segment(number), into: &other) } catch {
                    throw .storage(error)
                }
                guard Self.scan(other, from: position, { visit(number, $0) }) else { return }
            }
        }
    }

    static func scan(_ bytes: [UInt8], from start: Int, _ visit: (FrameHeader) -> Bool) -> Bool {
        var position = start
        while let brace = Text.firstIndex(of: UInt8(ascii: "{"), in: bytes, from: position) {
            if let (header, records) = FrameHeader.read(bytes[brace...]) {
                guard visit(header) else { return false }
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
        do throws(StorageError) { try storage.readAll(FileName.segment(number), into: &other) } catch { throw .storage(error) }
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
        if let current, case .header(let header, _) = SegmentHeader.read(bytes[...]), bytes.count < header.bytes ?? 0 {
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
        do throws(StorageError) {
            let file = try storage.open(FileName.segment(number), forWriting: false)
            defer { storage.close(file) }
            return try storage.size(of: file)
        } catch {
            throw .storage(error)
        }
    }
}
