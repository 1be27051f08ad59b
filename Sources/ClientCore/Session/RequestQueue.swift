import Sockets
import Wire

/// Requests without a final answer, oldest first. Each keeps its id and its content, so that sending it again does nothing twice.
///
/// A request that changes something outlives a lost connection and is sent again once the table has been shown. Of several only the newest of a
/// kind goes: a later bet on a seat replaces the former one, a `sitOut` the contrary one, getting up all that was meant at the table. Changes
/// keep their order; questions fail with the connection.
struct RequestQueue: Sendable {
    enum Delivery: Equatable, Sendable {
        case sent
        /// To be sent, not before this time in milliseconds.
        case waiting(notBefore: Int64)
    }

    enum Owner: Equatable, Sendable { case session, caller, shoes }

    struct Entry: Sendable {
        let id: Int
        let message: ClientMessage
        let owner: Owner
        /// The table that was shown when it was submitted, for one that is about a table.
        var table: String?
        var delivery = Delivery.waiting(notBefore: .min)
        /// Whether it was sent before: its first sending may have had its effect.
        var isResent = false
    }

    /// The next request to send, or the time to wait.
    enum Next {
        case request(Entry)
        /// Nothing before this time.
        case wait(until: Int64)
        case nothing
    }

    /// Bounds the memory of a session whose server does not answer.
    static let limit = 64

    private(set) var entries: [Entry] = []
    /// Requests that were sent and taken out before their answer, newest last.
    private var abandoned: [Entry] = []
    private static let mostAbandoned = 16
    /// Whether a line of chat was refused for now; until no line is left.
    private(set) var isChatDelayed = false

    var isFull: Bool { entries.count >= Self.limit }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Takes an answered request out; nil if it is not known.
    mutating func remove(_ id: Int) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        defer { noteRemoval() }
        return entries.remove(at: index)
    }

    /// Takes out every request that fits, oldest first.
    mutating func removeAll(where fits: (Entry) -> Bool) -> [Entry] {
        let removed = entries.filter(fits)
        if !removed.isEmpty {
            entries.removeAll(where: fits)
            abandoned = Array((abandoned + removed.filter { $0.delivery == .sent }).suffix(Self.mostAbandoned))
        }
        noteRemoval()
        return removed
    }

    private mutating func noteRemoval() {
        if isChatDelayed { isChatDelayed = entries.contains { $0.message.effect == .chat } }
    }

    /// Marks a request to be sent again.
    /// - Returns: nil if it is not known.
    mutating func postpone(_ id: Int, until time: Int64) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        entries[index].delivery = .waiting(notBefore: time)
        if entries[index].message.effect == .chat { isChatDelayed = true }
        return entries[index]
    }

    /// Marks everything to be sent again, on the next connection.
    mutating func postponeAll() {
        for index in entries.indices {
            if entries[index].delivery == .sent { entries[index].isResent = true }
            entries[index].delivery = .waiting(notBefore: .min)
        }
    }

    /// Whether a later request takes its place: sent again, it would undo that one.
    func isReplaced(_ entry: Entry) -> Bool { entries.contains { $0.id > entry.id && $0.replaces(entry) } }

    /// A request that was sent and taken out before its answer; nil for any other.
    func abandoned(_ id: RequestID?) -> ClientMessage? {
        guard case .number(let number) = id else { return nil }
        return abandoned.last { $0.id == number }?.message
    }

    /// As in ``ClientState/isMoving``.
    var isMoving: Bool {
        entries.contains { entry in
            guard entry.owner == .caller else { return false }
            switch entry.message {
            case .sit, .leave, .logout: return true
            // The player stays.
            default: return false
            }
        }
    }

    func contains(type: String) -> Bool { entries.contains { $0.message.type == type } }

    /// Marks the oldest request that may be sent as sent. A change that waits holds every later one; a line of chat holds chat alone, since
    /// it waits for seconds, and a decision has no more.
    mutating func next(at now: Int64, isHeld: (ClientMessage) -> Bool, budget: inout RequestBudget) -> Next {
        var (isBlocked, isSilent) = (false, false)
        var wake: Int64?
        for index in entries.indices {
            let entry = entries[index]
            guard case .waiting(let time) = entry.delivery, !isBlocked || !entry.message.changesSomething else { continue }
            let isChat = entry.message.effect == .chat
            if isHeld(entry.message) || isChat && isSilent { continue }
            guard time <= now else {
                if isChat { isSilent = true } else { isBlocked = isBlocked || entry.message.changesSomething }
                wake = min(wake ?? .max, time)
                continue
            }
            if let later = budget.take(at: now) { return .wait(until: min(wake ?? .max, later)) }
            entries[index].delivery = .sent
            return .request(entry)
        }
        return wake.map(Next.wait) ?? .nothing
    }
}

