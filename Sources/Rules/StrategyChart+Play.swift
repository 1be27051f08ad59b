extension StrategyChart {
    /// The chart's action for a hand: a member of `legal`, which must not be empty.
    ///
    /// `points`: one card of a pair, when the hand is a pair. Also answers insurance and early surrender.
    @inlinable
    public func action(value: HandValue, pair points: Int?, upCard: Rank, legal: ActionSet) -> Action {
        if legal.contains(.decline) { return answer(value: value, pair: points, up: upCard.points, legal: legal) }
        if let points, let action = resolvePair(cell(StrategyChart.place(ofPair: points), upCard), legal: legal) { return action }
        return resolve(cell(value.tableIndex, upCard), legal: legal)
    }

    @inlinable
    func cell(_ place: Int, _ up: Rank) -> Cell { cells[place &* StrategyChart.width | Int(up.rawValue)] }

    /// The play of a hand that is not a pair, or a pair that may not be split.
    @inlinable
    public static func row(of value: HandValue) -> Row {
        value.isSoft ? .soft(max(13, value.total)) : .hard(min(21, max(5, value.total)))
    }

    /// The play of a pair; nil for a split that is not allowed: the hand then plays by its total.
    @inlinable
    func resolvePair(_ cell: Cell, legal: ActionSet) -> Action? {
        if !cell.splits { return resolve(cell, legal: legal) }
        if cell.first == .surrender, legal.contains(.surrender) { return .surrender }
        if !doubleAfterSplit {
            if cell == Cell(.splitIfDoubleAfterElseHit) { return resolve(Cell(.hit), legal: legal) }
            if cell == Cell(.splitIfDoubleAfterElseDouble) { return resolve(Cell(.doubleElseHit), legal: legal) }
        }
        return legal.contains(.split) ? .split : nil
    }

    /// The first choice if legal, else the second, else stand.
    @inlinable
    func resolve(_ cell: Cell, legal: ActionSet) -> Action {
        if legal.allows(cell.first) { return cell.first }
        return legal.allows(cell.second) ? cell.second : .stand
    }

    @usableFromInline
    func answer(value: HandValue, pair points: Int?, up: Int, legal: ActionSet) -> Action {
        if legal.contains(.surrender) {
            let play = self[points.map(Row.pair) ?? StrategyChart.row(of: value), up]
            return play.surrenders ? .surrender : .decline
        }
        guard takesInsurance else { return .decline }
        return legal.contains(.evenMoney) ? .evenMoney : legal.contains(.insurance) ? .insurance : .decline
    }
}
