import Journal
import TestKit
import Testing

struct ReaderTests {
    private func journal(frames: Int) throws -> ScriptedJournal {
        var journal = try ScriptedJournal(FaultStorage())
        for _ in 0..<frames {
            journal.append(bytes: 200)
            journal.run()
        }
        return journal
    }

    @Test func anEmptyFolder_isAnEmptyJournal() throws {
        let (frames, end) = try ScriptedJournal.recover(FaultStorage())
        #expect(frames.isEmpty && end == JournalEnd())
    }

    /// Found by `bjverify simulate-system`: a start from the checkpoint before such a segment began with epoch 1 again, and the whole journal
    /// could not be read.
    @Test func aSegmentWithoutAWholeFrame_stillCountsItsEpoch() throws {
        let journal = try journal(frames: 20)
        let name = "segment-0000000002.log"
        let content = try #require(journal.storage.content(of: name))
        guard case .header(let header, let end) = SegmentHeader.read(content[...]) else { throw ScriptedJournal.Failure.noEnd }
        let torn = content[..<(end + 20)] + [UInt8](repeating: UInt8(ascii: "\n"), count: content.count - end - 20)
        for later in try journal.storage.names() where later > name { try journal.storage.remove(later) }
        journal.storage.setContent(Array(torn), of: name)
        try journal.storage.remove("anchor.json")
        var reader = try JournalReader(journal.folder, from: header.first)
        #expect(try reader.next() == nil)
        #expect(reader.end?.epoch == header.epoch && reader.end?.sequence == header.first - 1)
    }

    @Test func readingBeginsAndEndsAtAnyFrame() throws {
        let journal = try journal(frames: 20)
        for first in 1...21 {
            var reader = try JournalReader(journal.folder, from: UInt64(first))
            var sequences: [UInt64] = []
            while let frame = try reader.next() { sequences.append(frame.sequence) }
            #expect(sequences == Array(UInt64(first)..<21))
            #expect(reader.end?.sequence == 20)
        }
        var reader = try JournalReader(journal.folder, from: 3, through: 5)
        for sequence: UInt64 in 3...5 { #expect(try reader.next()?.sequence == sequence) }
        #expect(try reader.next() == nil && reader.end == nil)
    }

    @Test func aJournalThatEndsBeforeAFrameThatWasDurable_isCorrupt() throws {
        let journal = try journal(frames: 5)
        #expect(throws: JournalError.self) {
            var reader = try JournalReader(journal.folder, from: 7)
            _ = try reader.next()
        }
    }

    @Test func aReaderBesideAWriter_readsOn_wheneverItHadStopped() throws {
        for stop in 0..<18 {
            var journal = try journal(frames: 3)
            var reader = try JournalReader(journal.folder)
            var sequences: [UInt64] = []
            while let frame = try reader.next() {
                sequences.append(frame.sequence)
                // The writer goes on while the reader holds an old copy of the segment.
                if sequences.count == 2 {
                    for _ in 0..<stop {
                        journal.append(bytes: 200)
                        journal.run()
                    }
                }
            }
            #expect(sequences == Array(1...UInt64(sequences.count)))
            #expect(sequences.count >= 3 && sequences.count <= journal.appended.count)
            // Once a next segment is in use, the rest of the one in memory is read again.
            if journal.appended.count >= 10 { #expect(sequences.count > 3) }
        }
    }

    @Test func aWriteInProgress_endsTheReading_withoutAnError() throws {
        var journal = try journal(frames: 3)
        journal.append(bytes: 800)
        guard let batch = journal.writer.beginWrite() else { throw ScriptedJournal.Failure.noEnd }
        for count in stride(from: 0, to: batch.bytes.count, by: 50) {
            let file = try journal.storage.open("segment-0000000001.log", forWriting: true)
            try journal.storage.write(batch.bytes[..<count], to: file, at: batch.offset)
            let (frames, end) = try ScriptedJournal.recover(journal.storage)
            #expect(frames.count == 3)
            #expect((end.cut != nil) == (count > 0))
        }
    }
}
