import EventStreams
import Sockets
import Wire

/// A player's client: connects, logs in, takes a seat or watches, follows the table, comes back when the connection is lost.
///
/// One stream leads from the socket to whoever subscribes: bytes → lines → messages → states. Everything runs on the loop's queue.
public final class GameClient: @unchecked Sendable {  // touched on `loop.queue` alone; `start`, `stop` and `send` hop there
    /// What to do once logged in.
    public enum Wish: Equatable, Sendable {
        /// Any table and any seat where none is named.
        case sit(table: String?, seat: Int?)
        case watch(table: String?)
        case nothing
    }

    public struct Options: Sendable {
        public var host: String
        public var port: Int
        /// Who to log in as; nil to wait for ``GameClient/logIn(as:)``.
        public var name: String?
        public var isBot = false
        /// Shown at the first login; later ones show what the server has given.
        public var token: String?
        public var wish = Wish.sit(table: nil, seat: nil)
        /// The pass phrase of the table, where it has one.
        public var pass: String?
        /// How often to try again in a row when there is no connection; 0 for never.
        public var retries = 12
        /// How long the server may say nothing, although asked, in milliseconds.
        public var silence: Int64 = 45_000
        /// How often to ask, in milliseconds.
        public var pingInterval: Int64 = 15_000

        public init(host: String, port: Int, name: String?) {
            self.host = host
            self.port = port
            self.name = name
        }
    }

    public typealias Completion = @Sendable (Result<Reply, Refusal>) -> Void

    /// Each state with the event that led to it, on the loop's queue.
    public let updates = PassthroughSubject<ClientUpdate, Never>()
    public let loop: Loop
    /// The name that was asked for first.
    public let name: String?
    /// The latest state. On the loop's queue.
    public private(set) var state = ClientState()

    private var options: Options
    private var link: ServerLink?
    private var pipeline: AnyCancellable?
    /// A request that was sent and not answered yet.
    private struct Pending {
        var message: ClientMessage
        var completion: Completion?
        /// Whether it has to be sent again: the connection that it was sent on is gone, or the server wanted it later.
        var isDue = false
    }

    /// By the number of the request. Those that change something outlive a lost connection: they are sent again under the same number,
    /// so that the server carries each out once, whether or not it has got it.
    private var pending: [Int: Pending] = [:]
    private var lastID = 0
    private var attempt = 0
    private var lastHeard: Int64 = 0
    private var hasEnded = false
    private var retryTimer: LoopTimer?
    private var pingTimer: LoopTimer?
    /// Until a server that wants fewer requests takes some again.
    private var patienceTimer: LoopTimer?

    public init(options: Options, loop: Loop) {
        self.options = options
        self.loop = loop
        name = options.name
    }

    public func start() {
        loop.perform { [self] in
            retryTimer = loop.makeTimer { [weak self] in self?.connect() }
            pingTimer = loop.makeTimer { [weak self] in self?.checkPulse() }
            patienceTimer = loop.makeTimer { [weak self] in self?.resubmit() }
            connect()
        }
    }

    /// Ends the connection in order. Nothing is published any more, and every request that waits is refused with
    /// `not_connected`.
    public func stop() { loop.perform { [self] in end() } }

    /// Asks the server for something.
    /// - Parameter completion: called once, on the loop's queue, with the reply; with the refusal `not_connected`, which no server sends, when
    ///   there is no connection, too many requests wait already, or the connection is lost before the reply.
    public func send(_ message: ClientMessage, completion: Completion? = nil) {
        loop.perform { [self] in submit(message, completion) }
    }

    /// Whether a name could be logged in with now. False also for a name that is none.
    public func isFree(_ name: String) -> Future<Bool, Never> {
        Future { promise in
            let promise = Promised(promise)
            self.send(.available(name: name)) { result in
                if case .success(.available(true)) = result { promise.keep(true) } else { promise.keep(false) }
            }
        }
    }

    /// Logs in, first or after a refusal of another name.
    public func logIn(as name: String) {
        loop.perform { [self] in
            options.name = name
            logIn()
        }
    }

    private func submit(_ message: ClientMessage, _ completion: Completion? = nil) {
        lastID += 1
        let id = RequestID.number(lastID)
        guard let link, pending.count < 64 else {
            completion?(
                .failure(
                    Refusal(id: id, type: message.type, code: "not_connected", message: "There is no connection that answers.")))
            return
        }
        if completion != nil || message.changesSomething { pending[lastID] = Pending(message: message, completion: completion) }
        link.send(Request(id: id, message).encoded())
    }

    /// Has a request that came too soon sent again when the server says. False if the refusal does not say when.
    private func postpone(_ refusal: Refusal) -> Bool {
        guard let wait = refusal.retryAfter, !refusal.isFatal, case .number(let number) = refusal.id, pending[number] != nil
        else {
            return false
        }
        pending[number]?.isDue = true
        patienceTimer?.arm(at: loop.now + Int64(min(wait, 60_000)))
        return true
    }

    /// Sends again what has to be: what was not answered before the connection was lost, or came too soon.
    private func resubmit() {
        for (number, request) in pending.sorted(by: { $0.key < $1.key }) where request.isDue {
            pending[number]?.isDue = false
            link?.send(Request(id: .number(number), request.message).encoded())
        }
    }

    private func answer(_ id: RequestID?, _ result: Result<Reply, Refusal>) {
        guard case .number(let number) = id else { return }
        pending.removeValue(forKey: number)?.completion?(result)
    }

