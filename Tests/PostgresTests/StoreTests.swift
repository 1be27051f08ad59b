import Dispatch
import Foundation
import Journal
import Synchronization
import TestKit
import Testing

@testable import Postgres

/// A real server, shared by the tests of this suite.
private let server = Result { try PostgresServer().untilExit() }

/// Storage and lease on a real server.
@Suite(.serialized, .ownThread, .postgres)
struct StoreTests {
    private let database: String
    private let url: DatabaseURL
    private let store: PostgresStore

    init() throws {
        database = try server.get().emptyDatabase()
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

    // MARK: Damage

    /// The second one is less than 4 GiB; files of chunks may be as long.
    @Test(arguments: ["-1", "3000000000", "1099511627776", "9223372036854775807"])
    func anImpossibleSizeOfAFile_isDamage(_ size: String) throws {
        let storage = try claimed()
        storage.close(try storage.create("a"))
        _ = try sql("UPDATE bjserver.file SET size = \(size)")
        #expect(failure { try content(storage, "a") }?.kind == .lost)
    }

    /// Its last chunk says so, too.
    @Test func aFileThatIsTooLongToRead_isDamage() throws {
        try journal(claimed(), frames: 3, from: 1)
        _ = try sql(
            "UPDATE bjserver.chunk SET start = 4611686018427387903 WHERE file IN (SELECT id FROM bjserver.file WHERE name = 'anchor.json')"
        )
        _ = try sql("UPDATE bjserver.file SET size = 4611686018427387904 WHERE name = 'anchor.json'")
        #expect { try JournalFolder(reading: store.snapshot).anchoredFrame() } throws: {
            "\($0)".contains("4611686018427387904 bytes")
        }
    }

    @Test func aFileAsLongAsItsChunks_isRead_howeverLong() throws {
        let storage = try claimed()
        let file = try storage.create("a")
        try storage.write([1], to: file, at: 3_000_000_000)
        var bytes: [UInt8] = []
        try storage.read(file, at: 2_999_999_999, count: 5, into: &bytes)
        #expect(bytes == [10, 1])
    }

    @Test func aSerialOutOfBounds_isDamage() throws {
        let storage = try claimed()
        let file = try storage.create("a")
        try storage.write([1], to: file, at: 0)
        _ = try sql("UPDATE bjserver.chunk SET serial = 2147483647")
        let again = try storage.open("a", forWriting: true)
        #expect(failure { try storage.write([2], to: again, at: 1) }?.kind == .lost)
    }

    @Test(arguments: [
        "DELETE FROM bjserver.partition", "UPDATE bjserver.partition SET epoch = -1",
        "UPDATE bjserver.partition SET epoch = 9223372036854775807",
        "UPDATE bjserver.partition SET renewals = -9223372036854775808",
        "UPDATE bjserver.partition SET renewals = 9223372036854775807",
    ])
    func aPartitionThatNobodyCanClaim_isDamage(_ statement: String) throws {
        _ = try sql(statement)
        for error in [failure { try store.lease.status() }, failure { try store.snapshot.names() }] {
            #expect(error?.kind == .lost && error?.text?.contains("bjserver.partition, partition 1") == true, "\(error as Any)")
        }
    }

