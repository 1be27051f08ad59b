import Fairness
import Journal
import Records
import TableEngine
import TestKit
import Testing

@testable import ServerCore

/// Repairs of journals in memory.
struct JournalRepairTests {
    private static let options = {
        var options = Recovery.Options()
        options.journal = JournalConfiguration(segmentBytes: 2048, groupInterval: 0)
        return options
    }()

    private func open(_ storage: FaultStorage) throws -> Recovery {
        try Recovery.open(
            storage, configuration: ShardConfiguration(tables: []), options: Self.options, wallClock: 1_000_000,
            callbacks: .init { Issue.record("the journal failed: \($0)") })
    }

    private func account(_ number: Int, name: String? = nil) throws -> Record {
        let digest = try #require(Digest(bytes: [UInt8](repeating: 7, count: 32)))
        return .account(
            PlayerID(number), name: name ?? "player\(number)", isBot: false, secret: digest, chips: 0,
            time: 1_000_000 + Int64(number))
    }

    /// A journal with an account in each of 60 frames after the start's, in several segments.
    private func journal(named name: (Int) -> String? = { _ in nil }) throws -> FaultStorage {
        let storage = FaultStorage()
        let log = try open(storage).log
        for number in 1...60 {
            let record = try account(number, name: name(number)).encoded() + Record.disabled(PlayerID(number), false).encoded()
            #expect(log.waitUntilDurable(log.append(record)))
        }
        #expect(log.close())
        return storage.survivors(.everything, seed: 0)
    }

    private func segments(_ storage: FaultStorage) throws -> [String] {
        try storage.names().filter { FileName.segmentNumber($0) != nil }.sorted()
    }

    private func damage(_ name: String, of storage: FaultStorage) throws -> [UInt8] {
        var content = try #require(storage.content(of: name))
        content[content.count / 2] ^= 1
        storage.setContent(content, of: name)
        return content
    }

    /// Writes checkpoints of the states that the records give.
    private func save(_ storage: FaultStorage, at sequences: UInt64...) throws {
        let folder = JournalFolder(reading: storage)
        for sequence in sequences {
            try SavedState.recover(from: folder, through: sequence).state.write(to: folder, at: sequence)
        }
    }

    private func repair(_ storage: FaultStorage) throws -> JournalRepair {
        let folder = try JournalFolder(locking: storage)
        defer { storage.unlock() }
        return try #require(try JournalRepair.run(folder))
    }

    @Test func aSecondRepair_keepsTheFilesOfTheFirst() throws {
        let storage = try journal()
        let names = try segments(storage)
        try #require(names.count > 4)
        let first = try damage(names[3], of: storage)
        #expect(try repair(storage).ending == ".damaged")
        let second = try damage(names[1], of: storage)
        let third = try #require(storage.content(of: names[3]))
        let again = try repair(storage)
        #expect(again.ending == ".damaged-2" && again.files.contains(names[1]) && again.files.contains(names[3]))
        #expect(storage.content(of: names[3] + ".damaged") == first)
        #expect(storage.content(of: names[1] + ".damaged-2") == second && storage.content(of: names[3] + ".damaged-2") == third)
        let recovery = try open(storage)
        #expect(recovery.state.accounts.count == Int(again.last) - 1)
        _ = recovery.log.close()
    }

    @Test func whereTheAnchorNamesLostSegments_aRepairGoesOnWithWhatIsThere() throws {
        let storage = try journal()
        let names = try segments(storage)
        for name in names.suffix(2) { try storage.remove(name) }
        #expect(throws: JournalError.self) { try open(storage) }
        let anchor = try #require(storage.content(of: FileName.anchor))
        let repair = try repair(storage)
        #expect(repair.damage.isDamage && repair.files.contains(FileName.anchor))
        // Frames that no file has are lost all the same.
        #expect(repair.known == 61 && repair.last < 61 && repair.lost == nil)
        #expect(storage.content(of: FileName.anchor + ".damaged") == anchor)
        let recovery = try open(storage)
        let count = Int(repair.last) - 1
        #expect((1..<60).contains(count) && Set(recovery.state.accounts.keys) == Set((1...count).map { PlayerID($0) }))
        #expect(recovery.end.anchor == nil)
        _ = recovery.log.close()
        // The next start has an anchor again, and nothing to repair.
        let folder = try JournalFolder(locking: storage.survivors(.everything, seed: 0))
        #expect(try JournalRepair.run(folder) == nil)
    }

    @Test func damageBeforeTheNewestCheckpoint_stopsNoStart_soNothingIsRepaired() throws {
        let storage = try journal()
        try save(storage, at: 30, 45, 55)
        _ = try damage(segments(storage)[1], of: storage)
        _ = try damage(FileName.checkpoint(45), of: storage)
        let folder = try JournalFolder(locking: storage)
        let names = try storage.names()
        #expect(throws: JournalError.self) { try folder.audit() }
        #expect(try JournalRepair.run(folder) == nil && storage.names() == names)
        storage.unlock()
        let recovery = try open(storage)
        #expect(recovery.state.accounts.count == 60)
        _ = recovery.log.close()
    }

