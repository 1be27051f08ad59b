import Bots
import Measuring
import Referee
import Rules
import Sockets
import TableModel
import Wire

/// An honest bot of a load run: a connection, a witness and a mind. Lean, since there are thousands. Confined to its crew's loop.
final class LoadBot {
    enum Stage { case absent, connecting, loggingIn, sitting, playing, leaving, away, ending, gone }

    /// A bet or a decision that is on its way.
    struct Move {
        var moments: LatencyBook.Moments
        /// Whether the server has said yes.
        var isAnswered = false
    }

    /// What a bot waits for its turn to do by itself.
    private enum Plan {
        case move(LatencyBook.Moments)
        case connect
        case sit
        case leave
    }

    let number: Int
    let mix: Scenario.Mix
    /// The table it was sent to; nil for any.
    let table: String?
    /// Whether it goes for good after its stay.
    let isSession: Bool
    let witness: Witness
    private(set) var stage = Stage.absent

    /// Lets go of its bots when it is dissolved.
    let crew: LoadCrew
    var mind: BotMind
    private var random: SeededRandom
    private(set) var connection: Connection?
    private var connector: Connector?
    var framer = LineFramer(limit: WireLimits.eventBytes)
    /// Whether the beginning of a line waits in the framer for its end.
    var isMidLine = false
    private var allowance = Allowance()
    private var name: String
    var move: Move?
    private var plan: Plan?
    /// Counts each plan, so that an earlier one that comes due is known to be stale.
    private(set) var planStamp: UInt32 = 0
    /// Whether the open model has it among those who may act.
    private var isOnOffer = false
    /// The revision at which a move was refused: nothing is tried before another one.
    private var refusedAt = -1
    var joining: LatencyBook.Moments?
    var countedRound = -1
    var roundsHere = 0
    /// Whether it has bet since it sat down: what lies at its seat before that is its predecessor's.
    var hasPlayed = false
    private var attempts = 0
    /// The bots at its table, and its place among them.
    var company: (bots: TableCompany, seat: Int)?
    /// Whether what arrives is left unread for a while.
    var isResting = false

    init(number: Int, crew: LoadCrew, mix: Scenario.Mix, mind: BotMind, table: String?, isSession: Bool, random: SeededRandom) {
        self.number = number
        self.crew = crew
        self.mix = mix
        self.mind = mind
        self.table = table
        self.isSession = isSession
        self.random = random
        name = "\(crew.settings.namePrefix)\(number)"
        witness = Witness(room: crew.room, name: name)
    }

    // MARK: Coming and going

    /// - Parameter intended: when it was meant to come, in microseconds.
    func start(intended: Int64) {
        joining = LatencyBook.Moments(intended: intended, possible: intended, sent: Microclock.now)
        connect()
    }

    private func connect() {
        stage = .connecting
        attempts += 1
        framer = LineFramer(limit: WireLimits.eventBytes)
        isMidLine = false
        witness.reconnected(at: crew.loop.now)
        let settings = crew.settings
        connector = Connector.connect(
            host: settings.host, port: settings.port, from: settings.source(of: number), loop: crew.loop
        ) { [weak self] result in
            self?.connected(result)
        }
    }

    private func connected(_ result: Result<Connection, SocketError>) {
        connector = nil
        switch result {
        case .success(let connection):
            guard stage == .connecting else { return connection.abort() }
            connection.handler = self
            self.connection = connection
            crew.figures.connected += 1
            stage = .loggingIn
        case .failure(let error):
            crew.figures.fail("connect: \(error.reason)")
            crew.figures.disconnects += 1
            retry(.connect)
        }
    }

    /// Tries again after a second, a few times.
    private func retry(_ plan: Plan) {
        guard stage != .ending, stage != .gone, attempts < 10 else { return finish() }
        stage = .absent
        schedule(plan, at: Microclock.now + 1_000_000)
    }

    /// Says goodbye.
    func end() {
        switch stage {
        case .ending, .gone: return
        case .absent, .connecting:
            connector?.cancel()
            finish()
        default:
            // What is on its way is answered first: the server takes requests in order.
            stage = .ending
            plan = nil
            ask(.logout)
        }
    }

    /// Ends without a word, when the run is over.
    func abandon() {
        giveUpMove()
        connector?.cancel()
        stage = .gone
        connection?.abort()
    }

