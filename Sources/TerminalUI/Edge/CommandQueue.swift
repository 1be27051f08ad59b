import ClientCore
import Rules

/// The commands from a file or pipe, in order: each waits until it is legal, for a bounded time. Confined to the session's loop.
final class CommandQueue {
    enum Outcome {
        case carryOut(PlainCommand)
        case skip(SafeText)
        /// Not legal within the time.
        case giveUp(PlainCommand, seconds: Int64)
    }

    /// Lines that may wait before reading pauses.
    static let limit = 256

    private(set) var progress = ScriptStep.Progress()
    private var waiting: [PlainCommand] = []
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
        self.session = session
        self.handle = handle
    }

    var isFull: Bool { waiting.count >= Self.limit }

    func append(_ command: PlainCommand) {
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
    func sent(_ command: PlainCommand) {
        guard command.isPlay else {
            progress.questions += 1
            return
        }
        progress.isAnswerDue = true
        effectTimer.disarm()
        if command.isBet { progress.hasHandEnded = false }
    }

    /// It was answered.
    /// - Parameter revision: the first that shows its effect; nil for none.
    func answered(_ command: PlainCommand, _ revision: Int?) {
        if command.isPlay {
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
            switch ScriptStep(command, in: session.state, progress) {
            case .wait: return
            case .now: outcome = .carryOut(command)
            case .skip(let reason): outcome = .skip(reason)
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

extension PlainCommand {
    /// True for a request that changes the table.
    fileprivate var isPlay: Bool {
        switch self {
        case .bet, .betMost, .act, .sit, .sitOut, .sitIn: true
        case .go, .tables, .find, .table, .status, .rules, .help, .leave, .say, .mute, .coach, .rebet, .history, .statement,
            .owner,
            .settings:
            false
        }
    }
}

/// The verdict on the next command from a file or pipe. Pure.
enum ScriptStep: Equatable, Sendable {
    /// Carry it out; the server refuses what is not legal.
    case now
    /// Not legal so far, and may become so.
    case wait
    /// The round made it needless.
    case skip(SafeText)

    /// The player's part so far.
    struct Progress: Equatable, Sendable {
        /// True at the end of the input, where the table is shown once before leaving.
        var hasInputEnded = false
        /// Questions without an answer.
        var questions = 0
        /// True until the effect of the last request shows.
        var isAnswerDue = false
        /// True after the player's last hand has ended, until the next bet.
        var hasHandEnded = false
        /// True while the player is at no table, and the list of tables was shown.
        var isInLobby = false
        /// True during a change of tables.
        var isMoving = false
    }

    init(_ command: PlainCommand, in state: ClientState, _ progress: Progress) {
        self =
            switch command {
            case .help, .settings: .now
            case .leave: Self.canLeave(state, progress) ? .now : .wait
            case _ where progress.isMoving: .wait
            // Answered by the list, or with the reason why it needs a table.
            case _ where progress.isInLobby: .now
            case .go: !state.canAsk || progress.isAnswerDue ? .wait : .now
            case .table, .status, .rules, .mute, .coach, .rebet, .tables, .find, .say, .history, .statement, .owner:
                state.canAsk ? .now : .wait
            case .bet, .betMost, .act, .sit, .sitOut, .sitIn:
                !state.canAsk || progress.isAnswerDue ? .wait : Self.play(command, in: state, progress)
            }
    }

    private static func canLeave(_ state: ClientState, _ progress: Progress) -> Bool {
        guard state.link == .loggedIn, state.silentSince == nil, !progress.isMoving,
            state.snapshot != nil || progress.isInLobby || !progress.hasInputEnded
        else { return false }
        return progress.questions == 0 && !progress.isAnswerDue && !state.hasStake
    }

    private static func play(_ command: PlainCommand, in state: ClientState, _ progress: Progress) -> ScriptStep {
        switch command {
        case .bet, .betMost:
            guard let phase = state.snapshot?.round?.phase, state.seat != nil, phase != .closed else { return .now }
            return phase.takesBets ? .now : .wait
        case .act(let action, _): return act(action, in: state, progress)
        default: return .now
        }
    }

    private static func act(_ action: Action, in state: ClientState, _ progress: Progress) -> ScriptStep {
        let phase = state.snapshot?.round?.phase ?? .waiting
        let choices = state.seats.compactMap { state.snapshot?.choice($0) }
        if choices.contains(where: { $0.options.contains { $0.action == action } }) { return .now }
        // A question to all runs out of time as a no, and the hand is played then.
        if !choices.isEmpty, phase != .playing, !action.answersAQuestion { return .wait }
        if action == .decline, phase == .playing { return .skip("'no' is not needed: there is no question.") }
        if !choices.isEmpty { return .now }
        if state.hasStake { return .wait }
        return progress.hasHandEnded ? .skip("'\(action.name)' is not needed: the hand is over.") : .now
    }
}

extension Action {
    /// True for an answer to insurance or surrender, which are offered before the play.
    fileprivate var answersAQuestion: Bool {
        switch self {
        case .insurance, .decline, .evenMoney, .surrender: true
        case .hit, .stand, .double, .split: false
        }
    }
}
