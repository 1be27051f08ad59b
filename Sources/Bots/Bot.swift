import ClientCore
import EventStreams
import Sockets
import TableModel
import Wire

/// A client that asks a ``BotMind`` for each move, and keeps count. Confined to its client's loop.
final class Bot {
    public let client: GameClient
    /// Of this bot alone; its client counts shoes.
    public private(set) var tally = BotCrew.Report()
    /// Called after each round with a hand of this bot, and at the end.
    var onProgress: ((Bot) -> Void)?
    /// Called when the state of the connection changes.
    var onLink: ((LinkState) -> Void)?
    /// Called when it has its first seat.
    var onSeat: (() -> Void)?
    /// Whether a player is a bot of the same crew, which bets only after another player; nil for a bot that bets by itself.
    var isColleague: ((String) -> Bool)?
    private(set) var hasEnded = false

    private var mind: BotMind
    private let maximumRounds: Int
    private var subscription: AnyCancellable?
    /// Whether a move is on its way: the next one waits for its answer.
    private var isMoving = false
    /// The last revision that does not show the last move yet: the next one waits for the table that does.
    private var movedAt = -1
    /// The refused move, which is judged as its answer and not as an event.
    private var refusedMove: RequestID?
    private var countedRound = 0
    private var isLeaving = false
    private var namesTried = 0

    /// - Parameter maximumRounds: rounds with a hand until it leaves; `Int.max` for never.
    public init(client: GameClient, mind: BotMind, maximumRounds: Int) {
        self.client = client
        self.mind = mind
        self.maximumRounds = maximumRounds
    }

    public func start() {
        subscription = client.updates.sink { [weak self] in self?.take($0) }
        client.start()
    }

    private func take(_ update: ClientUpdate) {
        guard !hasEnded else { return }
        if isLeaving {
            // Nobody is left to say goodbye to.
            if case .link = update.event { finish() }
            return
        }
        switch update.event {
        case .table(let change):
            count(change)
            if update.state.seat != nil {
                onSeat?()
                onSeat = nil
            }
            if !isLeaving { move(update.state) }
        case .refused(let refusal) where refusal.isOfOtherPlayer && namesTried < 9:
            // The name is another player's: the next number may be free.
            namesTried += 1
            client.logIn(as: "\(client.name ?? "bot").\(namesTried + 1)")
        // Sent again after a lost connection, a move may have been carried out before.
        case .refused(let refusal)
        where !isMoving && refusal.id != refusedMove && refusal.isFault:
            fail("\(refusal.code): \(refusal.message)")
        case .outOfSync: tally.errors.append("a diff did not fit the table")
        case .isWrong: tally.errors.append("the table's check value differs from the server's")
        // The session comes back by itself.
        case .goodbye(GoodbyeCode.restart.rawValue, _): break
        case .goodbye(_, let message):
            tally.errors.append("the server closed the connection: \(message)")
            finish()
        case .link:
            isMoving = false
            movedAt = -1
            onLink?(update.state.link)
            if case .ended(let reason) = update.state.link {
                tally.errors.append(reason)
                finish()
            }
        case .shoe(.contradicted(let report, let fault)):
            tally.errors.append("shoe \(report.shoe) of \(report.table) is not honest: \(fault)")
        // After a lost connection the table may be as it was: no change follows, and a move that found no connection is still due.
        case .reply(_, .watch): move(update.state)
        case .silence, .postponed, .reply, .refused, .lobby, .lobbyOutOfSync, .shoe, .chat, .notice, .note, .history, .chart,
            .value, .leftTable, .skipped:
            break
        }
    }

    private func move(_ state: ClientState) {
        guard !isMoving, let snapshot = state.snapshot, state.revision > movedAt else { return }
        let message: ClientMessage?
        if let seat = state.seat {
            message = mind.move(at: snapshot, seat: seat)
        } else {
            message = sitAgain(at: snapshot, state.table)
        }
        guard let message else { return }
        if case .bet = message, !mayBet(at: snapshot) { return }
        isMoving = true
        send(message) { $0.answered($1) }
    }

    /// The others have bet. Where newcomers wait for the shuffle, they could wait in vain: there it is enough that they play.
    private func mayBet(at snapshot: TableSnapshot) -> Bool {
        guard let isColleague else { return true }
        let table = TableFacts(snapshot)
        let seats = table.rules.midShoeEntry ? table.betting : table.here
        return table.seats.indices.contains { seat in
            seats & 1 << UInt8(seat) != 0 && table.seats[seat].player.map { !isColleague($0.name) } ?? false
        }
    }

    /// A table without a bet for long gives the seats of its players away, also of bots that wait for company.
    private func sitAgain(at snapshot: TableSnapshot, _ table: String?) -> ClientMessage? {
        guard isColleague != nil, onSeat == nil, snapshot.round.map({ $0.phase != .closed }) ?? false,
            snapshot.seats.contains(where: { snapshot.player($0) == nil })
        else { return nil }
        return .sit(table: table, seat: nil)
    }

    /// Moves where a chart was missing.
    func reconsider() {
        guard !hasEnded, !isLeaving else { return }
        move(client.state)
    }

    private func send(_ message: ClientMessage, completion: @escaping @Sendable (Bot, Result<Reply, Refusal>) -> Void) {
        let here = LoopConfined(WeakReference(self), on: client.loop)
        client.send(message) { result in
            if let bot = here.value.object { completion(bot, result) }
        }
    }

    /// The reply precedes the diff that shows the move, and names its revision.
    private func answered(_ result: Result<Reply, Refusal>) {
        isMoving = false
        switch result {
        case .success(.applied(_, let shown?)): movedAt = shown - 1
        case .success(.sit(_, _, let catchUp, _)): movedAt = catchUp.revision - 1
        case .success: break
        case .failure(let refusal):
            refusedMove = refusal.id
            if refusal.isFault { fail("\(refusal.code): \(refusal.message)") }
        }
    }

    /// Counts this bot's hands once, as soon as all of them are settled.
    private func count(_ change: TableChange) {
        guard let name = client.state.login?.name, let round = change.new.round, round.number > countedRound else { return }
        let hands = change.new.seats(of: name).flatMap { change.new.hands(ofSeat: $0) }
        let results = hands.compactMap { change.new.result($0) }
        guard !results.isEmpty, results.count == hands.count, round.phase != .playing else { return }
        countedRound = round.number
        tally.rounds += 1
        tally.hands += results.count
        tally.net += results.reduce(0) { $0 + $1.net }
        tally.net += change.new.seats(of: name).compactMap(change.new.insuranceNet).reduce(0, +)
        onProgress?(self)
        if tally.rounds >= maximumRounds { end() }
    }

    private func fail(_ reason: String) {
        tally.errors.append(reason)
        end()
    }

    /// Says goodbye, and is done when the server has heard it.
    private func end() {
        guard !isLeaving else { return }
        isLeaving = true
        send(.logout) { bot, _ in bot.finish() }
    }

    func finish() {
        guard !hasEnded else { return }
        hasEnded = true
        client.stop()
        subscription = nil
        onProgress?(self)
    }
}

extension Refusal {
    /// Whether the bot or the server is wrong: a time-out may overtake a move.
    fileprivate var isFault: Bool { kind != .look || code == ErrorCode.notSeated.rawValue }

    /// Whether the name of a login is another player's.
    fileprivate var isOfOtherPlayer: Bool { type == "login" && (code == "name_taken" || code == "wrong_secret") }
}
