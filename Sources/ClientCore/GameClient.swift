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
        public var wish = Wish.sit(table: nil, seat: nil)
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
    private var pending: [RequestID: Completion] = [:]
    private var lastID = 0
    private var attempt = 0
    private var lastHeard: Int64 = 0
    private var hasEnded = false
    private var retryTimer: LoopTimer?
    private var pingTimer: LoopTimer?

    public init(options: Options, loop: Loop) {
        self.options = options
        self.loop = loop
        name = options.name
    }

    public func start() {
        loop.perform { [self] in
            retryTimer = loop.makeTimer { [weak self] in self?.connect() }
            pingTimer = loop.makeTimer { [weak self] in self?.checkPulse() }
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
        if let completion { pending[id] = completion }
        link.send(Request(id: id, message).encoded())
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
        case .refused(let refusal):
            // A name that could not be had at first is not asked for again by itself.
            if refusal.type == "login", state.login == nil { options.name = nil }
            if let id = refusal.id { pending.removeValue(forKey: id)?(.failure(refusal)) }
        case .outOfSync: submit(.watch(table: state.table))
        case .goodbye(let code, let message):
            // What the server decided is no accident: coming back at once would not help. But it does when the server restarts, and when
            // it did not want to wait any longer for somebody who is still choosing a name.
            if code != "shutting_down", code != "login_timeout" { return endedByServer(message, update) }
        case .link, .table, .skipped: break
        }
        updates.send(update)
    }

    private func logIn() {
        guard let name = options.name else { return }
        submit(.login(name: name, token: state.login?.token, isBot: options.isBot, version: WireLimits.version))
    }

    private func replied(_ id: RequestID?, _ reply: Reply) {
        if case .login(let login) = reply {
            attempt = 0
            options.name = login.name
            // A player who still has a seat is shown the table without asking.
            if login.table == nil { fulfilWish() }
        }
        // Who has sat down wants a seat there again when the connection comes back, whatever the first wish was.
        if case .sit(let table, _) = reply { options.wish = .sit(table: table, seat: nil) }
        if let id { pending.removeValue(forKey: id)?(.success(reply)) }
    }

    private func fulfilWish() {
        switch options.wish {
        case .sit(let table, let seat): submit(.sit(table: table, seat: seat))
        case .watch(let table): submit(.watch(table: table))
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
        let orphans = pending
        pending = [:]
        let refusal = Refusal(code: "not_connected", message: "The connection was lost before the answer.")
        for completion in orphans.values { completion(.failure(refusal)) }
    }

    private func publish(_ event: ClientEvent) { updates.send(ClientUpdate(state: state, event: event)) }
}

/// Carries a promise to the loop, where it is kept, once.
private struct Promised: @unchecked Sendable {  // a future's promise may be kept on any thread
    private let promise: Future<Bool, Never>.Promise
    init(_ promise: @escaping Future<Bool, Never>.Promise) { self.promise = promise }
    func keep(_ value: Bool) { promise(.success(value)) }
}
