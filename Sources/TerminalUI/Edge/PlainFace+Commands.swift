import ClientCore
import ClientSession
import TableModel
import Wire

/// Commands without a screen.
extension PlainFace {
    func carryOut(_ outcome: CommandQueue.Outcome) {
        switch outcome {
        case .carryOut(let command): carryOut(command)
        case .skip(let reason): print(reason)
        case .giveUp(.leave, let seconds): session.leave(.init(status: 69, reason: "gave up after \(seconds) seconds"))
        case .giveUp(let command, let seconds): refuse("\(command.name): not possible within \(seconds) seconds.")
        }
    }

    func carryOut(_ command: PlainCommand) {
        if command != .leave { hasAskedToLeave = false }
        switch command {
        case .help: for line in PlainCommand.explanations { print(line) }
        case .rules:
            for sentence in session.state.ruleSentences { print(SafeText(sentence, columns: 500)) }
        case .table: describe()
        case .status: for line in statusLines { print(line) }
        case .settings(let field, let words): settle(field, words)
        case .betAgain:
            guard let chips = session.autoBet.lastBet(at: session.state.table) else {
                return refuse("There is no bet of yours at this table to repeat.")
            }
            send(.bet(chips))
        case .coach: session.toggleCoach()
        case .rebet: session.toggleRebet()
        case .leave: leave()
        case .mute(let request):
            switch muted.apply(request) {
            case .success(let text): print(text)
            case .failure(let misunderstanding): refuse(misunderstanding.text)
            }
        case .sit(nil) where isBroke && session.state.hello?.givesRebuys == false:
            refuse("You are out of chips, and the house gives no new ones.")
        case .sit(nil) where isBroke: session.takeNewStake()
        case .go(let destination): session.go(to: destination)
        case _ where session.isInLobby && command.needsTable:
            refuse("You are at no table: 'sit TABLE' or 'watch TABLE' goes to one, 'lobby' lists them.")
        default: send(command)
        }
    }

    private func send(_ command: PlainCommand) {
        guard session.state.link == .loggedIn else { return refuse("No connection at the moment: try again shortly.") }
        guard let message = command.message(in: session.state) else { return }
        queue.sent(command)
        if case .find(let query) = command { self.query = query }
        session.send(message) { [weak self] in self?.answered(command, $0) }
    }

    private func answered(_ command: PlainCommand, _ result: Result<Reply, Refusal>) {
        var revision: Int?
        report(command, result)
        switch result {
        case .success(let reply) where ["history", "statement"].contains(reply.type):
            awaitedPast = command
            // Upper bound for a server whose disk is slow.
            return session.perform(after: 30_000) { [weak self] in self?.pastArrived() }
        case .success(.applied(_, let at)), .success(.sit(_, _, let at, _)): revision = at.number
        case .success(.lobby(_, _, let tables)): list(tables)
        case .success: break
        // The session's own rounds are the answer.
        case .failure(let refusal) where refusal.code == ErrorCode.accountNeeded.rawValue && command.isAboutThePast:
            let lines =
                command == .history ? wording.lines(ofSession: session.tally.rounds) : [wording.balance(of: session.state)]
            for line in lines { print(line, as: .record) }
        case .failure(let refusal):
            refusals += 1
            // The server's refusals are events; this one is the client's own.
            if refusal.code == "not_connected" { print(LinkNarrator.refusal(refusal), as: .refusal) }
            if command == .history { for line in wording.lines(ofSession: session.tally.rounds) { print(line, as: .record) } }
            scriptRefused(LinkNarrator.refusal(refusal))
        }
        queue.answered(command, revision)
    }

    /// The rounds or the balance arrived.
    func pastArrived() {
        guard let command = awaitedPast else { return }
        awaitedPast = nil
        queue.answered(command, nil)
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
        return (snapshot.player(seat)?.chips ?? 0) < rules.minimumBet && !session.state.hasStake
    }
}

extension PlainCommand {
    fileprivate var isAboutThePast: Bool { self == .history || self == .statement }
}
