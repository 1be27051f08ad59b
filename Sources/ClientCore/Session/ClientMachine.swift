import TableModel
import Wire

/// A client as a value. Input: bytes, ticks, commands; output: actions, which a shell around it performs. No I/O and no clock: `now` is in
/// milliseconds and never goes back.
///
/// It cuts bytes into lines, connects, logs in, resumes, sends again what is still wanted, holds the table and the lobby, contributes to
/// shoes and verifies them. A shell that has the lines read elsewhere hands over messages instead; one that has the tables followed elsewhere,
/// such as a load bot whose crew shares a mirror, leaves out snapshots and diffs, shows shoes with ``show(_:epoch:at:)``, and has
/// ``SessionOptions/repeatsRequests`` off: what would be sent again waits for the table.
public struct ClientMachine: Sendable {
    enum Phase: Sendable {
        case idle
        case open(Attempt)
        /// The connection was lost; the next attempt is at `until`.
        case waiting(until: Int64, LinkFailure)
        case ended(String)
    }

    /// A connection, or the attempt to open one.
    struct Attempt: Sendable {
        var lastHeard: Int64
        var pingAt: Int64
        /// When the oldest request since ``lastHeard`` was sent; nil for none.
        var askedAt: Int64?
        var isSilent = false
        /// The last ping sent, and when.
        var ping: (id: Int, at: Int64)?
        var roundTrip: Int64?
        /// When the login was answered.
        var loggedInAt: Int64?
        /// From the server's `hello` on.
        var dialog: Dialog?
    }

    /// Nothing may be sent before `hello`: the limits are in it.
    struct Dialog: Equatable, Sendable {
        var budget: RequestBudget
        var login: Login
    }

    enum Login: Equatable, Sendable {
        case anonymous
        /// The shell was asked for the secret of this name.
        case findingSecret(of: String)
        /// The id of the question whether a name without a secret here is free.
        case checking(id: Int, name: String)
        /// The id of the latest `login`, which is unanswered.
        case asked(id: Int)
        /// Logged in, with changes from a lost connection, which wait until the table has been shown: it may be another one.
        case looking
        case done
    }

    var options: SessionOptions
    var phase = Phase.idle
    var queue = RequestQueue()
    var cursor = TableCursor.none
    /// The table that the last answered `sit` or `watch` was about: the server may show it.
    var granted: String?
    /// Whether the server has said `bye` on this connection.
    var hasSaidGoodbye = false
    /// Attempts in a row without a login.
    var attempts = 0
    /// Connections in a row that the server ended soon after the login, by its own will or by a line against the protocol.
    var shortConnections = 0
    /// Of those, the ones that ended by such a line.
    private var breaches = 0
    /// The option `silence` of a session that sends pings: players see within half a minute that it is lost, behind proxies, too.
    private static let silenceSeconds = 20
    /// Milliseconds that a login lasts before a connection counts as a steady one.
    private static let steadyTime: Int64 = 10_000
    private var framer = LineFramer(limit: WireLimits.eventBytes)
    /// The parts of the state that the server has said, as in ``state``: all but the link, the table, the shoes and what the queue of requests says.
    private var known = ClientState()
    /// The lobby's revision.
    private var lobbyRevision = 0
    /// nil where shoes are not watched.
    private var shoes: ShoeSession?
    /// The secret that the shell has found last, and whose it is.
    var found: (house: String, name: String, secret: AccountSecret)?
    private var lastID: Int
    /// The tick that the shell was asked for and has not made.
    private var armed: Int64?
    /// The time of the input that is handled, and the actions so far.
    private var now: Int64 = 0
    private var actions: [ClientAction] = []

    /// - Parameter contributions: the randomness of contributions to shoes, cryptographically secure for real tables; without it shoes are
    ///   not watched.
    public init(options: SessionOptions, contributions: (any RandomNumberGenerator & Sendable)? = nil) {
        self.options = options
        lastID = options.firstID
        shoes = contributions.map { ShoeSession(contributes: options.contributes, generator: $0) }
    }