    @Test(arguments: ["0", "-1", "65", "2147483647"])
    func aStoreOfAnImpossibleNumberOfPartitions_isDamage(_ count: String) throws {
        _ = try sql("UPDATE bjserver.store SET partitions = \(count)")
        let error = failure { try PostgresStore(opening: url) }
        #expect(error?.kind == .lost)
        #expect(
            error?.text?.hasPrefix("the row of bjserver.store, format 7 is damaged: partitions is \(count), not in 1...64")
                == true)
    }

    /// Names of other alphabets could not be stored.
    @Test(arguments: ["LATIN1", "SQL_ASCII"]) func aDatabaseOfAnotherEncoding_isRefused(_ encoding: String) throws {
        let name = "bj\(UUID().uuidString.prefix(8).lowercased())"
        _ = try sql("CREATE DATABASE \(name) ENCODING '\(encoding)' TEMPLATE template0 LOCALE 'C'")
        let other = try DatabaseURL(server.get().url(name))
        let refused = failure { try PostgresStore.create(other, partitions: 1, house: 1) }
        #expect(refused?.text?.contains("has the encoding \(encoding)") == true, "\(refused as Any)")
        #expect(try server.get().sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'bjserver'", in: name) == "0\n")
    }

    @Test func aStoreWithoutItsAnchor_isNoNewHouse() throws {
        #expect(try JournalFolder(reading: store.snapshot).anchoredFrame() == 0)
        try journal(claimed(), frames: 3, from: 1)
        for statement in ["DELETE FROM bjserver.file WHERE name = 'anchor.json'", "DELETE FROM bjserver.file"] {
            _ = try sql(statement)
            #expect { try JournalFolder(reading: store.snapshot).anchoredFrame() } throws: {
                "\($0)".contains("anchor.json is missing")
            }
            #expect { try frames(store.snapshot) } throws: { "\($0)".contains("anchor.json is missing") }
        }
        // A backup goes into it.
        let copy = FaultStorage()
        let log = try DurableLog(
            JournalFolder(locking: copy), continuing: JournalEnd(), house: 5, callbacks: DurableLog.Callbacks(failed: { _ in }))
        _ = log.append(Array("{}\n".utf8))
        #expect(log.close())
        let target = store.claimingStorage
        try target.lock()
        #expect(try JournalFolder.backup(from: JournalFolder(reading: copy), to: target).sequence == 1)
        target.unlock()
        #expect(try frames(store.snapshot) == ["{}\n"])
    }

    /// As a repair does it: the next start makes another one.
    @Test func anAnchorThatIsSetAside_isMissedByNobody() throws {
        let storage = try claimed()
        try journal(storage, frames: 3, from: 1)
        let folder = JournalFolder(reading: storage)
        try folder.setAside("anchor.json", ending: ".damaged")
        #expect(try frames(store.snapshot) == expected(3))
        try folder.putBack("anchor.json", ending: ".damaged")
        _ = try sql("DELETE FROM bjserver.file WHERE name = 'anchor.json'")
        #expect(failure { try storage.names() }?.kind == .lost)
    }

    // MARK: The store

    @Test func aStoreIsMadeOnce() throws {
        #expect(store.house == 0xFEED_0000_0000_0001)
        #expect(
            failure { try PostgresStore.create(url, partitions: 1, house: 2) }?.text
                == "the store exists already; nothing was changed")
        #expect(try PostgresStore(opening: url).house == store.house)
        #expect(!store.waitsForNoStandby)
        #expect(
            try sql("SELECT attcompression FROM pg_attribute WHERE attname = 'bytes' AND attrelid = 'bjserver.chunk'::regclass")
                == "l")
    }

    @Test func aDatabaseWithoutAStore_andOneOfALaterVersion_areRefused() throws {
        let empty = try DatabaseURL(try server.get().newDatabase())
        #expect(failure { try PostgresStore(opening: empty) }?.text?.contains("store create") == true)
        _ = try sql("UPDATE bjserver.store SET format = 9")
        #expect(failure { try PostgresStore(opening: url) }?.text?.contains("format 9") == true)
    }

    /// A start, a command about data and the creation of another one say the same.
    @Test func aStoreWithoutItsRow_isDamage_andNoneIsMadeInItsPlace() throws {
        _ = try sql("DELETE FROM bjserver.store")
        for fault in [
            failure { try PostgresStore(opening: url) }, failure { try PostgresStore.create(url, partitions: 1, house: 2) },
        ] {
            #expect(fault?.kind == .lost && fault?.text?.contains("the row of bjserver.store is missing") == true)
        }
    }

    /// By the database's clock, as `store status` shows it.
    @Test func theAgeOfALease_beginsAgainWithEachRenewal() throws {
        let lease = store.lease
        #expect(try lease.notice().age == nil)
        for renewal in 0..<3 {
            _ = try renewal == 0 ? lease.claim(from: lease.status(), as: "test") != nil : lease.renew(1).epoch == 1
            #expect(try #require(try lease.notice().age) < 500)
            _ = try sql("UPDATE bjserver.partition SET renewed = now() - interval '1000 seconds'")
            #expect(try #require(try lease.notice().age) >= 1000)
        }
    }

    @Test func aLeaseIsTakenByOne_renewedAndReleased() throws {
        let (first, second) = (store.lease, store.lease)
        let free = try first.status()
        #expect(free == LeaseStatus(owner: nil, epoch: 0, renewals: 0))
        #expect(try first.claim(from: free, as: "a") == 1)
        #expect(try second.claim(from: free, as: "b") == nil)
        #expect(try first.renew(1).epoch == 1)
        #expect(try second.status() == LeaseStatus(owner: "a", epoch: 1, renewals: 1))
        #expect(try second.claim(from: LeaseStatus(owner: "a", epoch: 1, renewals: 0), as: "b") == nil)
        #expect(try second.claim(from: LeaseStatus(owner: "a", epoch: 1, renewals: 1), as: "b") == 2)
        #expect(try first.renew(1).epoch == 2)
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
        _ storage: PostgresStorage, full: @escaping @Sendable (JournalError) -> Void = { _ in },
        spaceFound: @escaping @Sendable () -> Void = {}
    ) throws -> DurableLog {
        try DurableLog(
            JournalFolder(locking: storage), continuing: JournalEnd(), house: store.house,
            configuration: JournalConfiguration(groupInterval: 0, retryInterval: 1000),
            callbacks: DurableLog.Callbacks(failed: { _ in }, full: { error, _ in full(error) }, spaceFound: spaceFound))
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

    /// Somebody alters or drops tables while a server writes.
    @Test func aChange_thatADeadlockRollsBack_isRepeated() throws {
        let storage = try claimed()
        let file = try storage.create("a")
        let text = "IF nextval('tries') = 1 THEN RAISE 'deadlock detected' USING ERRCODE = '40P01'; END IF; RETURN NEW"
        _ = try sql("CREATE SEQUENCE bjserver.tries; GRANT ALL ON SEQUENCE bjserver.tries TO PUBLIC")
        _ = try sql(
            """
            SET search_path = bjserver; CREATE FUNCTION victim() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN \(text); END$$;
            CREATE TRIGGER victim BEFORE INSERT ON chunk FOR EACH ROW EXECUTE FUNCTION victim()
            """)
        try storage.write([1], to: file, at: 0)
        #expect(try sql("SELECT last_value FROM bjserver.tries") == "2")
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
                atPath: path, contents: Data("\(server.folder):*:*:lion:a\\:\\\\b\n*:*:*:*:wrong\n".utf8),
                attributes: [.posixPermissions: 0o600]))
        func opening(_ url: DatabaseURL, _ variables: [String: String]? = nil) -> JournalError? {
            DatabaseURL.$variables.withValue(variables ?? ["PGPASSFILE": path]) { failure { try PostgresStore(opening: url) } }
        }
        func refusal(_ user: String) throws -> String? { opening(try DatabaseURL(server.url(url.database, user: user)))?.text }
        #expect(try refusal("lion") == nil)
        #expect(try refusal("old")?.contains("scram-sha-256") == true)
        _ = try server.sql("ALTER ROLE lion PASSWORD 'another'")
        let other = try DatabaseURL(server.url(url.database, user: "lion"))
        #expect(opening(other)?.sqlState == "28P01")
        // Without one, and where others may read it, as with a wrong one.
        chmod(path, 0o644)
        #expect(opening(other)?.sqlState == "28P01")
        let none = opening(other, [:])
        #expect(none?.sqlState == "28P01" && none?.text?.contains("set PGPASSWORD") == true, "\(none as Any)")
    }

    @Test func aServerThatSkipsItsProof_isRefused() throws {
        let sasl = message("R", number(10) + text("SCRAM-SHA-256") + [0])
        for end in [message("R", number(0)), ScriptedServer.ready, message("R", number(12) + Array("v=".utf8)), sasl] {
            let server = try ScriptedServer(greeting: .bytes(sasl + end + ScriptedServer.greeting)) { _, _ in nil }
            defer { server.stop() }
            #expect {
                try DatabaseURL.$variables.withValue(["PGPASSWORD": "x"]) {
                    _ = try DatabaseConnection.open(server.url, by: .after(600_000))
                }
            } throws: { "\($0)".contains("without proof") }
        }
    }

    /// By libpq's order: PGPASSWORD, the file of PGPASSFILE, that of the home folder.
    @Test func passwordsAreFoundWhereLibpqFindsThem() throws {
        let folder = try server.get().folder
        var variables = ["HOME": "\(folder)/nowhere"]
        func write(_ name: String, _ line: String) throws {
            try #require(
                FileManager.default.createFile(
                    atPath: "\(folder)/\(name)", contents: Data(line.utf8), attributes: [.posixPermissions: 0o600]))
        }
        func found(_ host: String = "db") throws -> String? {
            let url = try DatabaseURL("postgres://bj@/bj?host=\(host)")
            let password = try DatabaseURL.$variables.withValue(variables) { try url.password(for: url.hosts[0]) }
            return password.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(try found() == nil)
        variables["HOME"] = folder
        try write(".pgpass", "localhost:*:*:*:local\n/elsewhere:*:*:*:elsewhere\n*:*:*:*:home\n")
        #expect(try found() == "home")
        #expect(try found("/elsewhere") == "elsewhere")
        #expect(try ["/tmp", "/var/run/postgresql", "/run/postgresql", "localhost"].allSatisfy { try found($0) == "local" })
        #expect(try found(folder) == "home")
        try write("passwords", "*:*:*:*:file\n")
        variables["PGPASSFILE"] = "\(folder)/passwords"
        #expect(try found() == "file")
        variables["PGPASSWORD"] = ""
        #expect(try found() == "file")
        variables["PGPASSWORD"] = "environment"
        #expect(try found() == "environment")
        variables = ["HOME": folder]
        chmod("\(folder)/.pgpass", 0o640)
        #expect { try found() } throws: { "\($0)".contains("chmod 600") }
    }

    /// As psql logs in with them: libpq prepares them, and so does the server what it stores.
    @Test(arguments: [
        "pass word", "pass\u{A0}word", "\u{3000}x\u{200B}y", "soft\u{AD}ly\u{FEFF}", "na\u{EF}ve \u{A0}", "Stra\u{DF}e\u{A0}1",
        "\u{A0}\u{1F600}", "\u{1F469}\u{200D}\u{1F680}", "\u{AD}", "\u{627}\u{644}\u{641}", "\u{E01}\u{E38}", "bell\u{7}\u{A0}",
        "x\u{2028}\u{A0}",
    ])
    func aPassword_isPreparedAsTheServerDoes(_ password: String) throws {
        let server = try server.get()
        _ = try server.sql("DROP ROLE IF EXISTS tiger")
        _ = try server.sql("SET password_encryption = 'scram-sha-256'; CREATE ROLE tiger SUPERUSER LOGIN PASSWORD '\(password)'")
        try server.setLogins("local all tiger scram-sha-256\nlocal all all trust\n")
        defer { try? server.setLogins("local all all trust\n") }
        let url = try DatabaseURL(server.url(url.database, user: "tiger") + "&require_auth=scram-sha-256")
        DatabaseURL.$variables.withValue(["PGPASSWORD": password]) {
            _ = Waiting.until { failure { try PostgresStore(opening: url) }?.text?.contains("require_auth") != true }
            #expect(failure { try PostgresStore(opening: url) } == nil)
        }
    }

    /// By a reload, which ends no connection.
    @Test(arguments: ["fsync", "full_page_writes"]) func aServerThatLosesItsSafety_renewsNoLease(_ setting: String) throws {
        let lease = store.lease
        let epoch = try #require(try lease.claim(from: lease.status(), as: "test"))
        func set(_ value: String) throws {
            try server.get().sql("ALTER SYSTEM SET \(setting) = \(value)")
            try server.get().sql("SELECT pg_reload_conf()")
            _ = try Waiting.until { try server.get().sql("SHOW \(setting)") == "\(value)\n" }
        }
        try set("off")
        defer { try? set("on") }
        let spare = store.lease
        #expect(failure { try lease.renew(epoch) }?.text?.contains("\(setting)=off") == true)
        #expect(failure { try spare.status() }?.text?.contains("\(setting)=off") == true)
        try set("on")
        #expect(try lease.renew(epoch).epoch == epoch)
    }

    /// Settings of the database, the user and the server have no effect on a session.
    @Test func aSessionHasItsOwnSettings() throws {
        let settings = [
            "statement_timeout": "1ms", "lock_timeout": "1ms", "synchronous_commit": "off", "search_path": "public",
            "default_transaction_isolation": "serializable", "default_transaction_read_only": "on",
        ]
        _ = try sql(settings.map { "ALTER DATABASE \(url.database) SET \($0) = '\($1)'" }.joined(separator: ";"))
        let storage = try claimed()
        let file = try storage.create("a")
        try storage.write([1], to: file, at: 0)
        let connection = try DatabaseConnection.open(url, by: .after(60_000))
        for (name, value) in [
            "statement_timeout": "0", "lock_timeout": "0", "synchronous_commit": "on", "transaction_isolation": "read committed",
            "transaction_read_only": "off",
        ] {
            var found = ""
            _ = try connection.execute(Statement(name: name, sql: "SHOW \(name)"), [], by: .after(60_000)) {
                row throws(DatabaseError) in
                found = try row.text(name)
            }
            #expect(found == value, "\(name)")
        }
    }

    /// Also one in the midst of a snapshot.
    @Test func aConnectionThatEnds_saysSo() throws {
        func log() throws -> String { try String(contentsOfFile: "\(server.get().folder)/log", encoding: .utf8) }
        let before = try log().count
        do { #expect(try store.snapshot.names() == []) }
        _ = try sql("SELECT 1")
        _ = Waiting.until { (try? sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bjserver'")) == "0" }
        #expect(try !log().dropFirst(before).contains("unexpected EOF"))
    }

    // MARK: Standbys

    private func set(_ setting: String, _ value: String, of server: PostgresServer) throws {
        try server.sql("ALTER SYSTEM SET \(setting) = '\(value)'")
        try server.sql("SELECT pg_reload_conf()")
    }

    private func standbys(_ expression: String, are text: String) throws {
        #expect(Waiting.until { (try? server.get().sql("SELECT \(expression) FROM pg_stat_replication")) == text + "\n" })
    }

    /// Files by a URL of both, and a promotion of the standby, after which the connections to the primary end.
    private func storage(beside standby: PostgresServer) throws -> (PostgresStorage, promote: () throws -> Void) {
        let both = try DatabaseURL("postgres://bj@/\(url.database)?host=\(standby.folder),\(server.get().folder)")
        let epoch = try #require(try store.lease.claim(from: store.lease.status(), as: "test"))
        let storage = PostgresStorage(
            both, partition: 1, access: .owner(epoch: epoch), timeout: 600_000, firstTimeout: 600_000)
        return (
            storage,
            {
                try standby.sql("SELECT pg_promote()")
                _ = try sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bjserver'")
            }
        )
    }

    @Test func aStandbyThatWasBehind_isRefusedOnceItIsPromoted() throws {
        let standby = try PostgresServer(standbyOf: server.get())
        defer { standby.remove() }
        #expect(try PostgresStore(opening: url).waitsForNoStandby)
        let (storage, promote) = try storage(beside: standby)
        let file = try storage.create("a")
        try storage.write([1], to: file, at: 0)
        try standbys("bool_and(replay_lsn >= pg_current_wal_lsn())", are: "t")
        try set("primary_conninfo", "", of: standby)
        try standbys("count(*)", are: "0")
        try storage.write([2], to: file, at: 1)
        try promote()
        #expect(failure { try storage.write([3], to: file, at: 2) }?.kind == .lost)
    }

    @Test func aSynchronousStandbyThatIsPromoted_hasEverything_andAWaitThatIsCancelledIsAFailure() throws {
        let primary = try server.get()
        let standby = try PostgresServer(standbyOf: primary)
        defer { standby.remove() }
        let source = try standby.sql("SHOW primary_conninfo").replacing("'", with: "''").split(separator: "\n")[0]
        let (storage, promote) = try storage(beside: standby)
        try set("synchronous_standby_names", "*", of: primary)
        defer { try? set("synchronous_standby_names", "", of: primary) }
        try standbys("sync_state", are: "sync")
        #expect(try !PostgresStore(opening: url).waitsForNoStandby)
        var file = try storage.create("a")
        try storage.write([1], to: file, at: 0)
        try set("primary_conninfo", "", of: standby)
        try standbys("count(*)", are: "0")
        let cancelling = DispatchQueue(label: "cancel")
        cancelling.async {
            let waits =
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%chunk%'"
            _ = Waiting.until { (try? primary.sql(waits))?.contains("t") == true }
        }
        #expect(failure { try storage.write([2], to: file, at: 1) }?.text?.contains("synchronous replication") == true)
        cancelling.sync {}
        try set("primary_conninfo", String(source), of: standby)
        try standbys("sync_state", are: "sync")
        file = try storage.open("a", forWriting: true)
        try storage.write([3], to: file, at: 2)
        try promote()
        try storage.write([4], to: file, at: 3)
        #expect(try content(storage, "a") == [1, 2, 3, 4])
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
