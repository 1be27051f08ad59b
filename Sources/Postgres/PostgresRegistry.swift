import Fairness
import Journal
import ServerCore
import Sockets
import Synchronization
import TableEngine
import Wire

/// The accounts' rows of a house, for the owner of a partition.
///
/// Every change is one statement that locks the partition's row with the owner's epoch, like those of ``PostgresStorage``. A claim waits for
/// the lock, and after a claim a statement of the old owner matches no row. A change without an answer is retried; the row's serial shows
/// whether an earlier attempt took effect, so it is applied once.
public final class PostgresRegistry: Registry {
    public let partition: Int
    /// Of the store.
    private let partitions: Int
    private let location: String
    private let pool: ConnectionPool
    private let owner: [Parameter]
    private let house = Mutex(House())
    /// Reasons of damaged rows.
    private let damage = Mutex<Set<String>>([])

    /// Results of the exchanges so far.
    private struct House {
        var notice = HouseNotice()
        /// Not yet stored.
        var own: PartitionNotice?
        /// Numbers of the notices, by partition.
        var versions: [Int64: Int64] = [:]
        /// Number of the last ban.
        var bans: Int64 = 0
        /// When the accounts are counted again.
        var count = Deadline.after(0)
    }

    /// Milliseconds for a call, with all its attempts: a player waits.
    private static let timeout = 5000
    private static let firstTimeout = 1500
    /// Reported reasons of damaged rows.
    private static let mostDamage = 100
    /// Damaged rows, in pages, that are skipped when accounts are closed.
    private static let pagesOfDamage = 100

    init(_ url: DatabaseURL, partition: Int, of partitions: Int, epoch: UInt64) {
        (self.partition, self.partitions, location) = (partition, partitions, url.description)
        owner = [.int(Int64(partition)), .int(Int64(clamping: epoch))]
        pool = ConnectionPool(url, timeout: Self.timeout, firstTimeout: Self.firstTimeout)
    }

    // MARK: Rows

    public func row(named name: PlayerName) throws(JournalError) -> AccountRow? {
        try rows(Statements.named, [.text(name.key), .text(name.skeleton)]).rows.first
    }

    public func row(of id: PlayerID) throws(JournalError) -> AccountRow? {
        try rows(Statements.row, [.int(Int64(id.rawValue))]).rows.first
    }

    public func row(ticket: Digest) throws(JournalError) -> AccountRow? {
        try rows(Statements.ticket, [.bytes(ticket.bytes[...])]).rows.first
    }

    public func rowsHere(after id: PlayerID, limit: Int) throws(JournalError) -> [AccountRow] {
        let after = Int64(clamping: id.rawValue)
        return try rows(Statements.here, [.int(Int64(partition)), .int(after), .int(Int64(limit))], after: after).rows
    }

    public func rowsAway(limit: Int) throws(JournalError) -> (rows: [AccountRow], others: Int) {
        let (rows, damaged) = try rows(Statements.away, [.int(Int64(limit))], skipsDamage: true)
        let count = try number(Statements.countAway)
        return (rows, max(0, Int(count) - rows.count - damaged))
    }

    /// Impossible rows stay, and keep nothing behind them from its end.
    public func endedRows(at time: Int64, limit: Int) throws(JournalError) -> [AccountRow] {
        for page in 0..<Self.pagesOfDamage {
            let parameters: [Parameter] = [.int(time), .int(Int64(limit)), .int(Int64(page * limit))]
            let (rows, damaged) = try rows(Statements.ended, parameters, skipsDamage: true)
            guard rows.isEmpty, damaged == limit else { return rows }
        }
        return []
    }

    /// - Parameter skipsDamage: reports damaged rows and goes on; otherwise throws `.lost` for one.
    private func rows(
        _ statement: Statement, _ parameters: [Parameter], after id: Int64 = 0, skipsDamage: Bool = false
    ) throws(JournalError) -> (rows: [AccountRow], damaged: Int) {
        var (rows, damaged) = ([AccountRow](), 0)
        try read(statement, parameters) { row throws(DatabaseError) in
            do throws(DatabaseError) { rows.append(try AccountRow(&row, partitions: partitions, after: id)) } catch {
                guard skipsDamage else { throw error }
                damaged += 1
                report(error.description)
            }
        } again: {
            (rows, damaged) = ([], 0)
        }
        return (rows, damaged)
    }

