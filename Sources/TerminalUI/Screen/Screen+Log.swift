/// Messages: the newest below the table, all of them in the log.
extension Screen {
    /// The newest messages, newest last, aligned to the top; chat that has scrolled off unread is counted.
    func messages(_ height: Int, divider: Bool) -> [StyledText] {
        guard height > 1 else { return height == 1 ? [newest] : [] }
        var (shown, lines): (Int, [StyledText]) = (0, [])
        for sentence in view.messages.reversed() {
            let longer = messageLines(sentence) + lines
            if longer.count <= height - 1 { shown += 1 }
            // The end of a message without its beginning tells nothing.
            if longer.count > height - (divider ? 1 : 0), !lines.isEmpty { break }
            lines = longer
            if lines.count >= height { break }
        }
        let unread = view.log.unreadChat(below: shown)
        guard divider || unread > 0 else { return Array(lines.suffix(max(0, height))) }
        return [mark(unread)] + lines.suffix(max(0, height - 1))
    }

    /// The newest message in one line, after the number of unread ones above it.
    private var newest: StyledText {
        let unread = view.log.unreadChat(below: 1)
        var line = unread > 0 ? StyledText(" \(unread) unread:", [.bold, .yellow]) : StyledText()
        guard let sentence = view.messages.last else { return line }
        line.append(" ")
        line.append(sentence.text, style(sentence))
        return line.cut(to: size.columns)
    }

    /// `─── 3 unread: PgUp ───`.
    private func mark(_ unread: Int) -> StyledText {
        guard unread > 0 else { return StyledText(.filled(with: "─", size.columns), .dim) }
        var line = StyledText(.filled(with: "─", 3), .dim)
        line.append(" \(unread) unread: PgUp ", [.bold, .yellow])
        line.append(.filled(with: "─", size.columns - line.columns), .dim)
        return line
    }

    func messageLines(_ sentence: Sentence) -> [StyledText] {
        let style = style(sentence)
        // Further lines are indented: a long line of chat must not look like a message of its own.
        return sentence.text.wrapped(to: size.columns - 4).enumerated().map { index, line in
            var text = StyledText(index == 0 ? " " : "   ")
            text.append(line, style)
            return text
        }
    }

    private func style(_ sentence: Sentence) -> Style {
        switch sentence.kind {
        case .prompt, .refusal: .yellow
        case .closing, .host: [.bold, .yellow]
        case .shuffle: .green
        case .result: .bold
        case .link, .seat, .table: .dim
        default: .plain
        }
    }

    /// All messages kept, as far as the player has scrolled, with a mark above those that are new.
    func log(_ height: Int) -> [StyledText] {
        let log = view.log
        let all = log.sentences
        var lines: [StyledText] = []
        // The lines of older messages are needed only where the first page is not full.
        for (index, sentence) in all.enumerated().reversed() where index < all.count - log.below {
            lines = messageLines(sentence) + lines
            if index == all.count - log.newCount, index > 0 { lines = [newMark] + lines }
            if lines.count >= height { break }
        }
        if lines.count < height, log.below > 0 {
            lines = all.prefix(height).flatMap(messageLines)
            return Array(lines.prefix(height))
        }
        return Array(lines.suffix(max(0, height)))
    }

    private var newMark: StyledText {
        var line = StyledText(.filled(with: "─", 3), .dim)
        line.append(" new ", [.bold, .yellow])
        line.append(.filled(with: "─", size.columns - line.columns), .dim)
        return line
    }
}
