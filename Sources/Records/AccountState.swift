import Fairness
import TableEngine
import TableModel
import Wire

/// An account: a player's name, secret and chips.
///
/// The one value of an account, for a player at a table, for one who is away, for a checkpoint and for an audit. Records and facts alone
/// change it, by ``apply(_:)`` and ``apply(_:at:)``: a server that changes an account and a restart that replays the record carry out the
/// same lines, so they hold the same account. Whether ids and names are in use is up to the holder, and so is the bank, which sums what
/// the records say (``Record/issuedChips``) and not what became of it here: a sum of all chips that is not 0 betrays a mistake in either.
public struct AccountState: Equatable, Sendable {
    public internal(set) var id: PlayerID
    /// As recorded; see ``playerName``.
    public internal(set) var name: String
    /// Chips that are not at a table.
    public internal(set) var chips = 0
    /// The table that holds the other chips.
    public internal(set) var table: String?
    /// All chips issued so far, corrections included.
    public internal(set) var issued = 0
    /// When the account was opened, in milliseconds since 1970.
    public internal(set) var created: Int64 = 0
    /// When the player was here last, in milliseconds since 1970, to the hour. Older records do not say: when it was opened then.
    public internal(set) var lastSeen: Int64 = 0
    /// The time of the last rebuy, in milliseconds since 1970; nil before the first.
    public internal(set) var lastRebuy: Int64? {
        get { rebuyTime == .min ? nil : rebuyTime }
        set { rebuyTime = newValue ?? .min }
    }
    // 120 bytes for an account: without the optional's own byte, and in this order, the serial takes no room.
    private var rebuyTime = Int64.min
    private var shortSerial: UInt32 = 0
    /// The SHA-256 of the secret; nil for a guest, whose account ends with the connection.
    public internal(set) var secret: Digest?
    public internal(set) var isBot: Bool
    /// Whether the host refuses its logins.
    public internal(set) var isDisabled = false
    /// Whether the account goes after ``expiry`` without its player: it has played no round, and the host has not changed it.
    public internal(set) var mayExpire = false
    /// That of the account's row in a registry when the account came here; 0 for one that was opened here. Below 2^32.
    public internal(set) var serial: UInt64 {
        get { UInt64(shortSerial) }
        set { shortSerial = UInt32(clamping: newValue) }
    }

    /// Milliseconds without its player after which an account that never played goes.
    public static let expiry: Int64 = 7 * 86_400_000
    /// Chips of an account: sums cannot overflow.
    static let mostChips = 1 << 60

    /// An account that its ``Record/account(_:name:isBot:secret:chips:time:)`` has yet to open.
    package init(id: PlayerID, name: String, isBot: Bool, secret: Digest?) {
        (self.id, self.name, self.isBot, self.secret) = (id, name, isBot, secret)
    }

    public var isGuest: Bool { secret == nil }

    /// When the house last gave chips, in milliseconds since 1970.
    public var staked: Int64 { lastRebuy ?? created }

    /// The name under which a server knows the account: a recorded one that is no longer valid becomes `player-ID`.
    public var playerName: PlayerName {
        if let name = try? PlayerName(name) { return name }
        guard let name = try? PlayerName("player-\(id.rawValue % 1_000_000_000_000)") else {
            preconditionFailure("letters, a dash and at most 12 digits are a name")
        }
        return name
    }

    // MARK: Changes

    /// Applies a record of this account; others change nothing.
    /// - Throws: the reason for which it does not fit; nothing has changed then.
    package mutating func apply(_ record: Record) throws(ReplayError.Reason) {
        switch record {
        case .account(_, _, _, _, let chips, let time):
            try add(chips)
            (issued, created, lastSeen) = (chips, time, time)
        case .issued(_, let chips, let reason, let time):
            try add(chips)
            issued &+= chips
            switch reason {
            case .rebuy: lastRebuy = time
            case .credit: mayExpire = false
            }
        case .renamed(_, let name): (self.name, mayExpire) = (name, false)
        case .disabled(_, let isDisabled): (self.isDisabled, mayExpire) = (isDisabled, false)
        case .secret(_, let secret): (self.secret, mayExpire) = (secret, false)
        case .mayExpire:
            if mayExpire { throw .mayExpireAlready(id) }
            mayExpire = true
        case .seen(_, let time): lastSeen = max(lastSeen, time)
        case .owned: mayExpire = false
        default: break
        }
    }

    /// Moves chips between the account and a table: with sitting down and getting up only.
    /// - Throws: the reason for which the fact does not fit; nothing has changed then.
    package mutating func apply(_ fact: Fact, at table: String) throws(ReplayError.Reason) {
        switch fact {
        case .sat(_, _, _, let chips):
            if let seated = self.table, seated != table { throw .accountAtTable(id, table: seated) }
            guard chips >= 0 else { throw .chips(id, chips) }
            try add(-chips)
            self.table = table
        case .left(_, let chips):
            guard self.table == table else { throw .unknownAccount(id) }
            guard chips >= 0 else { throw .chips(id, chips) }
            try add(chips)
            self.table = nil
        default: break
        }
    }

    /// The player has had a hand in a round.
    package mutating func play() { mayExpire = false }

    /// The clock was set back: clamps past times.
    mutating func setBack(to time: Int64) {
        (created, lastSeen, lastRebuy) = (min(created, time), min(lastSeen, time), lastRebuy.map { min($0, time) })
    }

    private mutating func add(_ change: Int) throws(ReplayError.Reason) {
        let (sum, overflow) = chips.addingReportingOverflow(change)
        guard !overflow, (0...Self.mostChips).contains(sum) else { throw .chips(id, change) }
        chips = sum
    }
}

extension Record {
    /// Chips that the bank gives, less those that it takes back. Not those of a ``closed(_:time:)`` account, all of which it takes back.
    package var issuedChips: Int {
        switch self {
        case .account(_, _, _, _, let chips, _), .issued(_, let chips, _, _): chips
        default: 0
        }
    }
}

/// The line of a checkpoint.
extension AccountState: FieldObject {
    static var blank: Self { Self(id: PlayerID(0), name: "", isBot: false, secret: nil) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional("account", &id, absent: PlayerID(0))
        try visitor.required("name", &name)
        try visitor.flag("bot", &isBot)
        try visitor.optional("secret", &secret)
        try visitor.number("chips", &chips)
        try visitor.number("issued", &issued)
        try visitor.flag("disabled", &isDisabled)
        try visitor.time("created", &created)
        // Absent where it is when the account was opened, and in older checkpoints.
        var seen = lastSeen == created ? 0 : lastSeen
        try visitor.time("lastSeen", &seen)
        lastSeen = seen == 0 ? created : seen
        try visitor.flag("mayExpire", &mayExpire)
        try visitor.optional("lastRebuy", &lastRebuy)
        try visitor.optional("table", &table)
        serial = UInt64(try visitor.optional("serial", serial == 0 ? nil : Int(clamping: serial), as: Count.self) ?? 0)
    }
}