    private func report(_ damage: String) {
        self.damage.withLock { if $0.count < Self.mostDamage { $0.insert(damage) } }
    }

    /// - Parameter again: called before each attempt.
    private func read(
        _ statement: Statement, _ parameters: [Parameter], _ body: DatabaseConnection.RowReader, again: () -> Void = {}
    ) throws(JournalError) {
        do throws(DatabaseError) {
            try pool.run { connection, deadline throws(DatabaseError) in
                again()
                _ = try connection.execute(statement, parameters, by: deadline, body)
            }
        } catch { throw failure(.read, error) }
    }

    private func failure(_ operation: StorageError.Operation, _ error: DatabaseError) -> JournalError {
        if case .damaged(let text) = error { report(text) }
        return JournalError(operation, location, error)
    }

    private func number(_ statement: Statement, in range: ClosedRange<Int64> = 0...Int64.max) throws(JournalError) -> Int64 {
        var number: Int64 = 0
        try read(statement, []) { row throws(DatabaseError) in number = try row.int(statement.name, in: range) }
        return number
    }

    // MARK: Changes

    public func insert(_ name: PlayerName, secret: Digest?) throws(JournalError) -> PlayerID? {
        // An id of its own shows a repeated attempt what the one before it has done.
        let id = try number(Statements.id, in: AccountRow.ids)
        let parameters: [Parameter] =
            owner + [.int(id), .text(name.text), .text(name.key), .text(name.skeleton), .bytes(secret?.bytes[...])]
        return try change { connection, deadline, _ throws(DatabaseError) in
            do throws(DatabaseError) {
                let outcome = try connection.execute(Statements.insert, parameters, by: deadline)
                return (outcome, outcome.count == 1, PlayerID(UInt64(id)))
            } catch {
                guard case .refused("23505", _) = error else { throw error }
                var isOwn = false
                let own: [Parameter] = [.int(id), .text(name.key)]
                _ = try connection.execute(Statements.inserted, own, by: deadline) { row throws(DatabaseError) in
                    isOwn = try row.flag("own")
                }
                guard !isOwn else {
                    let outcome = try connection.execute(PostgresStatements.barrier, self.owner, by: deadline)
                    return (outcome, outcome.count == 1, PlayerID(UInt64(id)))
                }
                return (DatabaseConnection.Outcome(), true, nil)
            }
        }
    }

    public func replace(_ row: AccountRow, serial: UInt64) throws(JournalError) -> Bool {
        let parameters: [Parameter] =
            owner + [
                .int(Int64(row.id.rawValue)), .int(Int64(clamping: serial)), .text(row.name.text), .text(row.name.key),
                .text(row.name.skeleton), .int(Int64(row.place)), .int(Int64(clamping: row.serial)),
                .bytes(row.secret?.bytes[...]), .int(row.isDisabled ? 1 : 0), .bytes(row.ticket?.bytes[...]), .int(row.end),
                .bytes(row.account[...]),
            ]
        return try change { connection, deadline, isInDoubt throws(DatabaseError) in
            do throws(DatabaseError) {
                return try self.replaced(connection, deadline, Statements.replace, parameters, of: row.id, isInDoubt) {
                    $0 == row
                }
            } catch {
                guard case .refused("23505", _) = error else { throw error }
                return (DatabaseConnection.Outcome(), true, false)
            }
        }
    }

    public func remove(_ id: PlayerID, serial: UInt64) throws(JournalError) -> Bool {
        let parameters: [Parameter] = owner + [.int(Int64(id.rawValue)), .int(Int64(clamping: serial))]
        return try change { connection, deadline, isInDoubt throws(DatabaseError) in
            try self.replaced(connection, deadline, Statements.remove, parameters, of: id, isInDoubt) { $0 == nil }
        }
    }

    private typealias Change<Value> = (outcome: DatabaseConnection.Outcome, isOwner: Bool, value: Value)

