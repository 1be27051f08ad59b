import ClientCore
import TableModel
import Testing
import Wire

/// A session and a server with two queues of lines between them. Each step delivers one line or does one thing, so that a connection can be
/// cut between any two.
struct SessionSimulation {
    enum Deed {
        case ask(ClientMessage)
        case othersSay(String)
        case othersPlay
    }

    enum Step: CaseIterable { case toServer, toClient, deed }

    /// The fate of lines in flight when the connection is cut.
    enum Cut: CaseIterable {
        /// All are lost.
        case lost
        /// The server carries out what it was sent, and its replies are lost.
        case carriedOut
        /// All are lost, and the server forgets everything.
        case restarted
    }

    private(set) var session: ClientMachine
    var state: ClientState { session.state }
    private(set) var server: ModelServer
    private(set) var answers: [Int: [Result<Reply, Refusal>]] = [:]
    private(set) var asked: [Int: ClientMessage] = [:]
    private(set) var faults: [String] = []
    private(set) var attemptTimes: [Int64] = []
    private var deeds: ArraySlice<Deed>
    private let order: [Step]
    private var toServer: ArraySlice<Request> = []
    private var toClient: ArraySlice<ServerMessage> = []
    private var now: Int64 = 1_000
    private var tickAt: Int64?
    private var sent: [Int: ClientMessage] = [:]
    /// The `seq` up to which chat was shown.
    private var heard = 0

    init(_ deeds: [Deed], order: [Step], server: ModelServer = ModelServer()) {
        var options = SessionOptions(name: "ann")
        options.credential = .secret(annsSecret)
        session = ClientMachine(options: options)
        self.deeds = deeds[...]
        self.order = order
        self.server = server
        perform(session.start(at: now))
    }

    /// Whether everything was asked and answered and nothing is under way.
    var isQuiet: Bool {
        deeds.isEmpty && toServer.isEmpty && toClient.isEmpty && state.link == .loggedIn && answers.count == asked.count
            && state.position.map { $0.epoch == server.epoch } ?? true
    }

    /// Takes the first step that is possible, or lets time pass.
    mutating func step() {
        for step in order {
            switch step {
            case .toServer:
                guard let request = toServer.popFirst() else { continue }
                toClient += server.handle(request)
            case .toClient:
                guard let message = toClient.popFirst() else { continue }
                perform(session.receive(message, at: now))
            case .deed:
                guard state.link == .loggedIn, let deed = deeds.popFirst() else { continue }
                carryOut(deed)
            }
            return
        }
        now = max(now, tickAt ?? now)
        tickAt = nil
        perform(session.tick(at: now))
    }

    private mutating func carryOut(_ deed: Deed) {
        switch deed {
        case .ask(let message):
            let (id, actions) = session.submit(message, at: now)
            asked[id] = message
            perform(actions)
        case .othersSay(let text): toClient += server.others(say: text)
        case .othersPlay: toClient += server.othersPlay()
        }
    }

    mutating func cut(_ cut: Cut) {
        if cut == .carriedOut { while let request = toServer.popFirst() { _ = server.handle(request) } }
        (toServer, toClient) = ([], [])
        server.disconnect()
        if cut == .restarted { server.restart() }
        // Others go on meanwhile.
        _ = server.othersPlay()
        _ = server.others(say: "away")
        perform(session.connectionLost(.connection("cut"), at: now))
    }

    private mutating func perform(_ actions: [ClientAction]) {
        for action in actions {
            switch action {
            case .connect:
                attemptTimes.append(now)
                toClient += server.connect(at: now)
            case .close: (toServer, toClient) = ([], [])
            case .send(let request): send(request)
            case .arm(let time): tickAt = time
            case .publish(let event): publish(event)
            case .findSecret, .makeSecret: faults.append("a secret is asked for that is given")
            case .answer(let id, let result):
                answers[id, default: []].append(result)
                // `leave` and `sit` are one step: between them a session would take the seat that it wishes for after a reconnect.
                if asked[id] == .leave, case .ask(.sit)? = deeds.first, let deed = deeds.popFirst() { carryOut(deed) }
            }
        }
    }

    private mutating func send(_ request: Request) {
        guard case .number(let id) = request.id, case .success(let message) = request.message else {
            return faults.append("a request without a number")
        }
        if let known = sent[id], known != message { faults.append("\(id) was \(known) and is \(message)") }
        sent[id] = message
        toServer.append(request)
    }

    private mutating func publish(_ event: ClientEvent) {
        switch event {
        case .table(let change) where change.old == nil || change.news == .missed: heard = session.state.position?.chat ?? 0
        case .chat(let line): hear(line)
        case .reply(.number(let id), .watch(_, let missed)):
            // A snapshot has them where the epoch was another one.
            if case .watch(_, _, let known)? = sent[id], known.epoch == missed.epoch { for line in missed.chat { hear(line) } }
        case .outOfSync, .isWrong: faults.append("\(event) although nothing was missed")
        default: break
        }
    }

    private mutating func hear(_ line: ChatLine) {
        if line.sequence != heard + 1 { faults.append("chat \(line.sequence) after \(heard)") }
        heard = line.sequence
    }

    /// Steps until nothing is left to do.
    mutating func settle() {
        var steps = 0
        while !isQuiet || steps == 0 {
            step()
            steps += 1
            guard steps < 2_000 else { return faults.append("does not settle: \(session.state)") }
        }
    }
}
