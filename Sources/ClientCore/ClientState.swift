import Fairness
import Rules
import TableModel
import Wire

/// Everything that a client knows, all of it told by the server. A value: the next state follows from this one and a message.
public struct ClientState: Equatable, Sendable {
    public enum Link: Equatable, Sendable {
        /// The number of the attempt, from 1.
        case connecting(attempt: Int)
        case connected
        case loggedIn
        /// Lost for this reason; another attempt follows.
        case lost(LinkFailure)
        /// Ended for good, for this reason.
        case ended(String)
    }

    public var link = Link.connecting(attempt: 1)
    public var hello: Hello?
    public var login: LoginReply?
    /// The table that is shown.
    public var table: String?
    /// What tells this table from another one of the same name.
    public var epoch: String?
    public var revision = 0
    /// The number of the last line of the table's chat that was seen.
    public var lastChat = 0
    /// The table as of ``revision``.
    public var snapshot: TableSnapshot?
    /// All rules of the table, where what it shows of them could not be completed here.
    public var allRules: TableRules?
    public var lobby: [TableSummary] = []
    /// Of the lobby's list.
    public var lobbyRevision = 0
    /// Whether the table has been asked for anew and has not come yet.
    var isResyncing = false
    /// What to add to the local clock to get the server's, in milliseconds.
    public var clockOffset: Int64 = 0

    public init() {}

    /// The seats of this player at the table shown, in order.
    public var seats: [Int] { login.flatMap { login in snapshot?.seats(of: login.name) } ?? [] }

    /// The rules of the table shown.
    public var rules: HouseRules? { knownRules?.rules }

    /// Rules of the table shown that this client does not know.
    public var otherRules: [TableRules.Other] { knownRules?.others ?? [] }

    private var knownRules: TableRules? {
        guard let shown = snapshot?.tableRules else { return nil }
        return allRules?.digest == shown.digest ? allRules : shown
    }

    /// Whether the digest of the table's rules is not that of the rules as they are known here: a later server has rules or defaults
    /// that this client doesn't.
    var lacksRules: Bool {
        guard let shown = snapshot?.tableRules, allRules?.digest != shown.digest else { return false }
        return SHA256.hash(shown.rules.canonicalText.utf8).hex != shown.digest
    }

    /// The first of ``seats``.
    public var seat: Int? { seats.first }
}

/// What a message brought about.
public enum ClientEvent: Equatable, Sendable {
    /// The link changed; see ``ClientState/link``.
    case link
    case reply(RequestID?, Reply)
    case refused(Refusal)
    /// The table is another one than before, or shown for the first time.
    case table(TableChange)
    /// A diff did not follow on what is shown: what is missing must be asked for.
    case outOfSync
    /// The table is not what the server says that it is: it must be asked for anew.
    case isWrong
    /// The list of tables is another one.
    case lobby
    /// A change of the list of tables did not follow on the one that is known.
    case lobbyOutOfSync
    case chat(ChatLine)
    /// The host has done something to somebody at the table.
    case notice(HostNotice)
    case note(String)
    /// The server asks whether we live, with its time.
    case pinged
    case goodbye(code: String, message: String)
    /// A message that this version does not know.
    case skipped
}

/// A table before and after.
public struct TableChange: Equatable, Sendable {
    public var table: String
    public var revision: Int
    /// nil when the table was not shown before.
    public var old: TableSnapshot?
    public var new: TableSnapshot

    public init(table: String, revision: Int, old: TableSnapshot?, new: TableSnapshot) {
        self.table = table
        self.revision = revision
        self.old = old
        self.new = new
    }
}

/// A state, and the event that led to it: what the client's pipeline emits.
public struct ClientUpdate: Equatable, Sendable {
    public var state: ClientState
    public var event: ClientEvent

    public init(state: ClientState, event: ClientEvent) {
        self.state = state
        self.event = event
    }

    /// The update after a message that arrived at a moment, in milliseconds of the local clock. Pure.
    public func after(_ message: ServerMessage, at now: Int64) -> ClientUpdate {
        var next = state
        let event = next.take(message, at: now)
        return ClientUpdate(state: next, event: event)
    }
}

extension ClientState {
    /// Becomes the state after a message.
    mutating func take(_ message: ServerMessage, at now: Int64) -> ClientEvent {
        switch message {
        case .hello(let hello):
            self.hello = hello
            clockOffset = hello.time - now
            link = .connected
            isResyncing = false
            return .link
        case .ok(let id, let reply): return take(reply, id, at: now)
        case .error(let refusal): return .refused(refusal)
        case .snapshot(let table, let epoch, let revision, let snapshot, let chat):
            if epoch != self.epoch { self.snapshot = nil }
            lastChat = chat
            self.epoch = epoch
            return show(table, revision, snapshot)
        case .diff(let from, let to, let check, let difference):
            guard let table, from == revision, to > from, let next = try? snapshot?.applying(difference) else {
                return resync(.outOfSync)
            }
            guard check == nil || check == next.check else { return resync(.isWrong) }
            return show(table, to, next)
        case .lobby(let change): return follow(change)
        case .chat(let line):
            lastChat = max(lastChat, line.sequence)
            return .chat(line)
        case .notice(let notice): return .notice(notice)
        case .note(let text): return .note(text)
        case .ping: return .pinged
        case .bye(let code, let message): return .goodbye(code: code, message: message)
        case .unknown: return .skipped
        }
    }

    private mutating func take(_ reply: Reply, _ id: RequestID?, at now: Int64) -> ClientEvent {
        switch reply {
        case .login(let login):
            self.login = login
            link = .loggedIn
        case .lobby(let revision, _, let tables):
            lobby = tables
            lobbyRevision = revision
        case .ping(let time): clockOffset = time - now
        case .applied("leave", _):
            table = nil
            epoch = nil
            snapshot = nil
        case .rules(let table, let rules): if table == self.table { allRules = rules }
        case .resume(_, _, let missed):
            isResyncing = false
            for line in missed.chat { lastChat = max(lastChat, line.sequence) }
        default: break
        }
        return .reply(id, reply)
    }

    /// The first diff that does not follow asks for the table anew; those that are still on their way behind it are passed over.
    private mutating func resync(_ event: ClientEvent) -> ClientEvent {
        guard !isResyncing else { return .skipped }
        isResyncing = true
        return event
    }

    private mutating func follow(_ change: LobbyChange) -> ClientEvent {
        guard change.from == lobbyRevision, let next = change.applied(to: lobby) else { return .lobbyOutOfSync }
        lobby = next
        lobbyRevision = change.to
        return .lobby
    }

    private mutating func show(_ table: String, _ revision: Int, _ snapshot: TableSnapshot) -> ClientEvent {
        let old = table == self.table ? self.snapshot : nil
        isResyncing = false
        self.table = table
        self.revision = revision
        self.snapshot = snapshot
        return .table(TableChange(table: table, revision: revision, old: old, new: snapshot))
    }
}
