import ClientCore
import TableModel
import Wire

/// Preferences, the bet that is made again, and the count of a session's hands.
extension TableSession {
    /// The file that settings are kept in; nil where they last as long as the session.
    var keptSettings: String? { settingsFault == nil ? options.settingsFile?.path : nil }

    /// Changes a setting of the session, and keeps it where that is possible.
    func change(_ field: ClientSettings.Field, to words: String) {
        guard (try? settings.set(field, to: words)) != nil else { return }
        keep(field, settings.words(of: field))
        apply(field)
    }

    /// Takes a setting back to its default, and out of the file.
    func resetSetting(_ field: ClientSettings.Field) {
        settings.reset(field)
        keep(field, nil)
        apply(field)
    }

    private func apply(_ field: ClientSettings.Field) {
        switch field {
        case .coach: if settings.coach != coach.isOn { toggleCoach() }
        case .rebet: turnRebet(settings.rebet)
        case .theme, .color, .suits, .bell, .mouse, .motion, .bet, .name: break
        }
        face?.settingsChanged()
    }

    /// - Parameter words: nil for the default.
    private func keep(_ field: ClientSettings.Field, _ words: String?) {
        guard let file = options.settingsFile else { return }
        do throws(SettingsFile.Failure) {
            try file.store(field, words)
            settingsFault = nil
        } catch {
            let reason = SafeText(error.description, columns: 400)
            // Said once: the next setting fails for the same reason.
            defer { settingsFault = reason }
            if settingsFault != reason {
                face?.say(Sentence(.refusal, "Settings are not kept, and hold until you leave: \(reason)."))
            }
        }
    }

    /// Remembers the name that was typed.
    func remember(_ name: String) {
        guard settings.name != name else { return }
        change(.name, to: name)
    }

    func toggleRebet() { turnRebet(!autoBet.isOn) }

    /// The list of settings shows what a key or the program itself has turned on or off.
    func settingsFollow() {
        (settings.coach, settings.rebet) = (coach.isOn, autoBet.isOn)
        face?.settingsChanged()
    }

    private func turnRebet(_ isOn: Bool) {
        guard autoBet.isOn != isOn else { return }
        autoBet.turn(isOn)
        settingsFollow()
        face?.say(Sentence(.answer, autoBet.announcement(at: state.table)))
        betAgain()
    }

    /// Counts what a change of the table settles, and the decisions that the server made.
    func count(_ update: ClientUpdate) {
        timeOuts = []
        guard case .table(let change) = update.event, let me = update.state.login?.name else { return }
        timeOuts = turns.timeOuts(in: change, me: me)
        turns.note(change, me: me)
        coach.countTimeOuts(timeOuts.count)
        tally.take(change, me: me, at: client.loop.now + update.state.clockOffset)
        autoBet.take(change, me: me)
    }

    /// Makes the last bet again, where it is wished for.
    func betAgain() {
        switch autoBet.next(in: state, timedOut: !timeOuts.isEmpty) {
        case .send(let message)?: send(message)
        case .stop(let reason)?:
            face?.say(Sentence(.answer, reason))
            settingsFollow()
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
        let isGivenUp = lastWord != nil && !state.isPractice
        let left = !isGivenUp ? nil : Wording(suits: .symbols).leftHands(of: state) ?? leftBets
        let open = state.isPractice ? nil : ShuffleNarrator.open(state.shoes.open)
        return [tally.summary, left, open, coach.summary].compactMap { $0 }.map { look.isUnicode ? $0 : $0.inASCII }
    }
}