    /// Runs a statement that gives the numbers of owners and of changed rows.
    /// - Parameter isDone: whether the row is one that an attempt before this one has left.
    private func replaced(
        _ connection: DatabaseConnection, _ deadline: Deadline, _ statement: Statement, _ parameters: [Parameter],
        of id: PlayerID, _ isInDoubt: Bool, isDone: (AccountRow?) -> Bool
    ) throws(DatabaseError) -> Change<Bool> {
        var (owners, changed) = (Int64(0), Int64(0))
        var outcome = try connection.execute(statement, parameters, by: deadline) { row throws(DatabaseError) in
            (owners, changed) = (try row.int("owners"), try row.int("changed"))
        }
        guard owners == 1, changed == 0, isInDoubt else { return (outcome, owners == 1, changed == 1) }
        var row: AccountRow?
        _ = try connection.execute(Statements.row, [.int(Int64(id.rawValue))], by: deadline) { found throws(DatabaseError) in
            row = try AccountRow(&found, partitions: partitions)
        }
        guard isDone(row) else { return (outcome, true, false) }
        // The wait of the first attempt for a standby may have been cancelled: a commit after it has that wait.
        outcome = try connection.execute(PostgresStatements.barrier, owner, by: deadline)
        return (outcome, outcome.count == 1, true)
    }

    /// Runs a change until it has an answer. Returns when its commit is durable.
    private func change<Value>(
        _ body: (DatabaseConnection, Deadline, _ isInDoubt: Bool) throws(DatabaseError) -> Change<Value>
    ) throws(JournalError) -> Value {
        var isInDoubt = false
        let change: Change<Value>
        do throws(DatabaseError) {
            change = try pool.run { connection, deadline throws(DatabaseError) in
                let wasInDoubt = isInDoubt
                isInDoubt = true
                return try body(connection, deadline, wasInDoubt)
            }
        } catch { throw failure(.write, error) }
        // A warning may say that the commit has not reached the standby: it is in doubt.
        if let warning = change.outcome.warning {
            throw JournalError(.write, location, kind: .unavailable, text: warning.text, sqlState: warning.state)
        }
        guard change.isOwner else {
            throw JournalError(
                .write, location, kind: .fenced, text: "another process has taken over partition \(partition)")
        }
        return change.value
    }

    private func change(_ statement: Statement, _ parameters: [Parameter]) throws(JournalError) {
        try change { connection, deadline, _ throws(DatabaseError) in
            let outcome = try connection.execute(statement, self.owner + parameters, by: deadline)
            return (outcome, outcome.count == 1, ())
        }
    }

    // MARK: The house

    public func ban(_ block: AddressBlock, until end: Int64?) throws(JournalError) {
        try change(Statements.ban, [.text(block.description), .int(end)])
    }

    /// The accounts are counted less often where that takes long.
    public func exchange(_ notice: PartitionNotice?) throws(JournalError) -> HouseNotice {
        try house.withLock { house throws(JournalError) in
            if let notice { house.own = notice }
            if let own = house.own {
                let tables = ServerMessage.ok(
                    id: nil, .lobby(revision: 0, total: own.tables.count, Array(own.tables.prefix(WireLimits.lobbyTables))))
                try change(Statements.publish, [.text(own.relay), .bytes(tables.encoded().dropLast())])
                house.own = nil
            }
            try takeNotices(&house)
            try read(Statements.bans, [.int(house.bans)]) { row throws(DatabaseError) in
                do throws(DatabaseError) {
                    let number = try row.int("number", in: PostgresLease.counts)
                    house.bans = max(house.bans, number)
                    let block = try row.value("block", "a block of addresses") {
                        AddressBlock(String(decoding: $0, as: UTF8.self))
                    }
                    house.notice.bans.updateValue(try row.optionalInt("ends"), forKey: block)
                } catch { report(error.description) }
            }
            if house.count.hasPassed {
                let began = ContinuousClock.now
                house.notice.accounts = Int(try number(Statements.count))
                let (seconds, attoseconds) = (ContinuousClock.now - began).components
                let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
                // At most a hundredth of the database's time.
                house.count = .after(milliseconds < 20 ? 0 : 100 * milliseconds)
            }
            house.notice.damage = damage.withLock { $0 }
            return house.notice
        }
    }

    private func takeNotices(_ house: inout House) throws(JournalError) {
        let known = house.versions.map { "\($0.key):\($0.value)," }.joined()
        try read(Statements.notices, [.int(Int64(partition)), .text("," + known)]) { row throws(DatabaseError) in
            do throws(DatabaseError) { try take(&row, &house) } catch { report(error.description) }
        }
    }