    /// Everything known after the last input.
    public var state: ClientState {
        var state = known
        (state.link, state.position, state.snapshot) = (link, cursor.position, cursor.held?.snapshot)
        (state.isChatDelayed, state.isMoving) = (queue.isChatDelayed, queue.isMoving)
        if let attempt, attempt.isSilent { state.silentSince = attempt.lastHeard }
        state.roundTrip = attempt?.roundTrip
        if let shoes { state.shoes = shoes.tally }
        return state
    }

    public var link: LinkState {
        switch phase {
        case .idle: .connecting(attempt: 1)
        case .open(let attempt):
            switch attempt.dialog?.login {
            case nil: .connecting(attempt: attempts)
            case .anonymous, .findingSecret, .checking, .asked: .connected
            case .looking, .done: .loggedIn
            }
        case .waiting(_, let failure): .lost(failure)
        case .ended(let reason): .ended(reason)
        }
    }

    private var attempt: Attempt? {
        get { if case .open(let attempt) = phase { attempt } else { nil } }
        set { if case .open = phase, let newValue { phase = .open(newValue) } }
    }

    var dialog: Dialog? {
        get { attempt?.dialog }
        set { attempt?.dialog = newValue }
    }
}

// MARK: Connection and time

extension ClientMachine {
    /// Handles an input. Sends what may be sent behind it.
    /// - Returns: the actions for the shell.
    private mutating func input(at time: Int64, _ handle: (inout ClientMachine) -> Void) -> [ClientAction] {
        now = time
        handle(&self)
        finish()
        defer { actions = [] }
        return actions
    }

    /// Opens the first connection.
    public mutating func start(at now: Int64) -> [ClientAction] {
        guard case .idle = phase else { return [] }
        return input(at: now) { $0.connect() }
    }

    /// Ends the session. Requests without an answer are refused with `not_connected`; nothing is published.
    public mutating func stop() -> [ClientAction] {
        if case .ended = phase { return [] }
        // Its requests are refused, too, and nothing more is found.
        shoes = nil
        return input(at: now) { $0.end("the client has stopped") }
    }

    /// Bytes arrived.
    /// - Returns: the lines that are whole, each to be given to ``receive(line:at:)``; an empty one stands for a line that is too long.
    public mutating func lines(in bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        framer.append(bytes) {
            lines.append(Array($0))
            return true
        }
        return framer.isOverLimit ? lines + [[]] : lines
    }

    /// When the server counts as silent unless something is heard before; nil for never.
    private var silentAt: Int64? {
        guard let limit = options.answerTime, let attempt, !attempt.isSilent else { return nil }
        return attempt.askedAt.map { $0 + limit }
    }

    /// A whole message arrived. Bytes alone, which a server may let drip, say nothing.
    private mutating func noteHeard() {
        let time = now
        attempt?.lastHeard = time
        attempt?.askedAt = nil
        guard attempt?.isSilent == true else { return }
        attempt?.isSilent = false
        actions.append(.publish(.silence))
    }

    private mutating func noteSent(_ id: Int, _ message: ClientMessage, _ owner: RequestQueue.Owner, at now: Int64) {
        guard options.answerTime != nil else { return }
        if attempt?.askedAt == nil { attempt?.askedAt = now }
        // A caller's ping measures nothing: it may wait behind other requests.
        if case .ping = message, owner == .session { attempt?.ping = (id, now) }
    }

    /// Measures the round trip of a ping of the session's.
    private mutating func noteAnswer(to id: Int?, at now: Int64) {
        if let ping = attempt?.ping, ping.id == id { attempt?.roundTrip = now - ping.at }
    }

    /// The connection broke, was closed by the server, could not be opened, or carries no protocol.
    public mutating func connectionLost(_ failure: LinkFailure, at now: Int64) -> [ClientAction] {
        guard case .open = phase else { return [] }
        return input(at: now) { $0.lose(failure) }
    }

    /// Time has passed: see ``ClientAction/arm(at:)``.
    public mutating func tick(at now: Int64) -> [ClientAction] { input(at: now) { $0.tick() } }

