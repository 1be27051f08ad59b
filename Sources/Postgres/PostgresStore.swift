import Journal
import ServerCore
import Sockets
import Synchronization

/// A database with the journals of partitions, each a folder of files and a lease.
public struct PostgresStore: Sendable {
    public let url: DatabaseURL
    /// Identifies the host: the house of a journal that begins here.
    public let house: UInt64
    public let partitions: Int
    /// The partition whose lease and files are asked for; that of the URL at first, or the first one.
    public var partition: Int
    /// Whether the database has standbys and waits for none: a promoted one may lack what players were told.
    public let waitsForNoStandby: Bool

    /// Version of the tables, and of what their rows hold.
    static let format: Int64 = 7
    /// The partitions that a store may have: an owner shares the lobby of all.
    public static let partitionCounts = 1...64
    /// Milliseconds for a question about a store.
    public static let timeout = 10_000

    /// - Throws: also for a database without a store, and for one of another version.
    public init(opening url: DatabaseURL) throws(JournalError) {
        self.url = url
        var (waits, found) = (false, (house: Int64, partitions: Int64)?.none)
        do throws(DatabaseError) {
            let connection = try DatabaseConnection.open(url, by: .after(Self.timeout))
            _ = try connection.execute(Self.standbyQuestion, [], by: .after(Self.timeout)) { row throws(DatabaseError) in
                waits = try row.flag("standbys")
            }
            _ = try connection.execute(Self.question, [], by: .after(Self.timeout)) { row throws(DatabaseError) in
                let format = try row.int("format", in: DatabaseRow.anyInt)
                guard format == Self.format else {
                    throw .damaged(
                        "the store has format \(format), this program reads \(Self.format): use the program that wrote it")
                }
                let counts = Int64(Self.partitionCounts.lowerBound)...Int64(Self.partitionCounts.upperBound)
                found = (try row.int("house", in: DatabaseRow.anyInt), try row.int("partitions", in: counts))
            }
            guard found != nil else { throw .damaged("the row of bjserver.store is missing: restore a backup") }
        } catch {
            if case .refused(Self.noTable, _) = error { throw Self.missing(url) }
            throw JournalError(.open, "\(url)", error)
        }
        waitsForNoStandby = waits
        (house, partitions) = (UInt64(bitPattern: found?.house ?? 0), Int(found?.partitions ?? 0))
        partition = url.partition ?? 1
        guard (1...partitions).contains(partition) else {
            throw JournalError(
                .open, "\(url)", text: "the store has \(partitions) partitions, but no partition \(partition)")
        }
    }

    fileprivate static let noTable = "42P01"

    private static func missing(_ url: DatabaseURL) -> JournalError {
        JournalError(.open, "\(url)", text: "there is no store: create one with 'bjserver store create URL'", sqlState: noTable)
    }

    // With its schema: the search path passes over one that the user may not use, as if it were not there.
    private static let question = Statement(
        name: "store", of: "store", sql: "SELECT format::int8, house, partitions::int8 FROM bjserver.store")
    /// A user without the right to see the states of standbys sees null.
    private static let standbyQuestion = Statement(
        name: "standbys",
        sql: """
            SELECT (count(*) > 0 AND (current_setting('synchronous_standby_names') = '' OR coalesce(bool_and(sync_state
            IN ('async', 'potential')), false)))::int4::int8 FROM pg_catalog.pg_stat_replication
            """)

    // MARK: Creation

    /// Writes the tables of a new store in one transaction.
    /// - Throws: also if there is one; it stays as it is.
    public static func create(_ url: DatabaseURL, partitions: Int, house: UInt64) throws(JournalError) {
        do throws(DatabaseError) {
            let connection = try DatabaseConnection.open(url, by: .after(timeout))
            var hasLZ4 = false
            _ = try connection.execute(compressionQuestion, [], by: .after(timeout)) { _ throws(DatabaseError) in hasLZ4 = true }
            try connection.execute(
                script: schema(partitions: partitions, house: house, compression: hasLZ4 ? "COMPRESSION lz4" : ""),
                by: .after(timeout))
        } catch {
            guard case .refused("42P06", _) = error else { throw JournalError(.create, "\(url)", error) }
            do throws(JournalError) { _ = try PostgresStore(opening: url) } catch { if error.isLost { throw error } }
            throw JournalError(.create, "\(url)", text: "the store exists already; nothing was changed")
        }
    }