    /// Its own checksum says that the oldest segment was written: the start refuses the folder.
    @Test func aDamagedOldestHeader_costsNothingAfterTheCheckpoint() throws {
        let storage = try journal()
        try save(storage, at: 40)
        let name = try segments(storage)[0]
        try storage.flip(at: 20, of: name)
        #expect(throws: JournalError.self) { try open(storage) }
        let repair = try repair(storage)
        #expect(repair.lost == nil && repair.state.accounts.count == 60)
        let recovery = try open(storage)
        #expect(recovery.state.accounts.count == 60)
        _ = recovery.log.close()
    }

    @Test func aFolderOfAnotherVersion_andNamesThatLookAlike_areNotRepaired() throws {
        let storage = try journal()
        let name = try segments(storage)[3]
        var content = try #require(storage.content(of: name))
        let end = try #require(content.firstIndex(of: 10))
        // The line ends with `,"crc":"…"}`; the checksum is of what precedes it.
        var line = Array(#"{"journal":1"#.utf8 + content[12..<end - 18])
        let checksum = String(CRC32C.extended(over: line[...]), radix: 16)
        line += Array(#","crc":"\#(String(repeating: "0", count: 8 - checksum.count))\#(checksum)"}"#.utf8)
        content.replaceSubrange(..<end, with: line)
        storage.setContent(content, of: name)
        let names = try storage.names().sorted()
        let newer = JournalError.unsupportedVersion(file: name, version: 1)
        #expect { try repair(storage) } throws: { $0 as? JournalError == newer }
        #expect(try storage.names().sorted() == names)

        let other = try journal(named: { $0 == 7 ? "PLAYER6" : nil })
        #expect { try repair(other) } throws: { if case .contradiction? = $0 as? JournalError { true } else { false } }
        #expect(try !other.names().contains { $0.hasSuffix(FileName.setAside) })
    }

    /// The copy's header says that the frames after the newest checkpoint begin with it.
    @Test func aCopyOfASegment_underALaterName_costsTheFramesFromThere() throws {
        let storage = try journal()
        let names = try segments(storage)
        let content = try #require(storage.content(of: names[3]))
        guard case .header(let header, _) = SegmentHeader.read(content[...]) else { throw JournalError(.read, names[3], code: 0) }
        try save(storage, at: header.first - 1)
        storage.setContent(content, of: names[5])
        let repair = try repair(storage)
        #expect(
            repair.last > header.first && repair.files == [names[4], names[5]] + names[6...] + [FileName.anchor], "\(repair)")
        #expect(try JournalFolder(reading: storage).audit().end.sequence == repair.last)
        let recovery = try open(storage)
        #expect(recovery.state.accounts.count == repair.state.accounts.count)
        _ = recovery.log.close()
    }

    /// Flips a bit of a file, replaces it by another, shortens it or removes it.
    private func harm(_ storage: FaultStorage, _ random: inout SeededGenerator) throws {
        let names = try storage.names().filter { $0 != FileName.lock }.sorted()
        let name = names[random.below(names.count)]
        guard var content = storage.content(of: name), !content.isEmpty else { return }
        switch random.below(6) {
        case 0: try storage.remove(name)
        case 1: storage.setContent(Array(content.prefix(random.below(content.count))), of: name)
        case 2: storage.setContent(storage.content(of: names[random.below(names.count)]) ?? [], of: name)
        default:
            content[random.below(content.count)] ^= 1 << UInt8(random.below(8))
            storage.setContent(content, of: name)
        }
    }

    @Test func whateverWasDamaged_afterARepairAStartReads() throws {
        var random = SeededGenerator()
        let whole = try journal()
        try save(whole, at: 12, 25, 38, 51)
        var (repaired, refused) = (0, 0)
        for run in 0..<Thorough.count(150, most: 5000) {
            let storage = whole.survivors(.everything, seed: 0)
            for _ in 0...random.below(3) { try harm(storage, &random) }
            let files = try storage.names().sorted()
            let folder = try JournalFolder(locking: storage)
            let result = Result { try JournalRepair.run(folder) }
            storage.unlock()
            switch result {
            case .success(let repair):
                if repair != nil { repaired += 1 }
                let recovery = try open(storage)
                #expect(recovery.state.accounts.count <= 60, "run \(run)")
                _ = recovery.log.close()
            case .failure(let error):
                refused += 1
                let left = try storage.names().sorted()
                #expect((error as? JournalError)?.isDamage == true && left == files, "run \(run): \(error)")
            }
        }
        #expect(repaired > refused, "\(repaired), \(refused)")
    }

    @Test func aRepairThatIsInterrupted_isFinishedByTheNext() throws {
        let whole = try journal()
        try save(whole, at: 25, 38)
        let names = try segments(whole)
        _ = try damage(names[names.count - 3], of: whole)
        let expected = try repair(whole.survivors(.everything, seed: 0)).state.accounts.count
        for loss in [FaultStorage.Loss.nothing, .everything] {
            var (operation, isInterrupted) = (0, true)
            while isInterrupted {
                let storage = whole.survivors(.everything, seed: 0)
                let folder = try JournalFolder(locking: storage)
                storage.inject(.crash(loss), at: storage.operations + operation)
                isInterrupted = (try? JournalRepair.run(folder)) == nil
                let next = try JournalFolder(locking: storage.survivors(loss, seed: 0))
                _ = try JournalRepair.run(next)
                _ = try next.audit()
                #expect(try SavedState.recover(from: next).state.accounts.count == expected, "\(loss), operation \(operation)")
                operation += 1
            }
            #expect(operation > 10, "\(loss)")
        }
    }
}