    private mutating func tick() {
        armed = nil
        switch phase {
        case .waiting(let until, _) where until <= now: connect()
        case .open(let open) where open.pingAt <= now:
            guard now - open.lastHeard < options.silence else {
                lose(.silence)
                break
            }
            let next = nextPing
            attempt?.pingAt = next
            // One unanswered ping is enough.
            if dialog != nil, !open.isSilent { ask(.ping) }
        case .idle, .open, .waiting, .ended: break
        }
        if let silentAt, silentAt <= now {
            attempt?.isSilent = true
            actions.append(.publish(.silence))
        }
        perform(shoes?.tick(at: now))
    }

    /// At most half of the server's idle time, which is a second or more.
    private var nextPing: Int64 {
        options.pingInterval.map { now + min($0, Int64(known.hello?.idleSeconds ?? .max / 500) * 500) } ?? .max
    }

    private mutating func connect() {
        attempts += 1
        framer = LineFramer(limit: WireLimits.eventBytes)
        // A first connection asks for `hello`; later ones are attempts, which are told as such.
        let askedAt = known.hello == nil && options.answerTime != nil ? now : nil
        phase = .open(Attempt(lastHeard: now, pingAt: nextPing, askedAt: askedAt, dialog: nil))
        actions += [.publish(.link), .connect]
    }

    mutating func lose(_ failure: LinkFailure) {
        actions.append(.close)
        // The next loss has another cause.
        if failure != .dismissed { known.isDismissed = false }
        countShortConnection(failure)
        if attempts > options.retries || breaches > options.breaches {
            phase = .ended(failure.description)
            fail()
        } else {
            phase = .waiting(until: now + pause, failure)
            let (isRepeating, queue) = (options.repeatsRequests, queue)
            fail(where: { !isRepeating || !$0.isRetriedOnReconnect || queue.isReplaced($0) })
            self.queue.postponeAll()
        }
        shoes?.connectionLost()
        actions.append(.publish(.link))
    }

    /// A server that drains or breaks the protocol takes logins: without this count each attempt would follow after the first pause.
    private mutating func countShortConnection(_ failure: LinkFailure) {
        guard let attempt else { return }
        if let start = attempt.loggedInAt, now - start >= Self.steadyTime { (shortConnections, breaches) = (0, 0) }
        if failure.isBreach { breaches += 1 }
        if failure.isBreach || hasSaidGoodbye, attempt.loggedInAt != nil { shortConnections += 1 }
        hasSaidGoodbye = false
    }

    /// Milliseconds until the next attempt.
    private var pause: Int64 {
        var pause = max(1, options.firstPause)
        for _ in 1..<max(1, attempts + shortConnections) where pause < options.longestPause { pause *= 2 }
        pause = min(pause, options.longestPause)
        guard options.jitterSeed > 0 else { return pause }
        // The multiplier of Knuth's MMIX generator: consecutive numbers get unlike upper bits.
        let chance = (options.jitterSeed &+ UInt64(attempts + shortConnections)) &* 6_364_136_223_846_793_005 >> 33
        return max(1, pause - Int64(chance % UInt64(pause / 4 + 1)))
    }

    /// Ends the session because of a `bye`, which is published by the caller.
    mutating func end(_ reason: String) {
        phase = .ended(reason)
        actions.append(.close)
        fail()
    }

    /// Sends what may be sent, and arms the next tick.
    mutating func finish() {
        let sendAt = send()
        let deadline: Int64? =
            switch phase {
            case .idle, .ended: nil
            case .open(let attempt): min(attempt.pingAt, sendAt, silentAt ?? .max)
            case .waiting(let until, _): until
            }
        if let deadline, deadline < armed ?? .max {
            armed = deadline
            actions.append(.arm(at: deadline))
        }
    }

    /// - Returns: the time at which more may be sent; `.max` for none.
    private mutating func send() -> Int64 {
        guard var dialog, !queue.entries.isEmpty else { return .max }
        defer { self.dialog = dialog }
        let login = dialog.login
        func isHeld(_ message: ClientMessage) -> Bool {
            switch login {
            case .findingSecret, .checking, .asked: message.needsLogin
            case .looking: message.changesSomething
            case .anonymous, .done: false
            }
        }
        while true {
            switch queue.next(at: now, isHeld: isHeld, budget: &dialog.budget) {
            case .request(let entry):
                noteSent(entry.id, entry.message, entry.owner, at: now)
                // Turns and rounds begin anew at another table.
                let table = entry.isResent && entry.message.mayNameTable ? entry.table : nil
                actions.append(.send(Request(id: .number(entry.id), entry.message, at: table)))
            case .wait(let until): return until
            case .nothing: return .max
            }
        }
    }
}