    private static let compressionQuestion = Statement(
        name: "compression",
        sql: "SELECT 1 FROM pg_catalog.pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)")

    /// An account's `place` is the partition whose journal has it, or 0: the row has it. `key` and `skeleton` fold its name.
    /// `anchored` is true from the first anchor of a partition's journal on, and false after one that a repair has set aside.
    /// A file's content is that of its chunks in the order of their serials: a later one covers earlier ones. Bytes of no chunk are newlines.
    private static func schema(partitions: Int, house: UInt64, compression: String) -> String {
        """
        CREATE SCHEMA bjserver;
        CREATE TABLE bjserver.store (
            single boolean PRIMARY KEY DEFAULT true CHECK (single), format int4 NOT NULL, house int8 NOT NULL, partitions int4 NOT NULL,
            bans int8 NOT NULL DEFAULT 0, drains int8 NOT NULL DEFAULT 0);
        CREATE TABLE bjserver.partition (
            partition int4 PRIMARY KEY, owner text, epoch int8 NOT NULL DEFAULT 0, renewals int8 NOT NULL DEFAULT 0, renewed timestamptz,
            anchored boolean NOT NULL DEFAULT false, relay text, tables bytea, notice int8 NOT NULL DEFAULT 0)
            WITH (fillfactor = 10);
        CREATE TABLE bjserver.file (
            partition int4 NOT NULL, id int8 NOT NULL, name text NOT NULL, size int8 NOT NULL, changed int8 NOT NULL,
            epoch int8 NOT NULL, PRIMARY KEY (partition, id), UNIQUE (partition, name));
        CREATE TABLE bjserver.chunk (
            partition int4 NOT NULL, file int8 NOT NULL, serial int4 NOT NULL, start int8 NOT NULL, epoch int8 NOT NULL,
            bytes bytea \(compression) NOT NULL, PRIMARY KEY (partition, file, serial));
        CREATE SEQUENCE bjserver.account_id;
        CREATE TABLE bjserver.account (
            id int8 PRIMARY KEY, name text NOT NULL, key text NOT NULL UNIQUE, skeleton text NOT NULL UNIQUE, place int4 NOT NULL,
            serial int8 NOT NULL, secret bytea, disabled boolean NOT NULL, ticket bytea UNIQUE, ends int8,
            account bytea \(compression) NOT NULL);
        CREATE INDEX ON bjserver.account (place, id);
        CREATE INDEX ON bjserver.account ((secret IS NULL), ends) WHERE ends IS NOT NULL;
        CREATE TABLE bjserver.ban (block text PRIMARY KEY, ends int8, number int8 NOT NULL UNIQUE);
        INSERT INTO bjserver.store (format, house, partitions)
            VALUES (\(format), \(Int64(bitPattern: house)), \(partitions));
        INSERT INTO bjserver.partition (partition) SELECT generate_series(1, \(partitions));
        """
    }

    /// Makes the store one of another house: of a journal that was copied to it.
    public func set(house: UInt64) throws(JournalError) {
        try run(.write, Statement(name: "house", sql: "UPDATE store SET house = $1"), [.int(Int64(bitPattern: house))])
    }

    /// Has every server of the house drain, at its next look at a lease.
    public func drainHouse() throws(JournalError) {
        try run(.write, Statement(name: "drain", sql: "UPDATE store SET drains = drains + 1"))
    }

    /// Executes one statement on a connection of its own.
    func run(
        _ operation: StorageError.Operation, _ statement: Statement, _ parameters: [Parameter] = [],
        _ body: DatabaseConnection.RowReader = { _ in }
    ) throws(JournalError) {
        do throws(DatabaseError) {
            let connection = try DatabaseConnection.open(url, by: .after(Self.timeout))
            _ = try connection.execute(statement, parameters, by: .after(Self.timeout), body)
        } catch { throw JournalError(operation, "\(url)", error) }
    }