extension RequestQueue.Entry {
    /// Whether it says last what an earlier request of its kind said otherwise.
    fileprivate func replaces(_ former: Self) -> Bool {
        switch (message, former.message) {
        case (.bet(_, let seat, _), .bet(_, let formerSeat, _)), (.act(_, let seat, _, _, _), .act(_, let formerSeat, _, _, _)):
            seat == formerSeat
        case (.pass, .pass), (.match, .match), (.leave, .sit): true
        case (.pause(let isOn, _), .pause(let wasOn, _)): isOn != wasOn
        case (.sitOut(let isOut), .sitOut(let wasOut)): isOut != wasOut
        case (.sit(let table, let seat, _, _), .sit(let formerTable, let formerSeat, _, _)):
            table != formerTable || seat == formerSeat
        case (.sit(let table?, _, _, _), .leave): former.table ?? table == table
        case (.sit, .leave): true
        case (.leave, _): former.message.mayNameTable
        case (.kick(let player, let minutes), .kick(let formerPlayer, let formerMinutes)):
            player == formerPlayer && minutes != formerMinutes
        default: false
        }
    }
}

extension ClientMessage {
    /// The pass phrase in a request that names one.
    var pass: String? {
        switch self {
        case .sit(_, _, let pass, _), .watch(_, let pass, _): pass
        // Enters no table.
        default: nil
        }
    }

    /// Whether it is a `login` under this name or another spelling of it.
    func isLogin(of name: String) -> Bool {
        if case .login(let asked, _, _, _, _, _) = self { PlayerName.areOfOnePlayer(asked, name) } else { false }
    }

    /// Whether it is a `leave`.
    var isLeave: Bool { if case .leave = self { true } else { false } }

    /// The table in a reply that answers it; nil for a reply to something else. A request without a name takes any table.
    func table(in reply: Reply) -> String? {
        let (asked, given): (String?, String)
        switch (self, reply) {
        case (.sit(let name, _, _, _), .sit(let table, _, _, _)): (asked, given) = (name, table)
        case (.watch(let name, _, _), .watch(let table, _)): (asked, given) = (name, table)
        default: return nil
        }
        return asked == nil || asked?.lowercased() == given.lowercased() ? given : nil
    }

    /// Whether it asks for the state of a table.
    var asksForTheTable: Bool { if case .watch = self { true } else { false } }

    /// Whether a server refuses it before a login (Protocol.md, `not_logged_in`).
    var needsLogin: Bool { !Self.typesWithoutLogin.contains(type) }

    private static let typesWithoutLogin = Set(Catalog.requests.filter { $0.need == .connection }.map(\.type))
}

/// The limits in `hello`: an ordinary session is not refused with `rate_limited`.
struct RequestBudget: Equatable, Sendable {
    private let limit: RateLimit
    private var bucket = TokenBucket()

    init(_ limits: Hello.Limits) {
        // One in reserve: the server's bucket may be one request behind ours.
        limit = .perSecond(limits.requestsPerSecond, burst: limits.burst - 1)
    }

    /// Takes one request out.
    /// - Parameter now: milliseconds.
    /// - Returns: nil if it may be sent, otherwise the time at which it may.
    mutating func take(at now: Int64) -> Int64? {
        if case .refused(let wait) = bucket.take(of: limit, at: now) { now + wait } else { nil }
    }
}
