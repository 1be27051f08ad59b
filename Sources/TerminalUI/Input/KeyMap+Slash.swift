import TableModel

/// The chat line while it is a command: a line with a slash is never sent as chat, even if mistyped.
extension KeyMap {
    mutating func bindSlash(_ draft: String, _ view: ViewState) {
        if let line = SlashCommand.completion(of: draft, names: view.otherPlayers) {
            bind([.tab], .complete(line))
            hints.append(Hint(key: "Tab", meaning: SafeText(line.hasSuffix(" ") ? String(line.dropLast()) : line)))
        }
        let words = draft.dropFirst()
        if let request = MuteList.Request(words: words) {
            bind([.enter], .mute(request))
            let verb: SafeText = if case .mute = request { "mute" } else { "unmute" }
            hints.append(Hint(key: "Enter", meaning: "\(verb) \(SafeText(request.name, columns: 24))"))
        } else if let command = OwnerCommand(words: words) {
            bind([.enter], .command(command.message))
            let meaning: SafeText =
                switch command {
                case .kick(let name): "send \(SafeText(name, columns: 24)) away"
                case .pass(nil): "open the table to all"
                case .pass: "set the pass phrase"
                }
            hints.append(Hint(key: "Enter", meaning: meaning))
        } else {
            bind([.enter], .refuse(SlashCommand.misunderstanding(of: draft)))
            for command in SlashCommand.matches(draft) {
                let place: SafeText = command.isOwners && !view.isOwner ? " (if it is your table)" : ""
                hints.append(Hint(key: command.usage, meaning: command.meaning + place, short: ""))
            }
        }
        hints.append(Hint(key: "Esc", meaning: "cancel"))
    }
}

extension ViewState {
    /// Names of the others at the table, in the order of their seats.
    fileprivate var otherPlayers: [String] {
        guard let snapshot else { return [] }
        var names: [String] = []
        for name in snapshot.seats.compactMap({ snapshot.player($0)?.name }) where name != me && !names.contains(name) {
            names.append(name)
        }
        return names
    }

    /// Whether the table is the player's own.
    fileprivate var isOwner: Bool { client.lobby.contains { $0.name == client.table && $0.owner == me } }
}
