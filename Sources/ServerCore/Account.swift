import Operations
import TableEngine
import Wire

/// A known player: chips, table and recent answers. Confined to the loop that has the account.
final class Account {
    let id: PlayerID
    let name: PlayerName
    let isBot: Bool
    /// The secret that a later login shows to resume the account.
    private(set) var token: String
    /// The previous token. Valid until the player's next request proves that the login's answer, with the new one, has arrived.
    private var formerToken: String?
    /// Chips that are not at a table.
    var chips: Int
    /// The chips at registration.
    let firstChips: Int
    /// The table that holds the other chips.
    var table: HostedTable?
    /// The session that acts for the player; nil while they are away.
    var session: Session?
    /// End of the time for which an absent player's seat and chips are kept, in milliseconds.
    var heldUntil: Int64 = 0
    /// The last connection's address; nil for a peer without one.
    var address: IPAddress?
    /// Whether limits on the address apply.
    var isLimited = false
    /// Whether the account is closed as soon as the player has left the table.
    var isExpired = false
    /// No exclusive access checks: one loop, and no access spans a call to foreign code.
    @exclusivity(unchecked) var answers = RecentAnswers()
    /// Results of recent rounds, for `resume`.
    @exclusivity(unchecked) var results = RecentResults()
    /// Rate limit on chat. Kept here, not in the session, so that a new connection does not refill it.
    var chat = TokenBucket()

    init(id: PlayerID, name: PlayerName, token: String, isBot: Bool, chips: Int) {
        self.id = id
        self.name = name
        self.token = token
        self.isBot = isBot
        self.chips = chips
        firstChips = chips
    }

    /// Whether a token opens this account.
    func admits(_ token: String) -> Bool {
        let isCurrent = Secret.isSame(token, self.token)
        return formerToken.map { Secret.isSame(token, $0) || isCurrent } ?? isCurrent
    }

    /// Issues a new token. The one just shown stays valid, so a player recovers from any number of lost answers in a row.
    func changeToken(to fresh: String, from shown: String) {
        formerToken = shown
        token = fresh
    }

    /// Drops the previous token: a request after the login proves that the new one has arrived.
    func confirmToken() { if formerToken != nil { formerToken = nil } }
}