    private func connect() {
        guard !hasEnded else { return }
        attempt += 1
        state.link = .connecting(attempt: attempt)
        publish(.link)
        lastHeard = loop.now
        let link = ServerLink(loop: loop)
        self.link = link
        let clock = loop.clock
        pipeline = link.bytes
            .handleEvents(receiveOutput: { [weak self] _ in self?.lastHeard = clock.now })
            .lines(limit: WireLimits.eventBytes)
            .messages()
            .scan(ClientUpdate(state: state, event: .link)) { update, message in update.after(message, at: clock.now) }
            .sink { [weak self] completion in
                if case .failure(let failure) = completion { self?.lost(failure) }
            } receiveValue: { [weak self] update in
                self?.take(update)
            }
        link.open(host: options.host, port: options.port)
        pingTimer?.arm(at: loop.now + options.pingInterval)
    }

    private func take(_ update: ClientUpdate) {
        state = update.state
        switch update.event {
        case .link where state.link == .connected: logIn()
        case .reply(let id, let reply): replied(id, reply)
        case .refused(let refusal) where postpone(refusal): return
        case .refused(let refusal):
            // A name that could not be had at first is not asked for again by itself.
            if refusal.type == "login", state.login == nil { options.name = nil }
            answer(refusal.id, .failure(refusal))
        case .outOfSync: catchUp()
        case .isWrong: submit(.watch(table: state.table, pass: options.pass))
        case .lobbyOutOfSync: submit(.lobby(follow: true))
        case .pinged: submit(.pong)
        case .goodbye(let code, let message):
            // What the server decided is no accident: coming back at once would not help. But it does when the server restarts, and when
            // it did not want to wait any longer for somebody who is still choosing a name.
            if code != "shutting_down", code != "login_timeout" { return endedByServer(message, update) }
        case .table(let change):
            if change.old == nil, state.lacksRules { submit(.rules(table: change.table)) }
        case .link, .lobby, .chat, .notice, .note, .skipped: break
        }
        updates.send(update)
    }

    private func logIn() {
        guard let name = options.name else { return }
        submit(.login(name: name, token: state.login?.token ?? options.token, isBot: options.isBot, version: WireLimits.version))
    }

    private func replied(_ id: RequestID?, _ reply: Reply) {
        if case .login(let login) = reply {
            attempt = 0
            options.name = login.name
            resubmit()
            if login.table != nil || state.table != nil { catchUp() }
            if login.table == nil && !pending.values.contains(where: { $0.message.type == "sit" }) { fulfilWish() }
        }
        // Who has sat down wants a seat there again when the connection comes back, whatever the first wish was.
        if case .sit(let table, _, _) = reply { options.wish = .sit(table: table, seat: nil) }
        answer(id, .success(reply))
    }

    /// Asks for what has happened at the table since what is shown, or for the whole table if nothing is.
    private func catchUp() {
        let table = state.login?.table ?? state.table
        guard let epoch = state.epoch, table == state.table else { return submit(.watch(table: table, pass: options.pass)) }
        submit(.resume(table: table, epoch: epoch, revision: state.revision, chat: state.lastChat, pass: options.pass))
    }

    private func fulfilWish() {
        switch options.wish {
        case .sit(let table, let seat): submit(.sit(table: table, seat: seat, pass: options.pass))
        case .watch(let table): submit(.watch(table: table, pass: options.pass))
        case .nothing: break
        }
    }

    private func checkPulse() {
        guard loop.now - lastHeard < options.silence else { return lost(.silence) }
        submit(.ping)
        pingTimer?.arm(at: loop.now + options.pingInterval)
    }

    private func lost(_ failure: LinkFailure) {
        guard !hasEnded else { return }
        dropLink()
        guard attempt <= options.retries else {
            state.link = .ended(failure.description)
            hasEnded = true
            failPending()
            return publish(.link)
        }
        state.link = .lost(failure)
        publish(.link)
        // A quarter of a second, then twice as long each time, up to eight seconds.
        let delay = Int64(250) << min(5, max(0, attempt - 1))
        retryTimer?.arm(at: loop.now + delay)
    }

    private func endedByServer(_ message: String, _ update: ClientUpdate) {
        hasEnded = true
        dropLink()
        state.link = .ended(message)
        updates.send(ClientUpdate(state: state, event: update.event))
    }

    private func end() {
        hasEnded = true
        dropLink()
        retryTimer?.disarm()
    }

    private func dropLink() {
        pipeline?.cancel()
        pipeline = nil
        link?.close()
        link = nil
        pingTimer?.disarm()
        failPending()
    }

    /// Refuses what waits for an answer, but for what will be asked again on the next connection.
    private func failPending() {
        // A login is made anew; what only asks is out of date by then.
        for (number, request) in pending {
            guard hasEnded || !request.message.changesSomething || request.message.type == "login" else {
                pending[number]?.isDue = true
                continue
            }
            pending[number] = nil
            request.completion?(.failure(Refusal(code: "not_connected", message: "The connection was lost before the answer.")))
        }
    }

    private func publish(_ event: ClientEvent) { updates.send(ClientUpdate(state: state, event: event)) }
}

/// Carries a promise to the loop, where it is kept, once.
private struct Promised: @unchecked Sendable {  // a future's promise may be kept on any thread
    private let promise: Future<Bool, Never>.Promise
    init(_ promise: @escaping Future<Bool, Never>.Promise) { self.promise = promise }
    func keep(_ value: Bool) { promise(.success(value)) }
}
