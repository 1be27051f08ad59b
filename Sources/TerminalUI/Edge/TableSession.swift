import ClientCore
import ClientSession
import Dispatch
import EventStreams
import Sockets
import TableModel
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One person at one table, from the connection to the screen and back.
///
/// Everything of the session runs on a serial queue of its own; the client's loop hands its updates over and is never waited for.
public final class TableSession: @unchecked Sendable {  // every stored variable is touched on `queue` alone
    /// Who plays.
    public enum Name: Sendable {
        /// Nobody but this one: taken is taken.
        case given(String)
        /// This one, with a number where it is taken.
        case assumed(String)
        /// Whoever says so at the screen, where this name (which may be empty) stands already. Without a screen it is as if the name were
        /// assumed, or `player` where it is empty.
        case asked(suggestion: String)
    }

    public struct Options: Sendable {
        public var host: String
        public var port: Int
        public var name: Name
        public var wish = SessionOptions.Wish.sit(table: nil, seat: nil)
        /// The pass phrase of the table, where it has one.
        public var pass: String?
        /// Sentences instead of a screen, at a terminal too.
        public var isPlain = false
        /// The environment variables that say what the terminal can do.
        public var environment: [String: String] = [:]

        public init(host: String, port: Int, name: Name) {
            self.host = host
            self.port = port
            self.name = name
        }
    }

    /// How a session ended.
    public struct Ending: Sendable {
        /// 0 when the player left in order, 69 when the server can't be reached or ended it.
        public var status: Int32
        /// Why, for standard error.
        public var reason: SafeText?
    }

    let queue = DispatchQueue(label: "bj.ui")
    let client: GameClient
    let options: Options
    /// What stands in the form that asks for a name; nil where none is asked for.
    let nameSuggestion: String?
    /// What is known, as of the last update that the face was shown.
    private(set) var state = ClientState()

    private let completion: @Sendable (Ending) -> Void
    private let look: Look
    private let hasScreen: Bool
    private var face: (any Face)?
    private var subscription: AnyCancellable?
    private var signals: [any DispatchSourceSignal] = []
    private var attempts = 1
    /// How the session ends once the server has said goodbye.
    private var lastWord: Ending?
    private var hasEnded = false

    /// - Parameter completion: called once, when the session is over and the terminal as it was.
    public init(_ options: Options, completion: @escaping @Sendable (Ending) -> Void) {
        self.options = options
        self.completion = completion
        look = Look(environment: options.environment)
        hasScreen = !options.isPlain && Terminal.isInteractive && Look.canDraw(terminal: options.environment["TERM"])
        if hasScreen, case .asked(let suggestion) = options.name { nameSuggestion = suggestion } else { nameSuggestion = nil }
        let name = nameSuggestion == nil ? options.name.first : nil
        var settings = GameClient.Options(host: options.host, port: options.port, name: name)
        settings.wish = options.wish
        settings.pass = options.pass
        client = GameClient(options: settings, loop: Loop(label: "bj.client"))
    }

    public func start() {
        queue.async { [self] in
            let face: any Face = hasScreen ? ScreenFace(self, look) : PlainFace(self, look)
            self.face = face
            signals = [SIGINT, SIGTERM, SIGHUP].map { number in onSignal(number) { [weak self] in self?.leave() } }
            face.open()
            subscription = client.updates.receive(on: queue).sink { [weak self] in self?.take($0) }
            client.start()
        }
    }

