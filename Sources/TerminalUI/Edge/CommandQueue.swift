import ClientCore

/// The commands of a script, in order: each waits until it is legal, for a bounded time. Confined to the session's loop.
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
    /// Called whenever the queue may have gone on.
    var changed: () -> Void = {}
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

    /// Whether every command so far is carried out, and its effect is shown.
    var isSettled: Bool { waiting.isEmpty && !progress.isAnswerDue && progress.questions == 0 && !session.isMoving }

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
        defer {
            isRunning = false
            changed()
        }
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
        case .bet, .betMost, .betAgain, .act, .sit, .sitOut, .sitIn: true
        case .go, .tables, .find, .table, .status, .rules, .help, .leave, .say, .mute, .coach, .rebet, .history, .statement,
            .owner,
            .settings:
            false
        }
    }
}
