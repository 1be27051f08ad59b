import Rules
import TableModel
import Wire

/// Everything that a server told one player, and the requests that it may or may not have carried out.
struct PlayerMemory: Sendable {
    enum Answer: Equatable, Sendable {
        case ok(Reply)
        case refused(Refusal)

        /// The line of this answer.
        func text(_ id: RequestID?) -> String {
            let message: ServerMessage =
                switch self {
                case .ok(let reply): .ok(id: id, reply)
                case .refused(let refusal): .error(refusal)
                }
            return String(decoding: message.encoded().dropLast(), as: UTF8.self)
        }

    }

    /// The revision at which a table shows the effect of a request.
    struct TableRevision: Equatable, Sendable {
        var number: Int
        /// nil before the player is shown which one it is.
        var epoch: String?

        func isAhead(of revision: Int, inEpoch epoch: String) -> Bool { (self.epoch ?? epoch) == epoch && number > revision }
    }

    /// A request that was carried out, and the revision that shows its effect.
    struct Applied: Sendable {
        var message: ClientMessage
        var revision: TableRevision
    }

    struct Seating: Equatable, Sendable {
        /// Whether the player has left or logged out; a hand in play keeps the seat until its end.
        enum Ending: Equatable, Sendable { case no, possible, certain }

        var table: String
        var seats: Set<Int>
        var ending = Ending.no
        /// Seats of before a leave, which a later `sit` has taken back if a hand was in play.
        var kept: Set<Int> = []
        /// Whether a new reply or the player's own view told of it. A login, a repeated reply or another player's view may be of another time
        /// than the table's last revision: that is not held against the server.
        var isCertain = true
    }

    /// The table as this player was shown it.
    struct View: Sendable {
        var table: String
        var epoch: String
        var revision: Int
        var snapshot: TableSnapshot
    }

    /// A removal by the host, which ends the connection: whether the player's next login is certainly later.
    enum Kick: Sendable { case none, underWay, over }

    let name: String
    var kick = Kick.none
    /// Requests of this connection without a reply, oldest first.
    var pending: [Request] = []
    /// Requests of earlier connections without a reply, oldest first: the server has carried out the first few of them, or none.
    var unanswered: [Request] = []
    /// The last requests that were carried out at a table, oldest first.
    var answers: [Applied] = []
    /// Of the requests that were answered with `ok`, the newest of each kind, oldest first: sent again, none changes anything.
    var fulfilled: [Request] = []
    var ledger = RequestLedger()
    /// When each of ``pending`` was sent.
    var times: [Int64] = []
    /// nil for a player without a seat.
    var seating: Seating?
    /// A seating that other players saw end while a login was under way, whose reply may still have it.
    var formerSeating: Seating?
    /// The table of a `sit` that was sent again and granted, until the player's own view of it comes: the reply may be of the past.
    var granted: String?
    /// Chips in the account and at the table, bets included, as far as they are known.
    var worth: ClosedRange<Int>
    var isLoggedIn = false
    /// Whether a table was promised and has not come.
    var awaitsSnapshot = false
    /// Whether the player was shown with a hand: before, nothing is kept beyond the connection and the seat.
    var hasPlayed = false
    var view: View?
    /// Whether a table of another server was refused. The player may have been moved there, so the view may get no further diffs.
    var mayWatchNothing = false
    /// The view of the last connection, which a `watch` may continue.
    var lastView: View?
    /// The revision that this connection's last `watch` or `sit` leads to: it has the effects of requests of earlier connections.
    var caughtUp: TableRevision?
    /// Whether a `watch` was answered after a snapshot had come: its diffs may be older.
    var mayRepeatDiffs = false
    /// The table of the last view, for answers after the view has ended.
    var lastEpoch: String?
    /// The revisions of the last successful requests, newest last.
    var applied: [TableRevision] = []

    init(name: String, chips: Int) {
        self.name = name
        worth = chips...chips
    }

    /// Requests that may have had an unseen effect.
    var open: [ClientMessage] {
        // A request that is sent again is among the unanswered ones, too.
        let fresh = pending.filter { sent in
            !unanswered.contains { $0.id == sent.id && sent.id != nil } && !(isFulfilled(sent) && sent.type == "act")
        }
        return (unanswered + fresh).compactMap { try? $0.message.get() }
    }

