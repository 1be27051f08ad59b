import Rules
import TableModel
import Wire

/// Everything that a client knows, all of it from the server.
public struct ClientState: Equatable, Sendable {
    public var link = LinkState.connecting(attempt: 1)
    /// From the last connection that got one.
    public var hello: Hello?
    /// The reply to the last login.
    public var login: LoginReply?
    /// The ranking with which the server has ended the evening; nil before.
    public var standings: Standings?
    /// The player's career at the goodbye; nil before, and without one.
    public var career: LeaderboardEntry?
    /// The table that is followed.
    public var position: TablePosition?
    /// Add it to the local clock for the server's, in milliseconds.
    public var clockOffset: Int64 = 0
    /// When the server was last heard, in milliseconds of the local clock, if it has not answered for ``SessionOptions/answerTime``; else nil.
    public var silentSince: Int64?
    /// Milliseconds from the last ping to its answer, on this connection; nil before the first.
    public var roundTrip: Int64?
    /// Whether the player was sent away from their table, until a table is followed or another connection is lost.
    public var isDismissed = false
    /// Whether a request of the player's own to sit down, to leave or to log out is unanswered, also from a lost connection.
    public var isMoving = false
    /// Whether a line of chat was refused for now, and lines of chat wait to be sent.
    public var isChatDelayed = false
    /// The table as of ``revision``.
    public var snapshot: TableSnapshot?
    /// All rules of the table, once the server has stated them.
    var allRules: TableRules?
    /// The shoes verified so far.
    public package(set) var shoes = ShoeTally()
    package var lobby: [TableSummary] = []
    /// Why the file of accounts can't be used; the session ends with it.
    package var accountFault: String?

    public init() {}

    /// The name of the table followed.
    public var table: String? { position?.table }
    /// The revision of ``snapshot``.
    public var revision: Int { position?.revision ?? 0 }

    /// The seats of this player at the table shown, in order.
    public var seats: [Int] { login.flatMap { login in snapshot?.seats(of: login.name) } ?? [] }

    /// The first of ``seats``.
    public var seat: Int? { seats.first }

    /// The rules of the table shown.
    public var rules: HouseRules? { knownRules?.rules }

    /// Rules of the table shown that this client does not know.
    public var otherRules: [TableRules.Other] { knownRules?.others ?? [] }

    private var knownRules: TableRules? {
        guard let shown = snapshot?.tableRules else { return nil }
        return allRules?.digest == shown.digest ? allRules : shown
    }
}

/// The cause of a ``ClientUpdate``.
public enum ClientEvent: Equatable, Sendable {
    /// The link changed; see `ClientState.link`.
    case link
    case reply(RequestID?, Reply)
    case refused(Refusal)
    /// The table changed, or is shown for the first time.
    case table(TableChange)
    /// A diff did not follow on what is shown: what is missing has been asked for.
    case outOfSync
    /// The server became silent or was heard again; see `ClientState.silentSince`.
    case silence
    /// The server refused a request for now: the client sends it again after `retryAfter`.
    case postponed(Refusal)
    /// The table differs from the server's: a whole one has been asked for.
    case isWrong
    /// The list of tables changed.
    case lobby
    /// A change of the list of tables did not follow: the list has been asked for.
    case lobbyOutOfSync
    case chat(ChatLine)
    /// The host acted on a player at the table.
    case notice(HostNotice)
    case note(String)
    /// The player's last rounds, which were asked for.
    case history(HandHistory)
    /// The expected values of a table's rules, which were asked for.
    case chart(ValueChart)
    /// The worth of a decision or of the next round, which was asked for.
    case value(Valuation)
    case goodbye(code: String, message: String)
    /// No table is followed: it closed, or the player is no longer wanted there.
    case leftTable
    /// Something about the shuffle was found out. The state is that of the event before.
    case shoe(ShoeFinding)
    /// A message without effect: of an unknown type, or contained in a reply that was asked for.
    case skipped
}

/// A state, and the event that led to it: what subscribers of a client get.
public struct ClientUpdate: Equatable, Sendable {
    public var state: ClientState
    public var event: ClientEvent

    public init(state: ClientState, event: ClientEvent) {
        (self.state, self.event) = (state, event)
    }
}
