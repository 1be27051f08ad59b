import ClientCore
import Rules
import TableModel

/// The verdict on the next command of a script, which is input that is no terminal. Pure.
enum ScriptStep: Equatable, Sendable {
    /// Carry it out; the server refuses what is not legal.
    case now
    /// Not legal so far, and may become so.
    case wait
    /// The round made it needless.
    case skip(SafeText)

    /// The player's part in a script so far.
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
            case .bet, .betMost, .betAgain, .act, .sit, .sitOut, .sitIn:
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
        case .bet, .betMost, .betAgain:
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

extension ClientState {
    /// True when a table is shown and the server answers.
    var canAsk: Bool { session.link == .loggedIn && snapshot != nil && session.silentSince == nil }

    /// True while a hand of the player is in play; a bet for the next round is not.
    var isInPlay: Bool { !handsInPlay.isEmpty }

    /// The player's hands without a result, in a round that has begun.
    var handsInPlay: [HandIdentifier] {
        guard let snapshot, snapshot.round?.phase.isInPlay == true else { return [] }
        return seats.flatMap { snapshot.hands(ofSeat: $0) }.filter { snapshot.result($0) == nil }
    }

    /// True when the player has chips in a bet or a hand.
    var hasStake: Bool { !stakes.isEmpty }

    /// The player's bets on hands without a result, and on those that are not dealt.
    var stakes: [Int] {
        guard let snapshot else { return [] }
        return seats.flatMap { snapshot.hands(ofSeat: $0) }.compactMap { snapshot.result($0) == nil ? snapshot.bet($0) : nil }
    }

    /// The player's bets for the round that has not begun.
    var openBets: [Int] { snapshot?.round?.phase.takesBets == true ? stakes : [] }
}
