import Journal
import TestKit
import Testing

/// Damaged, missing and foreign bytes: corruption if they were durable, else a cut.
struct DamageTests {
    /// A frame's place.
    fileprivate struct Span {
        var segment: UInt64
        var bytes: Range<Int>
        var sequence: UInt64
        /// The highest sequence durable when it was written.
        var durable: UInt64
    }

    private static func name(_ segment: UInt64) -> String { "segment-000000000\(segment).log" }

    /// Three segments with groups of one to three frames; headers of segments count with their first frame's sequence.
    private func sample() throws -> (storage: FaultStorage, spans: [Span], frames: [[UInt8]]) {
        let storage = FaultStorage()
        var journal = try ScriptedJournal(storage)
        for group in 0..<9 {
            for _ in 0...(group % 3) { journal.append(bytes: 150 + group * 10) }
            journal.run()
        }
        var spans: [Span] = []
        for segment: UInt64 in 1...3 {
            let bytes = try #require(storage.content(of: Self.name(segment)))
            guard case .header(let header, var offset) = SegmentHeader.read(bytes[...]) else { continue }
            spans.append(Span(segment: segment, bytes: 0..<offset, sequence: header.first, durable: 0))
            while let (header, records) = FrameHeader.read(bytes[offset...]) {
                spans.append(
                    Span(
                        segment: segment, bytes: offset..<records.upperBound, sequence: header.sequence,
                        durable: header.durable))
                offset = records.upperBound
            }
        }
        #expect(spans.count == 3 + journal.appended.count)
        storage.unlock()
        // The chain of the frames.
        try storage.remove("anchor.json")
        try storage.syncFolder()
        return (storage, spans, journal.appended)
    }

    @Test func aFlipAnywhere_isCorruptionWithItsPlace_ifALaterFrameCallsItDurable_andElseACut() throws {
        let (storage, spans, frames) = try sample()
        var cuts = 0
        for (index, span) in spans.enumerated() {
            let isClaimed = spans[index...].dropFirst().contains { $0.durable >= span.sequence }
            let content = try #require(storage.content(of: Self.name(span.segment)))
            for position in stride(from: span.bytes.lowerBound, to: span.bytes.upperBound, by: 13) {
                var damaged = content
                damaged[position] ^= 1 << UInt8(position % 8)
                storage.setContent(damaged, of: Self.name(span.segment))
                let error = JournalError.corrupt(
                    file: Self.name(span.segment), offset: span.bytes.lowerBound, sequence: span.sequence)
                if isClaimed {
                    #expect(throws: error, "byte \(position) of \(span)") { try ScriptedJournal.recover(storage) }
                } else {
                    cuts += 1
                    let (read, end) = try ScriptedJournal.recover(storage)
                    #expect(read[...] == frames.prefix(Int(span.sequence) - 1))
                    #expect(end.cut?.file == Self.name(span.segment) && end.cut?.offset == span.bytes.lowerBound)
                    let last = try #require(spans.last)
                    // The newline at the end is like those after it.
                    #expect(end.cut?.bytes == last.bytes.upperBound - 1 - span.bytes.lowerBound)
                }
            }
            storage.setContent(content, of: Self.name(span.segment))
        }
        #expect(cuts > 0)
        #expect(try ScriptedJournal.recover(storage).frames == frames)
    }

    @Test func bytesInTheUnusedRestOfASegment_areNoLoss() throws {
        let (storage, spans, frames) = try sample()
        for segment: UInt64 in 1...2 {
            let end = try #require(spans.last { $0.segment == segment }?.bytes.upperBound)
            try storage.flip(UInt8(ascii: "\n"), at: end + 2, of: Self.name(segment))
        }
        #expect(try ScriptedJournal.recover(storage).frames == frames)
    }

