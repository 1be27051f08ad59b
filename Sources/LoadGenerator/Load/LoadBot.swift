import Bots
import ClientCore
import Referee
import Rules
import Sockets
import TableModel
import Wire

/// An honest bot of a load run: a connection, a client, a referee and a mind. Lean, since there are thousands. Confined to its crew's loop.
final class LoadBot {
    let number: Int
    /// The table it was sent to; nil for any.
    let table: String?
    let referee: ConnectionReferee
    /// Each state has one timer at most, armed after it is entered. The client has one of its own.
    private(set) var state = State.absent { didSet { stamp &+= 1 } }
    /// Counts the states entered: a timer of an earlier one is stale.
    private var stamp: UInt32 = 0

    /// Lets go of its bots when it is dissolved.
    let crew: LoadCrew
    var mind: BotMind
    var framer = LineFramer(limit: WireLimits.eventBytes)
    /// Whether the beginning of a line waits in the framer for its end.
    var isMidLine = false
    private var machine: ClientMachine
    var move: Move?
    /// The revision at which a move was refused: nothing is tried before another one.
    private var refusedAt = -1
    /// From the intended start until the first table is seen.
    var joining: LatencyBook.Timestamps?
    var countedRound = -1
    /// Whether the client has to see the next table in any case.
    var isNewToShoes = true
    /// The last round whose settled table the client was shown.
    var watchedRound = -1
    /// Whether it has bet since it took its seat: earlier results there are its predecessor's.
    var hasPlayed = false
    /// Connection attempts, refused names and refused seats since the last seat.
    private var attempts = 0
    private static let mostAttempts = 10

    init(number: Int, crew: LoadCrew, mind: BotMind, table: String?) {
        self.number = number
        self.crew = crew
        self.mind = mind
        self.table = table
        let name = "\(crew.options.namePrefix)\(number)"
        machine = ClientMachine(
            options: Self.sessionOptions(name, number: number, crew),
            contributions: SeededEntropy(seed: crew.options.seed ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15))
        referee = ConnectionReferee(group: crew.group, name: name)
    }

    var connection: Connection? { if case .connected(let connection, _) = state { connection } else { nil } }
    var isEnding: Bool { if case .connected(_, .ending) = state { true } else { false } }
    /// nil unless the bot plays.
    var turn: Turn? { if case .connected(_, .playing(let turn)) = state { turn } else { nil } }
    var isGone: Bool { if case .gone = state { true } else { false } }

    private func enter(_ activity: Activity) {
        if case .connected(let connection, _) = state { state = .connected(connection, activity) }
    }

    // MARK: Coming and going

    /// - Parameter intended: when it was meant to come, in microseconds.
    func start(intended: Int64) {
        joining = LatencyBook.Timestamps(intended: intended, possible: intended, sent: Microclock.now)
        perform(machine.start(at: Self.milliseconds))
    }

    func connect() {
        attempts += 1
        framer = LineFramer(limit: WireLimits.eventBytes)
        isMidLine = false
        referee.reconnected(at: Self.milliseconds)
        let (options, sources) = (crew.options, crew.options.sources)
        let connector = Connector.connect(
            host: options.host, port: options.port, from: sources.isEmpty ? nil : sources[number % sources.count], loop: crew.loop
        ) { [weak self] result in
            self?.connected(result)
        }
        state = .connecting(connector)
    }

    private func connected(_ result: Result<Connection, SocketError>) {
        switch result {
        case .success(let connection):
            guard case .connecting = state else { return connection.abort() }
            connection.handler = self
            crew.figures.connected += 1
            state = .connected(connection, .loggingIn)
        case .failure(let error):
            crew.figures.fail("connect: \(error.reason)")
            crew.figures.disconnects += 1
            lost(error.description)
        }
    }

    private func lost(_ reason: String) {
        guard !isGone, attempts < Self.mostAttempts else { return finish() }
        state = .absent
        perform(machine.connectionLost(.connection(reason), at: Self.milliseconds))
    }

    /// Drops the connection without a word, and comes back.
    func cut() {
        guard let connection, !isEnding else { return }
        connection.handler = nil
        connection.abort()
        crew.figures.connected -= 1
        crew.figures.cuts += 1
        giveUpMove()
        lost("cut")
    }

