import Rules
import TableModel
import Wire

/// Chooses a bot's next move from the visible table; the same for every transport.
public struct BotMind: Sendable {
    /// Chips put on each round; brought into the table's limits.
    private let bet: Int
    /// How to play; nil for basic strategy by the rules of the table.
    private let chart: StrategyChart?
    private let manner: HouseBot.Manner
    /// The chart by manner for the rules that were last seen.
    private var basic: (rules: HouseRules, chart: StrategyChart)?
    private let strategies: BasicStrategies

    /// - Parameters:
    ///   - chart: how to play; nil for basic strategy by the rules of the table, as the manner changes it.
    ///   - strategies: shared by the bots of a crew.
    public init(
        bet: Int = 0, chart: StrategyChart? = nil, manner: HouseBot.Manner = .book,
        strategies: BasicStrategies = BasicStrategies()
    ) {
        (self.bet, self.chart, self.manner, self.strategies) = (bet, chart, manner, strategies)
    }

    /// The next request for a seat; nil when there is nothing to do, or basic strategy is not computed yet.
    public mutating func move(at snapshot: TableSnapshot, seat: Int) -> ClientMessage? {
        guard snapshot.rules != nil, snapshot.round != nil else { return nil }
        return move(at: TableFacts(snapshot), seat: seat)
    }

    /// The same at a table that is taken apart already.
    package mutating func move(at table: TableFacts, seat: Int) -> ClientMessage? {
        guard table.seats.indices.contains(seat), let player = table.seats[seat].player else { return nil }
        let rules = table.rules
        if let choice = table.seats[seat].choice { return answer(choice, at: table, seat: seat) }
        // Time-outs, as of a server that was stopped for a while, make a bot sit out; it came to play.
        if player.presence == .sittingOut, !table.isInRound { return .sitOut(false) }
        guard table.mayBet & (1 << UInt8(seat)) != 0 else { return nil }
        // Before the bet, so that no decision on a clock waits for it.
        guard chart(for: rules) != nil else { return nil }
        let wanted = min(max(bet, rules.minimumBet), rules.maximumBet) / rules.betStep * rules.betStep
        let affordable = player.chips / rules.betStep * rules.betStep
        let amount = min(max(wanted, rules.minimumBet), affordable)
        // Below the smallest bet the house gives new chips at the seat.
        return amount >= rules.minimumBet
            ? .bet(amount: amount, seat: seat, round: table.round) : .sit(table: nil, seat: seat)
    }

    private mutating func answer(_ choice: Choice, at table: TableFacts, seat: Int) -> ClientMessage? {
        let rules = table.rules
        guard let up = table.dealer.first ?? nil, !choice.options.isEmpty, let chart = chart(for: rules) else { return nil }
        let hand = table.seats[seat].hands.first { $0.id.number == choice.hand }
        let cards = hand?.cards ?? []
        var legal = ActionSet()
        for option in choice.options { legal.insert(ActionSet(option.action)) }
        let isPair = cards.count == 2 && rules.splitBy.isPair(cards[0].rank, cards[1].rank)
        let action = chart.action(
            value: HandValue(cards), pair: isPair ? cards[0].rank.points : nil, upCard: up.rank, legal: legal)
        return .act(action, seat: seat, hand: choice.hand, amount: nil, turn: choice.turn)
    }

    private mutating func chart(for rules: HouseRules) -> StrategyChart? {
        if let chart { return chart }
        if let basic, basic.rules == rules { return basic.chart }
        guard let chart = strategies.chart(for: rules)?.played(manner) else { return nil }
        basic = (rules, chart)
        return chart
    }
}

extension StrategyChart {
    /// The chart with the rows that a manner changes.
    func played(_ manner: HouseBot.Manner) -> StrategyChart {
        var chart = self
        for (row, play) in manner.changes {
            guard let row = Row(text: row), let play = Play(text: play) else { preconditionFailure("no row or play of a chart") }
            for upCard in 1...10 { chart[row, upCard] = play }
        }
        return chart
    }
}