// MARK: Requests

extension ClientMachine {
    /// Asks the server for something.
    /// - Returns: the id of the request, and what to do. It is answered once: with the reply, with the server's refusal, or with
    ///   `not_connected` if there is no connection, 64 requests wait already, or the connection is lost before the answer.
    ///   A request that changes something outlives the connection: it is sent again on the next one, unless it has been overtaken.
    public mutating func submit(_ message: ClientMessage, at now: Int64) -> (id: Int, actions: [ClientAction]) {
        let id = lastID + 1
        return (id, input(at: now) { $0.submit(message, by: .caller) })
    }

    private mutating func submit(_ message: ClientMessage, by owner: RequestQueue.Owner) {
        let entry = RequestQueue.Entry(id: nextID(), message: message, owner: owner, table: cursor.position?.table)
        if dialog != nil, !queue.isFull {
            queue.append(entry)
        } else {
            refuse(entry, "Not connected.")
        }
    }

    /// When the rate limit allows a request, if nothing else is submitted before: for a caller that decides as late as possible.
    /// - Returns: nil for now, or without a connection; otherwise the time in milliseconds.
    public func earliestSend(at now: Int64) -> Int64? {
        var budget = dialog?.budget
        return budget?.take(at: now)
    }

    /// A request of the session's own. It may exceed the queue's limit: a request for the table replaces the last one, so that no server
    /// makes the queue grow.
    @discardableResult mutating func ask(_ message: ClientMessage) -> Int {
        let id = nextID()
        if message.asksForTheTable { _ = queue.removeAll { $0.owner == .session && $0.message.asksForTheTable } }
        queue.append(RequestQueue.Entry(id: id, message: message, owner: .session))
        return id
    }

    /// The session's questions for the table that wait to be sent again: another answer has come first.
    private mutating func forgetPostponedQuestions() {
        _ = queue.removeAll { $0.owner == .session && $0.message.asksForTheTable && $0.delivery != .sent }
    }

    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    mutating func fail(where fits: (RequestQueue.Entry) -> Bool = { _ in true }) {
        for entry in queue.removeAll(where: fits) {
            refuse(entry, "The connection was lost before the reply.")
        }
    }

    private mutating func refuse(_ entry: RequestQueue.Entry, _ reason: String) {
        let refusal = Refusal(
            id: .number(entry.id), type: entry.message.type, .look, code: Refusal.notConnected, message: reason)
        answer(entry, .failure(refusal))
    }

    private mutating func answer(_ entry: RequestQueue.Entry?, _ result: Result<Reply, Refusal>) {
        guard let entry else { return }
        switch entry.owner {
        case .session: break
        case .caller: actions.append(.answer(id: entry.id, result))
        case .shoes: perform(shoes?.take(result, to: entry.message, at: now))
        }
    }
}

extension RequestQueue.Entry {
    /// Questions are out of date by then, and each connection begins with a login of its own.
    var isRetriedOnReconnect: Bool { message.changesSomething && message.type != "login" }
}

// MARK: Logging in

extension ClientMachine {
    /// Logs in under a name, at once or as soon as there is a connection.
    /// - Parameter asNewPlayer: whether the player of earlier logins is forgotten.
    public mutating func logIn(as name: String, asNewPlayer: Bool = false, at now: Int64) -> [ClientAction] {
        options.name = name
        if asNewPlayer { known.login = nil }
        guard dialog != nil else { return [] }
        return input(at: now) { $0.logIn() }
    }

