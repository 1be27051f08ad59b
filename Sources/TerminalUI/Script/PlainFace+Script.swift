import ClientCore
import TableModel
import Wire

/// A script in a file, instead of typed commands.
extension PlainFace {
    /// Goes on with the script as far as it gets.
    func runScript() {
        guard script != nil, !isScriptBusy else { return }
        isScriptBusy = true
        defer { isScriptBusy = false }
        while true {
            if queue.isSettled { script?.commandDone() }
            let verdict = script?.next(in: session.state, at: session.loop.clock.now) ?? .done
            switch verdict {
            case .wait(let time): return scriptTimer.arm(at: time)
            case .run(let command): queue.append(command)
            case .fail: return endScript(verdict)
            case .done:
                endScript(verdict)
                return queue.end()
            }
        }
    }

    /// A command of the script was refused, here or by the server.
    func scriptRefused(_ reason: SafeText) {
        if let verdict = script?.refusal(reason) { endScript(verdict) }
    }

    private func endScript(_ verdict: ScriptRun.Verdict) {
        script = nil
        scriptTimer.disarm()
        if case .fail(let status, let reason) = verdict {
            session.leave(.init(status: status, reason: "\(SafeText(session.options.scriptName, columns: 200)), \(reason)"))
        }
    }
}

// MARK: Leaving

extension PlainFace {
    /// Leaves, or asks before; a script of which a part was refused ends with a status of its own.
    func leave() {
        if !isScript, asksBeforeLeaving() { return }
        guard isScript, refusals > 0 else { return session.leave() }
        session.leave(.init(status: 65, reason: refusals == 1 ? "a command was refused" : "\(refusals) commands were refused"))
    }

    func asksBeforeLeaving() -> Bool {
        guard session.isInteractive, session.state.link == .loggedIn, session.state.isInPlay, !hasAskedToLeave else {
            return false
        }
        hasAskedToLeave = true
        print("Your hand is in play and would stand: once more 'leave' or Ctrl-C leaves.")
        return true
    }
}

// MARK: Programs

extension PlainFace {
    /// The server's answer to a command.
    func report(_ command: PlainCommand, _ result: Result<Reply, Refusal>) {
        guard session.options.isJSON else { return }
        switch result {
        case .success(.applied(_, let at)), .success(.sit(_, _, let at, _)):
            output.send(StateReport.command(command.name, revision: at.number))
        case .success: output.send(StateReport.command(command.name))
        case .failure(let refusal): output.send(StateReport.command(command.name, refusal))
        }
    }

    /// The state of the link and of the table, as lines for programs.
    func report(_ update: ClientUpdate) {
        guard session.options.isJSON else { return }
        switch update.event {
        case .link, .silence, .reply(_, .login): output.send(StateReport.link(update.state))
        case .table, .leftTable, .reply(_, .rules): StateReport.table(update.state).map(output.send)
        case .reply(_, .lobby(_, _, let tables)): output.send(StateReport.lobby(tables))
        case .chat(let line): if !muted.contains(line.name) { output.send(StateReport.message(.chat(line))) }
        case .notice(let notice): output.send(StateReport.message(.notice(notice)))
        case .history(let history): output.send(StateReport.message(.history(history)))
        case .statement(let statement): output.send(StateReport.message(.statement(statement)))
        case .refused(let refusal): output.send(StateReport.message(.error(refusal)))
        case .goodbye(let code, let message): output.send(StateReport.message(.bye(code: code, message: message)))
        case .shoe(let finding): StateReport.shoe(finding).map(output.send)
        default: break
        }
    }
}
