import Foundation
import Journal
import Synchronization
import TestKit
import Testing

/// The writer thread, on real files and on a storage with faults.
@Suite(.ownThread)
struct DurableLogTests {
    /// Events of a log, in order.
    final class Events: Sendable {
        let all = Mutex<[String]>([])

        var callbacks: DurableLog.Callbacks {
            DurableLog.Callbacks(
                failed: { [self] error in add("failed: \(error)") },
                full: { [self] _, room in add(room == nil ? "full" : "nearly full") }, spaceFound: { [self] in add("space") })
        }

        func add(_ event: String) { all.withLock { $0.append(event) } }
    }

    private let events = Events()
    private let storage = FaultStorage()
    private let folder = TemporaryFolder()

    private func open(
        _ storage: any JournalStorage,
        _ configuration: JournalConfiguration = JournalConfiguration(segmentBytes: 16 << 10, groupInterval: 0, retryInterval: 1)
    ) throws -> (log: DurableLog, frames: [[UInt8]]) {
        let folder = try JournalFolder(locking: storage)
        var reader = try JournalReader(folder)
        var frames: [[UInt8]] = []
        while let frame = try reader.next() { frames.append(Array(frame.records)) }
        let end = try #require(reader.end)
        return (
            try DurableLog(folder, continuing: end, house: 7, configuration: configuration, callbacks: events.callbacks), frames
        )
    }

    @Test func theAnchorGetsTheLastFrames_althoughNothingFollowsThem() throws {
        var configuration = JournalConfiguration(groupInterval: 0)
        configuration.anchorInterval = 1000
        let (log, _) = try open(storage, configuration)
        for sequence: UInt64 in 1...2 {
            #expect(log.waitUntilDurable(log.append(ScriptedJournal.records(1))))
            #expect(Waiting.until { (try? log.folder.anchoredFrame()) == sequence })
        }
        #expect(log.close())
    }

