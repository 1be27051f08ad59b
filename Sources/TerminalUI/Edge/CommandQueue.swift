import ClientCore
import Rules

/// The commands from a pipe or file, in order: each waits until it is legal, for a bounded time. Confined to the session's loop.
final class CommandQueue {
    enum Outcome {
        case carryOut(PlayerCommand)
        case skip(SafeText)
        /// Not legal within the time.
        case giveUp(PlayerCommand, seconds: Int64)
    }

    /// Lines that may wait before reading pauses.
    static let limit = 256

    private(set) var progress = Legality.Progress()
    private var waiting: [PlayerCommand] = []
    private unowned let session: TableSession
    private let handle: (Outcome) -> Void
    private var hadStake = false
    /// The revision that shows the effect of the last request.
    private var awaited = 0
    private var isRunning = false
    private lazy var timer = session.loop.makeTimer { [weak self] in self?.giveUp() }
    /// Bounds the wait for a revision that a reconnect may have skipped.
    private lazy var effectTimer = session.loop.makeTimer { [weak self] in self?.effectShown() }

    init(_ session: TableSession, handle: @escaping (Outcome) -> Void) {
        (self.session, self.handle) = (session, handle)
    }

    var isFull: Bool { waiting.count >= Self.limit }

    func append(_ command: PlayerCommand) {
        waiting.append(command)
        if waiting.count == 1 { rearm() }
        run()
    }

    /// The end of the input: leaves after the hand in play.
    func end() {
        progress.hasInputEnded = true
        append(.leave)
    }

    /// A request is on its way.
    func sent(_ command: PlayerCommand) {
        guard command.word.need.isPlay else {
            progress.questions += 1
            return
        }
        progress.isAnswerDue = true
        effectTimer.disarm()
        if command.word.need == .bets { progress.hasHandEnded = false }
    }

    /// It was answered.
    /// - Parameter revision: the first that shows its effect; nil for none.
    func answered(_ command: PlayerCommand, _ revision: Int?) {
        if command.word.need.isPlay {
            awaited = revision ?? 0
            effectTimer.arm(at: session.loop.clock.now + 1000)
        } else {
            progress.questions -= 1
        }
        stateChanged()
    }

    func stateChanged() {
        let state = session.state
        if hadStake, !state.hasStake { progress.hasHandEnded = true }
        hadStake = state.hasStake
        if progress.isAnswerDue, effectTimer.deadline != nil, state.revision >= awaited { return effectShown() }
        run()
    }

    private func effectShown() {
        effectTimer.disarm()
        progress.isAnswerDue = false
        run()
    }

    private func run() {
        guard !isRunning else { return }
        isRunning = true
        defer { isRunning = false }
        while let command = waiting.first {
            let outcome: Outcome
            (progress.isInLobby, progress.isMoving) = (session.isInLobby, session.isMoving)
            switch command.legality(in: session.state, progress) {
            case .later: return
            case .legal: outcome = .carryOut(command)
            case .needless(let reason): outcome = .skip(reason)
            }
            waiting.removeFirst()
            rearm()
            handle(outcome)
        }
    }

    private func rearm() {
        guard !waiting.isEmpty else { return timer.disarm() }
        timer.arm(at: session.loop.clock.now + session.options.commandWait)
    }

    private func giveUp() {
        guard !waiting.isEmpty else { return }
        let command = waiting.removeFirst()
        rearm()
        handle(.giveUp(command, seconds: session.options.commandWait / 1000))
        run()
    }
}

// MARK: - Commands

/// Commands that both front ends carry out alike.
extension TableSession {
    /// - Returns: false for one that the front end shows or sends by itself.
    func carryOut(_ command: PlayerCommand) throws(PlayerCommand.Misunderstanding) -> Bool {
        switch command {
        case .coach: toggleCoach()
        case .rebet: toggleRebet()
        case .mute(let name): answer(muted.mute(name))
        case .unmute(let name): answer(muted.unmute(name))
        case .status: for line in statusLines { answer(line) }
        case .go(let destination): go(to: destination)
        case .sit(nil) where state.isBroke && state.hello?.givesRebuys == false:
            throw PlayerCommand.Misunderstanding(text: "You are out of chips, and the house gives no new ones.")
        case _ where isInLobby && command.word.need.isOfATable:
            throw PlayerCommand.Misunderstanding(
                text: "You are at no table: 'sit TABLE' or 'watch TABLE' goes to one, 'lobby' lists them.")
        case .act where state.question == nil:
            throw PlayerCommand.Misunderstanding(text: "There is nothing to decide now.")
        default: return false
        }
        return true
    }

    private func answer(_ text: SafeText) { face?.say(Sentence(.answer, text)) }

    /// The connection, the shoe and its proofs, the coach and the bets.
    private var statusLines: [SafeText] {
        var lines = [connection]
        if let shoe = state.snapshot?.shoe, let left = state.snapshot?.cardsLeft {
            lines.append("Shoe \(shoe.number): \(left) of \(shoe.decks * 52) cards left.")
        }
        if let summary = ShuffleNarrator.summary(state.shoes) { lines.append("Shuffles of this session: \(summary).") }
        let coach: SafeText = coach.isOn ? "on" : "off"
        lines.append("The coach is \(coach). Your last bet is \(autoBet.isOn ? "" : "not ")made again in each round.")
        return lines
    }

    private var connection: SafeText {
        let server = options.shownServer
        guard state.link == .loggedIn else { return "Not connected to \(server)." }
        if let since = state.silentSince {
            return "Connected to \(server), which was last heard \(max(0, loop.clock.now - since) / 1000) s ago."
        }
        let name = SafeText(state.login?.name ?? "", columns: 24)
        let lag: SafeText = state.roundTrip.map { $0 < 10 ? "" : ", which answers in \($0) ms" } ?? ""
        return "Connected to \(server) as \(name)\(lag)."
    }
}