    /// Says goodbye.
    func end() {
        switch state {
        case .gone, .connected(_, .ending): return
        case .absent: finish()
        case .connecting(let connector):
            connector.cancel()
            finish()
        case .connected:
            // Pending replies come first: the server answers in order.
            enter(.ending)
            submit(.logout)
        }
    }

    /// Ends without a word, when the run is over.
    func abandon() {
        giveUpMove()
        let former = state
        state = .gone
        switch former {
        case .connecting(let connector): connector.cancel()
        case .connected(let connection, _): connection.abort()
        case .absent, .gone: break
        }
    }

    private func finish() {
        giveUpMove()
        state = .gone
        crew.isGone(self)
    }

    private func giveUpMove() {
        if let move { crew.figures.latency.giveUp(move.timestamps, at: Microclock.now) }
        move = nil
        if let joining { crew.figures.join.giveUp(joining, at: Microclock.now) }
        joining = nil
    }

    // MARK: Talking

    func take(_ event: ConnectionReferee.Event, at now: Int64) {
        switch event {
        case .hello(let hello):
            crew.figures.server = hello.server
            receive(.hello(hello), at: now)
        case .reply(let id, let reply):
            receive(.ok(id: id, reply), at: now)
            take(reply)
        case .refused(let refusal):
            receive(.error(refusal), at: now)
            refused(refusal)
        case .table(let shown):
            note(shown, at: now)
            look(at: shown, at: now)
        case .lost: submit(.watch(table: nil))
        // The session would end for good; a bot comes back whatever the reason, as long as it has attempts left.
        case .goodbye(let code, _):
            if !isEnding { crew.figures.fail("goodbye: \(code)") }
        case .other: break
        }
    }

    private func take(_ reply: Reply) {
        switch reply {
        case .applied("bet", _), .applied("act", _): move?.isAnswered = true
        // After the logout, earlier requests do not matter.
        case _ where isEnding: break
        // The session asks for the table of a seat that is held.
        case .login(let login):
            guard login.table != nil else { return sit() }
            attempts = 0
            enter(.playing(.open))
        case .sit:
            isNewToShoes = true
            enter(.playing(.open))
            attempts = 0
            hasPlayed = false
        default: break
        }
    }

    func sit() {
        enter(.sitting)
        submit(.sit(table: table, seat: nil))
    }

    private func refused(_ refusal: Refusal) {
        guard !isEnding else {
            move = nil
            return
        }
        if refusal.type == "login", refusal.code == "name_taken" || refusal.code == "wrong_secret", attempts < Self.mostAttempts {
            // The name is another player's, perhaps of a run with another seed.
            attempts += 1
            let name = "\(crew.options.namePrefix)\(number).\(attempts)"
            return perform(machine.logIn(as: name, asNewPlayer: true, at: Self.milliseconds))
        }
        // Hostile bots use up what an address may do: the honest ones there wait.
        let isCrowdedOut = !crew.options.hostile.isEmpty && refusal.code == ErrorCode.rateLimited.rawValue
        if !isCrowdedOut, !Self.isOvertaken(refusal) {
            crew.figures.fail("refused: \(refusal.code)")
        }
        switch refusal.type {
        case "bet", "act", "sitOut":
            move = nil
            refusedAt = referee.shown?.revision ?? -1
        case "sit":
            guard case .connected(_, .sitting) = state, attempts < Self.mostAttempts else { return end() }
            attempts += 1
            enter(.away)
            arm(at: Microclock.now + 1_000_000)
        case "login": end()
        default: break
        }
    }

    // MARK: Playing

    /// Whether the table waits for this bot, and nothing of it is on its way.
    private var canAct: Bool {
        guard turn != nil, move == nil, let shown = referee.shown, let seat = referee.seat, shown.revision > refusedAt
        else { return false }
        return shown.facts.awaited & (1 << UInt8(seat)) != 0
    }

    /// Decides when to act, where there is something to decide.
    func consider(at now: Int64) {
        guard case .open? = turn else { return }
        if let shown = referee.shown, let seat = referee.seat, shown.facts.sittingOut & (1 << UInt8(seat)) != 0,
            shown.revision > refusedAt, !shown.facts.isInRound
        {
            refusedAt = shown.revision
            return submit(.sitOut(false))
        }
        guard canAct, !crew.strategies.isPreparing else { return }
        guard crew.options.rate != nil else { return act(LatencyBook.Timestamps(intended: now, possible: now, sent: 0)) }
        guard crew.isOpen else { return }
        enter(.playing(.offered))
        crew.offer(self, at: now)
    }

