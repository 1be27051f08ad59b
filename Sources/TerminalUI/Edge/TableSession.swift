import ClientCore
import Dispatch
import EventStreams
import Fairness
import Foundation
import Rules
import Sockets
import TableModel
import Wire

/// The shell around a ``PlayerSession``: its client, its timer, its files and its terminal.
///
/// Confined to a loop, which its client shares: an update is handled before the next line is read, and nothing waits for the terminal.
public final class TableSession {
    /// The name to log in with.
    public enum Name: Sendable {
        /// This name; if it is taken, asks for another on a screen, and ends the session elsewhere.
        case given(String)
        /// This name, with a numeric suffix if it is taken.
        case assumed(String)
        /// Asks at the screen, starting with this suggestion (may be empty). Without a screen: as `assumed`, or `player` if
        /// empty.
        case asked(suggestion: String)
    }

    public struct Options: Sendable {
        /// The server, the accounts of this device, and how often it is asked for signs of life.
        public var client: GameClient.Options
        public var name: Name
        public var initialPlacement = SessionOptions.InitialPlacement.sit(table: nil, seat: nil)
        /// The pass phrase of the table, where it has one.
        public var pass: String?
        /// Said at the first table.
        public var greeting: String?
        /// Rounds of a match to begin at the owner's first table.
        public var match: Int?
        /// The command for a host's friends, and how another pass phrase changes it; then the line for those without a client.
        public var invitation: String?
        public var invite: (@Sendable (_ pass: String?) -> String)?
        public var door: String?
        /// Shown instead of the address.
        public var title: String?
        /// Whether the player came without a client and a terminal: asked for a name, and sent away after three wrong phrases.
        package var isCaller = false
        /// Whether the player came to watch, under no name of theirs.
        var isNamelessViewer = false
        /// Milliseconds by which the clock of this device is ahead of UTC; nil shows times in UTC.
        var utcOffset: Int64?
        /// Milliseconds that a command from a file or pipe may wait until it is legal.
        var commandWait: Int64 = 180_000
        /// Where evidence of a shoe that is not honest is kept; nil for nowhere.
        public var proofs: ProofFolder?
        public var settings = ClientSettings()
        /// A recording to watch instead of a server.
        public var replay: Replay?
        /// Remembers for later sessions whether the coach is on.
        public var rememberCoach: (@Sendable (Bool) -> Void)?
        /// Keeps a hand that was played wrong, for later practice.
        public var noteMistake: (@Sendable (StrategyChart.Row, _ upCard: Rank) -> Void)?
        /// Environment variables that describe the terminal.
        public var environment: [String: String] = [:]

        public init(host: String, port: Int, name: Name) {
            client = GameClient.Options(host: host, port: port, name: nil)
            (client.pingInterval, client.answerTime, client.facts) = (5_000, 2_000, true)
            // The player takes tables by themselves.
            client.initialPlacement = .nothing
            self.name = name
        }

        /// The title, or the address.
        var shownServer: SafeText { SafeText(title ?? "\(client.host):\(client.port)", columns: 80) }
    }

    /// How a session ended.
    public struct Ending: Equatable, Sendable {
        /// Exit status: 0 when the player left, 65 when commands from a file or pipe were refused, 69 when the server is unreachable or ended
        /// the session, 74 when no account can be stored or a standard stream fails, 77 when such commands have no right pass phrase.
        public var status: Int32
        /// The reason, for standard error.
        public var reason: SafeText?
        /// The session in sentences, for standard output.
        public var summaries: [SafeText] = []
        /// The last table that was shown.
        public var table: Visited?

        public struct Visited: Equatable, Sendable {
            public let name: String
            public let owner: String?
            /// The player's; nil while bets decide about them.
            public let chips: Int?
        }
    }

    let loop: Loop
    let client: GameClient
    let terminal: Terminal
    let signals: ProcessSignals
    let capabilities: TerminalCapabilities
    /// As of the last event.
    private(set) var player: PlayerSession
    private let events = PassthroughSubject<PlayerSession.Event, Never>()
    private(set) var frontend: (any Frontend)?
    private let completion: @Sendable (Ending) -> Void
    private var subscriptions: [AnyCancellable] = []
    private var nameCheck: AnyCancellable?
    private var proofs: ProofFolder?
    private lazy var timer = loop.makeTimer { [weak self] in self?.handle(.tick) }

