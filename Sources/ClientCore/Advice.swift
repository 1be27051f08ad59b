import Rules
import TableModel
import Wire

/// A chart's values of the actions that a seat is asked for. A lookup: the client computes no odds.
public struct Advice: Equatable, Sendable {
    struct Option: Equatable, Sendable {
        var action: Action
        /// With all chips that the action may take, in 1/10000 of the bet.
        var value: Int
        /// The chips that it takes without an amount.
        var chips: Int
    }

    /// The number of the decision.
    public let turn: Int
    /// Chips on the hand.
    public let bet: Int
    /// nil for a question about insurance.
    public let hand: StrategyChart.Row?
    public let upCard: Rank
    private let options: [Option]
    private let best: Option

    /// nil where the chart does not have the hand, and for a seat that is not asked.
    public init?(_ chart: ValueChart, seat: Int, at snapshot: TableSnapshot) {
        guard let choice = snapshot.choice(seat), let up = snapshot.upCard?.rank else { return nil }
        let hand = HandIdentifier(seat: seat, number: choice.hand)
        let cards = snapshot.cards(in: .hand(hand)).compactMap(\.self)
        guard cards.count >= 2, let bet = snapshot.bet(hand), bet > 0 else { return nil }
        let isInsurance = choice.allows(.insurance) || choice.allows(.evenMoney)
        let row = isInsurance ? nil : chart.row(of: cards)
        let options = choice.options.compactMap { option -> Option? in
            let value = isInsurance ? chart.insurance(option.action, cards) : row?.value(of: option.action, against: up)
            return value.map { Option(action: option.action, value: $0, chips: option.cost) }
        }
        let values = options.map { Self.value(of: $0, chips: $0.chips, bet: bet) }
        guard options.count > 1, let most = values.max(), let index = values.firstIndex(of: most) else { return nil }
        let legal = ActionSet(options.map { ActionSet($0.action) })
        let played = row.flatMap { chart.action(of: cards, $0, against: up, among: legal) }
        // The chart doubles in full: doubling for less may be worth less than the next best.
        let known = options.first { $0.action == played && ($0.action != .double || $0.chips >= bet) }
        (turn, self.bet, self.options, best) = (choice.turn, bet, options, known ?? options[index])
        (self.hand, upCard) = (row?.hand, up)
    }

    /// The best chart's action; that of the greatest value where the chart has none.
    public var bestAction: Action { best.action }

    /// The value that an action gives away against the best one, in 1/10000 of the bet; nil for an action without a value.
    /// - Parameter chips: those added, for doubling and insuring for less; nil for all that the table offers.
    public func cost(of action: Action, chips: Int? = nil) -> Int? {
        guard let option = options.first(where: { $0.action == action }) else { return nil }
        let most = Self.value(of: best, chips: best.chips, bet: bet)
        return max(0, most - Self.value(of: option, chips: min(chips ?? option.chips, option.chips), bet: bet))
    }

    /// For less, a double's win grows with its chips, and insurance's gain with its own.
    private static func value(of option: Option, chips: Int, bet: Int) -> Int {
        switch option.action {
        case .double where chips < bet: Int(Double(option.value) * Double(bet + chips) / Double(2 * bet))
        case .insurance where chips < bet / 2: Int(Double(option.value) * Double(2 * chips) / Double(bet))
        default: option.value
        }
    }
}

extension ValueChart {
    /// The row of a hand: by its number of cards where that matters, by its pair or by its total.
    fileprivate func row(of cards: [Card]) -> Row? {
        let value = HandValue(cards)
        if cards.count == 2, cards[0].rank.points == cards[1].rank.points {
            return rows.first { $0.hand == .pair(cards[0].rank.points) }
        }
        let hand = StrategyChart.row(of: value)
        return rows.first { $0.hand == hand && $0.cards == cards.count } ?? rows.first { $0.hand == hand && $0.cards == nil }
    }

    /// The best chart's action: by the row of the hand, or of its total where a pair may not be split.
    fileprivate func action(of cards: [Card], _ row: Row, against up: Rank, among legal: ActionSet) -> Action? {
        let total = StrategyChart.row(of: HandValue(cards))
        for row in [row] + rows.filter({ $0.hand == total && $0.cards == nil }) {
            guard let plays = row.play, plays.indices.contains(up.column) else { return nil }
            if let action = plays[up.column].action(among: legal) { return action }
        }
        return nil
    }

    /// The gain by an answer to the offer of insurance.
    fileprivate func insurance(_ action: Action, _ cards: [Card]) -> Int? {
        let tens = cards.count(where: \.rank.isTenValued)
        switch action {
        case .decline: return 0
        case .insurance, .evenMoney: return insurance.indices.contains(tens) ? insurance[tens] : nil
        case .hit, .stand, .double, .split, .surrender: return nil
        }
    }
}

extension ValueChart.Row {
    /// nil where the action is not allowed.
    fileprivate func value(of action: Action, against up: Rank) -> Int? {
        guard let values = self[action], values.indices.contains(up.column) else { return nil }
        return values[up.column]
    }
}

extension Rank {
    /// The index in a list of a chart.
    fileprivate var column: Int { isAce ? 9 : points - 2 }
}