    /// Withdraws its offer to the open model.
    /// - Returns: whether it made one and still may act.
    func isAble() -> Bool {
        guard case .offered? = turn else { return false }
        enter(.playing(.open))
        return canAct
    }

    /// Acts now.
    func act(_ timestamps: LatencyBook.Timestamps) {
        guard canAct, let shown = referee.shown, let seat = referee.seat else { return }
        let now = Microclock.now
        var timestamps = timestamps
        // Asked before the decision, which is to be about the table as it is when it is sent.
        if let later = machine.earliestSend(at: now / 1_000).map({ $0 * 1_000 }) {
            // The server wants fewer requests than that. A bot that keeps its own pace means to keep that one too.
            timestamps.possible = later
            if !crew.isOpen { timestamps.intended = later }
            enter(.playing(.waiting(timestamps)))
            return arm(at: later)
        }
        guard let message = mind.move(at: shown.facts, seat: seat) else { return }
        if case .sit = message { return sit() }
        hasPlayed = true
        timestamps.sent = Microclock.now
        move = Move(timestamps: timestamps)
        submit(message)
    }

    // MARK: Timers

    private func arm(at moment: Int64) { crew.perform(at: moment) { [self, stamp] in wake(stamp) } }

    /// A timer rings.
    /// - Parameter stamp: of the state that armed it.
    private func wake(_ stamp: UInt32) {
        guard stamp == self.stamp else { return }
        switch state {
        case .connected(_, .away): sit()
        case .connected(_, .playing(.waiting(let timestamps))):
            enter(.playing(.open))
            act(timestamps)
        case .absent, .connecting, .connected, .gone: break
        }
    }

    /// The session's timer fires.
    private func tick() {
        guard !isGone else { return }
        perform(machine.tick(at: Self.milliseconds))
    }

    // MARK: Reading

    // How a bot reads its connection.

    /// Takes a chunk of input: lines judged by other bots in one step, the rest line by line.
    /// - Parameter now: arrival time in microseconds.
    func read(_ bytes: UnsafeRawBufferPointer, at now: Int64) {
        // Not the loop's clock, which after a stall stays before the deadline of a timer: deadlines would seem to end early.
        let local = now / 1_000
        var rest = bytes
        if !isMidLine {
            var last: ShownTable?
            let length = referee.follow(bytes, at: local) { shown in
                note(shown, at: now)
                last = shown
            }
            if let last { look(at: last, at: now) }
            rest = UnsafeRawBufferPointer(rebasing: bytes[length...])
        }
        if let end = rest.last {
            isMidLine = end != UInt8(ascii: "\n")
            framer.append(rest) { line in
                take(referee.take(line, at: local), at: now)
                return !isGone
            }
        }
        if framer.isOverLimit {
            crew.figures.fail("a line of more than \(WireLimits.eventBytes) bytes")
            connection?.abort()
        }
    }

    /// Takes note of a revision.
    func note(_ shown: ShownTable, at now: Int64) {
        if let joining {
            crew.figures.join.record(joining, seen: now)
            self.joining = nil
        }
        if let move, move.isAnswered {
            self.move = nil
            crew.figures.actions += 1
            crew.figures.latency.record(move.timestamps, seen: now)
            crew.figures.recent.record(now - move.timestamps.intended)
        }
        if turn != nil, let seat = referee.seat { count(shown, seat) }
        watchShoes(shown)
    }

    /// Acts on the last of the revisions that arrived together.
    func look(at shown: ShownTable, at now: Int64) {
        guard turn != nil else { return }
        guard referee.seat != nil else { return sit() }
        consider(at: now)
    }

    func count(_ shown: ShownTable, _ seat: Int) {
        guard hasPlayed, shown.facts.settled & (1 << UInt8(seat)) != 0, shown.facts.round != countedRound,
            shown.outcomes.indices.contains(seat)
        else { return }
        countedRound = shown.facts.round
        let outcome = shown.outcomes[seat]
        crew.figures.hands += outcome.hands
        crew.figures.net += outcome.net
    }

    // MARK: Session

    // The shell around a bot's client. The referee judges tables in a mirror that bots share; the client sees none but for its shoes, so after
    // a reconnect it asks for the whole table.

