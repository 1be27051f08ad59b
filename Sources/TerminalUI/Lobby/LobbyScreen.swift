import ClientCore
import Rules
import TableModel

/// Draws the list of tables: a pure function of its view state, the table's view state and the size.
struct LobbyScreen {
    let lobby: LobbyView
    let view: PlayerSession
    let size: ScreenSize
    private let wording = Wording(hasKeys: true)
    private var tables: [TableSummary] { lobby.tables(of: view.state) }
    private var selected: Int { lobby.selectedRow(in: tables) }

    var frame: Frame {
        let hints = StyledText.lines(of: KeyMap(view).hints, columns: size.columns)
        // On a small terminal the list and the question come first.
        guard size.rows >= 6 else { return Frame(size: size, lines: rows(size.rows - 1) + prompts.suffix(1)) }
        let footer = prompts + hints
        let height = size.rows - 1 - footer.count
        var body = height >= 3 ? [heads] : []
        // The list first: the sentences about a table get the rest.
        let room = height - 2 - min(max(1, tables.count), height * 2 / 3)
        let details = height >= 8 ? details(atMost: max(0, room)) : []
        let divider = details.isEmpty ? 0 : 1
        body += rows(height - body.count - divider - details.count)
        if divider > 0 { body.append(StyledText(.filled(with: "─", size.columns), .dim)) }
        body += details
        while body.count < height { body.append(StyledText()) }
        return Frame(size: size, lines: [header] + body + footer)
    }

    private var header: StyledText {
        var right = StyledText()
        if let player = view.player {
            right.append("\(SafeText(player.name, columns: 24)), \(player.chips) chips ", .inverse)
        } else if !view.me.isEmpty {
            let chips: SafeText = view.chips.map { ", \($0) chips" } ?? ""
            right.append("\(SafeText(view.me, columns: 24))\(chips) ", .inverse)
        }
        let count = StyledText(tables.count == 1 ? " · 1 table" : " · \(tables.count) tables", .inverse)
        let left = StyledText(" Blackjack", [.bold, .inverse]) + count
        return left.fitted(to: size.columns - right.columns, filler: .inverse) + right
    }

    // MARK: Rows

    /// The list's columns: name, free seats, bets, state, players and rules.
    private struct Widths {
        /// 0 for a column without room.
        let columns: [Int]
        let isWide: Bool

        init(_ all: Int) {
            isWide = all >= 60
            let name = all >= 100 ? 22 : isWide ? 16 : max(6, all - 27)
            let first = [name, isWide ? 10 : 4, isWide ? 14 : 10, 8]
            let rest = all - 5 - first.reduce(0, +)
            let rules = rest >= 80 ? 56 : 0
            columns = first + (rest < 8 ? [0, 0] : [rest - rules - (rules > 0 ? 2 : 0), rules])
        }
    }

    private var heads: StyledText {
        let widths = Widths(size.columns)
        return line(marker: "  ", ["table", "free", "bets", "", "players", "rules"], widths, style: .dim)
    }

    /// The part of the list around the selection.
    private func rows(_ height: Int) -> [StyledText] {
        guard height > 0 else { return [] }
        guard !tables.isEmpty else { return [StyledText("  There are no tables at the moment.", .dim)] }
        let widths = Widths(size.columns)
        let top = min(max(0, selected - height / 2), max(0, tables.count - height))
        return tables.indices.dropFirst(top).prefix(height).map {
            row(tables[$0], isSelected: lobby.isChosen && $0 == selected, widths)
        }
    }

    private func row(_ table: TableSummary, isSelected: Bool, _ widths: Widths) -> StyledText {
        let isOwn = table.name == view.state.table && view.state.snapshot != nil
        let answers = view.state.answers
        let state: SafeText =
            !answers ? "offline" : isOwn ? (view.player == nil ? "watched" : "seated") : Wording.state(of: table)
        let rules = table.rules
        let texts: [SafeText] = [
            SafeText(table.name, columns: 32),
            // Out of date.
            !answers ? "" : widths.isWide ? "\(table.freeSeats) of \(table.seats)" : "\(table.freeSeats)/\(table.seats)",
            widths.isWide ? "\(rules.minimumBet) to \(rules.maximumBet)" : "\(rules.minimumBet)-\(rules.maximumBet)",
            state, wording.players(of: table), wording.rules(rules),
        ]
        let isOpen = answers && Wording.state(of: table) == "open"
        let style: Style =
            isSelected ? (answers ? [.bold, .inverse] : [.dim, .inverse]) : isOwn ? .bold : isOpen ? .plain : .dim
        return line(marker: isSelected ? "▶ " : "  ", texts, widths, style: style)
    }