    // MARK: Partitions

    /// The URL of the partition, as commands take it.
    private var named: DatabaseURL { partitions > 1 ? url.naming(partition: partition) : url }

    /// The leases of all partitions, or of the URL's, on one connection, for calls one at a time.
    /// - Parameters:
    ///   - timeout: milliseconds for each call.
    ///   - name: of the server that asks, by which ``servers()`` shows it; nil for a command.
    public func leases(timeout: Int = timeout, by name: String? = nil) -> [(partition: Int, lease: PostgresLease)] {
        let connection = LeaseConnection(name: name)
        return (url.partition.map { [$0] } ?? Array(1...partitions)).map {
            ($0, PostgresLease(url, partition: $0, timeout: timeout, on: connection))
        }
    }

    public var lease: PostgresLease { PostgresLease(url, partition: partition) }

    /// The names of the servers that look at leases of this store: owners, and spares.
    public func servers() throws(JournalError) -> [String] {
        var names: [String] = []
        try run(.read, Self.serversQuestion) { row throws(DatabaseError) in names.append(try row.text("name")) }
        return names
    }

    /// A server's connection for leases has its name. A user sees the names of its own connections.
    private static let serversQuestion = Statement(
        name: "servers",
        sql: """
            SELECT DISTINCT convert_to(substr(application_name, \(LeaseConnection.prefix.count + 1)), 'UTF8')
            FROM pg_catalog.pg_stat_activity WHERE datname = current_database() AND starts_with(application_name, '\(LeaseConnection.prefix)')
            ORDER BY 1
            """)

    /// The accounts' rows, for the owner who has claimed the partition with this epoch.
    public func registry(epoch: UInt64) -> PostgresRegistry {
        PostgresRegistry(url, partition: partition, of: partitions, epoch: epoch)
    }

    /// The accounts in the store's rows and partitions.
    public func accounts() throws(JournalError) -> Int {
        var count: Int64 = 0
        let statement = Statement(name: "accounts", sql: "SELECT count(*) FROM account")
        try run(.read, statement) { row throws(DatabaseError) in count = try row.int("count") }
        return Int(count)
    }

    /// The files of the partition, for the owner who has claimed it with this epoch.
    /// - Parameter timeout: milliseconds after which a connection without an answer is given up, and the statement sent on another one.
    public func storage(epoch: UInt64, timeout: Int = 2000) -> PostgresStorage {
        PostgresStorage(named, partition: partition, access: .owner(epoch: epoch), firstTimeout: timeout)
    }

    /// The files for a command that takes them from `lock` to `unlock`, if no server has them.
    public var claimingStorage: PostgresStorage { PostgresStorage(named, partition: partition, access: .claiming) }

    /// All partitions and rows of the house as they are at the first reading, for reading alone.
    public var houseSnapshot: PostgresHouseSnapshot { PostgresHouseSnapshot(self) }

    /// Snapshots of the other partitions.
    public var others: [any JournalStorage] {
        let snapshot = DatabaseSnapshot(url)
        return (1...partitions).filter { $0 != partition }.map {
            PostgresStorage(url.naming(partition: $0), partition: $0, access: .snapshot(snapshot))
        }
    }

    /// The files as they are at the first reading, for reading alone.
    public var snapshot: PostgresStorage {
        PostgresStorage(named, partition: partition, access: .snapshot(DatabaseSnapshot(url)))
    }
}

/// A store at one moment, on one connection.
public struct PostgresHouseSnapshot: Sendable {
    private let store: PostgresStore
    private let snapshot: DatabaseSnapshot
    /// Rows read at once.
    private static let page: Int64 = 2000

    fileprivate init(_ store: PostgresStore) { (self.store, snapshot) = (store, DatabaseSnapshot(store.url)) }

    /// The files of a partition.
    public func files(of partition: Int) -> PostgresStorage {
        PostgresStorage(store.url.naming(partition: partition), partition: partition, access: .snapshot(snapshot))
    }

