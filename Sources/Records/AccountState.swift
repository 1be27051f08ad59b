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
    /// The time of the last hand, in milliseconds since 1970; when the account was opened before the first.
    public internal(set) var lastPlayed: Int64 = 0
    /// The time of the last rebuy, in milliseconds since 1970; nil before the first.
    public internal(set) var lastRebuy: Int64? {
        get { rebuyTime == .min ? nil : rebuyTime }
        set { rebuyTime = newValue ?? .min }
    }
    // 184 bytes for an account: without the optional's own byte, and in this order, the serial takes no room.
    private var rebuyTime = Int64.min
    /// The rounds played since careers are counted; empty for guests and the house's own bots.
    public internal(set) var career = Career()
    private var shortSerial: UInt32 = 0
    /// The SHA-256 of the secret; nil for a guest, whose account ends with the connection.
    public internal(set) var secret: Digest?
    public internal(set) var isBot: Bool
    /// Whether the host refuses its logins.
    public internal(set) var isDisabled = false
    /// Hands dealt to the player, up to ``established``. A change by the host, or owning a table, counts as that many.
    var hands: UInt8 = 0
    /// That of the account's row in a registry when the account came here; 0 for one that was opened here. Below 2^32.
    public internal(set) var serial: UInt64 {
        get { UInt64(shortSerial) }
        set { shortSerial = UInt32(clamping: newValue) }
    }

    /// Hands after which an account makes no room for another.
    static let established: UInt8 = 10
    /// Chips of an account: sums cannot overflow.
    static let mostChips = 1 << 60

    /// An account that its ``Record/account(_:name:isBot:secret:chips:time:)`` has yet to open.
    package init(id: PlayerID, name: String, isBot: Bool, secret: Digest?) {
        (self.id, self.name, self.isBot, self.secret) = (id, name, isBot, secret)
    }

    public var isGuest: Bool { secret == nil }

    /// Whether the account outlives its player's stay: a guest's never does, another one from the first hand on.
    package var lasts: Bool { !isGuest && hands > 0 }

    /// Whether the account makes room where there are too many.
    package var isReplaceable: Bool { lasts && hands < Self.established }

    /// The name under which a server knows the account: a recorded one that is no longer valid becomes `player-ID`.
    public var playerName: PlayerName {
        if let name = try? PlayerName(name) { return name }
        guard let name = try? PlayerName("player-\(id.rawValue % 1_000_000_000_000)") else {
            preconditionFailure("letters, a dash and at most 12 digits are a name")
        }
        return name
    }

    /// nil for a bot, which no match ranks.
    package var personName: String? { isBot ? nil : playerName.text }

    // MARK: Changes

    /// Applies a record of this account; others change nothing.
    /// - Throws: the reason for which it does not fit; nothing has changed then.
    package mutating func apply(_ record: Record) throws(ReplayError.Reason) {
        switch record {
        case .account(_, _, _, _, let chips, let time):
            try add(chips)
            (issued, created, lastPlayed) = (chips, time, time)
        case .issued(_, let chips, let reason, let time):
            try add(chips)
            issued &+= chips
            if reason == .rebuy { lastRebuy = time } else { hands = Self.established }
        case .renamed(_, let name): (self.name, hands) = (name, Self.established)
        case .disabled(_, let isDisabled): (self.isDisabled, hands) = (isDisabled, Self.established)
        case .secret(_, let secret): (self.secret, hands) = (secret, Self.established)
        case .owned: hands = Self.established
        // Of no account, or of one that comes, goes or is closed: its holder knows what to do.
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
        // Moves no chips between account and table.
        default: break
        }
    }

    /// The player was dealt a hand.
    package mutating func play(at time: Int64) {
        hands = min(hands + 1, Self.established)
        lastPlayed = max(lastPlayed, time)
    }

    /// A round has ended with a hand of the player.
    package mutating func count(_ round: PlayerRound, at time: Int64) {
        guard !isGuest, !isBot || !name.hasPrefix("house-") && !name.hasPrefix("house ") else { return }
        career.count(hands: round.hands, blackjacks: round.blackjacks, staked: round.staked, net: round.net, at: time)
    }

    /// A match with a round of the player is over. Nobody wins alone.
    package mutating func count(_ match: Evening.Match) {
        guard !isGuest, let first = match.scores.first, let own = match.scores.first(where: { $0.player == id }) else { return }
        career.count(matchWon: match.scores.count > 1 && own.entry.net == first.entry.net)
    }

    /// The clock was set back: clamps past times.
    mutating func setBack(to time: Int64) {
        (created, lastPlayed, lastRebuy) = (min(created, time), min(lastPlayed, time), lastRebuy.map { min($0, time) })
        career.setBack(to: time)
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
        // Gives no chips.
        default: 0
        }
    }
}

/// The line of a checkpoint.
extension AccountState: FieldObject {
    static var blank: Self { Self(id: PlayerID(0), name: "", isBot: false, secret: nil) }

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional("account", &id, absent: PlayerID(0))
        try visitor.required("name", &name)
        try visitor.flag("bot", &isBot)
        secret = try visitor.optional("secret", secret, as: Secret<Digest>.self)
        try visitor.number("chips", &chips)
        try visitor.number("issued", &issued)
        try visitor.flag("disabled", &isDisabled)
        try visitor.time("created", &created)
        // Absent where it is when the account was opened.
        var played = lastPlayed == created ? 0 : lastPlayed
        try visitor.time("lastPlayed", &played)
        lastPlayed = played == 0 ? created : played
        var dealt = Int(hands)
        try visitor.number("hands", &dealt)
        hands = min(UInt8(clamping: dealt), Self.established)
        try visitor.optional("lastRebuy", &lastRebuy)
        try visitor.optional("table", &table)
        serial = UInt64(try visitor.optional("serial", serial == 0 ? nil : Int(clamping: serial), as: Count.self) ?? 0)
        let numbers = try visitor.optional("career", career.rounds == 0 ? nil : savedCareer, as: Counters.self)
        if let numbers { savedCareer = numbers } else { career = Career() }
    }
}

extension AccountState {
    /// ``Career/numbers``, shorter: hands beyond one a round, the best minute since the account was opened, no zeros at the end. With them whole,
    /// a checkpoint of accounts with a thousand rounds each grows by a third.
    private var savedCareer: [Int] {
        get {
            var numbers = career.numbers
            numbers[1] -= numbers[0]
            if numbers[7] > 0 { numbers[8] = numbers[8] / 60_000 - Int(created) / 60_000 }
            while numbers.last == 0 { numbers.removeLast() }
            return numbers
        }
        set {
            // Drops the counters of a later version.
            var numbers = newValue.prefix(13) + Array(repeating: 0, count: max(0, 13 - newValue.count))
            numbers[1] += numbers[0]
            let minute = min(max(0, numbers[8] + Int(created) / 60_000), (1 << 53) / 60_000)
            numbers[8] = numbers[7] > 0 ? minute * 60_000 : 0
            career.numbers = Array(numbers)
        }
    }
}

/// The counters of a career, of any length.
private enum Counters: FieldForm {
    private static let range = -(1 << 53)...1 << 53

    static func read(_ value: JSONValue) throws(JSONError) -> [Int] {
        var list = try value.array()
        return try list.map { number throws(JSONError) in try number.integer(in: range) }
    }

    static func write(_ value: [Int], to writer: inout JSONWriter) {
        writer.beginArray()
        for number in value { writer.integer(number) }
        writer.endArray()
    }
}
