import Journal
import Sockets
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The files of a partition as rows of a database.
///
/// Fence: every change is one statement in one transaction that locks the partition's row with the owner's epoch. A claim
/// waits for the lock. After a claim the old owner's statements match no row, so a paused owner cannot write.
///
/// Doubt: a commit without an answer may or may not have happened. The same statement, with the same key, is sent again, if
/// necessary to the next host. Either it finds its row (SQLSTATE 23505: stored by the first attempt), or it stores the row, or
/// it matches no partition (another process is owner).
///
/// Rollback: after each new connection the chunk that was acknowledged last must be there. If it is missing, a standby that
/// lacks acknowledged commits was promoted, and the storage fails.
public final class PostgresStorage: JournalStorage {
    enum Access: Sendable {
        case owner(epoch: UInt64)
        /// Claims the partition at `lock`.
        case claiming
        /// Reads in one transaction, which other storages may share.
        case snapshot(DatabaseSnapshot)
    }

    /// The longest file without chunks: a segment for the longest frame. A damaged row does not decide how much memory a reader takes.
    private static let mostPrepared = JournalConfiguration().waitingBytes + 1 << 20

    private struct OpenFile {
        let id: Int64
        let name: String
        var size: Int
        /// Serial of the newest chunk.
        var serial: Int64
        /// Milliseconds since 1970, before it was opened.
        let changed: UInt64
        /// A write whose commit was not answered.
        var doubt: Range<Int>?
    }

    private struct State {
        var epoch: UInt64?
        var files: [Int32: OpenFile] = [:]
        var lastHandle: Int32 = 0
        /// Chunks that the database has acknowledged, the newest of each file that is there. Files are closed before they are renamed.
        var acknowledged: [String: (file: Int64, serial: Int64, order: UInt64)] = [:]
        var changes: UInt64 = 0
    }

    public let location: String
    private let url: DatabaseURL
    private let partition: Int64
    private let access: Access
    private let state: Mutex<State>
    private let pool: ConnectionPool

    /// Milliseconds for a call, with all its attempts.
    static let timeout = 15_000
    /// Milliseconds for which an owner shows no life before a command takes a partition.
    private static let patience = 6000

    init(_ url: DatabaseURL, partition: Int, access: Access, timeout: Int = timeout, firstTimeout: Int = 2000) {
        location = url.description
        self.url = url
        self.partition = Int64(partition)
        self.access = access
        pool = ConnectionPool(url, timeout: timeout, firstTimeout: firstTimeout)
        var state = State()
        if case .owner(let epoch) = access { state.epoch = epoch }
        self.state = Mutex(state)
    }

    // MARK: Ownership

    public func lock() throws(JournalError) {
        switch access {
        case .owner(let epoch):
            if try PostgresLease(url, partition: Int(partition)).status().epoch != epoch { throw .fenced(folder: location) }
        case .claiming: try claim()
        case .snapshot: throw JournalError(.lock, location, code: EROFS)
        }
    }

    public func unlock() {
        guard case .claiming = access, let epoch = state.withLock({ $0.epoch.take() }) else { return }
        _ = try? PostgresLease(url, partition: Int(partition)).release(epoch)
    }

    private func claim() throws(JournalError) {
        let lease = PostgresLease(url, partition: Int(partition))
        let status = try lease.status()
        let deadline = Deadline.after(status.owner == nil ? 0 : Self.patience)
        while !deadline.hasPassed { poll(nil, 0, deadline.rest) }
        let owner = "command \(getpid()) \(UInt64.random(in: .min ... .max))"
        guard let epoch = try lease.claim(from: status, as: owner) else { throw .locked(folder: location) }
        state.withLock { $0.epoch = epoch }
    }

    // MARK: Files