    func isFulfilled(_ request: Request) -> Bool { fulfilled.contains { $0.id == request.id && $0.id != nil } }

    /// Requests of earlier connections to be sent again: of those without an answer the newest of a kind.
    var wanted: [Request] {
        unanswered.enumerated().filter { index, request in !unanswered[(index + 1)...].contains { $0.replaces(request) } }.map(
            \.element)
    }

    /// Takes note of a request that was carried out.
    mutating func fulfill(_ request: Request) {
        fulfilled.removeAll { $0.id == request.id || request.replaces($0) }
        if request.type != "login", request.type != "logout" { fulfilled.append(request) }
        if fulfilled.count > 16 { fulfilled.removeFirst() }
    }

    /// A request with the table that it means, for sending it again.
    func naming(_ request: Request) -> Request {
        guard case .success(let message) = request.message, message.mayNameTable, request.table == nil else { return request }
        let way: String? = pending.reversed().lazy.compactMap {
            switch $0.message {
            case .success(.sit(let table?, _, _, _)), .success(.watch(let table?, _, _)): table
            default: nil
            }
        }.first
        let seat = seating.flatMap { $0.ending == .no ? $0.table : nil }
        return Request(id: request.id, message, at: way ?? granted ?? seat ?? view?.table ?? seating?.table)
    }

    var mayBeSitting: Bool { granted != nil || open.contains { if case .sit = $0 { true } else { false } } }

    var mayBeLeaving: Bool {
        kick != .none || seating.map { $0.ending != .no } ?? false || open.contains { $0 == .leave || $0 == .logout }
    }

    /// Whether a request may have changed this player's bets or hands after a revision.
    func mayHaveMoved(after revision: Int, inEpoch epoch: String) -> Bool {
        mayBeLeaving || open.contains(where: \.movesChips) || applied.contains { $0.isAhead(of: revision, inEpoch: epoch) }
    }

    /// Whether a decision may have been carried out after a revision.
    /// - Parameter shown: the epochs of which a revision was shown.
    func mayHaveActed(after revision: Int, inEpoch epoch: String, shown: Set<String>) -> Bool {
        let isOpen = open.contains { if case .act = $0 { true } else { false } }
        return isOpen || applied.contains { Self.isUnseen($0, after: revision, inEpoch: epoch, shown: shown) }
    }

    /// Whether a revision of which a reply told is later than the one that was shown of an epoch, or of an epoch of which none was.
    private static func isUnseen(_ told: TableRevision, after revision: Int, inEpoch epoch: String, shown: Set<String>) -> Bool {
        told.epoch == epoch ? told.number > revision : told.epoch.map { !shown.contains($0) } ?? true
    }

    /// Whether a reply told of a later revision than a view.
    func isAhead(of view: View) -> Bool { applied.contains { $0.isAhead(of: view.revision, inEpoch: view.epoch) } }

    /// A bound on the chips at stake, unseen acts included: each at most doubles the bets.
    func stake(_ bets: Int) -> Int {
        open.reduce(applied.isEmpty ? bets : 2 * bets) { sum, message in if case .act = message { sum + bets } else { sum } }
    }

    /// Bets that may lie on the table although no revision was shown that has them: the unanswered ones, and those answered with a later one.
    /// - Parameter shown: the epochs of which a revision was shown.
    func unseenBets(after revision: Int, inEpoch epoch: String, shown: Set<String>) -> Int {
        let answered = answers.reduce(0) { sum, known in
            guard Self.isUnseen(known.revision, after: revision, inEpoch: epoch, shown: shown),
                case .bet(let amount, _, _) = known.message
            else { return sum }
            return sum + amount
        }
        return open.reduce(answered) { sum, message in
            if case .bet(let amount, _, _) = message { sum + amount } else { sum }
        }
    }

    /// The player was shown a table that has the effects of which replies told before any was shown.
    mutating func see(_ shown: TableRevision) {
        func placed(_ told: TableRevision) -> TableRevision {
            TableRevision(number: told.number == .max ? shown.number : told.number, epoch: told.epoch ?? shown.epoch)
        }
        applied = applied.map(placed)
        for index in answers.indices { answers[index].revision = placed(answers[index].revision) }
    }

