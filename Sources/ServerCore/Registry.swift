import Fairness
import Journal
import Records
import Sockets
import TableEngine
import TableModel
import Wire

/// The places of a house's accounts, shared by its servers: one row per account.
///
/// An account is in one place: its row, or the journal of one partition. A server that takes an account first changes the row, then
/// records `arrived`. A server that releases one records `departed`, and changes the row once that record is durable. A row and
/// a frame never share a transaction: a crash between the two leaves a row that names a partition without the account, or a
/// departure without its row. The partition's next start completes it.
///
/// Every change is a compare-and-set on the row's serial, and is accepted only from the current owner of ``partition``.
/// Repeated, late and stale changes therefore have no effect.
///
/// Calls block, each with a deadline. None is made on a loop.
public protocol Registry: Sendable {
    /// The partition of this process, from 1.
    var partition: Int { get }
    /// The row of a name, or of one that looks like it.
    func row(named name: PlayerName) throws(JournalError) -> AccountRow?
    func row(of id: PlayerID) throws(JournalError) -> AccountRow?
    /// The row of an account in transit.
    func row(ticket: Digest) throws(JournalError) -> AccountRow?
    /// The next rows after an id whose place is this partition, at most `limit`.
    func rowsHere(after id: PlayerID, limit: Int) throws(JournalError) -> [AccountRow]
    /// Rows that hold their account: the first `limit` by name, and the number of the others.
    func rowsAway(limit: Int) throws(JournalError) -> (rows: [AccountRow], others: Int)
    /// Rows that hold their account and whose ``AccountRow/end`` has passed: those without a secret; at the greatest time those with one.
    func endedRows(at time: Int64, limit: Int) throws(JournalError) -> [AccountRow]
    /// Claims a free name for this partition: a row of serial 0, with an id that no other account has had.
    /// - Returns: nil if the name is in use, or looks like one in use.
    func insert(_ name: PlayerName, secret: Digest?) throws(JournalError) -> PlayerID?
    /// Replaces the row of this id and `serial` by `row`, which has its own serial. False if there is none, or if the new name is in use.
    func replace(_ row: AccountRow, serial: UInt64) throws(JournalError) -> Bool
    /// Removes a row, and frees its name. False if there is none with this serial.
    func remove(_ id: PlayerID, serial: UInt64) throws(JournalError) -> Bool
    /// Publishes this server's notice and reads those of the others. Once a second.
    /// - Parameter notice: nil if unchanged.
    func exchange(_ notice: PartitionNotice?) throws(JournalError) -> HouseNotice
    /// Bans a block for all servers.
    /// - Parameter end: in milliseconds since 1970; nil: for ever. A past end lifts the ban.
    func ban(_ block: AddressBlock, until end: Int64?) throws(JournalError)
}

/// The place of an account.
public struct AccountRow: Equatable, Sendable {
    public var id: PlayerID
    /// In the player's spelling. No other row has the same key or skeleton.
    public var name: PlayerName
    /// The partition whose journal has the account; 0: this row.
    public var place: Int
    /// Incremented with each change of the place; the account has the same serial. A change of the name leaves it.
    public var serial: UInt64
    /// The SHA-256 of the secret (nil if the account does not last) and whether logins are disabled, as of ``account``. If a partition has
    /// the account, its values apply.
    public var secret: Digest?
    public var isDisabled = false
    /// The SHA-256 of the ticket with which another server claims an account in transit.
    public var ticket: Digest?
    /// Milliseconds since 1970: when an account that does not last is removed; for a replaceable account, its rank in the order of
    /// replacement. nil: never.
    public var end: Int64?
    /// The account at its last departure, as an `arrived` record; empty before the first.
    public var account: [UInt8] = []

    public init(id: PlayerID, name: PlayerName, place: Int, serial: UInt64 = 0, secret: Digest?) {
        (self.id, self.name, self.place, self.serial, self.secret) = (id, name, place, serial, secret)
    }

    /// The account at its last departure; nil before the first, and for invalid bytes.
    public var state: AccountState? {
        guard case .arrived(let state, _)? = Record.arrival(of: id, account, serial: max(1, serial), at: .max) else {
            return nil
        }
        return state
    }
}

/// The notice of a server to the others.
public struct PartitionNotice: Equatable, Sendable {
    /// The address for relays: host and port of a listener for proxies; nil for none.
    public var relay: String?
    /// Its tables.
    public var tables: [TableSummary]

    public init(relay: String?, tables: [TableSummary]) { (self.relay, self.tables) = (relay, tables) }
}

/// The notices of the other servers, as read by one server.
public struct HouseNotice: Equatable, Sendable {
    /// The notices by partition, without the reader's own.
    public var partitions: [Int: PartitionNotice] = [:]
    /// Bans of all servers, with the end of each in milliseconds since 1970; nil: for ever.
    public var bans: [AddressBlock: Int64?] = [:]
    /// Accounts with a secret in the whole house, except those that have not left the server where they were opened.
    public var accounts = 0
    /// Reasons why damaged rows were skipped or refused.
    public var damage: Set<String> = []

    public init() {}
}

/// The state of a relayed connection, sent from one server to another before the client's bytes.
public struct RelayIntroduction: Equatable, Sendable {
    /// Ends the client's bytes when the connection returns to the first server; random, and known to both servers alone.
    public var key: [UInt8]
    /// The destination's partition; set by the first server.
    public var partition = 0
    /// Milliseconds left to log in, counted from the first server's accept. A duration, so that clocks of two machines are not compared.
    public var timeToLogIn: Int64 = 0
    public var options = ConnectionOptions()
    public var followsLobby = false
    /// Claims the account of a logged-in player; nil before the login.
    public var ticket: [UInt8]?
    /// The name in the login.
    public var loginName = ""

    public init(key: [UInt8]) { self.key = key }
}