    private func finish() {
        giveUpMove()
        stage = .gone
        plan = nil
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

    private func ask(_ message: ClientMessage, isCounted: Bool = false) {
        guard let connection else { return }
        wakeUp()
        if !isCounted { _ = allowance.take(at: Microclock.now) }
        connection.send(witness.request(message, at: crew.loop.now))
    }

    func take(_ event: Witness.Event, at now: Int64) {
        switch event {
        case .hello(let hello):
            crew.server = hello.server
            allowance = Allowance(perSecond: hello.limits.requestsPerSecond, burst: hello.limits.burst, at: now)
            ask(.login(name: name, token: witness.token, isBot: true, version: WireLimits.version))
            if crew.settings.wantsChecks { ask(.options(ConnectionOptions(check: true))) }
        case .reply(let reply): take(reply)
        case .refused(let refusal): refused(refusal)
        case .table(let shown):
            note(shown, at: now)
            look(at: shown, at: now)
        case .lost: ask(.watch(table: nil))
        case .pinged: ask(.pong)
        case .goodbye(let code, _):
            if stage != .ending { crew.figures.fail("goodbye: \(code)") }
        case .other: break
        }
    }

    private func take(_ reply: Reply) {
        switch reply {
        case .applied("bet", _), .applied("act", _): move?.isAnswered = true
        // Whoever has said goodbye wants nothing of what was asked before.
        case _ where stage == .ending: break
        case .login(let login):
            name = login.name
            if let held = login.table {
                stage = .playing
                ask(.watch(table: held))
            } else {
                sit()
            }
        case .sit:
            stage = .playing
            attempts = 0
            (roundsHere, hasPlayed) = (0, false)
            crew.figures.sessions += 1
        case .applied("leave", _):
            leaveCompany()
            guard stage == .leaving else { return }
            if isSession { return end() }
            stage = .away
            schedule(.sit, at: Microclock.now + mix.away.microseconds(&random))
        default: break
        }
    }

    func sit() {
        stage = .sitting
        let now = Microclock.now
        if let later = allowance.take(at: now) { return schedule(.sit, at: later) }
        ask(.sit(table: table, seat: nil), isCounted: true)
    }

    /// What may come back when a time-out has overtaken a move.
    private static let harmless: Set<String> = [
        "stale", "not_your_turn", "nothing_to_decide", "betting_closed", "not_asked", "already_answered", "sitting_out",
        "wait_for_shuffle",
    ]

    private func refused(_ refusal: Refusal) {
        if refusal.type == "login", refusal.code == "name_taken" || refusal.code == "wrong_token", attempts < 10 {
            // Somebody of that name, perhaps of an earlier run, is still known; or somebody took it after the connection was lost and the
            // server no longer kept it: the token is not that player's.
            attempts += 1
            name = "\(crew.settings.namePrefix)\(number).\(attempts)"
            return ask(.login(name: name, token: nil, isBot: true, version: WireLimits.version))
        }
        guard stage != .ending else {
            move = nil
            // Nobody is logged in yet: then there is nobody to be logged out.
            if refusal.type == "logout" { connection?.close() }
            return
        }
        if !Self.harmless.contains(refusal.code) { crew.figures.fail("refused: \(refusal.code)") }
        switch refusal.type {
        case "bet", "act", "sitIn":
            move = nil
            refusedAt = witness.shown?.revision ?? -1
        case "sit":
            guard stage == .sitting, attempts < 10 else { return end() }
            attempts += 1
            stage = .away
            schedule(.sit, at: Microclock.now + 1_000_000)
        case "login": end()
        default: break
        }
    }

    // MARK: Playing

    func leave() {
        stage = .leaving
        let now = Microclock.now
        if let later = allowance.take(at: now) { return schedule(.leave, at: later) }
        ask(.leave, isCounted: true)
    }

    /// Whether nothing is on its way, nor planned.
    var isIdle: Bool { move == nil && plan == nil && !isOnOffer && witness.requestsInFlight == 0 }

    /// Whether there is something to decide and nothing on its way.
    private var canAct: Bool {
        guard stage == .playing, move == nil, let shown = witness.shown, let seat = witness.seat, shown.revision > refusedAt
        else {
            return false
        }
        return shown.glance.awaited & (1 << UInt8(seat)) != 0
    }

    /// Decides when to act, where there is something to decide.
    func consider(at now: Int64) {
        guard stage == .playing, plan == nil, !isOnOffer else { return }
        if let shown = witness.shown, let seat = witness.seat, shown.glance.sittingOut & (1 << UInt8(seat)) != 0,
            shown.revision > refusedAt, !shown.glance.isInRound
        {
            refusedAt = shown.revision
            return ask(.sitIn)
        }
        guard canAct else { return }
        if crew.isOpen {
            isOnOffer = true
            return crew.offer(self, at: now)
        }
        let think = mix.think.microseconds(&random)
        let moments = LatencyBook.Moments(intended: now + think, possible: now + think, sent: 0)
        if think == 0 { act(moments) } else { schedule(.move(moments), at: now + think) }
    }

    /// Whether it still may act, asked by the open model, which has it on offer no more.
    func isAble() -> Bool {
        isOnOffer = false
        return canAct && plan == nil
    }

    /// Acts now.
    func act(_ moments: LatencyBook.Moments) {
        guard canAct, let shown = witness.shown, let seat = witness.seat, let connection else { return }
        let now = Microclock.now
        var moments = moments
        if let later = allowance.take(at: now) {
            // The server wants fewer requests than that. A bot that keeps its own pace means to keep that one too.
            moments.possible = later
            if !crew.isOpen { moments.intended = later }
            return schedule(.move(moments), at: later)
        }
        guard let facts = witness.facts, let message = mind.move(at: facts, seat: seat, trueCount: shown.glance.trueCount)
        else { return }
        if case .leave = message { return leave() }
        hasPlayed = true
        moments.sent = Microclock.now
        move = Move(moments: moments)
        connection.send(witness.request(message, at: crew.loop.now))
    }

    // MARK: Plans

    private func schedule(_ plan: Plan, at moment: Int64) {
        self.plan = plan
        planStamp &+= 1
        crew.wake(self, planStamp, at: moment)
    }

    /// The moment of a plan has come.
    func wake(_ stamp: UInt32) {
        guard stamp == planStamp, let plan else { return }
        self.plan = nil
        switch plan {
        case .move(let moments): act(moments)
        case .connect: connect()
        case .sit: sit()
        case .leave: leave()
        }
    }
}

extension LoadBot: ConnectionHandler {
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        let now = Microclock.now
        read(bytes, at: now)
        crew.passBy(at: now)
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        self.connection = nil
        isOnOffer = false
        leaveCompany()
        guard stage != .gone else { return }
        crew.figures.connected -= 1
        guard stage != .ending else { return finish() }
        crew.figures.disconnects += 1
        crew.figures.fail("disconnected: \(reason)")
        giveUpMove()
        retry(.connect)
    }
}