    private func line(marker: SafeText, _ texts: [SafeText], _ widths: Widths, style: Style) -> StyledText {
        var line = StyledText(marker, style)
        for (index, width) in widths.columns.enumerated() where width > 0 {
            line.append(StyledText(texts[index], style).fitted(to: width, filler: style))
            if index < 3 || (index == 4 && widths.columns[5] > 0) { line.append(index == 4 ? "  " : " ", style) }
        }
        return line.fitted(to: size.columns, filler: style)
    }

    /// The sentences that fit; the last line says where the others are.
    private func details(atMost room: Int) -> [StyledText] {
        let all = details
        guard all.count > room, room > 1 else { return Array(all.prefix(room)) }
        return all.prefix(room - 1) + [StyledText(" … At a table, v shows all of its rules.", .dim)]
    }

    /// The selected table in sentences.
    private var details: [StyledText] {
        // They may be out of date without a connection.
        guard !tables.isEmpty, view.state.answers else { return [] }
        let table = tables[selected]
        let watchers: SafeText = table.watchers == 0 ? "" : table.watchers == 1 ? ", 1 watching" : ", \(table.watchers) watching"
        let seats: SafeText =
            table.isClosing
            ? "closing after the current round" : "\(table.freeSeats) of \(table.seats) seats free"
        var texts: [SafeText] = [
            "\(SafeText(table.name, columns: 32)): \(seats)\(watchers). Playing: \(wording.players(of: table))."
        ]
        if let owner = table.owner { texts.append("The owner is \(SafeText(owner, columns: 24)).") }
        if table.isLocked { texts.append("It has a pass phrase.") }
        if let edge = table.edge { texts.append(SafeText(Wording.edge(edge))) }
        texts += table.rules.sentences.map { SafeText($0) }
        return texts.flatMap { $0.wrapped(to: max(1, size.columns - 2)) }.map { StyledText(" \($0)") }
    }

    // MARK: Footer

    /// The news above the question: neither hides the other.
    private var prompts: [StyledText] {
        if let prompt = lobby.prompt { return (notices ?? []) + [passPrompt(prompt)] }
        if let outage = view.outage {
            return (notices ?? []) + [StyledText(" \(outage)", [.bold, .yellow]).cut(to: size.columns)]
        }
        return isAsked ? answer + [news] : notices ?? [news]
    }

    private var notices: [StyledText]? {
        let lines = lobby.notice.map { Array(wrapped($0, [.bold, .yellow]).prefix(size.rows < 10 ? 1 : 3)) } ?? []
        return lines.isEmpty && answer.isEmpty ? nil : lines + answer
    }

    private var answer: [StyledText] { view.keyAnswer.map { Array(wrapped($0, .yellow).prefix(2)) } ?? [] }

    private func wrapped(_ text: SafeText, _ style: Style) -> [StyledText] {
        text.wrapped(to: max(1, size.columns - 2)).map { StyledText(" \($0)", style) }
    }

    private var isAsked: Bool { if case .asked = view.situation { true } else { false } }

    private var news: StyledText {
        let table = SafeText(view.state.table ?? "", columns: 32)
        if isAsked {
            let time: SafeText = view.secondsLeft.map { ", \($0) s" } ?? ""
            return StyledText(" It is your turn at \(table)\(time): Esc goes back.", [.bold, .yellow])
        }
        if let awaited = view.move.awaited {
            return StyledText(" \(Wording.moving(to: awaited, from: view.state))", .yellow)
        }
        if !view.state.lobby.isEmpty, view.state.lobby.allSatisfy(\.isClosing) {
            return StyledText(" All tables are closing after their round.", .yellow)
        }
        if let closing = view.state.snapshot?.closing { return StyledText(" \(wording.closing(closing, now: nil))", .yellow) }
        return StyledText()
    }

    private func passPrompt(_ prompt: LobbyView.Prompt) -> StyledText {
        let table = SafeText(prompt.destination.table, columns: size.columns >= 60 ? 32 : 12)
        var line = StyledText(prompt.isWrong ? " Wrong phrase. " : " ", [.bold, .yellow])
        line.append(size.columns < 60 && prompt.isWrong ? "Phrase: " : "Pass phrase of \(table): ", .bold)
        line.append(prompt.draft.hidden(size.columns - line.columns - 2))
        line.append(" ", .inverse)
        return line
    }
}
