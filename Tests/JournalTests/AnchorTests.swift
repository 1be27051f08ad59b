import Foundation
import TestKit
import Testing

@testable import Journal

/// The anchor of a folder: missing, damaged and older files are refused, although the rest would pass for a shorter journal.
struct AnchorTests {
    private static func name(_ segment: UInt64) -> String { "segment-000000000\(segment).log" }

    /// Three segments with 5, 5 and 4 frames, a fourth one prepared.
    private static func journal(_ configuration: JournalConfiguration = ScriptedJournal.small) throws -> ScriptedJournal {
        var journal = try ScriptedJournal(FaultStorage(), configuration)
        for _ in 0..<7 {
            for _ in 0..<2 { journal.append(bytes: 200) }
            journal.run()
        }
        journal.storage.unlock()
        return journal
    }

    private let journal: ScriptedJournal
    private var storage: FaultStorage { journal.storage }

    init() throws { journal = try Self.journal() }

    private func anchor(_ storage: FaultStorage) throws -> JournalAnchor {
        try JournalAnchor.read(try #require(storage.content(of: FileName.anchor)))
    }

    @Test func aMissingSegment_whicheverItIs_isNamed() throws {
        for segment: UInt64 in 1...3 {
            let storage = try Self.journal().storage
            try storage.remove(Self.name(segment))
            #expect(throws: JournalError.missing(file: Self.name(segment))) { try ScriptedJournal.recover(storage) }
            #expect(throws: JournalError.missing(file: Self.name(segment))) {
                try JournalFolder.backup(from: JournalFolder(reading: storage), to: FaultStorage())
            }
        }
        for segment: UInt64 in 1...4 { try storage.remove(Self.name(segment)) }
        #expect(throws: JournalError.missing(file: Self.name(3))) { try ScriptedJournal.recover(storage) }
        // The way out: on with what is there.
        try storage.remove(FileName.anchor)
        #expect(try ScriptedJournal.recover(storage).frames.isEmpty)
    }

    /// Without syncs, later segments may be on the disk and an earlier frame not.
    @Test func aBackup_whoseEndIsTornBeforeLaterSegments_isReadAsTheOriginal() throws {
        let configuration = ScriptedJournal.small(.none)
        var journal = try ScriptedJournal(FaultStorage(), configuration)
        for _ in 0..<14 {
            journal.append(bytes: 200)
            journal.now += 2 * configuration.syncInterval
            journal.run()
        }
        let storage = journal.storage
        try storage.flip(at: 1024, of: Self.name(2))
        let (frames, end) = try ScriptedJournal.recover(storage)
        #expect((6..<10).contains(frames.count) && end.nextSegment > 3)
        let target = FaultStorage()
        #expect(try JournalFolder.backup(from: journal.folder, to: target).sequence == end.sequence)
        #expect(try ScriptedJournal.recover(target).frames == frames)
    }