    /// Starts a session on a loop of its own, at the process's terminal.
    /// - Parameter completion: called once, after the session has ended and the terminal is restored.
    public static func start(
        _ options: Options, completion: @escaping @Sendable (Ending) -> Void
    ) -> LoopConfined<TableSession> {
        start(options, terminal: .standard, signals: .standard, completion: completion)
    }

    static func start(
        _ options: Options, terminal: Terminal, signals: ProcessSignals, completion: @escaping @Sendable (Ending) -> Void
    ) -> LoopConfined<TableSession> {
        let loop = Loop(label: "bj.client")
        let session = TableSession(options, loop, terminal: terminal, signals: signals, completion: completion)
        let handle = LoopConfined(sending: session, on: loop)
        handle.perform { $0.start() }
        return handle
    }

    /// Starts a session of a caller, on the loop of their connection.
    static func start(_ options: Options, of caller: CallerFrontend, completion: @escaping @Sendable (Ending) -> Void)
        -> TableSession
    {
        let session = TableSession(
            options, caller.connection.loop, terminal: .none, signals: .none, completion: completion)
        session.start(caller)
        return session
    }

    private init(
        _ requested: Options, _ loop: Loop, terminal: Terminal, signals: ProcessSignals,
        completion: @escaping @Sendable (Ending) -> Void
    ) {
        var options = requested.forViewers
        var (seconds, local) = (time(nil), tm())
        if localtime_r(&seconds, &local) != nil { options.utcOffset = 1000 * Int64(local.tm_gmtoff) }
        (self.loop, self.terminal, self.signals, self.completion) = (loop, terminal, signals, completion)
        capabilities = TerminalCapabilities(environment: options.environment, settings: options.settings)
        let isTyped = terminal.isTyped || options.isCaller
        player = PlayerSession(options, options.draws(on: terminal) ? .keys : isTyped ? .lines : .pipe)
        var settings = options.client
        settings.session.name = player.join == nil ? options.name.first : nil
        if isTyped {
            settings.returnsAfterKick = true
            // Only the player gives up.
            settings.retries = .max
        }
        (client, proofs) = (GameClient(options: settings, loop: loop), options.proofs)
    }

    private func start(_ caller: CallerFrontend? = nil) {
        let frontend: any Frontend =
            if let caller { caller } else if player.controls == .keys { ScreenFrontend(self) } else { PlainFrontend(self) }
        self.frontend = frontend
        subscriptions = [
            onSignal(SIGTERM) { [weak self] in self?.handle(.leave(Ending(status: 0))) },
            onSignal(SIGINT) { [weak self] in self?.handle(.interrupted) },
            // The player may come back from another terminal: the seat is kept, as after a lost connection.
            onSignal(SIGHUP) { [weak self] in self?.terminalClosed() },
        ]
        client.updates.map(PlayerSession.Event.update)
            .merge(with: events)
            .run(player) { [loop] player, event in
                let effects = player.handle(event, at: loop.clock.now)
                return [(player, event, effects)]
            }
            .sink { [weak self] in self?.show($0, after: $1, $2) }
            .store(in: &subscriptions)
        frontend.open()
        if player.replay == nil { client.start() } else { handle(.tick) }
    }

    /// Replaces a signal's default action by a closure on the loop.
    func onSignal(_ number: Int32, _ action: @escaping () -> Void) -> AnyCancellable {
        let action = LoopConfined(action, on: loop)
        return signals.observe(number, loop.queue) { action.value() }
    }

    /// The terminal's output.
    /// - Parameter written: called on the loop each time when nothing is left to write.
    func makeOutput(_ written: @escaping (_ failure: Int32) -> Void) -> TerminalOutput {
        let (written, terminal) = (LoopConfined(written, on: loop), terminal)
        return TerminalOutput {
            terminal.write($0)
        } idle: { failure in
            written.perform { $0(failure) }
        }
    }

    /// The terminal is gone, and nobody has left: no logout, so that the server keeps the seat as after a lost connection.
    func terminalClosed() { handle(.closed(Ending(status: 0))) }

    func handle(_ event: PlayerSession.Event) { events.send(event) }

