import Operations
import TableEngine
import Wire

/// What the shard knows of a connection. Confined to the loop that the connection is on; it moves along when that changes.
final class Session {
    /// The way to the peer, from the loop that it is on now.
    var sender: any LineSender
    /// What it has asked for.
    var wantsCheck = false
    var isVerbose = false
    var isPedantic = false
    let connection: ConnectionID
    /// Who has logged in.
    var account: Account?
    /// The table watched.
    var watching: HostedTable?
    /// When a line last came from it, or when it connected.
    var heard: Int64
    /// Milliseconds; 0 for never.
    var heartbeat: Int64 = 0
    /// When the server last asked whether it lives, if that was not answered yet.
    var pinged: Int64?
    var followsLobby = false
    /// Where it comes from; nil for a peer without an address.
    let address: IPAddress?
    /// What the address's budgets are kept under; nil for a trusted one.
    let budget: IPAddress?
    /// Until when somebody has to log in, on whichever loop it is by then, in milliseconds.
    let loginDeadline: Int64
    /// Requests that the address has paid for in advance.
    @exclusivity(unchecked) var paid = 0
    /// Whether they were paid for at all: the seated and the trusted ask for free.
    var hasPaid = false
    /// What it may send. Not checked for exclusive access: on one loop, and a bucket calls nothing.
    @exclusivity(unchecked) var requests = TokenBucket()
    /// Requests refused for coming too fast, since one was taken.
    var refusedInARow = 0
    /// Why we have closed it, if we have.
    var goodbye: DisconnectReason?

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

    var options: ConnectionOptions {
        ConnectionOptions(check: wantsCheck, verbose: isVerbose, pedantic: isPedantic, heartbeat: Int(heartbeat / 1000))
    }
}