    static func sessionOptions(_ name: String, number: Int, _ crew: LoadCrew) -> SessionOptions {
        var options = SessionOptions(name: name)
        // From the seed: a run that is repeated finds its accounts again.
        var random = SeededRandom(seed: crew.options.seed ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        options.credential = .secret(AccountSecret(using: &random))
        options.firstID = crew.firstID
        options.isBot = true
        options.contributes = true
        // A bot counts its attempts itself: refused names and seats are among them, and no login ends the row.
        options.retries = .max
        (options.firstPause, options.longestPause) = (1_000, 1_000)
        options.initialPlacement = .nothing
        // Refusals and lost bets are figures of the report, and moves are decided on again.
        options.repeatsRequests = false
        options.pingInterval = nil
        return options
    }

    /// The client's clock.
    static var milliseconds: Int64 { Microclock.now / 1_000 }

    func submit(_ message: ClientMessage) { perform(machine.submit(message, at: Self.milliseconds).actions) }

    /// - Parameter now: arrival time in microseconds.
    func receive(_ message: ServerMessage, at now: Int64) { perform(machine.receive(message, at: now / 1_000)) }

    private func perform(_ actions: [ClientAction]) { for action in actions { perform(action) } }

    private func perform(_ action: ClientAction) {
        switch action {
        case .connect: connect()
        case .send(let request):
            connection?.send(referee.line(of: request, at: Self.milliseconds))
        case .arm(let time): crew.perform(at: time * 1_000) { [self] in tick() }
        // Without a login there is nothing to log out.
        case .answer(_, .failure(let refusal)) where refusal.type == "logout": connection?.close()
        case .publish(.shoe(.verified)): crew.figures.shoes.verified += 1
        case .publish(.shoe(.contradicted(let report, let fault))):
            crew.figures.shoes.failed += 1
            referee.accuseShoe("shoe \(report.shoe): \(fault)")
        case .publish(.shoe(.notVerified)): crew.figures.shoes.unproven += 1
        // A connection that is lost is closed already, replies are read from the referee, and the secret is the bot's own.
        case .close, .answer, .publish, .findSecret, .makeSecret: break
        }
    }

    // MARK: Shoes

    /// Shows the client a table when its ceremony changes and when a round is settled, where all cards of the round lie. The crew's mirror
    /// judges each revision between.
    func watchShoes(_ shown: ShownTable) {
        let isSettled = shown.facts.settled != 0 && shown.facts.round != watchedRound
        guard isNewToShoes || shown.changesShoes || isSettled else { return }
        isNewToShoes = false
        if isSettled { watchedRound = shown.facts.round }
        let change = TableChange(table: shown.name, revision: shown.revision, old: nil, new: shown.snapshot)
        perform(machine.show(change, epoch: shown.epoch, at: Self.milliseconds))
    }

    /// Whether the table has overtaken a request, or one about a shoe is made again later: no fault of anybody's.
    static func isOvertaken(_ refusal: Refusal) -> Bool {
        switch refusal.type {
        case "commit", "reveal": refusal.kind == .again || refusal.kind == .look
        case "proof": refusal.kind == .again || refusal.code == "not_found" || refusal.code == "no_such_table"
        default: refusal.kind == .look && refusal.code != "not_seated"
        }
    }

    // MARK: State

    // The states of a bot, each with the values that exist in it alone.

    enum State {
        /// Before the start, or until the session's next attempt.
        case absent
        case connecting(Connector)
        case connected(Connection, Activity)
        case gone
    }

    enum Activity {
        case loggingIn
        /// Has asked for a seat.
        case sitting
        case playing(Turn)
        /// Was refused a seat or new chips; asks again when its timer fires.
        case away
        /// Has asked to be logged out.
        case ending
    }

    /// The next bet or decision, until it is sent.
    enum Turn {
        case open
        /// Waits for an action of the open model.
        case offered
        /// Waits for its timer, for the rate limit's sake.
        case waiting(LatencyBook.Timestamps)
    }

    /// A bet or a decision that is on its way.
    struct Move {
        var timestamps: LatencyBook.Timestamps
        /// Whether the server has said yes.
        var isAnswered = false
    }
}

extension LoadBot: ConnectionHandler {
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        let now = Microclock.now
        read(bytes, at: now)
        crew.passBy(at: now)
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        guard !isGone else { return }
        crew.figures.connected -= 1
        guard !isEnding else { return finish() }
        crew.figures.disconnects += 1
        crew.figures.fail("disconnected: \(reason)")
        giveUpMove()
        lost(reason.description)
    }
}
