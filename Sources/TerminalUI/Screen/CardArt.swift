import Rules

/// Cards as boxes; neighbours share a border.
enum CardArt {
    /// Three lines: rank and suit.
    case small
    /// Five lines: rank and pips.
    case large

    /// In lines, borders included.
    var height: Int { self == .small ? 3 : 5 }
    var middle: Int { height / 2 }
    /// Columns between two borders.
    private var width: Int { self == .small ? 3 : 7 }

    func lines(_ cards: [TableCell]) -> [StyledText] {
        let edges = Array(repeating: SafeText.filled(with: "─", width), count: cards.count)
        let faces = cards.map { card in
            let rows = face(card)
            // The text of a small card is on its way already.
            return self == .large ? card.arrival.map { rows.map($0.row) } ?? rows : rows
        }
        let inner = (0..<height - 2).map { row in
            var line = StyledText("│", .dim)
            for face in faces {
                line.append(face[row])
                line.append("│", .dim)
            }
            return line
        }
        return [StyledText("┌" + edges.joined("┬") + "┐", .dim)] + inner + [StyledText("└" + edges.joined("┴") + "┘", .dim)]
    }

    private func face(_ cell: TableCell) -> [StyledText] {
        let style = cell.text.spans.last?.style ?? .plain
        guard self == .large else { return [cell.text.fitted(to: width, rightAligned: true, filler: style)] }
        guard let card = cell.card else { return Array(repeating: StyledText(.filled(with: "░", width), style), count: 3) }
        let rank = card.rank == .ten ? "10" : String(card.rank.letter)
        let pips = Self.pips(card.rank).map { $0.replacing("*", with: String(card.suit.symbol)) }
        // The rank stands in two opposite corners, where the pips leave two columns.
        let top = rank + pips[0].dropFirst(rank.count)
        let bottom = pips[2].dropLast(rank.count) + rank
        return [top, pips[1], String(bottom)].map { StyledText(SafeText($0), style) }
    }

    /// Three rows of seven columns; `*` is a pip.
    private static func pips(_ rank: Rank) -> [String] {
        switch rank {
        case .ace: ["       ", "   *   ", "       "]
        case .two: ["   *   ", "       ", "   *   "]
        case .three: ["   *   ", "   *   ", "   *   "]
        case .four: ["  * *  ", "       ", "  * *  "]
        case .five: ["  * *  ", "   *   ", "  * *  "]
        case .six: ["  * *  ", "  * *  ", "  * *  "]
        case .seven: ["  * *  ", " * * * ", "  * *  "]
        case .eight: ["  * *  ", "* * * *", "  * *  "]
        case .nine: ["  ***  ", " * * * ", "  ***  "]
        case .ten: ["  ***  ", "* * * *", "  ***  "]
        case .jack, .queen, .king: ["       ", "  *\(rank.letter)*  ", "       "]
        }
    }
}
