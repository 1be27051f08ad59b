import Fairness
import Journal
import Records
import Sockets
import TableEngine
import TableModel
import Wire

/// Where a house of several servers has each account: one row an account, shared by all of them.
///
/// An account is in one place: its row, or the journal of one partition. A server that takes it first changes the row and then
/// records `arrived`. A server that gives it up records `departed`, and changes the row once that record is durable. A row and
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
    func row(named name: PlayerName) throws(StorageError) -> AccountRow?
    func row(of id: PlayerID) throws(StorageError) -> AccountRow?
    /// The row of an account on the way.
    func row(ticket: Digest) throws(StorageError) -> AccountRow?
    /// The rows whose place is this partition, by id, at most `limit` of those after an id.
    func rowsHere(after id: PlayerID, limit: Int) throws(StorageError) -> [AccountRow]
    /// Rows that have their account, the first `limit` by name, and the number of the others.
    func rowsAway(limit: Int) throws(StorageError) -> (rows: [AccountRow], others: Int)
    /// Rows that have their account, and whose ``AccountRow/end`` has come: those without a secret, at the greatest time those with one.
    func endedRows(at time: Int64, limit: Int) throws(StorageError) -> [AccountRow]
    /// Claims a free name for this partition: a row of serial 0, with an id that no other account has had.
    /// - Returns: nil if the name is in use, or looks like one in use.
    func insert(_ name: PlayerName, secret: Digest?) throws(StorageError) -> PlayerID?
    /// Replaces the row of this id whose serial is `serial`, by `row` with its own serial. False if there is none, or if the new name is in use.
    func replace(_ row: AccountRow, serial: UInt64) throws(StorageError) -> Bool
    /// Removes a row, and frees its name. False if there is none of this serial.
    func remove(_ id: PlayerID, serial: UInt64) throws(StorageError) -> Bool
    /// Publishes this server's notice and reads those of the others. Once a second.
    /// - Parameter notice: nil: as before.
    func exchange(_ notice: PartitionNotice?) throws(StorageError) -> HouseNotice
    /// Bans a block for all servers.
    /// - Parameter end: in milliseconds since 1970; nil: for ever. A past one lifts the ban.
    func ban(_ block: AddressBlock, until end: Int64?) throws(StorageError)
}

/// The place of an account.
public struct AccountRow: Equatable, Sendable {
    public var id: PlayerID
    /// As its owner wrote it; no other row has the same key or skeleton.
    public var name: PlayerName
    /// The partition whose journal has the account; 0: this row has it.
    public var place: Int
    /// Grows by one with each change of the place. The account has it, and an owner changes the name without changing it.
    public var serial: UInt64
    /// The account's SHA-256 of the secret, nil in the row of one that does not last, and whether the host refuses its logins, as of
    /// ``account``: what they are counts in its place.
    public var secret: Digest?
    public var isDisabled = false
    /// The SHA-256 of the ticket by which another server takes an account that is on the way to it.
    public var ticket: Digest?
    /// Milliseconds since 1970. When an account that does not last is removed from its row; for a replaceable account, its rank among
    /// those that make room. nil: never.
    public var end: Int64?
    /// The account, as an `arrived` record, as of the last departure; empty before the first.
    public var account: [UInt8] = []

    public init(id: PlayerID, name: PlayerName, place: Int, serial: UInt64 = 0, secret: Digest?) {
        (self.id, self.name, self.place, self.serial, self.secret) = (id, name, place, serial, secret)
    }

    /// The account as of the last departure; nil before the first, and for bytes that are none.
    public var state: AccountState? {
        guard case .arrived(let state, _)? = Record.arrival(of: id, account, serial: max(1, serial), at: .max) else {
            return nil
        }
        return state
    }
}

/// The notice of a server to the others.
public struct PartitionNotice: Equatable, Sendable {
    /// Where relays reach its owner: host and port of a listener for proxies; nil: nowhere.
    public var relay: String?
    /// Its tables.
    public var tables: [TableSummary]

    public init(relay: String?, tables: [TableSummary]) { (self.relay, self.tables) = (relay, tables) }
}

/// The notices of the other servers, as one knows them.
public struct HouseNotice: Equatable, Sendable {
    /// By partition, without its own.
    public var partitions: [Int: PartitionNotice] = [:]
    /// Bans of all servers, with the end of each in milliseconds since 1970; nil: for ever.
    public var bans: [AddressBlock: Int64?] = [:]
    /// Accounts with a secret in the whole house, but for those that have not left the server where they were opened.
    public var accounts = 0
    /// Reasons of rows that no server has written, which are left out or refused.
    public var damage: Set<String> = []

    public init() {}
}

/// The state of a relayed connection, from one server to another, before the bytes of the client.
public struct RelayIntroduction: Equatable, Sendable {
    /// Ends the client's bytes when the connection returns to the first server; random, and known to both servers alone.
    public var key: [UInt8]
    /// The partition that it is for; set by the first server.
    public var partition = 0
    /// Milliseconds that a client who has not logged in has left for it, since the first server's accept: no clock of another machine is compared.
    public var timeToLogIn: Int64 = 0
    public var options = ConnectionOptions()
    public var followsLobby = false
    /// Takes the account of a player who has logged in; nil: the client has yet to.
    public var ticket: [UInt8]?
    /// As the login said.
    public var loginName = ""

    public init(key: [UInt8]) { self.key = key }
}
