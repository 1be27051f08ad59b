import Fairness
import Rules
import TableEngine
import Wire

/// An event that a server keeps: one JSON line of its journal.
///
/// Replaying the records in order with ``SavedState/apply(_:at:)`` restores the server. Times are in milliseconds since 1970.
public enum Record: Equatable, Sendable {
    // MARK: The server

    /// The server starts; `version` is that of the program.
    case started(time: Int64, version: String)
    case stopped(time: Int64)

    // MARK: Accounts

    /// A player's first sit, before the facts that seat them. `secret`: the SHA-256 of the player's secret; nil for a guest.
    /// `chips` come from the bank.
    case account(PlayerID, name: String, isBot: Bool, secret: Digest?, chips: Int, time: Int64)
    /// The account is forgotten, by the host or because it has expired, and its chips return to the bank. Its player has no seat.
    case closed(PlayerID, time: Int64)
    /// Chips from the bank to an account; negative: back to the bank.
    case issued(PlayerID, chips: Int, reason: IssueReason, time: Int64)
    case renamed(PlayerID, name: String)
    case disabled(PlayerID, Bool)
    /// A new secret, by its SHA-256.
    case secret(PlayerID, Digest)
    /// A new account goes a week after its player was here last, if it never plays and the host does not change it. Versions before this
    /// record have accounts that do not go.
    case mayExpire(PlayerID)
    /// The account's player was here; at most once an hour.
    case seen(PlayerID, time: Int64)

    // MARK: Tables

    /// `pass`: the pass phrase; `owner`: the account that owns the table.
    indirect case opened(table: String, rules: HouseRules, pace: Pace, pass: String?, owner: PlayerID?, time: Int64)
    /// The host's pass phrase; an owner's is over. The table is open, or has an owner's phrase.
    case pass(table: String, String?)
    /// The pass phrase that the table's owner has set; `configured`: the host's at that time.
    case ownerPass(table: String, owner: PlayerID, String?, configured: String?)
    /// The table's owner has sent a player away, who may not sit there until a time.
    case sentAway(table: String, owner: PlayerID, PlayerID, until: Int64)
    /// A closed table is forgotten; its house net and rounds join the totals of former tables.
    case gone(table: String, time: Int64)
    /// The facts of one command, time-outs before it included.
    case facts(table: String, time: Int64, [Fact])

    // MARK: Requests

    /// The answer that a retry of a request gets. The account has a record.
    case answer(PlayerID, id: RequestID, request: ClientMessage, RecordedAnswer)

    // MARK: Access

    /// A ban of an address block; `until` nil: for ever.
    case banned(block: String, until: Int64?)
    case unbanned(block: String)
    /// An invitation, by the SHA-256 of its code, was used by an account.
    case invited(code: Digest, PlayerID)
}

/// The reason for which chips are issued.
public enum IssueReason: String, CaseIterable, Sendable {
    /// A broke player's new chips, by the house rule.
    case rebuy
    /// The operator's correction.
    case credit
}

/// A remembered answer.
public enum RecordedAnswer: Equatable, Sendable {
    /// `ok` without fields.
    case done
    /// `ok` with the table revision that shows the effect.
    case applied(TableRevision)
    /// Any other: the line as sent, its end included.
    case line([UInt8])
}

/// The position of a record in the journal.
public struct RecordPlace: Hashable, Sendable, CustomStringConvertible {
    /// The sequence number of the frame.
    public var sequence: UInt64
    /// The line within the frame, from 1.
    public var line: Int

    public init(sequence: UInt64, line: Int) {
        self.sequence = sequence
        self.line = line
    }

    public var description: String { "frame \(sequence), line \(line)" }
}