    /// Reads the row of each account, by id.
    public func rows(_ body: (AccountRow) throws(JournalError) -> Void) throws(JournalError) {
        var last: Int64 = 0
        while true {
            var page: [AccountRow] = []
            do throws(DatabaseError) {
                _ = try snapshot.read(Self.rows, [.int(last), .int(Self.page)]) { row throws(DatabaseError) in
                    page.append(try AccountRow(&row, partitions: store.partitions, after: last))
                }
            } catch { throw JournalError(.read, "\(store.url)", error) }
            guard let end = page.last else { return }
            for row in page { try body(row) }
            last = Int64(end.id.rawValue)
        }
    }

    private static let rows = Statement(
        name: "rows", of: "account", sql: "SELECT \(AccountRow.columns) FROM account WHERE id > $1 ORDER BY id LIMIT $2")
}

extension DatabaseError {
    static func missing(partition: Int64) -> DatabaseError {
        .damaged("the row of bjserver.partition, partition \(partition) is missing: restore a backup")
    }
}

extension JournalError {
    init(_ operation: StorageError.Operation, _ file: String, _ error: DatabaseError) {
        switch error {
        case .refused(let state, let text):
            // A value that no statement can compute with, a page that the server cannot read, a table of a store that was dropped.
            let isDamage = state.hasPrefix("22") || ["XX001", "XX002", PostgresStore.noTable].contains(state)
            self.init(operation, file, kind: isDamage ? .lost : .failed, text: text, sqlState: state)
        case .away(let text): self.init(operation, file, kind: .unavailable, text: text)
        case .damaged(let text): self.init(operation, file, kind: .lost, text: text)
        case .unusable(let text, let state):
            self.init(operation, file, text: text, sqlState: state)
        }
    }
}

/// A connection that leases share.
final class LeaseConnection: Sendable {
    static let prefix = "bjserver "

    fileprivate let open = Mutex<DatabaseConnection?>(nil)
    /// Of a server, in visible ASCII; nil for a command.
    fileprivate let name: String?

    init(name: String? = nil) { self.name = name }

    fileprivate func connect(to url: DatabaseURL, by deadline: Deadline) throws(DatabaseError) -> DatabaseConnection {
        let connection = try DatabaseConnection.open(url, by: deadline)
        if let name {
            let text = (Self.prefix + name).replacing("'", with: "?").replacing("\\", with: "?")
            try connection.execute(script: "SET application_name = '\(text)'", by: deadline)
        }
        return connection
    }
}

/// The lease of a partition in a database, on a connection of its own or that of other leases.
///
/// After a lost connection one call fails, and the next connects anew: a caller that has seen no error was connected throughout.
public final class PostgresLease: PartitionLease {
    private let url: DatabaseURL
    private let partition: Int64
    private let connection: LeaseConnection
    /// Milliseconds for each call.
    private let timeout: Int
    /// Epochs and renewals: one in a second would take longer than the sun.
    static let counts: ClosedRange<Int64> = 0...1 << 62

    init(
        _ url: DatabaseURL, partition: Int, timeout: Int = PostgresStore.timeout,
        on connection: LeaseConnection = LeaseConnection()
    ) {
        (self.url, self.connection) = (url, connection)
        self.partition = Int64(partition)
        self.timeout = timeout
    }

    private static let question = Statement(
        name: "lease", of: "partition",
        sql: """
            SELECT partition::int8, epoch, renewals, convert_to(owner, 'UTF8'), (SELECT drains FROM store), \(DatabaseConnection.unsafeSettings)
            FROM partition WHERE partition = $1
            """)
    private static let noticeQuestion = Statement(
        name: "notice", of: "partition",
        sql: """
            SELECT partition::int8, convert_to(relay, 'UTF8'), extract(epoch FROM now() - renewed)::int8, \(DatabaseConnection.unsafeSettings)
            FROM partition WHERE partition = $1
            """)
    /// A store that was emptied, and is to be filled again by a command, has no anchor to miss.
    private static let claim = Statement(
        name: "claim",
        sql: """
            UPDATE partition SET owner = $5, epoch = epoch + 1, renewed = now(), relay = NULL,
            anchored = anchored AND EXISTS (SELECT FROM file WHERE file.partition = $1)
            WHERE partition = $1 AND epoch = $2 AND renewals = $3 AND owner IS NOT DISTINCT FROM $4
            """)
    private static let renewal = Statement(
        name: "renew", of: "partition",
        sql: """
            UPDATE partition SET renewals = renewals + 1, renewed = now() WHERE partition = $1 AND epoch = $2
            RETURNING partition::int8, epoch, renewals, convert_to(owner, 'UTF8'), (SELECT drains FROM store), \(DatabaseConnection.unsafeSettings)
            """)
    private static let release = Statement(
        name: "release", sql: "UPDATE partition SET owner = NULL, relay = NULL WHERE partition = $1 AND epoch = $2")

