import Bots
import ClientCore
import ClientSession
import Measuring
import Referee
import Rules
import Sockets
import TableModel
import Wire

/// An honest bot of a load run: a connection, a session, a witness and a mind. Lean, since there are thousands. Confined to its
/// crew's loop.
final class LoadBot {
    let number: Int
    let mix: Scenario.Mix
    /// The table it was sent to; nil for any.
    let table: String?
    /// Whether it goes for good after its stay.
    let isSession: Bool
    let witness: Witness
    /// Each state has one timer at most, armed after it is entered. The session has one of its own.
    private(set) var state = State.absent { didSet { stamp &+= 1 } }
    /// Counts the states entered: a timer of an earlier one is stale.
    private var stamp: UInt32 = 0

    /// Lets go of its bots when it is dissolved.
    let crew: LoadCrew
    var mind: BotMind
    private var random: SeededRandom
    var framer = LineFramer(limit: WireLimits.eventBytes)
    /// Whether the beginning of a line waits in the framer for its end.
    var isMidLine = false
    var session: SessionStateMachine
    var move: Move?
    /// The revision at which a move was refused: nothing is tried before another one.
    private var refusedAt = -1
    /// From the intended start until the first table is seen.
    var joining: LatencyBook.Moments?
    var countedRound = -1
    /// Whether ``shoes`` has to see the next table in any case.
    var isNewToShoes = true
    /// The last round whose settled table ``shoes`` was shown.
    var watchedRound = -1
    var shoes = ShoeWatch(contributes: true)
    var contributions: SeededContributions
    /// Requests of ``shoes`` without an answer, by their numbers.
    var shoeRequests: [Int: ClientMessage] = [:]
    var stay = Stay()
    /// Connection attempts, refused names and refused seats since the last seat.
    private var attempts = 0
    private static let mostAttempts = 10
    var reading = Reading.alone

