extension StrategyChart {
    /// What the chart does with a hand, always one of `legal`, which must not be empty.
    ///
    /// `points` is what one card of a pair counts, when the hand is a pair. The answer to a question asked of everybody
    /// (insurance, early surrender) follows from the chart too.
    @inlinable @inline(__always)
    public func action(value: HandValue, pair points: Int?, upCard: Rank, legal: ActionSet) -> Action {
        let up = upCard.points
        if legal.contains(.decline) { return answer(value: value, pair: points, up: up, legal: legal) }
        if let points, let action = resolvePair(cell(.pair(points), up), legal: legal) { return action }
        return resolve(cells[StrategyChart.index(of: value) &* 10 &+ up &- 1], legal: legal)
    }

    /// The index of the row of a hand that is no pair, or a pair that may not be split; the same as `row(of:)`, without a jump.
    @inlinable @inline(__always)
    static func index(of value: HandValue) -> Int {
        let hard = min(21, max(5, Int(value.hard))) &- 5
        return value.isSoft ? max(13, Int(value.hard) &+ 10) &+ 4 : hard
    }

    /// The row of a hand that is no pair, or a pair that may not be split.
    @inlinable @inline(__always)
    public static func row(of value: HandValue) -> Row {
        value.isSoft ? .soft(max(13, value.total)) : .hard(min(21, max(5, value.total)))
    }

    /// What a pair's cell says, or nil where it says split and that is not allowed: then the hand counts as its total.
    @inlinable @inline(__always)
    func resolvePair(_ cell: Cell, legal: ActionSet) -> Action? {
        if !cell.splits { return resolve(cell, legal: legal) }
        if cell.first == .surrender, legal.contains(.surrender) { return .surrender }
        if !doubleAfterSplit {
            if cell == Cell(.splitIfDoubleAfterElseHit) { return resolve(Cell(.hit), legal: legal) }
            if cell == Cell(.splitIfDoubleAfterElseDouble) { return resolve(Cell(.doubleElseHit), legal: legal) }
        }
        return legal.contains(.split) ? .split : nil
    }

    /// The first choice if it is legal, else the second, else stand, which always is.
    @inlinable @inline(__always)
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
