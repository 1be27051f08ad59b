import EventStreams
import Sockets
import TableModel
import Wire

/// A player's client. It owns the socket, the timer and the table, and publishes each state.
///
/// Callable from any thread; everything runs on the loop.
public final class GameClient: Sendable {
    /// The members of ``session`` are members of the options too: `options.wish`, `options.retries`.
    @dynamicMemberLookup
    public struct Options: Sendable {
        public var host: String
        public var port: Int
        public var session: SessionOptions
        /// Where the secrets of accounts are kept; without it the credential of ``session`` is used.
        public var accounts: AccountFile?
        /// Determines the contributions to shoes, for practice and tests; nil for the system's randomness.
        public var contributionSeed: UInt64?

        /// - Parameter name: the name to log in with; nil to wait for ``GameClient/logIn(as:)``.
        public init(host: String, port: Int, name: String?) {
            (self.host, self.port) = (host, port)
            session = SessionOptions(name: name)
            session.contributes = true
        }

        public subscript<Member>(dynamicMember member: WritableKeyPath<SessionOptions, Member>) -> Member {
            get { session[keyPath: member] }
            set { session[keyPath: member] = newValue }
        }
    }

    public typealias Completion = @Sendable (Result<Reply, Refusal>) -> Void

    /// Each state with the event that led to it, on the loop's queue. Nothing after ``stop()``.
    public let updates = PassthroughSubject<ClientUpdate, Never>()
    public let loop: Loop
    /// The name that was asked for first.
    public let name: String?
    private let shell: LoopConfined<ClientShell>

    public init(options: Options, loop: Loop) {
        self.loop = loop
        name = options.name
        shell = LoopConfined(sending: ClientShell(options, loop, updates), on: loop)
    }

    /// The latest state. On the loop's queue.
    public var state: ClientState { shell.value.state }

    public func start() { shell.perform { $0.start() } }

    /// Closes the connection after what is queued. Nothing is published after it, and every request without an answer is refused with
    /// `not_connected`.
    public func stop() { shell.perform { $0.stop() } }

    /// Asks the server for something.
    /// - Parameter completion: called once, on the loop's queue: with the reply, with the server's refusal, or with the refusal
    ///   `not_connected` if there is no connection, 64 requests wait already, or the connection is lost before the reply to a question. A
    ///   request that changes something is sent again on the next connection instead, unless it has been overtaken.
    public func send(_ message: ClientMessage, completion: Completion? = nil) {
        shell.perform { $0.submit(message, completion) }
    }

    /// Whether a name could be logged in with: it is free, or its secret is kept. `taken` too for an invalid name and without a connection.
    public func standing(of name: String) -> Future<JoinForm.Standing, Never> {
        Future { promise in
            self.shell.perform { shell in
                shell.askForStanding(of: name) { standing in promise(.success(standing)) }
            }
        }
    }

    /// Logs in, first or after another name was refused.
    public func logIn(as name: String) { shell.perform { $0.logIn(as: name) } }

    /// Stops following a table that closed or that the player was removed from: after a reconnect no table is asked for.
    public func forgetTable() { shell.perform { $0.forgetTable() } }
}

/// The shell around a `ClientMachine`: its socket, its timer, its file of accounts. Confined to its loop.
private final class ClientShell: ConnectionHandler {
    var state: ClientState { machine.state }
    private let loop: Loop
    private let updates: PassthroughSubject<ClientUpdate, Never>
    private let host: String
    private let port: Int
    private let accounts: AccountFile?
    private var machine: ClientMachine
    private var completions: [Int: GameClient.Completion] = [:]
    private var connector: Connector?
    private var connection: Connection?
    private var timer: LoopTimer?
    private var isStopped = false
    private var accountUse = AccountUse()

    init(_ options: GameClient.Options, _ loop: Loop, _ updates: PassthroughSubject<ClientUpdate, Never>) {
        (self.loop, self.updates) = (loop, updates)
        host = options.host
        port = options.port
        accounts = options.accounts
        var settings = options.session
        if accounts != nil { settings.credential = .kept }
        // The server remembers an account's last ids, also those of an earlier run.
        settings.firstID = Int.random(in: 1...Int(Int32.max))
        settings.jitterSeed = .random(in: 1 ... .max)
        machine = ClientMachine(
            options: settings,
            contributions: options.contributionSeed.map { SeededEntropy(seed: $0) } ?? SystemRandomNumberGenerator())
    }

    func start() {
        timer = loop.makeTimer { [weak self] in if let self { perform(machine.tick(at: now)) } }
        perform(machine.start(at: now))
    }

    func stop() {
        isStopped = true
        timer?.disarm()
        perform(machine.stop())
    }

    func logIn(as name: String) { perform(machine.logIn(as: name, at: now)) }

    func forgetTable() { perform(machine.forgetTable(at: now)) }

    func askForStanding(of name: String, _ answer: @escaping @Sendable (JoinForm.Standing) -> Void) {
        if let house = state.hello?.house, (try? accounts?.account(of: name, house: house, server: server)) ?? nil != nil {
            return answer(.own)
        }
        submit(.available(name: name)) { result in
            switch result {
            case .success(.available(true)): answer(.free)
            case .success, .failure: answer(.taken)
            }
        }
    }

