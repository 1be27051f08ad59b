import Sockets
import Synchronization
import TableEngine
import Wire

/// The shard's state of a connection, from `hello` to its end.
///
/// References are mutual: `account` has this session as its ``Account/session``, and the table of `watching` has it among its viewers.
/// `account` is nil before the login. `loginDeadline` applies until then, and input does not extend it. While `paused` is set, no
/// further line of the connection is handled.
final class Session {
    let sender: any LineSender
    /// Set by the client.
    var options = ConnectionOptions(fair: false, facts: false, pedantic: false, silence: 0)
    let connection: ConnectionID
    /// The logged-in player.
    var account: Account?
    /// The name in the reply to the login, which the player's commitments contain.
    var loginName = ""
    /// Whether the host's secret has opened the account: a house bot, which needs no pass phrase.
    var isHouse = false
    /// The watched table.
    var watching: HostedTable?
    /// Time of the last line, or of the connection's start.
    var heard: Int64
    var followsLobby = false
    /// The remote address; nil for a peer without one.
    let address: IPAddress?
    /// The key of the address's budget; nil for a trusted address.
    let budget: IPAddress?
    /// Milliseconds on the loop's clock.
    var loginDeadline: Int64
    /// Unanswered questions: at most one of each kind.
    var questions: [PlayerQuestion] = []
    /// The line that waits for the registry.
    var paused: PausedLine?
    /// The registry's answer for the line that runs next, and the number of questions asked for it so far.
    var answered: (answer: RegistryQuestion.Answer, asked: Int)?
    /// Whether the next request caused the relay to this server. It is not relayed further.
    var hasJustArrived = false
    /// Prepaid requests.
    @exclusivity(unchecked) var paid = 0
    /// Whether the address was charged for them: not for seated and trusted players.
    var hasPaid = false
    /// Pays for the expensive requests of a seated or trusted player; see ``Shard/ownExtras``.
    var extras = TokenBucket()
    /// Rate limit. No exclusive access checks: one loop, and no access spans a call to foreign code.
    @exclusivity(unchecked) var requests = TokenBucket()
    /// Rate-limited requests since the last accepted one.
    var refusedInARow = 0
    /// Whether the server has closed the connection.
    var isClosing = false
    /// Whether it was closed for a ban by the host.
    var isBanned = false

    /// Name and address of a player who arrives or leaves: operators need both for a ban.
    func logFields(of account: Account) -> LogFields {
        [
            "conn": connection, "name": account.name,
            "address": address.map { "\($0)" } ?? "unknown",
        ]
    }

    init(
        connection: ConnectionID, sender: any LineSender, address: IPAddress?, budget: IPAddress?, heard: Int64,
        loginDeadline: Int64
    ) {
        self.connection = connection
        self.sender = sender
        self.address = address
        self.budget = budget
        self.loginDeadline = loginDeadline
        self.heard = heard
    }

    /// Removes the references between session, account and table.
    func part() {
        account?.session = nil
        (account, watching) = (nil, nil)
    }

    var isPedantic: Bool { options.pedantic == true }
    /// Whether diffs contain facts.
    var wantsFacts: Bool { options.facts == true }
    /// Whether the client takes part in the ceremonies of shoes.
    var contributes: Bool { options.fair == true }
    var isBrief: Bool { options.brief == true }
    /// In milliseconds; 0 for none.
    var silence: Int64 { Int64(options.silence ?? 0) * 1000 }
}

/// A request that waits for the registry.
struct PausedLine {
    /// Maximum number of questions.
    static let questions = 3

    /// nil for a relayed connection before its first line.
    var request: Request?
    /// Questions asked for it so far.
    var asked = 1
    /// Where an account departs to, and its ticket there.
    var destination: (partition: Int, ticket: [UInt8])?
    /// A request that another server received but did not answer. It is refused if the account is claimed back unchanged.
    var refused: Request?
}

/// The line with a background thread's answer, until it is sent.
struct PendingAnswer: ~Copyable, Sendable {
    private let line = Mutex<[UInt8]?>(nil)

    func set(_ answer: [UInt8]) { line.withLock { $0 = answer } }

    /// Removes and returns the answer; nil without one.
    func take() -> [UInt8]? {
        line.withLock { line in
            defer { line = nil }
            return line
        }
    }
}
