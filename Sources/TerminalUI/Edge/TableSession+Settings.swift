import ClientCore
import TableModel
import Wire

/// Preferences, the bet that is made again, and the count of a session's hands.
extension TableSession {
    /// Changes a setting, and keeps it where the program is at a screen.
    func change(_ field: ClientSettings.Field, to words: String) {
        guard (try? settings.set(field, to: words)) != nil else { return }
        keep(field)
        switch field {
        case .coach: if settings.coach != coach.isOn { toggleCoach() }
        case .rebet: turnRebet(settings.rebet)
        case .theme, .color, .suits, .bell, .mouse, .motion, .bet, .name: break
        }
        face?.settingsChanged()
    }

    private func keep(_ field: ClientSettings.Field) {
        guard hasScreen, let file = options.settingsFile else { return }
        do throws(SettingsFile.Failure) {
            try file.store(field, settings.words(of: field))
        } catch {
            face?.say(Sentence(.refusal, "The setting is not kept: \(SafeText(error.description, columns: 400))."))
        }
    }

    /// Remembers the name that was typed.
    func remember(_ name: String) {
        guard settings.name != name else { return }
        change(.name, to: name)
    }

    func toggleRebet() {
        turnRebet(!autoBet.isOn)
        face?.settingsChanged()
    }

    private func turnRebet(_ isOn: Bool) {
        guard autoBet.isOn != isOn else { return }
        autoBet.turn(isOn)
        face?.say(Sentence(.answer, autoBet.announcement(at: state.table)))
        betAgain()
    }

    /// Counts what a change of the table settles, and the decisions that the server made.
    func count(_ update: ClientUpdate, from old: ClientState) {
        timeOuts = []
        guard case .table(let change) = update.event, let me = update.state.login?.name else { return }
        timeOuts = turns.timeOuts(in: change, me: me)
        for timeOut in timeOuts {
            let message = ClientMessage.act(timeOut.action, seat: timeOut.seat, hand: nil, amount: nil, turn: nil)
            if let decision = coach.decision(message, in: old) { coach.count(decision) }
        }
        tally.take(change, me: me, at: client.loop.now + update.state.clockOffset)
        autoBet.take(change, me: me)
    }

    /// Makes the last bet again, where it is wished for.
    func betAgain() {
        switch autoBet.next(in: state, timedOut: !timeOuts.isEmpty) {
        case .send(let message)?: send(message)
        case .stop(let reason)?:
            face?.say(Sentence(.answer, reason))
            face?.settingsChanged()
        case nil: break
        }
    }

    /// Whether the terminal rings for a change.
    func rings(_ change: TableChange) -> Bool {
        settings.bell && terminal.isInteractive && change.beginsTurn(of: state.login?.name ?? "")
    }

    /// The session in sentences.
    var summaries: [SafeText] {
        // A lost connection keeps the seat and its hand: leaving gives them up.
        let left = lastWord == nil ? nil : Wording(suits: .letters).leftHands(of: state) ?? leftBets
        return [tally.summary, left, coach.summary].compactMap { $0 }
    }
}
