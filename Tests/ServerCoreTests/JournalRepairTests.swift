import Fairness
import Journal
import Records
import TableEngine
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

    /// A journal with an account in each of 60 frames after the start's, in several segments.
    private func journal() throws -> FaultStorage {
        let storage = FaultStorage()
        let log = try open(storage).log
        let digest = try #require(Digest(bytes: [UInt8](repeating: 7, count: 32)))
        for number in 1...60 {
            let account = Record.account(
                PlayerID(number), name: "player\(number)", isBot: false, secret: digest, chips: 0, time: 1_000_000)
            #expect(log.waitUntilDurable(log.append(account.encoded())))
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
        #expect(throws: RecoveryError.self) { try open(storage) }
        let anchor = try #require(storage.content(of: FileName.anchor))
        let repair = try repair(storage)
        #expect(repair.damage.isDamage && repair.files.contains(FileName.anchor))
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
}