    public func names() throws(JournalError) -> [String] {
        var (names, lacksAnchor) = ([String](), Bool?.none)
        try read(.list, location, PostgresStatements.owner, [.int(partition)]) { row throws(DatabaseError) in
            _ = try row.int("partition", in: partition...partition)
            // A journal that nobody could own is damaged for its readers, too.
            for column in ["epoch", "renewals"] { _ = try row.int(column, in: PostgresLease.counts) }
            lacksAnchor = try row.flag("anchored")
        }
        guard let lacksAnchor else { throw JournalError(.list, location, .missing(partition: partition)) }
        try read(.list, location, PostgresStatements.names, [.int(partition)]) { row throws(DatabaseError) in
            names.append(try row.text("name"))
        }
        guard !lacksAnchor else {
            throw JournalError(
                .list, location, kind: .lost,
                text:
                    "the journal's \(FileName.anchor) is missing: rows were deleted or replaced by an older copy. Restore a backup"
            )
        }
        return names
    }

    public func create(_ name: String) throws(JournalError) -> StorageFile { try create(name, bytes: 0) }

    public func prepare(_ name: String, bytes: Int) throws(JournalError) { close(try create(name, bytes: bytes)) }

    private func create(_ name: String, bytes: Int) throws(JournalError) -> StorageFile {
        let file = OpenFile(id: .random(in: 1...Int64.max), name: name, size: bytes, serial: 0, changed: 0)
        let rest: [Parameter] = [.text(name), .int(file.id), .int(Int64(bytes)), .int(Self.wallClock)]
        state.withLock { $0.acknowledged[name] = nil }
        try change(.create, name, PostgresStatements.create, rest)
        return open(file)
    }

    public func open(_ name: String, forWriting: Bool) throws(JournalError) -> StorageFile { open(try file(named: name, .open)) }

    private func open(_ file: OpenFile) -> StorageFile {
        state.withLock { state in
            repeat {
                state.lastHandle = state.lastHandle == .max ? 1 : state.lastHandle + 1
            } while state.files[state.lastHandle] != nil
            state.files[state.lastHandle] = file
            return StorageFile(id: state.lastHandle)
        }
    }

    public func close(_ file: StorageFile) { state.withLock { $0.files[file.id] = nil } }

    private func opened(_ file: StorageFile) throws(JournalError) -> OpenFile {
        guard let open = state.withLock({ $0.files[file.id] }) else { throw JournalError(.inspect, location, code: EBADF) }
        return open
    }

    private func file(named name: String, _ operation: StorageError.Operation) throws(JournalError) -> OpenFile {
        var found: OpenFile?
        try read(operation, name, PostgresStatements.file, [.int(partition), .text(name)]) { row throws(DatabaseError) in
            found = OpenFile(
                id: try row.int("id"), name: name, size: Int(try row.int("size")),
                serial: try row.int("serial", in: 0...Int64(Int32.max)), changed: UInt64(try row.int("changed")))
        }
        guard let found else { throw JournalError(operation, name, code: ENOENT) }
        return found
    }

    /// Also grows by another's writing.
    public func size(of file: StorageFile) throws(JournalError) -> Int {
        let open = try opened(file)
        var size = open.size
        try read(.inspect, open.name, PostgresStatements.size, [.int(partition), .int(open.id)]) { row throws(DatabaseError) in
            size = Int(try row.int("size"))
        }
        if (0...Self.mostPrepared).contains(size) { return size }
        var written = 0
        try read(.inspect, open.name, PostgresStatements.written, [.int(partition), .int(open.id)]) { row throws(DatabaseError) in
            written = Int(try row.int("end"))
        }
        guard size <= written else {
            throw JournalError(
                .inspect, open.name, kind: .lost,
                text: "its row says \(size) bytes, but its chunks end at \(written): restore a backup")
        }
        return size
    }

    public func isNamed(_ file: StorageFile) throws(JournalError) -> Bool {
        let open = try opened(file)
        return try read(.inspect, open.name, PostgresStatements.size, [.int(partition), .int(open.id)]) == 1
    }

