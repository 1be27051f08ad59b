import CommandLineKit
import EventStreams
import Sockets
import TableModel
import Wire

/// A player's client. It owns the socket, the timer and the table, and publishes each state.
///
/// Callable from any thread; everything runs on the loop.
public final class GameClient: Sendable {
    /// The members of ``session`` are members of the options too: `options.initialPlacement`, `options.retries`.
    @dynamicMemberLookup
    public struct Options: Sendable {
        public var host: String
        public var port: Int
        /// A server inside the process, instead of one at host and port.
        package var local: LocalListener?
        /// The server's listener for proxies, instead of host and port.
        package var route: ProxyRoute?
        public var session: SessionOptions
        /// Where the secrets of accounts are kept; without it the credential of ``session`` is used.
        public var accounts: AccountFile?
        /// Whether an account is stored with its first seat, not before its first login: of many that are tried most are never played.
        package var storesSeated = false
        /// The address that the accounts are kept for; nil for host and port. A server inside the process has none.
        public var accountServer: String?
        /// Called on the loop with each whole line of the server and its time, before the line is handled.
        public var record: (@Sendable (_ line: [UInt8], _ now: Int64) -> Void)?
        /// Determines the contributions to shoes, for tests; nil for the system's randomness.
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

    public func start() { shell.perform { $0.inputs.send(.start) } }

    /// Closes the connection after what is queued. Nothing is published after it, and every request without an answer is refused with
    /// `not_connected`.
    public func stop() {
        shell.perform {
            $0.inputs.send(.stop)
            $0.timer.disarm()
        }
    }

    /// Asks the server for something.
    /// - Parameter completion: called once, on the loop's queue: with the reply, with the server's refusal, or with the refusal
    ///   `not_connected` if there is no connection, 64 requests wait already, or the connection is lost before the reply to a question. A
    ///   request that changes something is sent again on the next connection instead, unless it has been overtaken.
    public func send(_ message: ClientMessage, completion: Completion? = nil) {
        shell.perform { $0.inputs.send(.submit(message, completion)) }
    }

    /// Whether a name could be logged in with: it is free, or its secret is kept, if only for another address.
    public func standing(of name: String) -> Future<NameAvailability, Never> {
        Future { promise in
            self.shell.perform { shell in
                let known = shell.account(of: name)
                if known == .own { return promise(.success(.own)) }
                let question = ClientInput.submit(.available(name: name)) { result in
                    switch result {
                    case .success(let reply): promise(.success(reply == .available(true) ? .free : known ?? .taken))
                    case .failure(let refusal): promise(.success(.refused(refusal.message)))
                    }
                }
                shell.inputs.send(question)
            }
        }
    }

    /// Logs in, first or after another name was refused.
    public func logIn(as name: String) { shell.perform { $0.inputs.send(.logIn(name)) } }

    /// Keeps the account of another address for this one, too, and logs in: the player trusts this server with its secret.
    /// - Parameters: as in ``NameAvailability/elsewhere(house:server:)``.
    public func adopt(_ name: String, house: String, server: String) { shell.perform { $0.adopt(name, house, server) } }

    /// Stops following a table that closed or that the player was removed from: after a reconnect no table is asked for.
    public func forgetTable() { shell.perform { $0.inputs.send(.forgetTable) } }
}

/// The way of a player who connects through this process: the server gets their address.
package struct ProxyRoute: Sendable {
    let listener: ProxyAddress
    /// Sent before anything else.
    let header: [UInt8]

    package init(_ listener: ProxyAddress, header: [UInt8]) { (self.listener, self.header) = (listener, header) }
}

/// Whether a name can be logged in with.
public enum NameAvailability: Equatable, Sendable {
    case free, taken
    /// The server's reason, or that there is no connection.
    case refused(String)
    /// The player's own: its secret is kept here.
    case own
    /// Taken, and the player's own at another address that said it is this house. Any server can say so.
    case elsewhere(house: String, server: String)
}

// MARK: Inputs and outputs of the chain

private enum ClientInput {
    case start, stop, tick, forgetTable
    case bytes([UInt8])
    case lost(LinkFailure)
    case submit(ClientMessage, GameClient.Completion?)
    case logIn(String)
    case secret(Result<AccountSecret?, AccountFile.Failure>, name: String)
}

private enum ClientOutput {
    case update(ClientUpdate)
    case answer(GameClient.Completion?, Result<Reply, Refusal>)
    case effect(ClientAction)
    case received([UInt8])
}

/// The state of the chain: the machine, and the callers that wait for an answer.
private struct ClientRun {
    var machine: ClientMachine
    var completions: [Int: GameClient.Completion] = [:]