    private func take(_ row: inout DatabaseRow, _ house: inout House) throws(DatabaseError) {
        let number = try row.int("partition", in: 1...Int64(partitions))
        let (version, relay) = (try row.int("notice", in: PostgresLease.counts), try row.optionalText("relay"))
        let (hasNews, tables) = (try row.optionalInt("news") != nil, try row.optionalBytes("tables"))
        house.versions[number] = version
        var notice = house.notice.partitions[Int(number)] ?? PartitionNotice(relay: nil, tables: [])
        notice.relay = relay
        if hasNews {
            let message = tables.flatMap { bytes in bytes.withUnsafeBufferPointer { try? ServerMessage(line: $0) } }
            // A later version may write tables that this one cannot read.
            if case .ok(_, .lobby(_, _, let tables))? = message { notice.tables = tables } else { notice.tables = [] }
        }
        house.notice.partitions[Int(number)] = notice
    }
}

extension AccountRow {
    static let columns = """
        id, convert_to(name, 'UTF8'), place::int8, serial, secret, disabled::int4::int8, ticket, ends, account
        """

    /// JSON has them exactly.
    static let ids: ClosedRange<Int64> = 1...1 << 53

    /// - Parameters:
    ///   - row: of ``columns``.
    ///   - partitions: of the store.
    ///   - after: rows with greater ids were asked for.
    init(_ row: inout DatabaseRow, partitions: Int, after last: Int64 = 0) throws(DatabaseError) {
        let id = try row.int("id", in: last + 1..<Self.ids.upperBound + 1)
        let name = try row.value("name", "a player's name") { try? PlayerName(String(decoding: $0, as: UTF8.self)) }
        let place = try row.int("place", in: 0...Int64(partitions))
        let serial = try row.int("serial", in: PostgresLease.counts)
        let secret = try row.optional("secret", "32 bytes") { Digest(bytes: $0) }
        self.init(id: PlayerID(UInt64(id)), name: name, place: Int(place), serial: UInt64(serial), secret: secret)
        isDisabled = try row.flag("disabled")
        ticket = try row.optional("ticket", "32 bytes") { Digest(bytes: $0) }
        end = try row.optionalInt("ends")
        account = Array(
            try row.value("account", "the account, which the row has since its place is 0") { bytes in
                account = Array(bytes)
                return place > 0 || state != nil ? bytes : nil
            })
    }
}

extension PostgresStore {
    /// Whether no partition has files, and no account a row.
    public func isEmpty() throws(JournalError) -> Bool {
        var count: Int64?
        try run(.read, Statements.used) { row throws(DatabaseError) in count = try row.int("count") }
        return count == 0
    }

    /// Gives a house that moves to several partitions its rows, in one transaction: the journal of each row's place has the account.
    public func fill(
        _ rows: [AccountRow], bans: [(block: AddressBlock, end: Int64?)], lastID: UInt64
    ) throws(JournalError) {
        do throws(DatabaseError) {
            let connection = try DatabaseConnection.open(url, by: .after(Self.timeout))
            func execute(_ statement: Statement, _ parameters: [Parameter]) throws(DatabaseError) {
                _ = try connection.execute(statement, parameters, by: .after(Self.timeout))
            }
            try connection.execute(script: "BEGIN", by: .after(Self.timeout))
            for row in rows {
                try execute(
                    Statements.fill,
                    [
                        .int(Int64(row.id.rawValue)), .text(row.name.text), .text(row.name.key), .text(row.name.skeleton),
                        .int(Int64(row.place)), .int(Int64(clamping: row.serial)), .bytes(row.secret?.bytes[...]),
                        .int(row.isDisabled ? 1 : 0),
                    ])
            }
            for (block, end) in bans { try execute(Statements.fillBan, [.text(block.description), .int(end)]) }
            try execute(Statements.lastID, [.int(Int64(clamping: max(1, lastID)))])
            try connection.execute(script: "COMMIT", by: .after(Self.timeout))
        } catch { throw JournalError(.write, "\(url)", error) }
    }
}

/// The statements of a registry. Of a change, $1 is the partition and $2 the owner's epoch.
private enum Statements {
    private static let (own, select) = (PostgresStatements.own, "SELECT \(AccountRow.columns) FROM account WHERE")
    private static let counts = "SELECT (SELECT count(*) FROM own), (SELECT count(*) FROM changed)"