    private var now: Int64 { loop.clock.now }
    private var server: String { AccountFile.address(host: host, port: port) }

    func submit(_ message: ClientMessage, _ completion: GameClient.Completion? = nil) {
        let (id, actions) = machine.submit(message, at: now)
        completions[id] = completion
        perform(actions)
    }

    private func perform(_ actions: [ClientAction]) {
        var secretAsked: (() -> Void)?
        for action in actions {
            switch action {
            case .connect: connect()
            case .close: close()
            case .send(let request): connection?.send(request.encoded())
            case .arm(let time): timer?.arm(at: time)
            case .publish(let event): publish(event)
            case .findSecret(let house, let name): secretAsked = { [self] in findSecret(house, name) }
            case .makeSecret(let house, let name): secretAsked = { [self] in makeSecret(house, name) }
            case .answer(let id, let result): completions.removeValue(forKey: id)?(result)
            }
        }
        // Last: the answer leads to actions that follow the others.
        secretAsked?()
    }

    private func findSecret(_ house: String, _ name: String) {
        do throws(AccountFile.Failure) {
            let secret = try accounts?.use(name, house: house, server: server)
            perform(machine.secretFound(secret, for: name, at: now))
        } catch {
            perform(machine.secretFailed(error.description, at: now))
        }
    }

    private func makeSecret(_ house: String, _ name: String) {
        do throws(AccountFile.Failure) {
            guard accountUse.count < AccountUse.limit else { throw AccountUse.failure }
            let secret = try accounts?.make(name, house: house, server: server)
            accountUse.made = secret
            accountUse.count += 1
            perform(machine.secretFound(secret, for: name, at: now))
        } catch {
            perform(machine.secretFailed(error.description, at: now))
        }
    }

    private func connect() {
        connector = Connector.connect(host: host, port: port, loop: loop) { [weak self] result in
            guard let self else { return }
            connector = nil
            switch result {
            case .success(let connection):
                self.connection = connection
                connection.handler = self
            case .failure(let error): perform(machine.connectionLost(.connection(error.description), at: now))
            }
        }
    }

    /// Sends what is queued first.
    private func close() {
        connector?.cancel()
        connector = nil
        connection?.handler = nil
        connection?.close()
        connection = nil
    }

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        for line in machine.lines(in: bytes, at: now) { perform(machine.receive(line: line, at: now)) }
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        self.connection = nil
        perform(machine.connectionLost(.connection(reason.description), at: now))
    }

    private func publish(_ event: ClientEvent) {
        guard !isStopped else { return }
        let state = state
        noteUse(event, state)
        updates.send(ClientUpdate(state: state, event: event))
        if case .link = event { noteHouse() }
    }
}

// MARK: Accounts

extension ClientShell {
    /// Another house has other accounts and chips.
    private func noteHouse() {
        guard accounts != nil, let house = state.hello?.house, house != accountUse.house else { return }
        defer { accountUse.house = house }
        guard accountUse.house != nil else { return }
        updates.send(
            ClientUpdate(state: state, event: .note("The server says that it is another house: it knows other accounts.")))
    }

    /// Keeps no secret of a login that was refused, and notes under which name a table was shown: the next session offers that one.
    private func noteUse(_ event: ClientEvent, _ state: ClientState) {
        guard let accounts else { return }
        switch event {
        case .reply(_, .login): accountUse.made = nil
        // The login may have reached the server.
        case .link: if case .lost = state.link { accountUse.made = nil }
        case .refused(let refusal) where refusal.type == "login":
            if let made = accountUse.made {
                accounts.forget(made)
                accountUse.count -= 1
            }
            accountUse.made = nil
        case .table:
            guard let player = state.login?.name, player != accountUse.player, let house = state.hello?.house else { return }
            accountUse.player = player
            accounts.played(player, house: house, server: server)
        default: break
        }
    }
}

/// A table that changed, or is shown for the first time.
public struct TableChange: Equatable, Sendable {
    public enum Origin: Equatable, Sendable {
        /// Nothing of this table was shown before.
        case firstShown
        /// The table before, and what leads from it to the new one: as received, or computed once where a whole table was received.
        case changed(from: TableSnapshot, by: TableDifference)
    }

    public let table: String
    public let revision: Int
    public let origin: Origin
    public let new: TableSnapshot
    /// Facts of the server; of a gap, only its first change says that something was missed.
    public let news: TableNews

    package init(
        table: String, revision: Int, from old: TableSnapshot, by difference: TableDifference, to new: TableSnapshot,
        news: TableNews
    ) {
        (self.table, self.revision, self.new, self.news) = (table, revision, new, news)
        origin = .changed(from: old, by: difference)
    }

    /// A whole table, and what was shown of it before; nil for nothing.
    package init(table: String, revision: Int, old: TableSnapshot?, new: TableSnapshot) {
        (self.table, self.revision) = (table, revision)
        origin = old.map { .changed(from: $0, by: $0.difference(to: new)) } ?? .firstShown
        self.new = new
        news = old == nil ? .none : .missed
    }

    /// The table before; nil if nothing of it was shown.
    public var old: TableSnapshot? { if case .changed(let old, _) = origin { old } else { nil } }
}
