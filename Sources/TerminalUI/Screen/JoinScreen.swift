import ClientCore

/// Draws the join form: a pure function of its view state.
struct JoinScreen {
    private static let label: SafeText = "  Name  "
    private static let codeLabel: SafeText = "  Code  "
    private static let wordLabel: SafeText = "  Send the secret there? Type yes, or change the name: "

    let view: JoinView
    let size: ScreenSize

    init(_ view: JoinView, size: ScreenSize) {
        self.view = view
        self.size = size
    }

    var frame: Frame {
        // On a small terminal the field and its status come first.
        guard size.rows >= 10 else { return Frame(size: size, lines: field) }
        let footer = StyledText.lines(of: view.hints, columns: size.columns) + [status]
        let height = size.rows - 1 - footer.count
        var body = [StyledText(), StyledText(" Who plays?", .bold), StyledText()] + field + [StyledText()] + refusal
        while body.count < height { body.append(StyledText()) }
        return Frame(size: size, lines: [header] + body.prefix(height) + footer)
    }

    private var header: StyledText {
        let right = StyledText(view.server + " ", .inverse)
        var line = StyledText(" Blackjack", [.bold, .inverse]).fitted(to: size.columns - right.columns, filler: .inverse)
        line.append(right)
        return line
    }

    /// The name field and its status.
    private var field: [StyledText] {
        let name = line(Self.label, view.name, hasCursor: view.field == .name)
        let word = view.consent == nil ? [] : [line(Self.wordLabel, view.word, hasCursor: view.field == .word)]
        return [name] + verdict + word + phrase
            + (view.code.map { [line(Self.codeLabel, $0, hasCursor: view.field == .code)] } ?? [])
    }

    /// The field for the pass phrase of the table.
    private var phrase: [StyledText] {
        guard let pass = view.pass, let table = view.table else { return [] }
        var line = StyledText("  Pass phrase of \(SafeText(table, columns: max(8, min(32, size.columns - 30))))  ")
        line.append(.filled(with: "•", min(pass.unicodeScalars.count, max(1, size.columns - line.columns - 2))))
        if view.step != .joining, view.field == .pass { line.append(" ", .inverse) }
        return [line]
    }

    private func line(_ label: SafeText, _ text: String, hasCursor: Bool) -> StyledText {
        var line = StyledText(label)
        // A text wider than the line keeps its end, where the cursor is.
        var shown = Substring(text)
        while SafeText(String(shown)).columns > max(8, size.columns - label.columns - 2) { shown.removeFirst() }
        line.append(SafeText(String(shown)), .bold)
        if hasCursor, view.step != .joining { line.append(" ", .inverse) }
        return line
    }

    private var verdict: [StyledText] {
        let (words, style): (SafeText, Style) =
            switch (view.step, view.nameState) {
            case (.joining, _): ("joining ...", .dim)
            case (_, .empty): ("letters, digits, single spaces and . _ - '", .dim)
            case (_, .invalid(let reason)): ("\(reason)", .yellow)
            case (.wanting, .asking): ("checking the name, then joining ...", .dim)
            case (_, .asking): ("checking the name ...", .dim)
            case (_, .free): ("free", .green)
            case (_, .own(let chips?)): ("yours: \(chips) chips when you left", .green)
            case (_, .own(nil)): ("yours: you were here before", .green)
            case (_, .ownElsewhere(let consent)):
                (
                    "yours at \(SafeText(consent.server, columns: 80)), and \(view.server) says that it is the same house: whoever runs it gets the secret of that account",
                    .yellow
                )
            case (_, .taken):
                ("taken by another player; if it is you, 'bjclient accounts import' brings your account from elsewhere", .yellow)
            }
        return indented(words, by: Self.label.columns, style)
    }

    private var refusal: [StyledText] { view.refusal.map { indented($0, by: 2, .yellow) } ?? [] }

    private func indented(_ text: SafeText, by margin: Int, _ style: Style) -> [StyledText] {
        text.wrapped(to: max(1, size.columns - margin - 1)).map { line in
            var result = StyledText(.spaces(margin))
            result.append(line, style)
            return result
        }
    }

    private var status: StyledText {
        let words: SafeText =
            switch view.link {
            case .connecting(attempt: 1): "connecting"
            case .connecting(let attempt): "reconnecting, attempt \(attempt)"
            case .connected, .loggedIn: view.silentSeconds.map { "no answer, last heard \($0) s ago" } ?? "connected"
            case .lost(let failure): "no connection, trying again: \(failure.description)"
            case .ended: "disconnected"
            }
        return StyledText(" \(words)", .inverse).fitted(to: size.columns, filler: .inverse)
    }
}