    public func status() throws(JournalError) -> LeaseStatus {
        guard let status = try status(Self.question, [.int(partition)]) else {
            throw JournalError(.lock, "\(url)", .missing(partition: partition))
        }
        return status
    }

    /// - Returns: nil without a row.
    private func status(_ statement: Statement, _ parameters: [Parameter]) throws(JournalError) -> LeaseStatus? {
        var status: LeaseStatus?
        _ = try run(statement, parameters) { row throws(DatabaseError) in
            _ = try row.int("partition", in: partition...partition)
            let (epoch, renewals) = (try row.int("epoch", in: Self.counts), try row.int("renewals", in: Self.counts))
            let owner = try row.optionalText("owner")
            let drains = try row.int("drains", in: Self.counts)
            status = LeaseStatus(owner: owner, epoch: UInt64(epoch), renewals: UInt64(renewals), drains: UInt64(drains))
        }
        return status
    }

    /// Where other servers of the house reach the owner (nil: it has not said so), and the seconds since its last renewal by the database's
    /// clock, for people alone: no server compares them.
    public func notice() throws(JournalError) -> (relay: String?, age: Int64?) {
        var notice: (relay: String?, age: Int64?)
        try run(Self.noticeQuestion, [.int(partition)]) { row throws(DatabaseError) in
            _ = try row.int("partition", in: partition...partition)
            notice = (try row.optionalText("relay"), try row.optionalInt("renewed"))
        }
        return notice
    }

    public func claim(from status: LeaseStatus, as owner: String) throws(JournalError) -> UInt64? {
        let epoch = status.epoch + 1
        let parameters: [Parameter] = [
            .int(partition), .int(Int64(clamping: status.epoch)), .int(Int64(clamping: status.renewals)),
            .text(status.owner), .text(owner),
        ]
        do throws(JournalError) {
            return try run(Self.claim, parameters) == 1 ? epoch : nil
        } catch {
            guard error.isUnavailable else { throw error }
            // In doubt: only this process claims as `owner`. The renewal is another commit, which a standby has only after the claim.
            let now = try self.status()
            guard now.owner == owner, now.epoch == epoch else { return nil }
            return try renew(epoch).epoch == epoch ? epoch : nil
        }
    }

    public func renew(_ epoch: UInt64) throws(JournalError) -> LeaseStatus {
        guard let renewed = try status(Self.renewal, [.int(partition), .int(Int64(clamping: epoch))]) else { return try status() }
        return renewed
    }

    public func release(_ epoch: UInt64) throws(JournalError) -> Bool {
        try run(Self.release, [.int(partition), .int(Int64(clamping: epoch))]) == 1
    }

    @discardableResult
    private func run(
        _ statement: Statement, _ parameters: [Parameter], _ body: DatabaseConnection.RowReader = { _ in }
    ) throws(JournalError) -> Int {
        do throws(DatabaseError) {
            return try connection.open.withLock { open throws(DatabaseError) in
                let deadline = Deadline.after(timeout)
                let current: DatabaseConnection
                if let former = open.take() {
                    current = former
                } else {
                    current = try connection.connect(to: url, by: deadline)
                }
                var settings = ""
                let outcome = try current.execute(statement, parameters, by: deadline) { row throws(DatabaseError) in
                    try body(&row)
                    settings = try row.text("settings")
                }
                // A warning may say that the commit has not reached the standby.
                if let warning = outcome.warning { throw .away(warning.text) }
                try DatabaseConnection.check(settings)
                open = current
                return outcome.count
            }
        } catch { throw JournalError(.lock, "\(url)", error) }
    }
}