    /// The answer to ``ClientAction/findSecret(house:name:)`` and ``ClientAction/makeSecret(house:name:)``.
    /// - Parameter secret: nil for a name without a secret here: it is asked for if it is free.
    public mutating func secretFound(_ secret: AccountSecret?, for name: String, at now: Int64) -> [ClientAction] {
        guard case .findingSecret(of: name) = dialog?.login, let house = known.hello?.house else { return [] }
        return input(at: now) {
            if let secret {
                $0.found = (house, name, secret)
                $0.askForLogin(name, secret)
            } else {
                let id = $0.ask(.available(name: name))
                $0.dialog?.login = .checking(id: id, name: name)
            }
        }
    }

    /// No secret can be kept: without one no account may be claimed, so the session ends.
    public mutating func secretFailed(_ reason: String, at now: Int64) -> [ClientAction] {
        guard case .open = phase else { return [] }
        known.accountFault = reason
        return input(at: now) {
            $0.end(reason)
            $0.actions.append(.publish(.link))
        }
    }

    mutating func logIn() {
        guard let name = options.name, let house = known.hello?.house else { return }
        switch options.credential {
        case .guest: askForLogin(name, nil)
        case .secret(let secret): askForLogin(name, secret)
        case .kept:
            if let found, found.house == house, found.name == name { return askForLogin(name, found.secret) }
            dialog?.login = .findingSecret(of: name)
            actions.append(.findSecret(house: house, name: name))
        }
    }

    private mutating func askForLogin(_ name: String, _ secret: AccountSecret?) {
        let id = ask(
            .login(
                name: name, secret: secret, owner: options.owner, isBot: options.isBot, version: WireLimits.version,
                options: ConnectionOptions(
                    fair: options.contributes, facts: options.facts,
                    silence: options.pingInterval.map { _ in Self.silenceSeconds },
                    brief: options.isBrief ? true : nil)))
        switch dialog?.login {
        case .anonymous, .findingSecret, .checking, .asked: dialog?.login = .asked(id: id)
        case .looking, .done, nil: break
        }
    }

    /// The reply to the question whether a name is free, if the session has asked it.
    mutating func answeredAvailable(_ isFree: Bool, _ entry: RequestQueue.Entry?) {
        guard case .checking(let id, let name) = dialog?.login, id == entry?.id, let house = known.hello?.house else {
            return
        }
        if isFree {
            dialog?.login = .findingSecret(of: name)
            actions.append(.makeSecret(house: house, name: name))
        } else {
            let refusal = Refusal(
                id: .number(id), type: "login",
                Rejection(.nameTaken, "This name is taken, and no secret for it is stored here."))
            loginRefused(entry, code: refusal.code)
            actions.append(.publish(.refused(refusal)))
        }
    }

    /// - Parameter code: of the refusal.
    mutating func loginRefused(_ entry: RequestQueue.Entry?, code: String) {
        // Asked for again before another login.
        found = nil
        if code == ErrorCode.wrongOwner.rawValue { options.owner = nil }
        // A first name that is refused is not asked for again without being told to, unless a server that stops has refused it.
        if known.login == nil, code != ErrorCode.draining.rawValue { options.name = nil }
        switch dialog?.login {
        case .asked(let id) where id == entry?.id, .checking(let id, _) where id == entry?.id: break
        default: return
        }
        dialog?.login = .anonymous
        fail(where: { $0.delivery != .sent && $0.message.needsLogin })
    }
}

// MARK: Messages

extension ClientMachine {
    /// A whole line arrived: see ``lines(in:)``.
    public mutating func receive(line: [UInt8], at now: Int64) -> [ClientAction] {
        guard !line.isEmpty else { return connectionLost(.breach("the server sends lines that are too long"), at: now) }
        do throws(ProtocolError) {
            return receive(
                try line.withUnsafeBufferPointer { bytes throws(ProtocolError) in try ServerMessage(line: bytes) }, at: now)
        } catch {
            let reason = error.message.hasSuffix(".") ? error.message.dropLast() : error.message[...]
            return connectionLost(.breach("the server does not speak the protocol: \(reason)"), at: now)
        }
    }

    /// A message arrived.
    public mutating func receive(_ message: ServerMessage, at now: Int64) -> [ClientAction] {
        guard case .open = phase else { return [] }
        return input(at: now) {
            $0.noteHeard()
            if let event = $0.event(of: message) { $0.actions.append(.publish(event)) }
        }
    }

