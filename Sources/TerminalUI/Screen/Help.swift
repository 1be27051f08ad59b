/// The help: keys and their words in groups.
extension Screen {
    /// In two columns where there is room, those first that a hand needs; the owner of a table has more.
    func help(_ height: Int) -> [StyledText] {
        let isWide = panelWidth >= 60
        let width = isWide ? (panelWidth - 6) / 2 : panelWidth - 1
        let hand = group("Your hand", width, "hit; stand; double; split; insurance; no: no insurance; even; surrender")
        let count = view.rules.assist ? "; count: running count, see /count" : ""
        let bets = group(
            "Bets", width,
            "bet: place it, also Enter; 0-9 + -: set the amount; max: maximum bet; rebet: repeat it each round\(count)")
        let isPractice = self.view.isPractice
        let seat =
            "say: chat; react: nice, ouch, wow ...; leave: quit, also Ctrl-C; out: sit out, come back; sit: take a seat; coach: coach on or off"
        let view =
            "rules: house rules; chart: strategy chart; standings; history: your last hands; \(isPractice ? "" : "lobby: list of tables; ")PgUp: log and chat\(self.view.isOwner ? "" : "; Ctrl-L: redraw")"
        let table = group("The table", width, "\(seat); \(view)")
        let words = group("Slash commands", width, "\(isPractice ? "" : "mute; ")/: all commands")
        let list = "kick; again; pass: phrase, or none; pause: clocks, on or off; match: rounds to win"
        let owned = self.view.isOwner ? group("Your table", width, list) : []
        let legend = StyledText("  ★ owner   ¤ bot   ☾ away   ◌ sits out   » leaving", .bold)
        guard isWide else { return hand + bets + table + words + owned + [legend] }
        let gap = blank(height > 24 ? 1 : 0)
        let sides =
            owned.isEmpty
            ? [hand + gap + bets, table + gap + words] : [hand + gap + owned + gap + words, bets + gap + table]
        let rows = Self.columns(sides, width)
        return rows + blank(min(1, height - rows.count - 1)) + [legend]
    }

    /// - Parameter list: commands, or keys that are none, and their words behind a colon; without words the command's label.
    private func group(_ title: SafeText, _ width: Int, _ list: String) -> [StyledText] {
        let rows = list.split(separator: "; ").map { row -> (key: SafeText, words: SafeText) in
            let parts = row.split(separator: ": ").map { SafeText(String($0)) }
            guard let word = CommandWord.named(parts[0].text) else { return (parts[0], parts[1]) }
            return (word.key.map { SafeText(String($0)) } ?? word.usage("/"), parts.count > 1 ? parts[1] : word.label)
        }
        let column = (rows.map(\.key.columns).max() ?? 0) + 2
        return [StyledText(title, .bold)]
            + rows.map { key, words in
                let key = StyledText("  ") + StyledText(key, [.bold, .inverse]) + StyledText(.spaces(column - key.columns))
                return (key + StyledText(words)).cut(to: width)
            }
    }
}
