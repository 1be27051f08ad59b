import TableModel

extension TableCell {
    /// The card on its way into its slot, from the right.
    /// - Parameters:
    ///   - done: parts of the way, below `all`.
    func sliding(_ done: Int, of all: Int) -> TableCell {
        var cell = self
        cell.arrival = .sliding(done, of: all)
        cell.text = text.slid(done, of: all)
        return cell
    }

    /// The card between its back and its face.
    var turning: TableCell {
        var cell = self
        cell.arrival = .turning
        cell.text = StyledText("│", .dim).centred(in: text.columns)
        return cell
    }
}

/// The way of a card.
enum CardArrival: Equatable, Sendable {
    case sliding(Int, of: Int)
    case turning

    /// A row of a card's face.
    func row(_ line: StyledText) -> StyledText {
        switch self {
        case .sliding(let done, let all): line.slid(done, of: all)
        case .turning: StyledText("│", .dim).centred(in: line.columns)
        }
    }
}

extension StyledText {
    /// The left part, at the right of the same width.
    fileprivate func slid(_ done: Int, of all: Int) -> StyledText {
        let seen = max(1, columns * done / all)
        var result = StyledText(.spaces(columns - seen))
        for span in spans {
            let room = columns - result.columns
            guard room > 0 else { break }
            result.append(span.text.columns <= room ? span.text : span.text.start(room), span.style)
        }
        return result
    }

    fileprivate func centred(in width: Int) -> StyledText {
        var result = StyledText(.spaces((width - columns) / 2))
        result.append(self)
        return result.fitted(to: width)
    }
}

extension SafeText {
    /// The first columns, without a mark; a wider character is left out.
    fileprivate func start(_ limit: Int) -> SafeText {
        var start = SafeText.empty
        for glyph in Glyphs(text) {
            guard start.columns + glyph.columns <= limit else { break }
            start += SafeText(trusted: String(glyph.scalars), columns: glyph.columns)
        }
        return start + .spaces(limit - start.columns)
    }
}