    public func modificationTime(of name: String) throws(JournalError) -> UInt64 {
        try file(named: name, .inspect).changed
    }

    public func read(_ file: StorageFile, at offset: Int, count: Int, into bytes: inout [UInt8]) throws(JournalError) {
        let open = try opened(file)
        let size = try size(of: file)
        let end = max(offset, min(offset + count, size))
        guard end > offset else { return }
        let origin = bytes.count
        var part = [UInt8](repeating: UInt8(ascii: "\n"), count: end - offset)
        let range: [Parameter] = [.int(partition), .int(open.id), .int(Int64(offset)), .int(Int64(end))]
        try read(.read, open.name, PostgresStatements.chunks, range) { row throws(DatabaseError) in
            let start = Int(try row.int("start", in: Int64(offset)...Int64(end)))
            let chunk = try row.value("bytes", "at most \(end - start) bytes") { $0.count <= end - start ? $0 : nil }
            part.withUnsafeMutableBytes { $0[(start - offset)...].copyBytes(from: chunk) }
        }
        if origin == 0 { swap(&bytes, &part) } else { bytes += part }
    }

    public func write(_ bytes: ArraySlice<UInt8>, to file: StorageFile, at offset: Int) throws(JournalError) {
        guard !bytes.isEmpty else { return }
        let open = try opened(file)
        let range = offset..<offset + bytes.count
        if let doubt = open.doubt, doubt != range {
            throw JournalError(.write, open.name, text: "the outcome of the previous write is unknown, and it was not repeated")
        }
        let serial = open.serial + 1
        var parameters: [Parameter] = [.int(open.id), .int(serial), .int(Int64(offset)), .bytes(bytes)]
        let grows = range.upperBound > open.size
        if grows { parameters += [.int(Int64(range.upperBound)), .int(Self.wallClock)] }
        state.withLock { $0.files[file.id]?.doubt = range }
        do throws(JournalError) {
            try change(
                .write, open.name, grows ? PostgresStatements.grow : PostgresStatements.write, parameters,
                mayBeStored: open.doubt != nil)
        } catch {
            if !error.isUnavailable { state.withLock { $0.files[file.id]?.doubt = nil } }
            throw error
        }
        state.withLock { state in
            state.files[file.id]?.doubt = nil
            state.files[file.id]?.serial = serial
            state.files[file.id]?.size = max(open.size, range.upperBound)
            state.changes += 1
            state.acknowledged[open.name] = (open.id, serial, state.changes)
        }
    }

    /// A write returns when it is durable.
    public func sync(_ file: StorageFile) throws(JournalError) {}

    public func syncFolder() throws(JournalError) {}

    public func rename(_ name: String, to newName: String) throws(JournalError) {
        let file = try file(named: name, .rename)
        // The chunks of a file that is replaced need not be found after a loss of the connection.
        state.withLock { $0.acknowledged[newName] = $0.acknowledged.removeValue(forKey: name) }
        try change(.rename, name, PostgresStatements.rename, [.int(file.id), .text(newName)])
    }

    public func remove(_ name: String) throws(JournalError) {
        let file = try file(named: name, .remove)
        state.withLock { $0.acknowledged[name] = nil }
        try change(.remove, name, PostgresStatements.remove, [.int(file.id)])
    }

    /// Milliseconds since 1970.
    private static var wallClock: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

// MARK: - Statements

extension PostgresStorage {
    /// Runs a statement that only reads; after a loss of the connection once more.
    @discardableResult
    private func read(
        _ operation: StorageError.Operation, _ name: String, _ statement: Statement, _ parameters: [Parameter],
        _ body: DatabaseConnection.RowReader = { _ in }
    ) throws(JournalError) -> Int {
        do throws(DatabaseError) {
            if case .snapshot(let snapshot) = access { return try snapshot.read(statement, parameters, body) }
            return try withConnection { connection, deadline throws(DatabaseError) in
                try connection.execute(statement, parameters, by: deadline, body).count
            }
        } catch { throw JournalError(operation, name, error) }
    }

