import Operations
import TableEngine
import Wire

/// A player that the shard knows: chips, where he is, and what was answered to him last. Confined to the loop that is the player's home.
final class Account {
    let id: PlayerID
    let name: PlayerName
    let isBot: Bool
    /// What a later connection shows to take the player over.
    private(set) var token: String
    /// The token that the last login showed, good until the player has shown that the answer has arrived: it may have been lost.
    private var formerToken: String?
    /// Chips that are not at a table.
    var chips: Int
    /// What the player began with.
    let firstChips: Int
    /// The table that has the rest of the chips.
    var table: HostedTable?
    /// The session that speaks for the player; nil while he is away.
    var session: Session?
    /// Until when seat and chips are kept for a player who is away.
    var heldUntil: Int64 = 0
    /// Where the last connection came from; nil for a peer without an address.
    var address: IPAddress?
    /// Whether the address is limited in what it keeps.
    var isLimited = false
    /// Whether he was away for too long: he is forgotten as soon as he is at no table.
    var isExpired = false
    /// Not checked for exclusive access: on one loop, and they call nothing.
    @exclusivity(unchecked) var answers = RecentAnswers()
    /// What became of his bets, for when he comes back.
    @exclusivity(unchecked) var results = RecentResults()
    /// What he may say in the chat. It is the player's, not the connection's: a new connection brings no new words.
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

    /// The next login needs another token, or the one that this login has shown, which is what the player has for sure: however many answers
    /// are lost in a row.
    func changeToken(to fresh: String, from shown: String) {
        formerToken = shown
        token = fresh
    }

    /// The player has said something after his login: he has got the new token.
    func confirmToken() { if formerToken != nil { formerToken = nil } }
}