    @Test func aSegmentThatWasShortened_isDamage_notATornEnd() throws {
        let (storage, spans, frames) = try sample()
        for segment: UInt64 in 1...3 {
            let content = try #require(storage.content(of: Self.name(segment)))
            let end = spans.end(of: segment)
            for length in [0, 100, end - 200, end - 1, end, content.count - 1] {
                storage.setContent(Array(content.prefix(length)), of: Self.name(segment))
                if segment == 3 {
                    // Nothing claims its last frames.
                    #expect(throws: JournalError.shortened(file: Self.name(3), bytes: length), "\(length)") {
                        try ScriptedJournal.recover(storage)
                    }
                } else if length >= end {
                    #expect(try ScriptedJournal.recover(storage).frames == frames)
                } else {
                    #expect(throws: JournalError.self, "\(length) of \(segment)") { try ScriptedJournal.recover(storage) }
                }
            }
            storage.setContent(content, of: Self.name(segment))
        }
    }

    @Test func aMissingSegment_isCorruption_andTheFirstOneIsPruned() throws {
        let (storage, spans, _) = try sample()
        let first = try #require(spans.first { $0.segment == 2 }?.sequence)
        let (one, two) = (storage.survivors(.everything, seed: 0), storage.survivors(.everything, seed: 0))
        try two.remove(Self.name(2))
        #expect(throws: JournalError.corrupt(file: Self.name(2), offset: 0, sequence: first)) {
            try ScriptedJournal.recover(two)
        }
        try one.remove(Self.name(1))
        #expect(throws: JournalError.pruned(sequence: 1, oldest: first)) { try ScriptedJournal.recover(one) }
        var reader = try JournalReader(JournalFolder(reading: one), from: first)
        #expect(try reader.next()?.sequence == first)
    }

    @Test func segmentsOfAnotherJournal_areCorruption() throws {
        let (storage, spans, _) = try sample()
        let first = try #require(spans.first { $0.segment == 2 }?.sequence)
        // Same frames, other records: an earlier state of the folder, say.
        let other = FaultStorage()
        var journal = try ScriptedJournal(other)
        for group in 0..<9 {
            for _ in 0...(group % 3) { journal.append(bytes: 151 + group * 10) }
            journal.run()
        }
        storage.setContent(try #require(other.content(of: Self.name(2))), of: Self.name(2))
        #expect(throws: JournalError.self) { try ScriptedJournal.recover(storage) }
        // A segment under a wrong name.
        storage.setContent(try #require(storage.content(of: Self.name(3))), of: Self.name(2))
        #expect(throws: JournalError.corrupt(file: Self.name(2), offset: 0, sequence: first)) {
            try ScriptedJournal.recover(storage)
        }
    }

    @Test func anotherWritersEpochIsHigher_andItsFramesFollow() throws {
        let (storage, _, frames) = try sample()
        let before = try ScriptedJournal.recover(storage).end
        var second = try ScriptedJournal(storage.survivors(.everything, seed: 0))
        #expect(second.writer.epoch == before.epoch + 1)
        second.append()
        second.run()
        let (read, end) = try ScriptedJournal.recover(second.storage)
        #expect(read.count == frames.count + 1)
        #expect(end.epoch == before.epoch + 1 && end.house == ScriptedJournal.house)
    }

    @Test func afterACut_aNewSegmentNotesIt_andADamagedNoteIsFoundAtItsPlace() throws {
        let (storage, spans, frames) = try sample()
        let last = try #require(spans.last)
        var content = try #require(storage.content(of: Self.name(3)))
        content[last.bytes.upperBound - 5] ^= 4
        storage.setContent(content, of: Self.name(3))
        var second = try ScriptedJournal(storage)
        #expect(second.appended.count == frames.count - 1)
        for _ in 0..<3 {
            second.append()
            second.run()
        }
        // The torn bytes are still there; the segment after them begins with the frame that was cut.
        #expect(storage.content(of: Self.name(3)) == content)
        let (read, end) = try ScriptedJournal.recover(storage)
        #expect(read == second.appended && end.cut == nil)
        try storage.flip(at: 20, of: Self.name(4))
        #expect(throws: JournalError.corrupt(file: Self.name(4), offset: 0, sequence: last.sequence)) {
            try ScriptedJournal.recover(storage)
        }
    }
}

extension [DamageTests.Span] {
    fileprivate func end(of segment: UInt64) -> Int { last { $0.segment == segment }?.bytes.upperBound ?? 0 }
}