    @Test(arguments: Durability.allCases)
    func framesOfManyThreads_areReadBackInTheOrderOfTheirSequences(_ durability: Durability) throws {
        var configuration = JournalConfiguration(durability: durability, segmentBytes: 16 << 10, groupInterval: 0)
        configuration.syncInterval = 1000
        let (log, none) = try open(folder.storage(), configuration)
        #expect(none.isEmpty && log.epoch == 1 && log.house == 7)
        let appended = Mutex<[UInt64: [UInt8]]>([:])
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<100 {
                let records = ScriptedJournal.records(thread * 1000 + number, bytes: 80 + number)
                let sequence = log.append(records)
                appended.withLock { $0[sequence] = records }
                if number % 25 == 0 { #expect(log.waitUntilDurable(sequence) && log.durable >= sequence) }
            }
        }
        #expect(log.appended == 400)
        #expect(log.close() && log.durable == 400 && log.waitingBytes == 0 && log.oldestWaiting == 0)
        let (second, frames) = try open(folder.storage())
        #expect(second.epoch == 2)
        #expect(frames.count == 400)
        for (index, frame) in frames.enumerated() { #expect(appended.withLock { $0[UInt64(index + 1)] } == frame) }
        second.close()
    }

    @Test func anUnlockedFolder_isFree_alsoWhileAChildSharesTheLockFile() throws {
        let storage = try folder.storage()
        try storage.lock()
        // As a fork does it, the open file is shared.
        let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }.filter {
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            return path == folder.path + "/" + FileName.lock
        }.map { dup($0) }
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 1)
        storage.unlock()
        try folder.storage().lock()
    }

    @Test func observersAreCalledWithEveryGrowth_inOrder() throws {
        let (log, _) = try open(storage)
        let seen = Mutex<[UInt64]>([])
        log.notify { durable in seen.withLock { $0.append(durable) } }
        for _ in 0..<50 { _ = log.append(ScriptedJournal.records(1)) }
        log.close()
        let values = seen.withLock { $0 }
        #expect(values == values.sorted() && values.last == 50 && Set(values).count == values.count)
    }

    /// Found by starts of a server under load: the first connection got its `hello` only when the next record was written.
    @Test func anObserverThatComesDuringASync_isCalledWhenItEnds() throws {
        let storage = HeldStorage(FaultStorage(), syncsOf: "segment-0000000001.log")
        let (log, _) = try open(storage)
        #expect(log.waitUntilDurable(log.append(ScriptedJournal.records(1))))
        storage.hold()
        let sequence = log.append(ScriptedJournal.records(2))
        storage.waitForSync()
        let seen = Mutex<[UInt64]>([])
        log.notify { durable in seen.withLock { $0.append(durable) } }
        #expect(log.durable == 1)
        storage.release()
        #expect(log.waitUntilDurable(sequence))
        log.close()
        #expect(seen.withLock { $0 } == [2])
    }

    @Test(arguments: [StorageError.Operation.write, .sync])
    func aFailedWriteOrSync_endsTheJournal_andIsReportedOnce(_ operation: StorageError.Operation) throws {
        let (log, _) = try open(storage)
        #expect(log.waitUntilDurable(log.append(ScriptedJournal.records(1))))
        storage.inject(.error(EIO), atNext: [operation], of: "segment-0000000001.log")
        #expect(!log.waitUntilDurable(log.append(ScriptedJournal.records(2))))
        #expect(!log.waitUntilDurable(log.append(ScriptedJournal.records(3))))
        #expect(log.durable == 1 && log.failure != nil)
        #expect(!log.close() && log.durable == 1)
        #expect(events.all.withLock { $0.count } == 1)
        #expect(try open(storage.survivors(.everything, seed: 0)).frames.count == 1)
    }

    @Test func aFolderThatIsRemoved_endsTheJournal_beforeAnythingElseCountsAsDurable() throws {
        var configuration = JournalConfiguration(segmentBytes: 16 << 10, groupInterval: 0)
        configuration.lookInterval = 0
        let (log, _) = try open(folder.storage(), configuration)
        #expect(log.waitUntilDurable(log.append(ScriptedJournal.records(1))))
        // The next segment is made beside the first frame; while it is, the folder is not empty when it should go.
        #expect(Waiting.until { FileManager.default.fileExists(atPath: folder.path + "/segment-0000000002.log") })
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(!log.waitUntilDurable(log.append(ScriptedJournal.records(2))))
        #expect(log.failure == .removed(folder: folder.path) && log.durable == 1)
        log.close()
        #expect(events.all.withLock { $0.count } == 1)
    }

    @Test func aFullDisk_isReportedOnce_andItsEndToo() throws {
        storage.inject(.errors(ENOSPC, count: 20), at: 1)
        let (log, _) = try open(storage)
        #expect(log.waitUntilDurable(log.append(ScriptedJournal.records(1))))
        #expect(log.close())
        #expect(events.all.withLock { $0 } == ["full", "space"])
    }

    @Test func aDiskThatFillsUp_isReportedWhileFramesHaveRoom_andAgainOnceTheyWait() throws {
        storage.inject(.errors(ENOSPC, count: .max), atNext: [.create], of: "segment-0000000002.log.tmp")
        let (log, _) = try open(storage)
        #expect(log.waitUntilDurable(log.append(ScriptedJournal.records(1))))
        #expect(Waiting.until { events.all.withLock { $0 } == ["nearly full"] })
        #expect(log.waitUntilDurable(log.append(ScriptedJournal.records(2))))
        let last = log.append(ScriptedJournal.records(3, bytes: 16 << 10))
        #expect(Waiting.until { events.all.withLock { $0 } == ["nearly full", "full"] })
        storage.heal()
        #expect(log.waitUntilDurable(last) && log.close())
        #expect(events.all.withLock { $0 } == ["nearly full", "full", "space"])
    }

    @Test func moreWaitingBytesThanTheBound_endTheJournal() throws {
        let configuration = JournalConfiguration(segmentBytes: 16 << 10, waitingBytes: 1000)
        let (log, _) = try open(storage, configuration)
        let sequence = log.append([UInt8](repeating: UInt8(ascii: "\n"), count: 1001))
        #expect(!log.waitUntilDurable(sequence))
        #expect(log.failure == .overflow(bytes: 1001))
        log.close()
        #expect(events.all.withLock { $0.count } == 1)
    }

    @Test func aSecondWriter_isRefusedWithTheFoldersName_untilTheFirstCloses() throws {
        let (log, _) = try open(folder.storage())
        #expect(throws: JournalError.locked(folder: folder.path)) { try JournalFolder(locking: folder.storage()) }
        #expect(JournalError.locked(folder: folder.path).description.hasPrefix(folder.path))
        log.close()
        try open(folder.storage()).log.close()
    }

    @Test func filesAreTheOwnersAlone_andSegmentsPrefilled() throws {
        let folder = TemporaryFolder(below: "new/deep")
        let (log, _) = try open(folder.storage())
        #expect(log.waitUntilDurable(log.append(ScriptedJournal.records(1))))
        log.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names.contains("lock") && names.contains("segment-0000000001.log"))
        #expect(try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int == 0o700)
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            if name.hasPrefix("segment") { #expect(attributes[.size] as? Int == 16 << 10) }
        }
    }

    @Test func onRealFiles_checkpointsPruningAndBackupOfALiveFolder_leaveAJournalThatIsRecovered() throws {
        let target = TemporaryFolder()
        let (log, _) = try open(folder.storage())
        // As in a server, the checkpointer and the journal share the folder, and so the anchor.
        let files = log.folder
        for number in 1...200 {
            let sequence = log.append(ScriptedJournal.records(number, bytes: 400))
            guard number % 50 == 0 else { continue }
            #expect(log.waitUntilDurable(sequence))
            try files.writeCheckpoint(at: sequence) { writer throws(JournalError) in
                try writer.append("{\"state\":\(sequence)}\n".utf8)
            }
        }
        #expect(try files.prune(keeping: .size(bytes: 60_000)) > 16 << 10)
        let start = try #require(try files.historyStart())
        #expect(start >= 50)
        let end = try JournalFolder.backup(from: files, to: target.storage())
        #expect(end.sequence == 200)
        log.close()
        for folder in [folder, target] {
            let copy = JournalFolder(reading: try folder.storage())
            #expect(try copy.checkpoints().last == 200 && copy.historyStart() == start)
            var reader = try JournalReader(copy, from: start + 1)
            var expected = start
            while let frame = try reader.next() {
                expected += 1
                #expect(frame.sequence == expected)
                #expect(Array(frame.records) == ScriptedJournal.records(Int(expected), bytes: 400))
            }
            #expect(expected == 200)
        }
    }

    @Test func aMissingFolder_isNamed_whenItIsNotCreated() throws {
        #expect(throws: JournalError(.open, "/nonexistent/journal", code: ENOENT)) {
            try FileStorage(path: "/nonexistent/journal", creating: false)
        }
    }

    /// A link to itself stands for what also root may not write to.
    @Test func theCheckOfAFolder_failsAsItsLockDoes_andTakesNone() throws {
        let folder = TemporaryFolder()
        let storage = try folder.storage()
        try storage.checkAccess()
        #expect(try storage.names().isEmpty)
        symlink("lock", "\(folder.path)/lock")
        let error = try #require(throws: JournalError.self) { try storage.lock() }
        #expect(throws: error) { try storage.checkAccess() }
    }

    /// The folder and the file, of an open file too.
    @Test func anError_namesThePathOfItsFile() throws {
        let folder = TemporaryFolder()
        let (storage, path) = (try folder.storage(), folder.path)
        #expect(throws: JournalError(.open, "\(path)/absent", code: ENOENT)) { try storage.open("absent", forWriting: true) }
        storage.close(try storage.create("file"))
        let file = try storage.open("file", forWriting: false)
        defer { storage.close(file) }
        #if os(Linux)
            #expect(throws: JournalError(.write, "\(path)/file", code: EBADF)) { try storage.write([1], to: file, at: 0) }
        #endif
    }

    @Test func unfinishedFiles_areRemovedAtTheOpening() throws {
        storage.setContent([1], of: "segment-0000000001.log.tmp")
        storage.setContent([1], of: "checkpoint-00000000000000000001.json.tmp")
        try open(storage).log.close()
        #expect(try storage.names().allSatisfy { !$0.hasSuffix(".tmp") })
    }
}