    /// Runs a statement whose first parameters are the partition and its epoch. Returns when its commit is durable.
    /// - Parameter mayBeStored: whether an earlier call with the same arguments is in doubt.
    private func change(
        _ operation: StorageError.Operation, _ name: String, _ statement: Statement, _ rest: [Parameter],
        mayBeStored: Bool = false
    ) throws(JournalError) {
        guard let epoch = state.withLock({ $0.epoch }) else { throw JournalError(operation, name, code: EROFS) }
        let owner: [Parameter] = [.int(partition), .int(Int64(clamping: epoch))]
        var isInDoubt = mayBeStored
        var outcome = DatabaseConnection.Outcome()
        do throws(DatabaseError) {
            outcome = try withConnection { connection, deadline throws(DatabaseError) in
                let wasInDoubt = isInDoubt
                isInDoubt = true
                do throws(DatabaseError) {
                    return try connection.execute(statement, owner + rest, by: deadline)
                } catch {
                    guard case .refused("23505", _) = error, wasInDoubt else { throw error }
                    // Stored by the first attempt, whose wait for a standby may have been cancelled: a commit after it has that wait.
                    return try connection.execute(PostgresStatements.barrier, owner, by: deadline)
                }
            }
        } catch { throw JournalError(operation, name, error) }
        if let warning = outcome.warning { throw JournalError(operation, name, text: warning.text, sqlState: warning.state) }
        guard outcome.count == 1 else {
            let now = try PostgresLease(url, partition: Int(partition)).status().epoch
            throw now > epoch ? .fenced(folder: location) : JournalError(operation, name, .loss)
        }
    }

    /// Runs `body` with a connection to a server that has the chunk acknowledged last.
    private func withConnection<Value>(
        _ body: (DatabaseConnection, Deadline) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        try pool.run { connection, deadline throws(DatabaseError) in
            guard let last = state.withLock({ $0.acknowledged.values.max { $0.order < $1.order } }) else { return }
            let chunk: [Parameter] = [.int(partition), .int(last.file), .int(last.serial)]
            guard try connection.execute(PostgresStatements.chunk, chunk, by: deadline).count == 1 else { throw .loss }
        } _: { connection, deadline throws(DatabaseError) in
            try body(connection, deadline)
        }
    }
}

/// Reads in one transaction, that of the first reading.
final class DatabaseSnapshot: Sendable {
    private let url: DatabaseURL
    private let connection = Mutex<DatabaseConnection?>(nil)

    init(_ url: DatabaseURL) { self.url = url }

    func read(
        _ statement: Statement, _ parameters: [Parameter], _ body: DatabaseConnection.RowReader
    ) throws(DatabaseError) -> Int {
        try connection.withLock { connection throws(DatabaseError) in
            let deadline = Deadline.after(PostgresStorage.timeout)
            if connection == nil {
                connection = try DatabaseConnection.open(url, by: deadline)
                try connection?.execute(script: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", by: deadline)
            }
            return try connection?.execute(statement, parameters, by: deadline, body).count ?? 0
        }
    }
}

extension DatabaseError {
    /// The state of a standby without the last commits, after its promotion.
    static let loss = DatabaseError.damaged(
        "the database lost records that it had acknowledged: a lagging standby was promoted, or a copy restored. "
            + "Players have seen the lost hands")
}

/// The statements of a storage. Of a change, $1 is the partition and $2 the owner's epoch.
enum PostgresStatements {
    /// A row for the current owner alone. A claim waits for the statement.
    static let own = "WITH own AS (SELECT 1 FROM partition WHERE partition = $1 AND epoch = $2 FOR SHARE)"