    mutating func remember(_ message: ClientMessage, _ revision: TableRevision) {
        (applied, answers) = (
            applied.suffix(7) + [revision], answers.suffix(15) + [Applied(message: message, revision: revision)]
        )
    }
}

extension ClientMessage {
    /// Whether it may change bets, cards, a seat or a presence.
    var movesChips: Bool { effect == .play || self == .logout }
}

extension Request {
    /// Whether it says last what an earlier request of its kind said otherwise. A seat that is given up ends all that was meant there.
    func replaces(_ former: Request) -> Bool {
        guard case .success(let message) = message, case .success(let other) = former.message else { return false }
        switch (message, other) {
        case (.bet(_, let seat, _), .bet(_, let formerSeat, _)): return seat == formerSeat
        case (.sitOut(let isOut), .sitOut(let wasOut)): return isOut != wasOut
        case (.sit, .sit), (.sit, .leave): return true
        case (.commit(let server, _), .commit(let formerServer, _)): return server == formerServer
        case (.leave, _), (.logout, _): return other.effect == .play
        case (.kick(let player, let minutes), .kick(let formerPlayer, let formerMinutes)):
            return player == formerPlayer && minutes != formerMinutes
        default: return false
        }
    }

    /// The request's line.
    var text: String { String(decoding: encoded().dropLast(), as: UTF8.self) }
}

/// A line of the server's that says more than its message, or that names a card outside a table: ways in which a hidden card could get out.
package enum LineFault: Error, Equatable, CustomStringConvertible, Sendable {
    /// The line differs from the one that its message is written as: another order, spelling or member.
    case moreThanItsMessage
    /// A card's face in a message that shows no table, shoe or past round.
    case card(String)

    package var description: String {
        switch self {
        case .moreThanItsMessage: "a line that is not the encoding of its message"
        case .card(let face): "the card \(face) in a message without cards"
        }
    }

    /// Judges a line without its end, and the message that it was read as.
    package init?(_ line: UnsafeBufferPointer<UInt8>, _ message: ServerMessage) {
        let written = message.encoded()
        guard written.count == line.count + 1, written.dropLast().elementsEqual(line) else {
            self = .moreThanItsMessage
            return
        }
        switch message {
        // Their cards are judged as cards.
        case .snapshot, .diff, .history, .ok(_, .proof): return nil
        // Has no card.
        default: break
        }
        guard let face = Self.face(in: line) else { return nil }
        self = .card(face)
    }

    /// The first rank and suit that stand alone, such as `10H`, `TH` or `KS`.
    private static func face(in line: UnsafeBufferPointer<UInt8>) -> String? {
        let (ranks, suits) = (Array("A23456789TJQK0".utf8), Array("CDHS".utf8))
        for place in line.indices.dropLast() where suits.contains(line[place + 1]) && ranks.contains(line[place]) {
            let isTen = line[place] == UInt8(ascii: "0")
            let start = isTen ? place - 1 : place
            guard !isTen || start >= 0 && line[start] == UInt8(ascii: "1") else { continue }
            let isFree = (start == 0 || !line[start - 1].isWordByte) && (place + 2 >= line.count || !line[place + 2].isWordByte)
            if isFree { return String(decoding: line[start...place + 1], as: UTF8.self) }
        }
        return nil
    }
}

extension UInt8 {
    /// A letter, a digit, or a sign of Base64.
    fileprivate var isWordByte: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// A promise about restarts that a server broke.
package struct RecoveryFinding: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Promise: String, CaseIterable, Sendable {
        /// A login finds the same name, table, seats and chips.
        case account
        /// The table goes on: same shoe, round, cards, bets.
        case table
        /// However often a request comes, it has its effect once.
        case effects
        /// Chips follow from results.
        case chips
        /// A law of the game, as for any server.
        case game
        /// Lines are messages, revisions fit.
        case lines
    }

    package var promise: Promise
    package var player: String
    /// The last state or answer that the player received.
    package var told: String
    package var came: String

    package init(_ promise: Promise, _ player: String, told: String, came: String) {
        (self.promise, self.player, self.told, self.came) = (promise, player, told, came)
    }

    package var description: String { "\(promise.rawValue), \(player): told \(told); came \(came)" }
}