    mutating func handle(_ input: ClientInput, at now: Int64) -> [ClientOutput] {
        switch input {
        case .start: return outputs(machine.start(at: now))
        case .stop: return outputs(machine.stop())
        case .tick: return outputs(machine.tick(at: now))
        case .forgetTable: return outputs(machine.forgetTable(at: now))
        case .bytes(let bytes):
            let lines = bytes.withUnsafeBytes { machine.lines(in: $0) }
            // The state of an update is the one after its line.
            return lines.flatMap { [.received($0)] + outputs(machine.receive(line: $0, at: now)) }
        case .lost(let failure): return outputs(machine.connectionLost(failure, at: now))
        case .submit(let message, let completion):
            let (id, actions) = machine.submit(message, at: now)
            completions[id] = completion
            return outputs(actions)
        case .logIn(let name): return outputs(machine.logIn(as: name, at: now))
        case .secret(.success(let secret), let name): return outputs(machine.secretFound(secret, for: name, at: now))
        case .secret(.failure(let failure), _): return outputs(machine.secretFailed(failure.description, at: now))
        }
    }

    private mutating func outputs(_ actions: [ClientAction]) -> [ClientOutput] {
        actions.map { action in
            switch action {
            case .publish(let event): .update(ClientUpdate(state: machine.state, event: event))
            case .answer(let id, let result): .answer(completions.removeValue(forKey: id), result)
            case .connect, .close, .send, .arm, .findSecret, .makeSecret: .effect(action)
            }
        }
    }
}

/// A connection, from the attempt to open it, and the publisher of its bytes, which fails with the reason of its end.
private final class ClientConnection: ConnectionHandler {
    let bytes = PassthroughSubject<[UInt8], LinkFailure>()
    private var connector: Connector?
    private var connection: Connection?

    init(_ options: GameClient.Options, loop: Loop) {
        let completion = { [weak self] (result: Result<Connection, SocketError>) in
            guard let self else { return }
            switch result {
            case .success(let connection):
                self.connection = connection
                connection.apply(ConnectionLimits(inboundBytes: 16 * 1024))
                if let route = options.route { connection.send(route.header) }
                connection.handler = self
            case .failure(let error): bytes.send(completion: .failure(.connection(error.description)))
            }
        }
        let (host, port) = options.route?.listener.endpoint.map { ($0.host, Int($0.port)) } ?? (options.host, options.port)
        connector =
            options.local.map { Connector.connect(to: $0, loop: loop, completion: completion) }
            ?? options.route?.listener.socket.map { Connector.connect(unixPath: $0, loop: loop, completion: completion) }
            ?? Connector.connect(host: host, port: port, loop: loop, completion: completion)
    }

    func send(_ request: Request) { connection?.send(request.encoded()) }

    /// Sends what is queued first.
    func close() {
        connector?.cancel()
        connection?.handler = nil
        connection?.close()
    }

    /// Fairness: the next chunk is read behind all that waits on the loop's queue, keys and signals above all. Short ones, of which a loop reads
    /// 64 at a time at most, are spared two system calls: house bots get their lines one by one.
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        if bytes.count > 256 {
            connection.isReading = false
            LoopConfined(connection, on: connection.loop).perform { $0.isReading = true }
        }
        self.bytes.send(Array(bytes))
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        bytes.send(completion: .failure(.connection(reason.description)))
    }
}

// MARK: - The chain

/// The chain from a connection's bytes to updates, and its effects: socket, timer, file of accounts. Confined to its loop.
private final class ClientShell {
    let inputs = PassthroughSubject<ClientInput, Never>()
    let timer: LoopTimer
    private(set) var state = ClientState()
    private let connections = PassthroughSubject<ClientConnection, Never>()
    private let updates: PassthroughSubject<ClientUpdate, Never>
    private let loop: Loop
    private let options: GameClient.Options
    private let server: String
    /// A secret made for a login that is not answered.
    private var made: AccountSecret?
    /// Accounts made and not refused. Its bound is for a server that says it is another house on each connection.
    private var madeCount = 0
    private static let mostMade = 3
    /// The player whose table was noted.
    private var noted: String?
    /// The house of the last connection.
    private var house: String?
    /// Has no seat so far; see `storesSeated`.
    private var unseated: StoredAccount?
    private var connection: ClientConnection?
    private var chain: AnyCancellable?