    static let row = Statement(name: "row", of: "account", sql: "\(select) id = $1")
    /// The row of this name before one that looks like it.
    static let named = Statement(
        name: "named", of: "account", sql: "\(select) key = $1 OR skeleton = $2 ORDER BY key = $1 DESC LIMIT 1")
    static let ticket = Statement(name: "ticket", of: "account", sql: "\(select) ticket = $1")
    static let here = Statement(name: "here", of: "account", sql: "\(select) place = $1 AND id > $2 ORDER BY id LIMIT $3")
    static let away = Statement(name: "away", of: "account", sql: "\(select) place = 0 ORDER BY name COLLATE \"C\" LIMIT $1")
    static let countAway = Statement(name: "countAway", sql: "SELECT count(*) FROM account WHERE place = 0")
    static let ended = Statement(
        name: "ended", of: "account",
        sql: """
            \(select) place = 0 AND (secret IS NULL) = ($1 < \(Int64.max)) AND ends <= $1
            ORDER BY ends, id LIMIT $2 OFFSET $3
            """)

    static let id = Statement(name: "id", sql: "SELECT nextval('account_id')")
    static let insert = Statement(
        name: "insert",
        sql: """
            \(own)
            INSERT INTO account (id, name, key, skeleton, place, serial, secret, disabled, account)
            SELECT $3, $4, $5, $6, $1, 0, $7, false, '' FROM own
            """)
    static let inserted = Statement(name: "inserted", sql: "SELECT count(*) FROM account WHERE id = $1 AND key = $2")
    static let replace = Statement(
        name: "replace",
        sql: """
            \(own), changed AS (UPDATE account SET name = $5, key = $6, skeleton = $7, place = $8, serial = $9, secret = $10,
            disabled = $11 <> 0, ticket = $12, ends = $13, account = $14 FROM own WHERE id = $3 AND serial = $4 RETURNING 1) \(counts)
            """)
    static let remove = Statement(
        name: "remove",
        sql: """
            \(own), changed AS (DELETE FROM account USING own WHERE id = $3 AND serial = $4 RETURNING 1) \(counts)
            """)

    static let publish = Statement(
        name: "publish",
        sql: "UPDATE partition SET relay = $3, tables = $4, notice = notice + 1 WHERE partition = $1 AND epoch = $2")
    /// The tables of those whose notice is not among `,PARTITION:NOTICE,…`.
    static let notices = Statement(
        name: "notices", of: "partition",
        sql: """
            SELECT partition::int8, notice, convert_to(relay, 'UTF8'), news, CASE WHEN news IS NOT NULL THEN tables END FROM partition,
            LATERAL (SELECT CASE WHEN strpos($2, ',' || partition || ':' || notice || ',') = 0 THEN 1::int8 END AS news) AS compared
            WHERE partition <> $1
            """)
    /// Numbers of bans are visible in their order: they lock the store's row.
    static let ban = Statement(
        name: "ban",
        sql: """
            \(own), counted AS (UPDATE store SET bans = bans + 1 FROM own RETURNING bans), over AS (DELETE FROM ban USING own
            WHERE block <> $3 AND ends < (extract(epoch FROM now()) * 1000)::int8 - 86400000)
            INSERT INTO ban (block, ends, number) SELECT $3, $4, bans FROM counted
            ON CONFLICT (block) DO UPDATE SET ends = EXCLUDED.ends, number = EXCLUDED.number
            """)
    static let bans = Statement(
        name: "bans", of: "ban", sql: "SELECT number, convert_to(block, 'UTF8'), ends FROM ban WHERE number > $1 ORDER BY number")
    static let used = Statement(name: "used", sql: "SELECT (SELECT count(*) FROM file) + (SELECT count(*) FROM account)")
    static let fill = Statement(
        name: "fill",
        sql: """
            INSERT INTO account (id, name, key, skeleton, place, serial, secret, disabled, account)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8 <> 0, '')
            """)
    static let fillBan = Statement(
        name: "fillBan",
        sql: """
            WITH counted AS (UPDATE store SET bans = bans + 1 RETURNING bans)
            INSERT INTO ban (block, ends, number) SELECT $1, $2, bans FROM counted
            """)
    static let lastID = Statement(name: "lastID", sql: "SELECT setval('account_id', $1)")
    static let count = Statement(name: "count", sql: "SELECT count(*) FROM account WHERE secret IS NOT NULL AND serial > 0")
}
