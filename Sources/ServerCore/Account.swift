import Fairness
import Operations
import TableEngine
import Wire

/// A resident player's account: chips, table and recent answers. Confined to the loop that has it.
final class Account {
    let id: PlayerID
    var name: PlayerName
    let isBot: Bool
    /// SHA-256 of the secret's bytes; nil for a guest, whose account ends with the connection.
    var digest: Digest?
    /// Chips that are not at a table.
    var chips = 0
    /// The chips that the first sit brings.
    let firstChips: Int
    /// Whether the account exists beyond its session: from the player's first sit on.
    var isOpen = false
    /// Time at which the house last gave chips, in milliseconds.
    var stakedAt: Int64 = 0
    /// All chips issued so far, corrections included.
    var issued = 0
    /// Time of the first sit, in milliseconds since 1970.
    var created: Int64 = 0
    /// Time at which the player was here last, in milliseconds since 1970, as recorded.
    var lastSeen: Int64 = 0
    /// See ``SavedAccount/mayExpire``.
    var mayExpire = false
    /// Whether the host refuses its logins.
    var isDisabled = false
    /// The code shown with the login, for the first sit in a closed house.
    var invite: String?
    /// The table that holds the other chips.
    var table: HostedTable?
    /// The session that acts for the player; nil while they are away.
    var session: Session?
    /// End of the time for which an absent player's seat is kept, in milliseconds.
    var heldUntil: Int64 = 0
    /// Whether the player counts as connected since a restart, until ``heldUntil``.
    var isExpected = false
    /// The last connection's address; nil for a peer without one.
    var address: IPAddress?
    /// Whether limits on the address apply.
    var isLimited = false
    /// Whether the player stops being a resident as soon as they have left the table.
    var isExpired = false
    /// No exclusive access checks: one loop, and no access spans a call to foreign code.
    @exclusivity(unchecked) var answers = RecentAnswers()
    /// Results of recent rounds, for `resume`.
    @exclusivity(unchecked) var results = RecentResults()
    /// Rate limit on chat. Kept here, not in the session, so that a new connection does not refill it.
    var chat = TokenBucket()
    /// Rate limit on questions about the past and on charts, kept here for the same reason.
    var questions = TokenBucket()

    /// A new player, whose account is not open yet.
    init(id: PlayerID, name: PlayerName, digest: Digest?, isBot: Bool, firstChips: Int) {
        self.id = id
        self.name = name
        self.digest = digest
        self.isBot = isBot
        self.firstChips = firstChips
    }

    /// A dormant account that becomes resident.
    init(_ account: DormantAccount, name: PlayerName, answers: [RecentAnswers.Entry]) {
        id = account.id
        self.name = name
        digest = account.digest
        isBot = account.isBot
        chips = account.chips
        firstChips = account.chips
        isOpen = true
        stakedAt = account.stakedAt
        (issued, created, lastSeen) = (account.issued, account.created, account.lastSeen.milliseconds)
        mayExpire = account.mayExpire
        isDisabled = account.isDisabled
        self.answers = RecentAnswers(answers)
    }

    var isGuest: Bool { digest == nil }

    /// Chips to show: those that the first sit will bring, before it.
    var shownChips: Int { isOpen ? chips : firstChips }

    /// The account without its player; nil for a guest's and for one that is not open.
    var dormant: DormantAccount? {
        guard isOpen, let digest else { return nil }
        return DormantAccount(
            id: id, name: name.text, chips: chips, digest: digest, stakedAt: stakedAt, issued: issued,
            created: created, isBot: isBot, isDisabled: isDisabled, mayExpire: mayExpire,
            lastSeen: UnixSecond(milliseconds: lastSeen))
    }
}

extension AccountSecret {
    /// The only trace of a secret that the server keeps.
    var digest: Digest { SHA256.hash(bytes) }

    /// Compares digests in a time that does not depend on them.
    func opens(_ digest: Digest) -> Bool {
        zip(self.digest.bytes, digest.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
