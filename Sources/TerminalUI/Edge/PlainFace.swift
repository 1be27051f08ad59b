import ClientCore
import ClientSession
import Dispatch
import EventStreams
import TableModel
import Wire

/// One sentence per event, one command per line.
final class PlainFace: Face {
    private unowned let session: TableSession
    private let look: Look
    private let wording = Wording(suits: .letters)
    private let input: StandardInput
    private var subscription: AnyCancellable?
    private var muted = MuteList()
    /// Lines that arrived before the first snapshot.
    private var waitingLines: [String] = []
    /// Requests without an answer so far.
    private var openRequests = 0
    /// Whether the answer to a question about the past is on its way: it follows the reply.
    private var awaitsPast = false
    private var hasInputEnded = false

    init(_ session: TableSession, _ look: Look) {
        self.session = session
        self.look = look
        // The last line may lack its line end.
        input = StandardInput(session.terminal.input, lastWords: [0x0A])
    }

    func open() {
        subscription = input.bytes
            .setFailureType(to: LinkFailure.self)
            .lines(limit: WireLimits.requestBytes)
            .map { String(decoding: $0, as: UTF8.self) }
            .receive(on: session.queue)
            .sink { [weak self] _ in
                self?.inputEnded()
            } receiveValue: { [weak self] in
                self?.typed($0)
            }
        input.start()
    }

    func close() { subscription = nil }

    func take(_ update: ClientUpdate, from old: ClientState) {
        for sentence in LinkNarrator(wording: wording, muted: muted).sentences(from: old, to: update) { say(sentence) }
        if case .table(let change) = update.event {
            let narrator = Narrator(
                me: update.state.login?.name ?? "", wording: wording, givesRebuys: update.state.hello?.givesRebuys ?? true)
            let now = session.client.loop.now + update.state.clockOffset
            for sentence in narrator.sentences(for: change, now: now) { say(sentence) }
            let lines = waitingLines
            waitingLines = []
            for line in lines { typed(line) }
        }
        switch update.event {
        case .history, .statement: awaitsPast = false
        default: break
        }
        leaveIfDone()
    }

    func say(_ sentence: Sentence) {
        if sentence.kind == .alarm, session.terminal.isInteractive { session.terminal.write(Sentence.bell) }
        print(sentence.text)
    }

    private func print(_ text: SafeText) {
        if !session.terminal.write((look.isUnicode ? text : text.inASCII).text + "\n") { session.leave() }
    }

    private func typed(_ line: String) {
        do throws(PlainCommand.Misunderstanding) {
            guard let command = try PlainCommand(line: line) else { return }
            // A script may send commands before the connection is up.
            if session.state.snapshot == nil, command != .leave, command != .help {
                if waitingLines.count < 256 { waitingLines.append(line) }
                return
            }
            carryOut(command)
        } catch {
            print(error.text)
        }
    }

    private func carryOut(_ command: PlainCommand) {
        switch command {
        case .help: for line in PlainCommand.explanations { print(line) }
        case .rules:
            for sentence in session.state.ruleSentences { print(SafeText(sentence, columns: 500)) }
        case .table: describe()
        case .coach: session.toggleCoach()
        case .leave: session.leave()
        case .mute(let request):
            switch muted.apply(request) {
            case .success(let text): print(text)
            case .failure(let misunderstanding): print(misunderstanding.text)
            }
        case .sit(nil) where isBroke && session.state.hello?.givesRebuys == false:
            print("You are out of chips, and the house gives no new ones.")
        case .sit(nil) where isBroke: session.takeNewStake()
        default: send(command)
        }
    }

    private func send(_ command: PlainCommand) {
        guard session.state.link == .loggedIn else { return print("No connection at the moment: try again shortly.") }
        guard let message = command.message(in: session.state) else { return }
        openRequests += 1
        session.send(message) { [weak self] result in
            guard let self else { return }
            if case .success(let reply) = result, ["history", "statement"].contains(reply.type) { awaitPast() }
            // The diff that a request causes arrives right after its answer.
            session.perform(after: 250) { [weak self] in
                self?.openRequests -= 1
                self?.leaveIfDone()
            }
        }
    }

    private func awaitPast() {
        awaitsPast = true
        // Upper bound for a server whose disk is slow.
        session.perform(after: 30_000) { [weak self] in
            self?.awaitsPast = false
            self?.leaveIfDone()
        }
    }

    private func describe() {
        guard let snapshot = session.state.snapshot, let table = session.state.table else { return }
        let narrator = Narrator(me: session.state.login?.name ?? "", wording: wording)
        let now = session.client.loop.now + session.state.clockOffset
        for sentence in narrator.description(of: snapshot, table: table, now: now) { print(sentence.text) }
    }

    private var isBroke: Bool {
        guard let snapshot = session.state.snapshot, let seat = session.state.seat, let rules = session.state.rules else {
            return false
        }
        return (snapshot.player(seat)?.chips ?? 0) < rules.minimumBet && !hasStake
    }

    /// True when the player has chips in a bet or a hand.
    private var hasStake: Bool {
        guard let snapshot = session.state.snapshot else { return false }
        return session.state.seats.contains { seat in
            snapshot.hands(ofSeat: seat).contains { snapshot.bet($0) != nil && snapshot.result($0) == nil }
        }
    }

    /// End of input: leaves after the hand in play.
    private func inputEnded() {
        hasInputEnded = true
        // Upper bound for a slow table or an unreachable server.
        session.perform(after: 180_000) { [weak self] in self?.session.leave() }
        leaveIfDone()
    }

    private func leaveIfDone() {
        guard hasInputEnded, openRequests <= 0, !awaitsPast, waitingLines.isEmpty, !hasStake else { return }
        // Without a snapshot, wait for the first one before leaving.
        if session.state.snapshot != nil { session.leave() }
    }
}
