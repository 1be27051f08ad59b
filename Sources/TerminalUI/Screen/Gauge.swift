import ClientCore
import Rules
import TableModel

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

extension ViewState {
    /// Seconds that the running clock began with; nil while none runs, or where the rules say nothing about it.
    var secondsAllowed: Int? {
        guard secondsLeft != nil else { return nil }
        switch snapshot?.round?.phase {
        case .waiting, .betting: return rules.bettingSeconds
        case .insurance, .surrender: return rules.insuranceSeconds
        case .playing: return rules.decisionSeconds
        case .settled, .closed, nil: return nil
        }
    }
}

extension Screen {
    /// `  ━━━━━━──── 9 s`, without the bar in fewer columns; empty without a running clock.
    /// - Parameter room: columns at most.
    func countdown(_ room: Int, _ style: Style) -> StyledText {
        guard let seconds = view.secondsLeft else { return StyledText() }
        let time = StyledText("  \(seconds) s", style)
        let width = isNarrow ? 5 : 10
        guard let all = view.secondsAllowed, width + 7 <= room else { return time }
        var line = StyledText("  ")
        line.append(Gauge.bar(seconds, of: all, width: width, seconds <= 3 ? style.subtracting(.colors).union(.red) : style))
        // Two digits, so that an update changes little.
        line.append(seconds < 10 ? "  \(seconds) s" : " \(seconds) s", style)
        return line
    }

    /// Puts the gauge of the shoe at the end of a line that has room for it.
    func withShoe(_ lines: [StyledText]) -> [StyledText] {
        guard let first = lines.first, let shoe = view.snapshot?.shoe, shoe.number > 0, let left = view.snapshot?.cardsLeft else {
            return lines
        }
        var gauge = StyledText("Shoe \(shoe.number) ", .dim)
        gauge.append(Gauge.shoe(shoe, left: left, width: size.columns >= 120 ? 24 : 16))
        gauge.append(left <= shoe.behindCutCard ? " last round " : " \(left) left ", .dim)
        guard first.columns + 2 + gauge.columns <= size.columns else { return lines }
        var line = first.fitted(to: size.columns - gauge.columns)
        line.append(gauge)
        return [line] + lines.dropFirst()
    }
}