    /// - Returns: the event to publish behind the actions; nil where it is among them.
    private mutating func event(of message: ServerMessage) -> ClientEvent? {
        switch message {
        case .hello(let hello):
            // Another house within the connection would be asked for, and given, the secrets of its accounts.
            guard dialog == nil else { return losing(.breach("the server sent a second hello")) }
            greeted(hello)
            return .link
        case .ok(let id, let reply): return replied(id, reply)
        case .error(let refusal): return refused(refusal)
        case .snapshot(let table, let epoch, let revision, let new, let chat):
            // A server that changed the table unasked could drop a shoe in the middle.
            if let followed = cursor.position?.table, table != followed, table != granted {
                return losing(.breach("the server sent table \"\(table)\" without a request"))
            }
            guard !new.isExcessive else { return losing(.breach("the server's table has too many unknown items")) }
            known.isDismissed = false
            forgetPostponedQuestions()
            let former = cursor.held.flatMap { $0.position.table == table ? $0 : nil }
            let isPast = former?.snapshot.round?.number ?? 0 > new.round?.number ?? 0
            resend(at: isPast ? nil : table)
            publish(cursor.show(new, at: TablePosition(table: table, epoch: epoch, revision: revision, chat: chat)))
            return nil
        case .diff(let from, let to, let check, let difference, let news):
            let verdict = cursor.advance(from: from, to: to, check: check, difference, news)
            switch verdict {
            case .changes(let change): publish(change)
            case .excessive: return losing(.breach("the server's table has too many unknown items"))
            case .follows, .gap, .wrong, .skip: return ask(after: verdict)
            }
            return nil
        case .chat(let line):
            let verdict = cursor.hear(line.sequence)
            if case .follows = verdict { return .chat(line) }
            _ = ask(after: verdict)
            return .skipped
        case .bye(let code, let reason, let standings, let career):
            (known.standings, known.career) = (standings, career)
            return dismissed(code, reason)
        case .lobby(let change): return follow(change)
        case .notice(let notice): return .notice(notice)
        case .history(let history): return .history(history)
        case .chart(let chart): return .chart(chart)
        case .value(let valuation): return .value(valuation)
        case .unknown: return .skipped
        }
    }

    private mutating func losing(_ failure: LinkFailure) -> ClientEvent? {
        lose(failure)
        return nil
    }

    /// Reconnects after a restart, a slow login, and a pause of this process in which it sent or read nothing. After any other code the server
    /// does not want the player back.
    private mutating func dismissed(_ code: String, _ reason: String) -> ClientEvent? {
        let event = ClientEvent.goodbye(code: code, message: reason)
        switch GoodbyeCode(rawValue: code) {
        case .restart, .shuttingDown, .loginTimeout, .idle, .tooSlow: hasSaidGoodbye = true
        case .kicked where options.returnsAfterKick:
            known.isDismissed = true
            forgetTable()
            actions.append(.publish(event))
            return losing(.dismissed)
        default: end(reason)
        }
        return event
    }

    private mutating func follow(_ change: LobbyChange) -> ClientEvent {
        guard change.from == lobbyRevision else {
            submit(.lobby(follow: true), by: .session)
            return .lobbyOutOfSync
        }
        (known.lobby, lobbyRevision) = (change.applied(to: known.lobby), change.to)
        return .lobby
    }

    /// The table followed is gone for this player: nothing is asked for it again, and no table is asked for after a reconnect.
    public mutating func forgetTable(at now: Int64) -> [ClientAction] {
        input(at: now) {
            $0.forgetTable()
            $0.actions.append(.publish(.leftTable))
            $0.perform($0.shoes?.left(at: now))
        }
    }

    private mutating func forgetTable() {
        cursor = .none
        options.initialPlacement = .nothing
        // A repeated `sit` would take a seat that the player has lost.
        fail(where: { $0.message.mayNameTable || $0.message.effect == .play || $0.message.asksForTheTable })
        resend(at: nil)
    }