    init(number: Int, crew: LoadCrew, mix: Scenario.Mix, mind: BotMind, table: String?, isSession: Bool, random: SeededRandom) {
        self.number = number
        self.crew = crew
        self.mix = mix
        self.mind = mind
        self.table = table
        self.isSession = isSession
        self.random = random
        let name = "\(crew.settings.namePrefix)\(number)"
        session = SessionStateMachine(options: Self.sessionOptions(name, number: number, crew.settings))
        contributions = SeededContributions(seed: crew.settings.seed ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        witness = Witness(room: crew.room, name: name)
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
        joining = LatencyBook.Moments(intended: intended, possible: intended, sent: Microclock.now)
        drive { $1 += $0.start(at: Self.milliseconds) }
    }

    func connect() {
        attempts += 1
        framer = LineFramer(limit: WireLimits.eventBytes)
        isMidLine = false
        witness.reconnected(at: crew.loop.now)
        let settings = crew.settings
        let connector = Connector.connect(
            host: settings.host, port: settings.port, from: settings.source(of: number), loop: crew.loop
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
        shoes.connectionLost()
        guard !isGone, attempts < Self.mostAttempts else { return finish() }
        state = .absent
        drive { $1 += $0.connectionLost(.connection(reason), at: Self.milliseconds) }
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
        leaveCompany()
        crew.isGone(self)
    }

    private func giveUpMove() {
        if let move { crew.figures.latency.giveUp(move.moments, at: Microclock.now) }
        move = nil
        if let joining { crew.figures.join.giveUp(joining, at: Microclock.now) }
        joining = nil
    }

    // MARK: Talking

    func take(_ event: Witness.Event, at now: Int64) {
        switch event {
        case .hello(let hello):
            crew.server = hello.server
            receive(.hello(hello), at: now)
            if crew.settings.wantsChecks { submit(.options(ConnectionOptions(check: true))) }
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
        case .pinged: submit(.pong)
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
            loggedIn(login)
            if login.table == nil { sit() } else { enter(.playing(.open)) }
        case .sit:
            shoes.satDown()
            isNewToShoes = true
            enter(.playing(.open))
            attempts = 0
            stay = Stay()
            crew.figures.sessions += 1
        case .applied("leave", _):
            leaveCompany()
            guard case .connected(_, .leaving) = state else { return }
            if isSession { return end() }
            enter(.away)
            arm(at: Microclock.now + mix.away.microseconds(&random))
        default: break
        }
    }

    func sit() {
        enter(.sitting)
        submit(.sit(table: table, seat: nil))
    }

    /// Codes of refusals when a time-out overtook a move.
    private static let harmless: Set<String> = [
        "stale", "not_your_turn", "nothing_to_decide", "betting_closed", "not_asked", "already_answered", "sitting_out",
        "wait_for_shuffle",
    ]

    private func refused(_ refusal: Refusal) {
        guard !isEnding else {
            move = nil
            return
        }
        if refusal.type == "login", refusal.code == "name_taken" || refusal.code == "wrong_secret", attempts < Self.mostAttempts {
            // The name is another player's, perhaps of a run with another seed.
            attempts += 1
            let name = "\(crew.settings.namePrefix)\(number).\(attempts)"
            return drive { $1 += $0.logIn(as: name, asNewPlayer: true, at: Self.milliseconds) }
        }
        // Hostile bots use up what an address may do: the honest ones there wait.
        let isCrowdedOut = crew.settings.isAmongHostileBots && refusal.code == ErrorCode.rateLimited.rawValue
        if !Self.harmless.contains(refusal.code), !isCrowdedOut, !Self.isOvertaken(refusal) {
            crew.figures.fail("refused: \(refusal.code)")
        }
        switch refusal.type {
        case "bet", "act", "sitIn":
            move = nil
            refusedAt = witness.shown?.revision ?? -1
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

    func leave() {
        enter(.leaving)
        submit(.leave)
    }

    /// Whether nothing is on its way, nor planned.
    var isIdle: Bool {
        if case .open? = turn { move == nil && witness.requestsInFlight == 0 } else { false }
    }

    /// Whether the table waits for this bot, and nothing of it is on its way.
    private var canAct: Bool {
        guard turn != nil, move == nil, let shown = witness.shown, let seat = witness.seat, shown.revision > refusedAt
        else { return false }
        return shown.glance.awaited & (1 << UInt8(seat)) != 0
    }

    /// Decides when to act, where there is something to decide.
    func consider(at now: Int64) {
        guard case .open? = turn else { return }
        if let shown = witness.shown, let seat = witness.seat, shown.glance.sittingOut & (1 << UInt8(seat)) != 0,
            shown.revision > refusedAt, !shown.glance.isInRound
        {
            refusedAt = shown.revision
            return submit(.sitIn)
        }
        guard canAct else { return }
        if crew.isOpen {
            enter(.playing(.offered))
            return crew.offer(self, at: now)
        }
        let think = mix.think.microseconds(&random)
        let moments = LatencyBook.Moments(intended: now + think, possible: now + think, sent: 0)
        if think == 0 { act(moments) } else { actLater(moments, at: now + think) }
    }

    /// Withdraws its offer to the open model.
    /// - Returns: whether it made one and still may act.
    func isAble() -> Bool {
        guard case .offered? = turn else { return false }
        enter(.playing(.open))
        return canAct
    }

    private func actLater(_ moments: LatencyBook.Moments, at moment: Int64) {
        enter(.playing(.thinking(moments)))
        arm(at: moment)
    }

    /// Acts now.
    func act(_ moments: LatencyBook.Moments) {
        guard canAct, let shown = witness.shown, let seat = witness.seat else { return }
        let now = Microclock.now
        var moments = moments
        // Asked before the decision, which is to be about the table as it is when it is sent.
        if let later = session.earliestSend(at: now / 1_000).map({ $0 * 1_000 }) {
            // The server wants fewer requests than that. A bot that keeps its own pace means to keep that one too.
            moments.possible = later
            if !crew.isOpen { moments.intended = later }
            return actLater(moments, at: later)
        }
        guard let facts = witness.facts, let message = mind.move(at: facts, seat: seat, trueCount: shown.glance.trueCount)
        else { return }
        if case .leave = message { return leave() }
        stay.hasPlayed = true
        moments.sent = Microclock.now
        move = Move(moments: moments)
        submit(message)
    }

    // MARK: Timers

    private func arm(at moment: Int64) { crew.wake(self, stamp, at: moment) }

    /// A timer rings.
    /// - Parameter stamp: of the state that armed it.
    func wake(_ stamp: UInt32) {
        guard stamp == self.stamp else { return }
        switch state {
        case .connected(_, .away): sit()
        case .connected(_, .playing(.thinking(let moments))):
            enter(.playing(.open))
            act(moments)
        case .absent, .connecting, .connected, .gone: break
        }
    }

    /// The session's timer fires.
    func tick() {
        guard !isGone else { return }
        drive { $1 += $0.tick(at: Self.milliseconds) }
    }
}

extension LoadBot: ConnectionHandler {
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        let now = Microclock.now
        read(bytes, at: now)
        crew.passBy(at: now)
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        leaveCompany()
        guard !isGone else { return }
        crew.figures.connected -= 1
        guard !isEnding else { return finish() }
        crew.figures.disconnects += 1
        crew.figures.fail("disconnected: \(reason)")
        giveUpMove()
        lost(reason.description)
    }
}