    init(_ options: GameClient.Options, _ loop: Loop, _ updates: PassthroughSubject<ClientUpdate, Never>) {
        (self.loop, self.updates, self.options) = (loop, updates, options)
        server = options.accountServer ?? "\(Endpoint(host: options.host, port: UInt16(clamping: options.port)))"
        timer = loop.makeTimer { [inputs] in inputs.send(.tick) }
        var settings = options.session
        if options.accounts != nil { settings.credential = .kept }
        // The server remembers an account's last ids, also those of an earlier run.
        settings.firstID = Int.random(in: 1...Int(Int32.max))
        settings.jitterSeed = .random(in: 1 ... .max)
        let machine = ClientMachine(
            options: settings,
            contributions: options.contributionSeed.map { SeededEntropy(seed: $0) } ?? SystemRandomNumberGenerator())
        let first = ClientRun(machine: machine)
        chain = connections.map { $0.bytes.map(ClientInput.bytes).catch { Just(.lost($0)) } }
            .switchToLatest()
            .merge(with: inputs)
            .run(first) { run, input in run.handle(input, at: loop.clock.now) }
            .sink { [weak self] output in
                switch output {
                case .update(let update): self?.publish(update)
                case .answer(let completion, let result): completion?(result)
                case .effect(let action): self?.perform(action)
                case .received(let line): options.record?(line, loop.clock.now)
                }
            }
    }

    private func perform(_ action: ClientAction) {
        switch action {
        case .connect:
            let connection = ClientConnection(options, loop: loop)
            self.connection = connection
            connections.send(connection)
        case .close:
            connection?.close()
            connection = nil
        case .send(let request): connection?.send(request)
        case .arm(let time): timer.arm(at: time)
        case .findSecret(let house, let name):
            let secret = Result { () throws(AccountFile.Failure) -> AccountSecret? in
                if let unseated, unseated.isOf(name, house: house, server: server) { return unseated.secret }
                return try options.accounts?.use(name, house: house, server: server)
            }
            inputs.send(.secret(secret, name: name))
        case .makeSecret(let house, let name):
            inputs.send(.secret(Result { () throws(AccountFile.Failure) in try makeSecret(house, name) }, name: name))
        case .publish, .answer: break
        }
    }

    private func publish(_ update: ClientUpdate) {
        state = update.state
        noteUse(update.event)
        updates.send(update)
        if case .link = update.event { noteHouse() }
    }
}

// MARK: Accounts

extension ClientShell {
    func account(of name: String) -> NameAvailability? {
        guard let house = state.hello?.house, let accounts = options.accounts else { return nil }
        if (try? accounts.account(of: name, house: house, server: server)) != nil { return .own }
        return (try? accounts.elsewhere(name, house: house, server: server)).map { .elsewhere(house: house, server: $0.server) }
    }

    /// Sends no secret if this is not the house, or the account not at the address, that the player was asked about.
    func adopt(_ name: String, _ house: String, _ other: String) {
        do throws(AccountFile.Failure) {
            if var account = try options.accounts?.account(of: name, house: house, server: other) {
                (account.server, account.played) = (server, 0)
                _ = try options.accounts?.store(account)
            }
            inputs.send(.logIn(name))
        } catch {
            inputs.send(.secret(.failure(error), name: name))
        }
    }

    private func makeSecret(_ house: String, _ name: String) throws(AccountFile.Failure) -> AccountSecret? {
        guard madeCount < Self.mostMade else {
            throw AccountFile.Failure(description: "the server requires more than \(Self.mostMade) new accounts in one session")
        }
        madeCount += 1
        if options.storesSeated {
            var generator = SystemRandomNumberGenerator()
            unseated = StoredAccount(house: house, server: server, name: name, secret: AccountSecret(using: &generator))
            return unseated?.secret
        }
        made = try options.accounts?.make(name, house: house, server: server)
        return made
    }

    /// Another house has other accounts and chips.
    private func noteHouse() {
        guard options.accounts != nil, let new = state.hello?.house, new != house else { return }
        defer { house = new }
        guard house != nil else { return }
        updates.send(
            ClientUpdate(state: state, event: .note("This address now has a different server, with different accounts.")))
    }

    /// Keeps no secret of a login that was refused, and notes under which name a table was shown: the next session offers that one.
    private func noteUse(_ event: ClientEvent) {
        guard let accounts = options.accounts else { return }
        switch event {
        case .reply(_, .login): made = nil
        // The login may have reached the server.
        case .link: if case .lost = state.link { made = nil }
        case .refused(let refusal) where refusal.type == "login":
            if let made {
                accounts.forget(made)
                madeCount -= 1
            }
            (made, unseated) = (nil, nil)
        case .reply(_, .sit):
            guard let account = unseated else { return }
            unseated = nil
            do throws(AccountFile.Failure) { _ = try accounts.store(account) } catch {
                updates.send(ClientUpdate(state: state, event: .note("Your account ends with this connection: \(error).")))
            }
        case .table:
            guard let player = state.login?.name, player != noted, let house = state.hello?.house else { return }
            noted = player
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