    /// Runs an action on the queue whenever a signal arrives, instead of what the system would do.
    func onSignal(_ number: Int32, _ action: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: action)
        source.resume()
        return source
    }

    /// Asks the server for something.
    /// - Parameter completion: called once on the session's queue, as by `GameClient.send`.
    func send(_ message: ClientMessage, completion: (@Sendable (Result<Reply, Refusal>) -> Void)? = nil) {
        let queue = queue
        guard let completion else { return client.send(message) }
        client.send(message) { result in queue.async { completion(result) } }
    }

    /// Gets up and sits down again at the same table: the house lends a new stake to who has nothing left.
    func takeNewStake() {
        let table = state.table
        send(.leave) { [weak self] result in
            if case .success = result { self?.send(.sit(table: table, seat: nil, pass: self?.options.pass)) }
        }
    }

    /// Says goodbye, so that the name is free at once, and ends when the server has said it too.
    func leave(_ ending: Ending = Ending(status: 0)) {
        guard lastWord == nil else { return }
        lastWord = ending
        guard state.link == .loggedIn else { return end(ending) }
        send(.logout) { [weak self] result in
            if case .failure = result { self?.end(ending) }
        }
        // A server that does not answer must not hold the player.
        queue.asyncAfter(deadline: .now() + 1) { [weak self] in self?.end(ending) }
    }

    func end(_ ending: Ending) {
        guard !hasEnded else { return }
        hasEnded = true
        subscription = nil
        client.stop()
        face?.close()
        completion(ending)
    }

    private func take(_ update: ClientUpdate) {
        guard !hasEnded else { return }
        let old = state
        state = update.state
        // A server that was never there is the end, not an event.
        if case .lost(let failure) = state.link, state.hello == nil { return unreachable(failure) }
        // Nobody waits for a connection only to say goodbye.
        if let lastWord, case .link = update.event { return end(lastWord) }
        if case .refused(let refusal) = update.event, triesOtherName(after: refusal) { return }
        face?.take(update, from: old)
        switch update.event {
        case .link: linkChanged(update.state)
        case .refused(let refusal): refused(refusal)
        case .goodbye("logged_out", _): end(lastWord ?? Ending(status: 0))
        case .goodbye(_, let message): if case .ended = update.state.link { fail("the server has ended the session: \(message)") }
        case .reply, .table, .outOfSync, .isWrong, .lobby, .lobbyOutOfSync, .chat, .notice, .note, .pinged, .skipped: break
        }
    }

    private func unreachable(_ failure: LinkFailure) {
        fail("\(failure.description). Is a server there? 'bjserver' starts one, 'bjclient practice' plays without.")
    }

    private func linkChanged(_ state: ClientState) {
        switch state.link {
        case .ended(let reason): fail("\(reason)")
        case .lost, .connecting, .connected, .loggedIn: break
        }
    }

    /// Sees to refusals of what the client asked for by itself: the login and the seat.
    private func refused(_ refusal: Refusal) {
        switch (refusal.type, refusal.code) {
        case ("login", _) where isAskingForName: break
        case ("login", "name_taken"), ("login", "wrong_token"):
            let name = SafeText(state.login?.name ?? options.name.first, columns: 24)
            fail("somebody else is \(name): choose another name with --name")
        case ("login", _): fail(LinkNarrator.refusal(refusal))
        case ("sit", "no_such_table"), ("watch", "no_such_table"): listTablesAndEnd()
        case ("sit", _) where state.snapshot == nil && lastWord == nil: watchInstead()
        case ("watch", "no_table_named"): watchFirstTable()
        default: break
        }
    }

    /// Whether the form is on the screen: it sees to refusals by itself.
    private var isAskingForName: Bool { nameSuggestion != nil && state.login == nil }

    /// Whether a name that was only assumed is taken, and another one is tried.
    private func triesOtherName(after refusal: Refusal) -> Bool {
        guard refusal.type == "login", refusal.code == "name_taken" || refusal.code == "wrong_token", !isAskingForName,
            options.name.isAssumed
        else { return false }
        attempts += 1
        guard attempts <= 9 else { return false }
        // The longest suffix must leave the name within its limits.
        var base = options.name.first
        while base.utf8.count > PlayerName.maximumBytes - 2 || base.count > PlayerName.maximumCharacters - 2 { base.removeLast() }
        client.logIn(as: "\(base)-\(attempts)")
        return true
    }

    private func listTablesAndEnd() {
        send(.lobby(follow: nil)) { [weak self] result in
            guard case .success(.lobby(_, _, let tables)) = result else { return }
            let names = tables.map { SafeText($0.name, columns: 32) }.joined()
            self?.leave(Ending(status: 69, reason: "there is no such table; there are: \(names)"))
        }
    }

    private func watchInstead() {
        if case .sit(let table?, _) = options.wish { return send(.watch(table: table, pass: options.pass)) }
        watchFirstTable()
    }

    private func watchFirstTable() {
        send(.lobby(follow: nil)) { [weak self] result in
            guard case .success(.lobby(_, _, let tables)) = result, let first = tables.first else { return }
            self?.send(.watch(table: first.name))
        }
    }

    private func fail(_ reason: SafeText) { end(Ending(status: 69, reason: reason)) }
}

extension TableSession.Name {
    /// The name to ask for first where there is nobody to say another.
    var first: String {
        switch self {
        case .given(let name), .assumed(let name): name
        case .asked(let suggestion): suggestion.isEmpty ? "player" : suggestion
        }
    }

    var isAssumed: Bool { if case .given = self { false } else { true } }
}