/// A folder that is removed with its content.
final class TemporaryFolder {
    private let root: URL
    let path: String

    init(below: String = "journal") {
        root = FileManager.default.temporaryDirectory.appending(path: "bj-\(UUID().uuidString.prefix(8))")
        path = root.appending(path: below).path
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    func storage() throws -> FileStorage { try FileStorage(path: path, creating: true) }
}

/// A start that fails removes the folder that it has made, and no other.
struct RemovalTests {
    @Test func aFolderGoesWithTheParentsThatWereMadeWithIt_andNotOneThatWasThere() throws {
        let base = FileManager.default.temporaryDirectory.appending(path: "bj-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: base) }
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
        let path = base.appending(path: "a/b/2121").path
        func start() throws -> FileStorage {
            let storage = try FileStorage(path: path, creating: true)
            try storage.lock()
            for name in ["segment-0000000001.log", "segment-0000000002.log.tmp"] { storage.close(try storage.create(name)) }
            return storage
        }
        try start().removeIfCreated()
        #expect(try FileManager.default.contentsOfDirectory(atPath: base.path).isEmpty)
        // Another server has taken it meanwhile.
        let (first, second) = (try start(), try FileStorage(path: path, creating: true))
        first.unlock()
        try second.lock()
        first.removeIfCreated()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 3)
        second.unlock()
        first.removeIfCreated()
        #expect(try FileManager.default.contentsOfDirectory(atPath: base.path).isEmpty)
        // Somebody's file keeps the folder, with all that is in it.
        let other = try start()
        try Data().write(to: URL(filePath: path + "/notes"))
        other.removeIfCreated()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 4)
        other.unlock()
        let known = try start()
        known.removeIfCreated()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 4)
    }
}
