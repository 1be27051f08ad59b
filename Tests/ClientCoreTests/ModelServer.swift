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

/// A server with one player and one table, as Protocol.md describes it: remembers answers, resumes, keeps a seat while its player is away.
struct ModelServer {
    private struct Account {
        let secret: AccountSecret?
        var isSeated = false
        var chips = 1_000
        var remembered: [Int: (message: ClientMessage, reply: Reply)] = [:]
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
        let sections: [(TableSection, [TableEntry])] = [
            (.table, [.round(round), .phase(.waiting)]), (.dealer, []), (.seat(1), player),
        ]
        guard let table = try? TableSnapshot(sections) else { preconditionFailure("every identifier is there once") }
        return table
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
        if message.changesSomething, let known = account?.remembered[id], connection != .open {
            guard known.message == message else { return [refusal(id, message, .stale)] }
            return [.ok(id: request.id, known.reply)]
        }
        switch message {
        case .login(let name, let secret, _, _, _, _, _): return login(id, message, name, secret)
        case .ping: return [.ok(id: request.id, .ping(time: 0))]
        case .lobby: return [.ok(id: request.id, .lobby(revision: 0, total: 0, []))]
        default: break
        }
        guard connection != .open, account != nil else { return [refusal(id, message, .notLoggedIn)] }
        switch message {
        case .watch:
            connection = .watching
            return [.ok(id: request.id, .watch(table: "main")), snapshot]
        case .resume(_, let epoch, let revision, let chat, _): return resume(id, epoch, revision, chat ?? 0)
        case .logout: return [.ok(id: request.id, .done("logout")), .bye(code: "logged_out", message: "Goodbye.")]
        default: return carryOut(id, message)
        }
    }

    private func refusal(_ id: Int, _ message: ClientMessage, _ code: ErrorCode) -> ServerMessage {
        .error(Refusal(id: .number(id), type: message.type, code, message: "No."))
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

    private mutating func resume(_ id: Int, _ epoch: String, _ from: Int, _ heard: Int) -> [ServerMessage] {
        connection = .watching
        let isSame = epoch == self.epoch
        let lines = isSame ? Array(chat.dropFirst(heard)) : chat
        let way: Resumption = !isSame ? .snapshot : from == revision ? .nothing : revision - from > 3 ? .diff : .diffs
        let reply = ServerMessage.ok(id: .number(id), .resume(table: "main", with: way, Missed(chat: lines)))
        switch way {
        case .nothing: return [reply]
        case .snapshot: return [reply, snapshot]
        case .diff: return [reply, diff(from: from, past[from])]
        case .diffs:
            return [reply]
                + (from..<revision).map { .diff(from: $0, to: $0 + 1, check: nil, past[$0].difference(to: past[$0 + 1])) }
        }
    }

    private mutating func carryOut(_ id: Int, _ message: ClientMessage) -> [ServerMessage] {
        var news: [ServerMessage] = []
        let reply: Reply
        switch message {
        case .sit:
            guard !isSeated else { return [refusal(id, message, .tooManySeats)] }
            account?.isSeated = true
            let wasWatching = connection == .watching
            news = changed()
            connection = .watching
            if !wasWatching { news = [snapshot] }
            reply = .sit(table: "main", seat: 1, at: revision)
        case .leave:
            guard isSeated else { return [refusal(id, message, .notAtTable)] }
            account?.isSeated = false
            connection = .loggedIn
            news = changed()
            reply = .applied("leave", at: revision)
        case .bet(let amount, _, _):
            guard isSeated else { return [refusal(id, message, .notSeated)] }
            account?.chips -= amount
            news = changed()
            reply = .applied("bet", at: revision)
        case .chat(let text):
            guard isSeated || connection == .watching else { return [refusal(id, message, .notAtTable)] }
            news = others(say: text)
            reply = .done("chat")
        default: return [refusal(id, message, .unknownType)]
        }
        carriedOut.append(message)
        account?.remembered[id] = (message, reply)
        return [.ok(id: .number(id), reply)] + news
    }
}
