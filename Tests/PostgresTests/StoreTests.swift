import Dispatch
import Foundation
import Journal
import Synchronization
import TestKit
import Testing

@testable import Postgres

/// A real server, shared by the tests of this suite.
private let server = Result { () throws in
    let server = try PostgresServer()
    started.withLock { $0 = server }
    atexit { started.withLock { $0 }?.remove() }
    return server
}
private let started = Mutex<PostgresServer?>(nil)

/// Storage and lease on a real server.
@Suite(
    .serialized, .ownThread, .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed: apt-get install postgresql"))
struct StoreTests {
    private let database: String
    private let url: DatabaseURL
    private let store: PostgresStore

    init() throws {
        database = try server.get().newDatabase()
        url = try DatabaseURL(database)
        try PostgresStore.create(url, partitions: 1, house: 0xFEED_0000_0000_0001)
        store = try PostgresStore(opening: url)
    }

    private func sql(_ text: String) throws -> String {
        try server.get().sql(text, in: url.database).split(separator: "\n").joined(separator: "\n")
    }

    private func claimed() throws -> PostgresStorage {
        let lease = store.lease
        let epoch = try #require(try lease.claim(from: lease.status(), as: "test"))
        return store.storage(epoch: epoch)
    }

    private func content(_ storage: some JournalStorage, _ name: String) throws -> [UInt8] {
        let file = try storage.open(name, forWriting: false)
        defer { storage.close(file) }
        var bytes: [UInt8] = []
        try storage.read(file, at: 0, count: storage.size(of: file), into: &bytes)
        return bytes
    }

    private func failure<Value>(_ body: () throws -> Value) -> StorageError? {
        do { _ = try body() } catch { return error as? StorageError }
        return nil
    }

    @Test(arguments: ["1099511627776", "9223372036854775807"])
    func anImpossibleSizeOfAFile_isDamage(_ size: String) throws {
        let storage = try claimed()
        storage.close(try storage.create("a"))
        _ = try sql("UPDATE bjserver.file SET size = \(size)")
        #expect(failure { try content(storage, "a") }?.kind == .lost)
    }

    // MARK: The store

    @Test func aStoreIsMadeOnce() throws {
        #expect(store.house == 0xFEED_0000_0000_0001)
        #expect(
            failure { try PostgresStore.create(url, partitions: 1, house: 2) }?.text == "there is a store: nothing is changed")
        #expect(try PostgresStore(opening: url).house == store.house)
        #expect(!store.waitsForNoStandby)
        #expect(
            try sql("SELECT attcompression FROM pg_attribute WHERE attname = 'bytes' AND attrelid = 'bjserver.chunk'::regclass")
                == "l")
    }

    @Test func aDatabaseWithoutAStore_andOneOfALaterVersion_areRefused() throws {
        let empty = try DatabaseURL(try server.get().newDatabase())
        #expect(failure { try PostgresStore(opening: empty) }?.text?.contains("store create") == true)
        _ = try sql("UPDATE bjserver.store SET format = 2")
        #expect(failure { try PostgresStore(opening: url) }?.text?.contains("format 2") == true)
    }

    @Test func aLeaseIsTakenByOne_renewedAndReleased() throws {
        let (first, second) = (store.lease, store.lease)
        let free = try first.status()
        #expect(free == LeaseStatus(owner: nil, epoch: 0, renewals: 0))
        #expect(try first.claim(from: free, as: "a") == 1)
        #expect(try second.claim(from: free, as: "b") == nil)
        #expect(try first.renew(1))
        #expect(try second.status() == LeaseStatus(owner: "a", epoch: 1, renewals: 1))
        #expect(try second.claim(from: LeaseStatus(owner: "a", epoch: 1, renewals: 0), as: "b") == nil)
        #expect(try second.claim(from: LeaseStatus(owner: "a", epoch: 1, renewals: 1), as: "b") == 2)
        #expect(try !first.renew(1))
        #expect(try !first.release(1))
        #expect(try second.release(2))
        #expect(try second.status().owner == nil)
    }

    // MARK: Files

    /// A model in memory has the same content after any writes, of ranges that overlap too.
    @Test func filesHaveTheContentThatWasWritten() throws {
        let storage = try claimed()
        var generator = SeededGenerator()
        var model = [UInt8](repeating: 10, count: 5000)
        try storage.prepare("segment", bytes: model.count)
        var file = try storage.open("segment", forWriting: true)
        for round in 0..<60 {
            let offset = generator.below(model.count)
            let bytes = (0...generator.below(3000)).map { _ in UInt8(generator.below(256)) }
            try storage.write(bytes[...], to: file, at: offset)
            model += [UInt8](repeating: 10, count: max(0, offset + bytes.count - model.count))
            model.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            if generator.below(5) == 0 {
                storage.close(file)
                file = try storage.open("segment", forWriting: true)
            }
            let start = generator.below(model.count)
            let count = generator.below(4000)
            var part: [UInt8] = [42]
            try storage.read(file, at: start, count: count, into: &part)
            #expect(part == [42] + model[start..<min(model.count, start + count)], "seed \(Seed.value), round \(round)")
        }
        #expect(try content(storage, "segment") == model)
        #expect(try content(store.snapshot, "segment") == model)
    }

    @Test func namesChangeAsInAFolder_andNoRowIsLeftBehind() throws {
        let storage = try claimed()
        for (name, byte) in [("a", UInt8(1)), ("b", 2), ("a", 3)] {
            let file = try storage.create(name)
            try storage.write([byte], to: file, at: 0)
            storage.close(file)
        }
        #expect(try content(storage, "a") == [3])
        let open = try storage.open("b", forWriting: false)
        try storage.rename("a", to: "b")
        #expect(try !storage.isNamed(open))
        #expect(try storage.names() == ["b"])
        #expect(try content(storage, "b") == [3])
        #expect(try storage.modificationTime(of: "b") > 1_700_000_000_000)
        #expect(try sql("SELECT count(*) FROM bjserver.chunk") == "1")
        try storage.remove("b")
        #expect(try sql("SELECT count(*) FROM bjserver.chunk") == "0")
        for operation in [
            { try storage.remove("b") }, { try storage.rename("b", to: "c") }, { _ = try storage.open("b", forWriting: true) },
        ] {
            #expect(failure(operation)?.code == ENOENT)
        }
    }

    @Test func afterAClaim_noChangeOfTheFormerOwnerHasEffect() throws {
        let former = try claimed()
        let file = try former.create("a")
        try former.write([1], to: file, at: 0)
        _ = try claimed()
        let changes: [() throws -> Void] = [
            { try former.write([2], to: file, at: 1) }, { _ = try former.create("b") }, { _ = try former.create("a") },
            { try former.prepare("c", bytes: 9) }, { try former.rename("a", to: "d") }, { try former.remove("a") },
        ]
        for change in changes { #expect(failure(change)?.kind == .fenced) }
        #expect(throws: JournalError.fenced(folder: former.location)) { try former.lock() }
        #expect(try former.names() == ["a"])
        #expect(try content(former, "a") == [1])
        #expect(try sql("SELECT count(*) FROM bjserver.chunk") == "1")
    }

    // MARK: Journals

    private func journal(_ storage: any JournalStorage, frames: Int, from first: Int) throws {
        let folder = try JournalFolder(locking: storage)
        var reader = try JournalReader(folder)
        while try reader.next() != nil {}
        let configuration = JournalConfiguration(segmentBytes: 4096, groupInterval: 0)
        let log = try DurableLog(
            folder, continuing: #require(reader.end), house: store.house, configuration: configuration,
            callbacks: DurableLog.Callbacks(failed: { Issue.record("\($0)") }))
        for number in first..<first + frames { _ = log.append(Array("{\"number\":\(number)}\n".utf8)) }
        #expect(log.close())
    }

    private func frames(_ storage: any JournalStorage) throws -> [String] {
        var reader = try JournalReader(JournalFolder(reading: storage))
        var frames: [String] = []
        while let frame = try reader.next() { frames.append(String(decoding: frame.records, as: UTF8.self)) }
        return frames
    }

    private func expected(_ count: Int) -> [String] { (1...count).map { "{\"number\":\($0)}\n" } }

    @Test func aJournalGoesOnWithTheNextOwner_andIsCopiedToAFolderAndBack() throws {
        try journal(claimed(), frames: 300, from: 1)
        try journal(claimed(), frames: 200, from: 301)
        #expect(try frames(store.snapshot) == expected(500))
        let copy = FaultStorage()
        #expect(try JournalFolder.backup(from: JournalFolder(reading: store.snapshot), to: copy).sequence == 500)
        let other = try DatabaseURL(try server.get().newDatabase())
        try PostgresStore.create(other, partitions: 1, house: 1)
        let target = try PostgresStore(opening: other).claimingStorage
        try target.lock()
        #expect(try JournalFolder.backup(from: JournalFolder(reading: copy), to: target).house == store.house)
        target.unlock()
        #expect(try PostgresStore(opening: other).lease.status().owner == nil)
        // Goes on in the middle of a chunk that was copied.
        try journal(PostgresStore(opening: other).claimingStorage, frames: 10, from: 501)
        #expect(try frames(PostgresStore(opening: other).snapshot) == expected(510))
    }

    @Test func aSnapshotStaysAsItIs_whileTheJournalGrows() throws {
        let owner = try claimed()
        try journal(owner, frames: 50, from: 1)
        let snapshot = store.snapshot
        #expect(try frames(snapshot) == expected(50))
        try journal(owner, frames: 50, from: 51)
        #expect(try frames(snapshot) == expected(50))
        #expect(try frames(store.snapshot) == expected(100))
        #expect(failure { try snapshot.remove("anchor.json") }?.code == EROFS)
    }

    /// The stop comes between any two frames, or within one.
    @Test func aServerThatRestarts_isWaitedFor_andNothingIsStoredTwice() throws {
        let storage = try claimed()
        let folder = try JournalFolder(locking: storage)
        let log = try DurableLog(
            folder, continuing: JournalEnd(), house: store.house, configuration: JournalConfiguration(groupInterval: 0),
            callbacks: DurableLog.Callbacks(failed: { Issue.record("\($0)") }))
        for number in 1...200 {
            _ = log.append(Array("{\"number\":\(number)}\n".utf8))
            if number % 100 == 50 {
                // One of two stops is abrupt.
                try server.get().stop(abruptly: number == 50)
                try server.get().start()
            }
        }
        #expect(log.waitUntilDurable(200))
        #expect(log.close())
        #expect(try frames(store.snapshot) == expected(200))
    }

    private func log(
        _ storage: PostgresStorage, full: @escaping @Sendable (StorageError) -> Void = { _ in },
        spaceFound: @escaping @Sendable () -> Void = {}
    ) throws -> DurableLog {
        try DurableLog(
            JournalFolder(locking: storage), continuing: JournalEnd(), house: store.house,
            configuration: JournalConfiguration(groupInterval: 0, retryInterval: 1000),
            callbacks: DurableLog.Callbacks(failed: { _ in }, full: full, spaceFound: spaceFound))
    }

    /// Longer than the time of a call: the writer repeats its batch, and the journal does not end.
    @Test func aDatabaseThatIsAwayForLong_isAShortage_andNothingIsStoredTwice() throws {
        let owner = store.lease
        let epoch = try #require(try owner.claim(from: owner.status(), as: "test"))
        let storage = PostgresStorage(url, partition: 1, access: .owner(epoch: epoch), timeout: 3000, firstTimeout: 1000)
        let kinds = Mutex<[StorageError.Kind]>([])
        let (away, back) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let log = try log(storage) { error in
            kinds.withLock { $0.append(error.kind) }
            away.signal()
        } spaceFound: {
            back.signal()
        }
        for number in 1...50 { #expect(log.waitUntilDurable(log.append(Array("{\"number\":\(number)}\n".utf8)))) }
        try server.get().stop()
        for number in 51...100 { _ = log.append(Array("{\"number\":\(number)}\n".utf8)) }
        away.wait()
        #expect(log.durable == 50)
        try server.get().start()
        back.wait()
        #expect(log.waitUntilDurable(100))
        #expect(log.close())
        #expect(kinds.withLock { $0.first } == .unavailable)
        #expect(try frames(store.snapshot) == expected(100))
    }

    @Test func aJournalWhosePartitionIsClaimed_endsAsFenced() throws {
        let log = try log(claimed())
        #expect(log.waitUntilDurable(log.append(Array("{\"number\":1}\n".utf8))))
        _ = try claimed()
        #expect(!log.waitUntilDurable(log.append(Array("{\"number\":2}\n".utf8))))
        #expect(log.failure == .fenced(folder: "\(url)"))
        #expect(try frames(store.snapshot) == expected(1))
        _ = log.close()
    }

    @Test func aChunkThatIsGone_afterItWasAcknowledged_endsTheWriting() throws {
        let storage = try claimed()
        let file = try storage.create("a")
        try storage.write([1], to: file, at: 0)
        _ = try sql("DELETE FROM bjserver.chunk")
        _ = try sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bjserver'")
        #expect(failure { try storage.write([2], to: file, at: 1) }?.kind == .lost)
    }

    // MARK: Logins

    @Test func aPasswordProvesItself_andOtherMethodsAreRefusedWithWords() throws {
        let server = try server.get()
        _ = try server.sql("SET password_encryption = 'scram-sha-256'; CREATE ROLE lion SUPERUSER LOGIN PASSWORD 'a:\\b'")
        _ = try server.sql("SET password_encryption = 'md5'; CREATE ROLE old SUPERUSER LOGIN PASSWORD 'x'")
        try server.setLogins("local all lion scram-sha-256\nlocal all old md5\nlocal all all trust\n")
        defer { try? server.setLogins("local all all trust\n") }
        let path = "\(server.folder)/passwords"
        try #require(
            FileManager.default.createFile(
                atPath: path, contents: Data("localhost:*:*:lion:a\\:\\\\b\n*:*:*:*:wrong\n".utf8),
                attributes: [.posixPermissions: 0o600]))
        setenv("PGPASSFILE", path, 1)
        defer { unsetenv("PGPASSFILE") }
        func refusal(_ user: String) throws -> String? {
            let url = try DatabaseURL(server.url(url.database, user: user))
            return failure { try PostgresStore(opening: url) }?.text
        }
        #expect(try refusal("lion") == nil)
        #expect(try refusal("old")?.contains("scram-sha-256") == true)
        _ = try server.sql("ALTER ROLE lion PASSWORD 'another'")
        #expect(try refusal("lion")?.contains("28P01") == true)
    }

    @Test func aServerWithoutFsync_isRefused() throws {
        let server = try server.get()
        server.stop()
        try server.start(["-c", "fsync=off"])
        #expect(failure { try PostgresStore(opening: url) }?.text?.contains("fsync=off") == true)
        server.stop()
        try server.start()
    }
}
