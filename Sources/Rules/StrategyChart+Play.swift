extension StrategyChart {
    /// What the chart does with a hand, always one of `legal`, which must not be empty.
    ///
    /// `points` is what one card of a pair counts, when the hand is a pair. The answer to a question asked of everybody
    /// (insurance, early surrender) follows from the chart too.
    @inlinable
    public func action(value: HandValue, pair points: Int?, upCard: Rank, legal: ActionSet) -> Action {
        let up = upCard.points
        if legal.contains(.decline) { return answer(value: value, pair: points, up: up, legal: legal) }
        if let points {
            let play = self[.pair(points), up]
            if let action = resolvePair(play, legal: legal) { return action }
        }
        return resolve(self[StrategyChart.row(of: value), up], legal: legal)
    }

    /// The row of a hand that is no pair, or a pair that may not be split.
    @inlinable
    public static func row(of value: HandValue) -> Row {
        value.isSoft ? .soft(max(13, value.total)) : .hard(min(21, max(5, value.total)))
    }

    /// What a pair's cell says, or nil where it says split and that is not allowed: then the hand counts as its total.
    @inlinable @inline(__always)
    func resolvePair(_ play: Play, legal: ActionSet) -> Action? {
        if !play.splits { return resolve(play, legal: legal) }
        if play.surrenders, legal.contains(.surrender) { return .surrender }
        if !doubleAfterSplit {
            if play == .splitIfDoubleAfterElseHit { return resolve(.hit, legal: legal) }
            if play == .splitIfDoubleAfterElseDouble { return resolve(.doubleElseHit, legal: legal) }
        }
        return legal.contains(.split) ? .split : nil
    }

    /// The first choice if it is legal, else the second, else stand, which always is.
    @inlinable @inline(__always)
    func resolve(_ play: Play, legal: ActionSet) -> Action {
        if legal.allows(play.first) { return play.first }
        return legal.allows(play.second) ? play.second : .stand
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
