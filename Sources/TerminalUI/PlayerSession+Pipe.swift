import ClientCore
import Rules
import TableModel
import Wire

/// Whether a line of a pipe is carried out.
enum Legality: Equatable, Sendable {
    /// It is carried out; the server refuses what can't become legal by waiting.
    case legal
    /// It may become legal.
    case later
    /// The round made it needless.
    case needless(SafeText)
}

// A pipe: each line waits until it is legal, for a bounded time, and for the answer to the one before.
extension PlayerSession {
    /// Lines without a screen.
    struct Lines: Sendable {
        enum Answer: Equatable, Sendable {
            case none, due
            /// The request is answered; its effect shows at this revision.
            case effect(revision: Int)
            /// The rounds follow the reply, before this time.
            case history(until: Int64)
        }

        /// Lines that a caller has typed before the answer to a name or a phrase: those of one chunk at most.
        var ahead: [String] = []
        /// Commands that wait: those of one chunk at most.
        var waiting: [PlayerCommand] = []
        /// When the first of them is given up; nil while none waits.
        var givenUpAt: Int64?
        /// Of the last request.
        var answer = Answer.none
        /// Whether the player's last hand has ended, until the next bet.
        var hasHandEnded = false
        /// Whether the list of tables is printed as soon as it is there.
        var awaitsList = false
        /// Commands that were refused, by the server or here.
        var refusals = 0
        /// Whether a caller was asked for a name, and how many wrong phrases they have typed.
        var isGreeted = false
        var wrongPhrases = 0
        /// How the input ended, where the table is shown once before leaving; nil before.
        var end: InputEnd?
    }

    /// Carries out commands that wait, in order, as far as they can be.
    mutating func proceed() {
        while !isLeaving, !isOnTheWay, !lines.ahead.isEmpty { read(lines.ahead.removeFirst()) }
        // A caller's connection is over.
        if options.isCaller, lines.end != nil, lines.ahead.isEmpty, !isLeaving { leave() }
        while leaving == nil, let command = lines.waiting.first {
            if case .effect(let revision) = lines.answer, state.revision >= revision { lines.answer = .none }
            let legality = legality(of: command)
            guard legality != .later else {
                // Behind the last line nobody decides: the hand stands, as with every player who leaves.
                if command == .leave, controls == .pipe, canAsk, lines.answer == .none,
                    let choice = state.seats.lazy.compactMap({ [state] in state.snapshot?.choice($0) }).first
                {
                    request(.act(choice.allows(.stand) ? .stand : .decline))
                }
                lines.givenUpAt = lines.givenUpAt ?? now + options.commandWait
                return
            }
            lines.waiting.removeFirst()
            lines.givenUpAt = nil
            if case .needless(let reason) = legality { print(reason) } else { carryOut(line: command) }
        }
    }

    mutating func giveUp() {
        let (command, seconds) = (lines.waiting.removeFirst(), options.commandWait / 1000)
        (lines.answer, lines.givenUpAt) = (.none, nil)
        if command == .leave { return leave(Ending(status: 69, reason: "timed out after \(seconds) seconds")) }
        refuse("\(command.typed): not possible within \(seconds) seconds.")
    }

    /// A pipe of which a part was refused ends with a status of its own.
    var endingOfPipe: Ending {
        if case .failed(let reason)? = lines.end { return Ending(status: 74, reason: "cannot read standard input: \(reason)") }
        let count = lines.refusals
        guard count > 0 else { return Ending(status: 0) }
        return Ending(status: 65, reason: count == 1 ? "a command was refused" : "\(count) commands were refused")
    }

    mutating func answeredLine(_ command: PlayerCommand, _ result: Result<Reply, Refusal>) {
        lines.answer = .none
        switch result {
        // Upper bound for a server whose disk is slow.
        case .success(let reply) where reply.type == "history": lines.answer = .history(until: now + 30_000)
        case .success(.applied(_, let at?)): lines.answer = .effect(revision: at)
        case .success(.sit(_, _, let catchUp, _)): lines.answer = .effect(revision: catchUp.revision)
        case .success(.lobby(_, _, let tables)): print(tables)
        case .success: break
        // An answer all the same, and said already.
        case .failure(let refusal) where refusal.code == ErrorCode.accountNeeded.rawValue && command == .history: break
        case .failure: lines.refusals += 1
        }
    }

    // MARK: Legality

    /// Whether a line of a pipe is carried out, waits or is needless.
    func legality(of command: PlayerCommand) -> Legality {
        let isAnswerDue = lines.answer != .none
        switch command.word.need {
        case .nothing: return .legal
        case .end:
            let isReady =
                state.answers && move == .none && !isAnswerDue && !state.hasStake
                && (state.snapshot != nil || isInLobby || lines.end == nil)
            return isReady ? .legal : .later
        case _ where move != .none: return .later
        // Answered by the list, or with the reason why it needs a table.
        case _ where isInLobby: return .legal
        case _ where !canAsk || isAnswerDue: return .later
        case .server, .table, .seat: return .legal
        case .bets:
            guard let phase = state.snapshot?.round?.phase, state.seat != nil, phase != .closed else { return .legal }
            return phase.takesBets ? .legal : .later
        case .question: return legality(ofMove: command)
        }
    }

    private func legality(ofMove command: PlayerCommand) -> Legality {
        guard case .act(let action, _) = command else { return .legal }
        let isPlaying = state.snapshot?.round?.phase == .playing
        let choices = state.seats.compactMap { state.snapshot?.choice($0) }
        if choices.contains(where: { $0.allows(action) }) { return .legal }
        // A question to all runs out of time as a no, and the hand is played then.
        let isAnswer = [.insurance, .decline, .evenMoney, .surrender].contains(action)
        if !choices.isEmpty, !isPlaying, !isAnswer { return .later }
        if action == .decline, isPlaying { return .needless("'no' ignored: there is no question.") }
        if !choices.isEmpty { return .legal }
        if state.hasStake { return .later }
        return lines.hasHandEnded ? .needless("'\(command.typed)' ignored: the hand is over.") : .legal
    }
}