    /// Asks for what a diff or a line of chat that does not follow has shown to be missing.
    private mutating func ask(after verdict: TableCursor.Verdict) -> ClientEvent {
        switch verdict {
        case .follows, .changes, .excessive, .skip: return .skipped
        case .gap:
            catchUp(at: cursor.position?.table ?? known.login?.table)
            return .outOfSync
        case .wrong:
            ask(.watch(table: cursor.position?.table, pass: options.pass))
            return .isWrong
        }
    }

    private mutating func greeted(_ hello: Hello) {
        known.hello = hello
        let next = nextPing
        attempt?.pingAt = next
        known.clockOffset = hello.time - now
        cursor.reconnected()
        dialog = Dialog(budget: RequestBudget(hello.limits), login: .anonymous)
        logIn()
    }
}

// MARK: Answers

extension ClientMachine {
    private mutating func replied(_ id: RequestID?, _ reply: Reply) -> ClientEvent? {
        let entry = take(id)
        let (asked, now) = (entry?.message ?? queue.abandoned(id), now)
        if case .applied("leave", _) = reply, asked?.isLeave != true {
            return losing(.breach("the server confirmed a leave that was not requested"))
        }
        // The next login sends the secret of the name in the reply.
        if case .login(let login) = reply, asked?.isLogin(of: login.name) != true {
            return losing(.breach("the server logged you in as \"\(login.name)\" without a request"))
        }
        if let table = asked?.table(in: reply) { granted = table }
        // A `leave` that is sent again, for a table where the player is no more, says nothing of the present one.
        let isElsewhere = asked?.isLeave == true && entry?.table.map { $0 != cursor.position?.table } ?? false
        switch reply {
        case .login(let login):
            attempts = 0
            attempt?.loggedInAt = now
            known.login = login
            options.name = login.name
            options.owner = nil
            // The server's spelling.
            found?.name = login.name
            let isResending = queue.entries.contains { $0.message.changesSomething }
            takePlace(after: login)
            let isAsked = cursor.isAsked
            dialog?.login = isResending && isAsked ? .looking : .done
        // A seat once taken is wanted again after a reconnect, at any seat of that table.
        case .sit(let table, _, _, _):
            if options.repeatsRequests { options.initialPlacement = .sit(table: table, seat: nil) }
            if let pass = entry?.message.pass { options.pass = pass }
        // A reply to a request that was never made, or that a later one replaced, says nothing.
        case .watch(let table, let catchUp):
            guard let entry else { break }
            let isKnown = cursor.position?.epoch == catchUp.epoch
            cursor.caughtUp(chat: catchUp.chat.last?.sequence ?? 0)
            // Else the snapshot that follows tells.
            if isKnown { resend(at: table) }
            if let pass = entry.message.pass { options.pass = pass }
        case .ping(let time):
            known.clockOffset = time - now
            noteAnswer(to: entry?.id, at: now)
        case .applied("leave", _) where !isElsewhere:
            cursor = .none
            forgetPostponedQuestions()
        case .available(let isFree): answeredAvailable(isFree, entry)
        case .lobby(let revision, _, let tables):
            // The answer about one table is no list.
            if case .lobby(_, table: _?)? = entry?.message { break }
            (known.lobby, lobbyRevision) = (tables, revision)
        case .rules(let table, let all): if table == cursor.position?.table { known.allRules = all.rules }
        default: break
        }
        actions.append(.publish(.reply(id, reply)))
        if !isElsewhere { watchShoes(after: reply) }
        answer(entry, .success(reply))
        return nil
    }

