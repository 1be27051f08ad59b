import Rules
import TableModel

/// How cards are drawn. A box has ink on its edges only where no colours set it apart.
enum CardSize {
    /// `9♥ 7♦`.
    case text
    /// Rank and suit in a box.
    case small
    /// Pips and figures, as on real cards.
    case big

    /// In lines.
    var height: Int { self == .text ? 1 : self == .small ? 3 : 9 }
    var width: Int { self == .small ? 5 : 13 }

    /// Columns from a card to the next one in hands of so many cards, fanned out where there is less room; nil where they would hide each other's
    /// ranks.
    func step(_ counts: [Int], _ room: Int) -> Int? {
        let spare = room - width * counts.count
        let more = counts.reduce(0) { $0 + max(0, $1 - 1) }
        let step = more > 0 ? min(width + (self == .big ? 2 : 1), spare / more) : width
        return spare >= 0 && step >= (self == .big ? 3 : 4) ? step : nil
    }

    /// Cards side by side.
    func lines(_ cards: [TableCell], _ room: Int) -> [StyledText]? {
        guard let step = step([cards.count], room) else { return nil }
        guard !cards.isEmpty else { return spot }
        let faces = cards.enumerated().map { index, card in
            face(card, isFanned: step <= width && cards.count > 1, isCovered: step < width && index < cards.count - 1)
        }
        return (0..<height).map { row in
            faces.dropLast().reduce(StyledText()) { $0 + $1[row].start(step) } + faces[faces.count - 1][row]
        }
    }

    /// The place of cards that are not dealt yet.
    private var spot: [StyledText] { [StyledText](repeating: StyledText(), count: height - 2).framed(width - 2, .dim) }

    /// - Parameters:
    ///   - isFanned: whether it touches another card, from which its outline sets it apart.
    ///   - isCovered: whether the next card hides a part of it: a half of a figure would be none.
    private func face(_ cell: TableCell, isFanned: Bool, isCovered: Bool) -> [StyledText] {
        let style = cell.text.spans.last?.style ?? .plain
        let rows: [StyledText] =
            if let card = cell.card {
                self == .small
                    ? [cell.text.fitted(to: width - 2, filler: style)]
                    : Self.picture(card, hasFigure: !isCovered).map { StyledText($0, style) }
            } else {
                Array(repeating: StyledText(.filled(with: "░", width - 2), style), count: height - 2)
            }
        return rows.framed(width - 2, isFanned ? style : style.union(.edge))
    }

    /// Seven rows of eleven columns: the rank in two corners, the suit below and above it.
    private static func picture(_ card: Card, hasFigure: Bool) -> [SafeText] {
        let (rank, suit) = (Wording(hasKeys: true).rank(card), String(card.suit.symbol))
        return middle(card.rank).enumerated().map { row, text in
            let corner = [0, 6].contains(row) ? rank : [1, 5].contains(row) ? suit : ""
            let blank = String(repeating: " ", count: 2 - corner.count)
            let isBlank = !hasFigure && [.jack, .queen, .king].contains(card.rank)
            let picture = isBlank ? "       " : text.replacing("*", with: suit)
            return SafeText(stringLiteral: row < 3 ? corner + blank + picture + "  " : "  " + picture + blank + corner)
        }
    }

    /// Seven rows of seven columns; `*` is a pip.
    private static func middle(_ rank: Rank) -> [String] {
        switch rank {
        case .jack: return ["    ,~ ", " .--'. ", " |o o| ", #"/| ^ |\"#, #"  \_/  "#, #" /[*]\ "#, #"/ [*] \"#]
        case .queen: return ["   *   ", " .oOo. ", "((o o))", "(( ^ ))", #" )\-/( "#, #" / * \ "#, #"/__*__\"#]
        case .king: return ["   +   ", #" \/|\/ "#, " |o o| ", " | ^ | ", #" \===/ "#, #" /|*|\ "#, #"/ |*| \"#]
        // As many pips as points.
        default: return pips[rank.points - 1].map { $0 == "2" ? " *   * " : $0 == "1" ? "   *   " : "       " }
        }
    }

    /// From the ace to the ten, of each row the number of its pips.
    private static let pips = [
        "0001000", "1000001", "1001001", "2000002", "2001002", "2002002", "2102002", "2102012", "2021202", "2120212",
    ]
}

extension [StyledText] {
    /// In a box, `width` columns wide inside.
    func framed(_ width: Int, _ edge: Style) -> [StyledText] {
        let (line, side) = (SafeText.filled(with: "─", width), StyledText("│", edge))
        return [StyledText("┌" + line + "┐", edge)] + map { side + $0.fitted(to: width) + side }
            + [StyledText("└" + line + "┘", edge)]
    }
}

/// Bars of one line.
enum Gauge {
    /// `━━━━━──────`: a part of a whole, at least one column unless it is zero.
    static func bar(_ part: Int, of whole: Int, width: Int, _ style: Style) -> StyledText {
        let filled = whole > 0 ? (min(max(0, part), whole) * width + whole - 1) / whole : 0
        var bar = StyledText(.filled(with: "━", filled), style)
        bar.append(.filled(with: "─", width - filled), .dim)
        return bar
    }

    /// `───━━━━━━━━┃━━━`: dealt cards, the rest, and the cut card before the last ones.
    static func shoe(_ shoe: ShoeStatus, left: Int, width: Int) -> StyledText {
        let all = max(1, shoe.decks * 52)
        let dealt = min(width - 1, max(0, (all - left) * width / all))
        let cut = min(width - 1, max(0, (all - shoe.behindCutCard) * width / all))
        var bar = StyledText()
        for column in 0..<width {
            if column == cut {
                bar.append("┃", [.bold, .yellow])
            } else {
                bar.append(column < dealt ? "─" : "━", column < dealt ? .dim : .plain)
            }
        }
        return bar
    }
}