    static let create = Statement(
        name: "create",
        sql: """
            \(own), old AS (DELETE FROM file USING own WHERE file.partition = $1 AND name = $3 AND id <> $4 RETURNING id),
            parts AS (DELETE FROM chunk USING old WHERE chunk.partition = $1 AND chunk.file = old.id)
            INSERT INTO file (partition, id, name, size, changed, epoch)
            SELECT $1, $4, $3, $5, $6, $2 FROM own, (SELECT count(*) FROM old) AS replaced
            """)
    static let write = Statement(
        name: "write",
        sql: "\(own) INSERT INTO chunk (partition, file, serial, start, epoch, bytes) SELECT $1, $3, $4, $5, $2, $6 FROM own")
    static let grow = Statement(
        name: "grow",
        sql: """
            \(own), grown AS (UPDATE file SET size = $7, changed = $8 FROM own WHERE file.partition = $1 AND file.id = $3)
            INSERT INTO chunk (partition, file, serial, start, epoch, bytes) SELECT $1, $3, $4, $5, $2, $6 FROM own
            """)
    static let rename = Statement(
        name: "rename",
        sql: """
            \(own), old AS (DELETE FROM file USING own WHERE file.partition = $1 AND name = $4 AND id <> $3 RETURNING id),
            parts AS (DELETE FROM chunk USING old WHERE chunk.partition = $1 AND chunk.file = old.id),
            noted AS (UPDATE partition SET anchored = $4 = '\(FileName.anchor)' FROM own WHERE partition = $1 AND '\(FileName.anchor)'
            IN ($4, (SELECT name FROM file WHERE file.partition = $1 AND id = $3)))
            UPDATE file SET name = $4 FROM own, (SELECT count(*) FROM old) AS replaced WHERE file.partition = $1 AND file.id = $3
            """)
    static let remove = Statement(
        name: "remove",
        sql: """
            \(own), gone AS (DELETE FROM file USING own WHERE file.partition = $1 AND id = $3),
            parts AS (DELETE FROM chunk USING own WHERE chunk.partition = $1 AND chunk.file = $3)
            SELECT 1 FROM own
            """)
    /// A commit without effect.
    static let barrier = Statement(
        name: "barrier", sql: "UPDATE partition SET renewals = renewals WHERE partition = $1 AND epoch = $2")

    /// And whether the anchor is gone.
    static let owner = Statement(
        name: "owner", of: "partition",
        sql: """
            SELECT partition::int8, epoch, renewals, (anchored AND NOT EXISTS (SELECT FROM file WHERE file.partition = $1
            AND name = '\(FileName.anchor)'))::int4::int8 FROM partition WHERE partition = $1
            """)
    static let names = Statement(
        name: "names", of: "file", sql: "SELECT convert_to(name, 'UTF8') FROM file WHERE partition = $1")
    static let file = Statement(
        name: "file", of: "file",
        sql: """
            SELECT id, size, (SELECT coalesce(max(serial), 0)::int8 FROM chunk WHERE chunk.partition = $1 AND chunk.file = file.id), changed
            FROM file WHERE partition = $1 AND name = $2
            """)
    /// The end of the last chunk.
    static let written = Statement(
        name: "written", of: "chunk",
        sql: "SELECT coalesce(max(start + octet_length(bytes)), 0)::int8 FROM chunk WHERE partition = $1 AND file = $2")
    static let size = Statement(name: "size", of: "file", sql: "SELECT size FROM file WHERE partition = $1 AND id = $2")
    static let chunk = Statement(
        name: "chunk", sql: "SELECT 1 FROM chunk WHERE partition = $1 AND file = $2 AND serial = $3")
    /// The parts of chunks in a range, and where each begins.
    static let chunks = Statement(
        name: "chunks", of: "chunk",
        sql: """
            SELECT greatest(start, $3), substr(bytes, (greatest($3 - start, 0) + 1)::int4,
            (least(start + octet_length(bytes), $4) - greatest(start, $3))::int4)
            FROM chunk WHERE partition = $1 AND file = $2 AND start < $4 AND start + octet_length(bytes) > $3 ORDER BY serial
            """)
}