    private mutating func refused(_ refusal: Refusal) -> ClientEvent? {
        // A request that waits holds those behind it: beyond some seconds the caller decides instead.
        if options.repeatsRequests, refusal.kind == .again, !refusal.closes, let wait = refusal.retryAfter, wait <= 3000,
            case .number(let id) = refusal.id,
            let known = queue.entries.first(where: { $0.id == id }), !queue.isReplaced(known),
            // Clocks count whole milliseconds: one more is never too soon.
            queue.postpone(id, until: now + Int64(wait) + 1) != nil
        {
            return .postponed(refusal)
        }
        let entry = take(refusal.id)
        switch entry?.message {
        case .watch: cursor.watchRefused()
        // Shows no table by itself.
        default: break
        }
        if entry?.message.asksForTheTable == true, !queue.entries.contains(where: { $0.message.asksForTheTable }) {
            resend(at: nil)
        }
        var refusal = refusal
        // The question whether the name is free is a part of the login.
        if case .checking(let id, _) = dialog?.login, id == entry?.id { refusal.type = "login" }
        if refusal.type == "login" { loginRefused(entry, code: refusal.code) }
        // A refusal of a request that no caller made is no news; its consequence is a finding. Nor is one of a request sent again, whose
        // moment has passed: the first sending may have had its effect.
        let isPast = entry?.isResent == true && refusal.code == ErrorCode.stale.rawValue
        actions.append(.publish(entry?.owner == .shoes || isPast ? .skipped : .refused(refusal)))
        answer(entry, .failure(refusal))
        return nil
    }

    private mutating func take(_ id: RequestID?) -> RequestQueue.Entry? {
        if case .number(let number) = id { queue.remove(number) } else { nil }
    }

    /// After a lost connection the table has been shown, or will not be: changes are sent again, less those that mean another table.
    /// - Parameter table: nil for one that cannot be seen, or whose rounds have begun anew.
    private mutating func resend(at table: String?) {
        guard case .looking = dialog?.login else { return }
        dialog?.login = .done
        fail(
            where: { $0.message.mayNameTable && !$0.message.isLeave && (table == nil || $0.table ?? table != table) })
    }

    /// Follows the table again, or asks for the initial placement.
    private mutating func takePlace(after login: LoginReply) {
        if let table = login.table ?? cursor.position?.table { catchUp(at: table) }
        guard login.table == nil, !queue.contains(type: "sit"), !queue.contains(type: "leave") else { return }
        switch options.initialPlacement {
        case .sit(let table, let seat): ask(.sit(table: table, seat: seat, pass: options.pass))
        case .watch(let table): ask(.watch(table: table, pass: options.pass))
        case .nothing: break
        }
    }

    /// Asks for what happened at a table since the position held, or for the whole table if that position is of another table or wrong.
    private mutating func catchUp(at table: String?) {
        switch cursor {
        case .following(let held) where held.position.table == table: cursor = .resuming(held, heard: held.position.chat)
        case .resuming(let held, _) where held.position.table == table: break
        case .following(let held), .resuming(let held, _), .replacing(let held): cursor = .replacing(held)
        case .none, .requested: cursor = .requested
        }
        if case .resuming(let held, _) = cursor {
            let known = KnownTable(epoch: held.position.epoch, revision: held.position.revision, chat: held.position.chat)
            ask(.watch(table: table, pass: options.pass, known: known))
        } else {
            ask(.watch(table: table, pass: options.pass))
        }
    }
}

// MARK: Shoes

extension ClientMachine {
    private mutating func publish(_ change: TableChange) {
        actions.append(.publish(.table(change)))
        if let epoch = cursor.position?.epoch { watchShoes(change, epoch: epoch) }
    }

    private mutating func watchShoes(_ change: TableChange, epoch: String) {
        perform(shoes?.take(change, epoch: epoch, player: known.login?.name, at: now))
    }

    /// Shows a table that is followed outside this value to the watch of its shoes: where its ceremony has changed, and where a round is
    /// settled.
    public mutating func show(_ change: TableChange, epoch: String, at now: Int64) -> [ClientAction] {
        input(at: now) { $0.watchShoes(change, epoch: epoch) }
    }

    private mutating func watchShoes(after reply: Reply) {
        switch reply {
        case .sit: shoes?.satDown()
        case .watch: perform(shoes?.tick(at: now))
        case .applied("leave", _): perform(shoes?.left(at: now))
        default: break
        }
    }

    /// Queues the requests of the watch of shoes, and publishes its findings.
    private mutating func perform(_ actions: [ShoeSession.Action]?) {
        for action in actions ?? [] {
            switch action {
            case .request(let message): submit(message, by: .shoes)
            case .found(let finding): self.actions.append(.publish(.shoe(finding)))
            }
        }
    }
}