    @Test func aTailThatVanishesAtAFramesBoundary_isRefused_onceTheAnchorHasFollowed() throws {
        var journal = try ScriptedJournal(FaultStorage())
        // The preparation of the next segment notes the first.
        for frames in [1, 5] {
            for _ in 0..<frames { journal.append() }
            journal.run()
        }
        // Its own failure is none of the journal's, and it tries again.
        journal.storage.inject(.error(EIO), atNext: [.rename])
        for sequence: UInt64 in [1, 6] {
            journal.now += 500
            journal.run()
            #expect(try anchor(journal.storage).sequence == sequence && journal.failure == nil)
        }
        journal.append()
        journal.run()
        let whole = try #require(journal.storage.content(of: Self.name(1)))
        var ends: [Int] = []
        _ = JournalReader.scan(whole, from: 0) { header, _ in
            let start = ends.last ?? (whole.firstIndex(of: Text.newline) ?? 0) + 1
            ends.append(FrameHeader.read(whole[start...])?.records.upperBound ?? 0)
            return header.sequence == UInt64(ends.count)
        }
        #expect(ends.count == 7)
        for (index, end) in ends.enumerated() {
            journal.storage.setContent(
                whole[..<end] + [UInt8](repeating: Text.newline, count: whole.count - end), of: Self.name(1))
            guard index < 5 else {
                #expect(try ScriptedJournal.recover(journal.storage).frames.count == index + 1)
                continue
            }
            #expect(throws: JournalError.older(last: UInt64(index + 1), sequence: 6)) {
                try ScriptedJournal.recover(journal.storage)
            }
        }
    }

    @Test func anOldBackupOverNewerFiles_isRefused() throws {
        var journal = try ScriptedJournal(FaultStorage())
        journal.append(bytes: 200)
        journal.run()
        let backup = FaultStorage()
        _ = try JournalFolder.backup(from: journal.folder, to: backup)
        for _ in 0..<9 {
            journal.append(bytes: 200)
            journal.run()
        }
        let end = UInt64(journal.appended.count)
        try journal.folder.writeCheckpoint(at: end) { writer throws(JournalError) in try writer.append("{}\n".utf8) }
        for name in try backup.names() { journal.storage.setContent(try #require(backup.content(of: name)), of: name) }
        // A start reads from the checkpoint on.
        #expect(throws: JournalError.overwritten(segment: 1)) {
            try JournalReader(JournalFolder(reading: journal.storage), from: end + 1)
        }
    }

    @Test func anOlderCopyOfASegment_isRefused() throws {
        storage.setContent([UInt8](repeating: Text.newline, count: 2048), of: Self.name(3))
        let anchored = try anchor(storage)
        #expect(anchored.segment == 3)
        #expect(throws: JournalError.self) { try ScriptedJournal.recover(storage) }
    }

    @Test func aFlippedBit_inAnyHeaderAndInTheAnchor_hidesNothing() throws {
        try journal.folder.anchor.note(sequence: UInt64(journal.appended.count))
        for name in [1, 2, 3].map(Self.name) + [FileName.anchor] {
            let whole = try #require(storage.content(of: name))
            let header = try #require(whole.firstIndex(of: Text.newline)) + 1
            // At least one of each byte.
            for bit in stride(from: Int(Seed.value % 5), to: header * 8, by: Thorough.count(5, most: 1, quick: 8)) {
                var damaged = whole
                damaged[bit / 8] ^= 1 << UInt8(bit % 8)
                storage.setContent(damaged, of: name)
                #expect(throws: JournalError.self, "bit \(bit) of \(name)") { try ScriptedJournal.recover(storage) }
            }
            storage.setContent(whole, of: name)
        }
        #expect(try ScriptedJournal.recover(storage).frames == journal.appended)
    }

    @Test func aDamagedOldestSegment_isNoPrunedHistory_withAnAnchorAndWithout() throws {
        for sequence: UInt64 in [6, 12] {
            try journal.folder.writeCheckpoint(at: sequence) { writer throws(JournalError) in try writer.append("{}\n".utf8) }
        }
        try storage.flip(at: 12, of: Self.name(1))
        for hasAnchor in [true, false] {
            if !hasAnchor { try storage.remove(FileName.anchor) }
            let folder = JournalFolder(reading: storage)
            #expect("anchor \(hasAnchor)") {
                _ = try folder.historyStart()
            } throws: { error in
                guard case .corrupt(Self.name(1), 0, _)? = error as? JournalError else { return false }
                return true
            }
        }
    }

    @Test func prunedHistory_isRight_andOneSegmentLessIsNot() throws {
        for sequence: UInt64 in [8, 13] {
            try journal.folder.writeCheckpoint(at: sequence) { writer throws(JournalError) in try writer.append("{}\n".utf8) }
        }
        #expect(try journal.folder.prune(keeping: .size(bytes: 1)) > 0)
        #expect(storage.content(of: Self.name(1)) == nil)
        var reader = try JournalReader(JournalFolder(reading: storage), from: 14)
        while try reader.next() != nil {}
        #expect(reader.end?.sequence == UInt64(journal.appended.count))
        try storage.remove(Self.name(2))
        #expect(throws: JournalError.missing(file: Self.name(2))) { try JournalReader(JournalFolder(reading: storage), from: 14) }
    }

    @Test func segmentsOfAnotherHouse_areRefused() throws {
        var other = try anchor(storage)
        other.house ^= 1
        storage.setContent(other.line, of: FileName.anchor)
        #expect(throws: JournalError.otherHouse) { try ScriptedJournal.recover(storage) }
    }

    @Test func anotherVersionsAnchor_needsThatVersion() throws {
        var line = Array(#"{"anchor":1,"more":"fields""#.utf8)
        let checksum = CRC32C.extended(over: line[...])
        line.append(contentsOf: #","crc":""#.utf8)
        Text.append(hex: checksum, to: &line)
        line.append(contentsOf: "\"}\n".utf8)
        #expect(throws: JournalError.unsupportedVersion(file: FileName.anchor, version: 1)) { try JournalAnchor.read(line) }
    }

    @Test func aFolderWithoutAnAnchor_getsOneThatHoldsItsEnd_atTheNextOpening() throws {
        try storage.remove(FileName.anchor)
        // A power cut has left two blank segments. The second would have the first one, once it is in use, look like one of a newer folder.
        storage.setContent(try #require(storage.content(of: Self.name(4))), of: Self.name(5))
        let (_, end) = try ScriptedJournal.recover(storage)
        #expect(end.anchor == nil)
        _ = try ScriptedJournal(storage)
        #expect(storage.content(of: Self.name(5)) == nil)
        let made = JournalAnchor(
            house: ScriptedJournal.house, oldest: 1, segment: 3, sequence: UInt64(journal.appended.count))
        #expect(try anchor(storage) == made)
        #expect(storage.survivors(.everything, seed: 0).content(of: FileName.anchor) == made.line)
    }

    /// Nothing is synced: the anchor must not say so.
    @Test func withoutSync_aPowerCutAtAnyOperation_isNoOlderJournal() throws {
        let configuration = ScriptedJournal.small(.none)
        for operation in 0..<(try Self.journal(configuration).storage.operations) {
            let storage = FaultStorage()
            storage.inject(.crash(.everything), at: operation)
            guard var journal = try? ScriptedJournal(storage, configuration) else { continue }
            for _ in 0..<18 {
                journal.append(bytes: 200)
                journal.run()
            }
            for loss in FaultStorage.Loss.allCases {
                _ = try ScriptedJournal.recover(storage.survivors(loss, seed: UInt64(operation)))
            }
        }
    }
}
