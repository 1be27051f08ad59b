import Rules
import TableModel
import Wire

/// A secret for tests.
let annsSecret: AccountSecret = {
    guard let secret = AccountSecret(String(repeating: "5e", count: AccountSecret.byteCount)) else {
        preconditionFailure("64 digits are a secret")
    }
    return secret
}()

/// A server with one player and one table, as Protocol.md describes it: carries a request out once however
/// often it comes, resumes, keeps a seat while its player is away.
struct ModelServer {
    private struct Account {
        let secret: AccountSecret?
        var isSeated = false
        var chips = 1_000
        var bet: ClientMessage?
        /// By the id of the request.
        var lines: [Int: String] = [:]
    }

    private enum Connection { case none, open, loggedIn, watching }

    let limits: Hello.Limits
    private(set) var epoch = "e1"
    private(set) var revision = 0
    private(set) var chat: [ChatLine] = []
    /// Every change that was carried out.
    private(set) var carriedOut: [ClientMessage] = []
    private var account: Account?
    private var connection = Connection.none
    private var past: [TableSnapshot]
    private var rounds = 0
    private var starts = 0

    init(limits: Hello.Limits = Hello.Limits(requestsPerSecond: 1_000, burst: 1_000)) {
        self.limits = limits
        past = [Self.table(round: 0, chips: nil)]
    }

    var table: TableSnapshot { past[revision] }
    var isSeated: Bool { account?.isSeated ?? false }

    private static func table(round: Int, chips: Int?) -> TableSnapshot {
        let player = chips.map { [TableEntry.player(1, Player(name: "ann", chips: $0))] } ?? []
        return TableSnapshot([.round(round), .phase(.waiting)] + player)
    }

    mutating func connect(at now: Int64) -> [ServerMessage] {
        connection = .open
        return [.hello(Hello(server: "model", time: now, idleSeconds: 900, limits: limits))]
    }

    mutating func disconnect() {
        connection = .none
        // A player who never had a seat is forgotten at once.
        if account?.isSeated == false, account?.chips == 1_000 { account = nil }
    }

    /// Starts with nothing, as after a restart without a journal.
    mutating func restart() {
        let count = starts + 1
        self = ModelServer(limits: limits)
        (starts, epoch) = (count, "again\(count)")
    }

    /// Something that others do.
    mutating func others(say text: String) -> [ServerMessage] {
        let line = ChatLine(sequence: chat.count + 1, name: "bob", text: text, time: 0)
        chat.append(line)
        return connection == .watching ? [.chat(line)] : []
    }

    mutating func othersPlay() -> [ServerMessage] {
        rounds += 1
        return changed()
    }

    private mutating func changed() -> [ServerMessage] {
        let old = table
        past.append(Self.table(round: rounds, chips: isSeated ? account?.chips : nil))
        revision += 1
        return connection == .watching ? [diff(from: revision - 1, old)] : []
    }

    private func diff(from: Int, _ old: TableSnapshot) -> ServerMessage {
        .diff(from: from, to: revision, check: table.check, old.difference(to: table))
    }

    private var snapshot: ServerMessage {
        .snapshot(table: "main", epoch: epoch, revision: revision, table, chat: chat.count)
    }

    mutating func handle(_ request: Request) -> [ServerMessage] {
        guard case .number(let id) = request.id, case .success(let message) = request.message else { return [] }
        switch message {
        case .login(let name, let secret, _, _, _, _): return login(id, message, name, secret)
        case .ping: return [.ok(id: request.id, .ping(time: 0))]
        case .lobby: return [.ok(id: request.id, .lobby(revision: 0, total: 0, []))]
        default: break
        }
        guard connection != .open, account != nil else { return [refusal(id, message, .notLoggedIn)] }
        switch message {
        case .watch(_, _, let known): return watch(id, known)
        case .logout: return [.ok(id: request.id, .done("logout")), .bye(code: "logged_out", message: "Goodbye.")]
        default: return carryOut(id, message)
        }
    }

    private func refusal(_ id: Int, _ message: ClientMessage, _ code: ErrorCode) -> ServerMessage {
        .error(Refusal(id: .number(id), type: message.type, .init(code, "No.")))
    }

    private mutating func login(
        _ id: Int, _ message: ClientMessage, _ name: String, _ secret: AccountSecret?
    ) -> [ServerMessage] {
        if let account, secret == nil || account.secret != secret { return [refusal(id, message, .wrongSecret)] }
        if account == nil { account = Account(secret: secret) }
        connection = .loggedIn
        let reply = LoginReply(name: name, chips: 0, table: isSeated ? "main" : nil, seats: isSeated ? [1] : [])
        return [.ok(id: .number(id), .login(reply))]
    }

    private mutating func watch(_ id: Int, _ known: KnownTable) -> [ServerMessage] {
        connection = .watching
        let isSame = known.epoch == epoch
        let lines = known.chat.map { Array(chat.dropFirst(isSame ? $0 : 0)) } ?? []
        let reply = ServerMessage.ok(
            id: .number(id), .watch(table: "main", CatchUp(epoch: epoch, revision: revision, chat: lines)))
        guard isSame, let from = known.revision else { return [reply, snapshot] }
        guard revision - from <= 3 else { return [reply, diff(from: from, past[from])] }
        return [reply]
            + (from..<revision).map { .diff(from: $0, to: $0 + 1, check: nil, past[$0].difference(to: past[$0 + 1])) }
    }

    private mutating func carryOut(_ id: Int, _ message: ClientMessage) -> [ServerMessage] {
        var news: [ServerMessage] = []
        let reply: Reply
        switch message {
        case .sit:
            let (wasSeated, wasWatching) = (isSeated, connection == .watching)
            account?.isSeated = true
            news = wasSeated ? [] : changed()
            connection = .watching
            if !wasWatching { news = [snapshot] }
            if !wasSeated { carriedOut.append(message) }
            reply = .sit(table: "main", seat: 1, CatchUp(epoch: epoch, revision: revision))
        case .leave:
            connection = .loggedIn
            if isSeated { carriedOut.append(message) }
            account?.isSeated = false
            _ = changed()
            reply = .applied("leave", at: revision)
        case .bet(let amount, _, _):
            guard isSeated else { return [refusal(id, message, .notSeated)] }
            if account?.bet != message {
                account?.chips -= amount
                account?.bet = message
                carriedOut.append(message)
                news = changed()
            }
            reply = .applied("bet", at: revision)
        case .chat(let text, _):
            guard isSeated || connection == .watching else { return [refusal(id, message, .notSeated)] }
            if account?.lines[id] != text {
                account?.lines[id] = text
                carriedOut.append(message)
                news = others(say: text)
            }
            reply = .done("chat")
        default: return [refusal(id, message, .unknownType)]
        }
        return [.ok(id: .number(id), reply)] + news
    }
}