    private func show(_ player: PlayerSession, after event: PlayerSession.Event, _ effects: [PlayerSession.Effect]) {
        let former = self.player
        self.player = player
        for effect in effects {
            if case .follow(let update) = effect { frontend?.changed(by: .update(update), from: former) } else { perform(effect) }
        }
        if let next = player.nextTick { timer.arm(at: next) } else { timer.disarm() }
        frontend?.changed(by: event, from: former)
    }

    private func perform(_ effect: PlayerSession.Effect) {
        switch effect {
        case .send(let message, nil): client.send(message)
        case .send(let message, let request?):
            let here = LoopConfined(self, on: loop)
            client.send(message) { result in here.perform { $0.handle(.answered(request, result)) } }
        case .logIn(let name): client.logIn(as: name)
        case .adopt(let name, let house, let server): client.adopt(name, house: house, server: server)
        case .forgetTable: client.forgetTable()
        case .askAbout(let name):
            nameCheck = client.standing(of: name).receive(on: loop.queue).sink { [weak self] in
                self?.handle(.availability(of: name, $0))
            }
        case .store(let report, let fault, let isNew):
            let place = keep(report, fault)
            if isNew { handle(.said(Sentence(.alarm, ShuffleNarrator.alarm(report, fault) + place))) }
        case .end(let ending): end(ending)
        case .print(let text): frontend?.send(lines(text).map { $0.text + "\n" }.joined())
        case .follow: break
        case .remember(let coach): player.options.rememberCoach?(coach)
        case .note(let hand, let upCard): player.options.noteMistake?(hand, upCard)
        case .ring: if terminal.isInteractive { frontend?.send(Sentence.bell) }
        case .echo(let isShown): terminal.setEcho(isShown)
        }
    }

    /// Keeps the evidence of a fault in a file, and says where.
    private func keep(_ report: ShoeReport, _ fault: ShoeFault) -> SafeText {
        guard proofs != nil else { return "" }
        do throws(ProofFolder.Failure) {
            return " The evidence is in \(SafeText(try proofs?.store(report, fault) ?? "", columns: 400))."
        } catch {
            return " No evidence is kept: \(SafeText(error.description, columns: 400))."
        }
    }

    /// A terminal would break words.
    private func lines(_ text: SafeText) -> [SafeText] {
        let columns = isatty(terminal.output) == 1 || player.options.isCaller ? terminal.size.columns : .max
        return (capabilities.isUnicode ? text : text.inASCII).paragraph(columns: columns)
    }

    private func end(_ given: Ending) {
        subscriptions = []
        timer.disarm()
        client.stop()
        var ending = given
        ending.summaries = ending.summaries.flatMap(lines)
        ending.table = player.visited.map { .init(name: $0.table, owner: $0.owner, chips: player.chips) }
        frontend?.close()
        completion(ending)
    }
}

extension TableSession.Options {
    /// Whether a session at the process's terminal draws a screen.
    public var drawsScreen: Bool { draws(on: .standard) }

    fileprivate func draws(on terminal: Terminal) -> Bool {
        !settings.isPlain && terminal.isInteractive && TerminalCapabilities.canDraw(terminal: environment["TERM"])
    }

    /// Without a name, a viewer is a guest: nobody is asked, and no window in which the player's account is in use is ended.
    var forViewers: Self {
        guard initialPlacement.watches, case .asked = name else { return self }
        var options = self
        options.name = .assumed("guest-\(Int.random(in: 1000...9999))")
        (options.client.accounts, options.isNamelessViewer) = (nil, true)
        return options
    }
}

extension SessionOptions.InitialPlacement {
    var watches: Bool { if case .watch = self { true } else { false } }

    /// The table that is named.
    var table: String? {
        switch self {
        case .sit(let table, _), .watch(let table): table
        case .nothing: nil
        }
    }
}

extension TableSession.Name {
    /// The name of players who have told none.
    static let fallback = "player"

    /// The first name to try without a form.
    var first: String {
        switch self {
        case .given(let name), .assumed(let name): name
        case .asked(let suggestion): suggestion.isEmpty ? Self.fallback : suggestion
        }
    }

    var isAssumed: Bool { if case .given = self { false } else { true } }
}
