import Rules
import TableModel
import Wire

/// Everything that a client knows, all of it from the server.
///
/// The members of ``session`` are members of the state too: `state.link`, `state.login`, `state.position`.
@dynamicMemberLookup
public struct ClientState: Equatable, Sendable {
    public typealias Link = LinkState

    /// Connection, player and position.
    public var session = SessionStatus()
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

    public subscript<Member>(dynamicMember member: WritableKeyPath<SessionStatus, Member>) -> Member {
        get { session[keyPath: member] }
        set { session[keyPath: member] = newValue }
    }

    /// The name of the table followed.
    public var table: String? { session.position?.table }
    /// The revision of ``snapshot``.
    public var revision: Int { session.position?.revision ?? 0 }

    /// The seats of this player at the table shown, in order.
    public var seats: [Int] { session.login.flatMap { login in snapshot?.seats(of: login.name) } ?? [] }

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
