import ClientCore
import Rules
import TableModel
import Wire

/// The coach: what decisions are worth, as the server says, and what the player's own have cost since it was first turned on. A value.
///
/// It asks for the values of each decision as soon as it is due, one at a time. A player who decides before they are here is judged when they
/// come: they are those of the moment when the coach asked.
struct Coach: Equatable, Sendable {
    /// A decision at one of the player's seats.
    struct Question: Equatable, Sendable {
        let turn: Int
        let seat: Int
    }

    /// A decision on its way to the server.
    struct Decision: Equatable, Sendable {
        let question: Question
        let hand: StrategyChart.Row?
        let upCard: Rank
        let action: Action
        /// Chips on the hand.
        let bet: Int
        /// The share of the action's value that it has with fewer chips than the table offers; 1 with all, nil where nobody has said it.
        let share: Double?
    }

    /// The judgement of a decision that the server has taken.
    struct Verdict: Equatable, Sendable {
        let play: Play
        /// In 1/10000 chips; 0 for the best action.
        let cost: Int
        /// Whether the chart's action is worth less than the best.
        var isDeviation = false
    }

    /// A decision as charts have it.
    struct Play: Hashable, Sendable {
        /// nil for a question about insurance.
        let hand: StrategyChart.Row?
        let upCard: Rank
        let action: Action
        let best: Action
    }

    struct Mistakes: Equatable, Sendable {
        var count = 0
        /// In expected value: 1/10000 chips.
        var cost = 0

        mutating func add(_ others: Mistakes) {
            count += others.count
            let (sum, isOver) = cost.addingReportingOverflow(others.cost)
            cost = isOver ? .max : sum
        }
    }

    private(set) var isOn = false
    /// Whether decisions are judged: for the end of the session, also while the coach is off.
    private(set) var isWatching = false
    private(set) var decisions = 0
    private var mistakes: [Play: Mistakes] = [:]
    /// Decisions for which the chart is not the best, and those of them that the player has made as well as can be.
    private var (deviations, found) = (0, 0)
    /// Questions that the server answered because the time was up: no decisions of the player.
    private var timeOuts = 0
    /// The last one that was asked for.
    private var chart: ValueChart?
    /// The values that came last.
    private var values: DecisionValues?
    /// The decision that was asked about last; a server has one such question of a player at a time.
    private var asked: Question?
    private var isWaiting = false
    /// Made before its values are here.
    private var unjudged: Decision?

    var allMistakes: Mistakes { mistakes.values.reduce(into: Mistakes()) { $0.add($1) } }

    /// Judges decisions without a word until the end.
    mutating func watch() { isWatching = true }

    mutating func toggle() {
        isOn.toggle()
        isWatching = true
    }

    /// Turns of another table have the same numbers.
    mutating func leaveTable() { (asked, values, unjudged) = (nil, nil, nil) }

    /// Whether the server says what a decision is worth; true until it has said what it can do.
    static func isPossible(in state: ClientState) -> Bool { state.hello?.features.contains("value") ?? true }

    /// The request for the values of a decision that is due; nil if they are here, awaited or not wanted.
    mutating func request(in state: ClientState) -> ClientMessage? {
        guard isWatching, !isWaiting, state.link == .loggedIn, Self.isPossible(in: state), let next = state.openQuestion,
            next != asked
        else { return nil }
        (asked, isWaiting) = (next, true)
        return .value(turn: next.turn, seat: next.seat)
    }

    /// Applies an update of the client.
    /// - Returns: the judgement of a decision that was made before its values came.
    mutating func take(_ update: ClientUpdate) -> Verdict? {
        switch update.event {
        case .chart(let new): chart = new
        case .value(.decision(let new)):
            isWaiting = false
            guard Question(turn: new.turn, seat: new.seat) == asked else { return nil }
            values = new
            defer { unjudged = nil }
            return unjudged.flatMap { judge($0) }
        case .refused(let refusal) where refusal.type == "value": (isWaiting, unjudged) = (false, nil)
        // Questions fail with their connection, and turns may come again after a restart.
        case .link:
            leaveTable()
            isWaiting = false
        default: break
        }
        return nil
    }

    /// The chart of the table shown; nil while it is not here.
    func chart(in state: ClientState) -> ValueChart? {
        chart?.digest == state.snapshot?.tableRules?.digest ? chart : nil
    }

    /// The decision in a request of the player; nil for anything else.
    func decision(_ message: ClientMessage, in state: ClientState) -> Decision? {
        guard isWatching, case .act(let action, let seat, _, let amount, _) = message, let table = state.snapshot,
            let seat = seat ?? state.openQuestion?.seat, let choice = table.choice(seat),
            let bet = table.bet(HandIdentifier(seat: seat, number: choice.hand)), let cell = table.cell(seat),
            let most = choice.options.first(where: { $0.action == action })?.cost
        else { return nil }
        let chips = min(amount ?? most, most)
        // A double wins and loses by its chips, unless a blackjack takes the original bet alone.
        let share: Double? =
            chips == most
            ? 1
            : action == .insurance
                ? Double(chips) / Double(most)
                : state.rules?.holeCard == .original ? nil : Double(bet + chips) / Double(bet + most)
        return Decision(
            question: Question(turn: choice.turn, seat: seat), hand: cell.hand, upCard: cell.upCard, action: action, bet: bet,
            share: share)
    }

    /// Counts a decision that the server has taken.
    /// - Returns: nil while its values are not here, or where nobody has asked for them.
    mutating func judge(_ decision: Decision) -> Verdict? {
        guard let values, decision.question == Question(turn: values.turn, seat: values.seat) else {
            unjudged = isWaiting && decision.question == asked ? decision : nil
            return nil
        }
        guard let share = decision.share, let most = values.actions[values.best], let value = values.actions[decision.action]
        else { return nil }
        let play = Play(hand: decision.hand, upCard: decision.upCard, action: decision.action, best: values.best)
        let cost = max(0, most - Int((Double(value) * share).rounded())) * decision.bet
        let verdict = Verdict(play: play, cost: cost, isDeviation: values.isDeviation)
        count(verdict)
        return verdict
    }

    mutating func count(_ verdict: Verdict) {
        decisions += 1
        if verdict.isDeviation { deviations += 1 }
        if verdict.isDeviation, verdict.cost == 0 { found += 1 }
        if verdict.cost > 0 { mistakes[verdict.play, default: Mistakes()].add(Mistakes(count: 1, cost: verdict.cost)) }
    }

    /// Counts questions that the server answered because the time was up.
    mutating func countTimeOuts(_ count: Int) { if isWatching { timeOuts += count } }

    /// The values of what the player is asked; nil while the coach is off or they are not here.
    func advice(in state: ClientState) -> DecisionValues? {
        guard isOn, let values, state.openQuestion == Question(turn: values.turn, seat: values.seat) else { return nil }
        return values
    }

    // MARK: Words

    /// The cost of a mistake, while the coach is on; nil for a decision as good as the best one.
    func word(on verdict: Verdict) -> SafeText? {
        guard isOn, verdict.cost > 0 else { return nil }
        let (play, cost) = (verdict.play, Self.chips(verdict.cost))
        return "\(play.spot.capitalized) costs \(cost) on average: \(play.best.gerund) was better."
    }

    /// The state after ``toggle()``.
    var announcement: SafeText {
        isOn
            ? "The coach is on: it names the best action and what it is worth, and prices your mistakes."
            : "The coach is off. Your mistakes are still counted."
    }

    static let unavailable: SafeText = "The coach is off: this server does not say what a decision is worth."

    /// The player's decisions against the best ones; nil before the first.
    var summary: SafeText? {
        guard decisions > 0 else { return nil }
        let late: SafeText = timeOuts == 0 ? "" : " \(timeOuts) ran out of time."
        let noticed: SafeText =
            deviations == 0
            ? "" : " You found \(found) of \(deviations) \(deviations == 1 ? "deviation" : "deviations") from the chart."
        let decisions: SafeText = self.decisions == 1 ? "1 decision" : "\(self.decisions) decisions"
        let all = allMistakes
        guard all.count > 0 else { return "You vs. the best play: \(decisions), no mistakes.\(noticed)\(late)" }
        let mistakes: SafeText = all.count == 1 ? "1 mistake" : "\(all.count) mistakes"
        let dearest = self.mistakes.sorted { ($1.value.cost, $0.key.spot.text) < ($0.value.cost, $1.key.spot.text) }.prefix(3)
            .map { play, mistakes -> SafeText in
                let times: SafeText = mistakes.count == 1 ? "" : " \(mistakes.count) times"
                return "\(play.spot)\(times), \(Self.chips(mistakes.cost)) (\(play.best.gerund) was better)"
            }
        return """
            You vs. the best play: \(decisions), \(mistakes), which cost \(Self.chips(all.cost)) on average. Costliest: \
            \(dearest.joined("; ")).\(noticed)\(late)
            """
    }

    /// `3 chips`, `1.3 chips`, `0.06 chips`.
    static func chips(_ cost: Int) -> SafeText {
        let number = digits(cost)
        return "\(number) \(number == "1" ? "chip" : "chips")"
    }

    /// As many digits as a person reads of a number in 1/10000: `12`, `1.3`, `0.06`. Not 0, since a mistake costs something.
    static func digits(_ number: Int) -> SafeText {
        let unit = number >= 100_000 ? 10_000 : number >= 10_000 ? 1_000 : 100
        let units = max(1, number / unit + (number % unit * 2 >= unit ? 1 : 0))
        let (whole, rest) = units.quotientAndRemainder(dividingBy: 10_000 / unit)
        guard rest > 0 else { return "\(whole)" }
        return "\(whole).\(unit == 100 && rest < 10 ? "0" : "")\(unit == 100 && rest % 10 == 0 ? rest / 10 : rest)"
    }
}

extension Coach.Play {
    /// `standing on 16 against 10`.
    fileprivate var spot: SafeText {
        let hand =
            switch hand {
            case .hard(let total)?: " on \(total)"
            case .soft(let total)?: " on soft \(total)"
            case .pair(let points)?: " on a pair of \(points == 1 ? "ace" : "\(points)")s"
            case nil: ""
            }
        return "\(action.gerund)\(SafeText(hand)) against \(upCard.inWords)"
    }
}

extension DecisionValues {
    /// Whether the chart's action is worth less than the best, with these cards.
    var isDeviation: Bool { actions[chart].map { $0 < actions[best] ?? $0 } ?? false }

    /// `Best: hit, +1.3% against standing.` The chart's action where it is another, else the next best.
    var words: SafeText {
        let others = actions.filter { $0.key != best }
        guard let value = actions[best],
            let next = isDeviation ? chart : others.max(by: { ($0.value, $1.key.name) < ($1.value, $0.key.name) })?.key,
            let other = actions[next], value > other
        else { return "Best: \(best.typed)." }
        return "Best: \(best.typed), +\(Coach.digits((value - other) * 100))% against \(next.gerund)."
    }

    /// Says where the best play is not the chart's; nil where it is.
    /// - Parameter isExact: whether all cards seen since the shuffle are counted, and not those of the hand alone.
    func deviation(isExact: Bool) -> SafeText? {
        guard isDeviation else { return nil }
        return "The chart \(chart.inThirdPerson); with \(isExact ? "the cards gone" : "these cards") \(best.gerund) is better."
    }
}

extension ClientState {
    /// The decision that the first of the player's seats is asked for; nil for none.
    var openQuestion: Coach.Question? {
        guard let snapshot else { return nil }
        for seat in seats {
            if let choice = snapshot.choice(seat) { return Coach.Question(turn: choice.turn, seat: seat) }
        }
        return nil
    }
}

extension TableSnapshot {
    /// The cell of a chart for what a seat is asked; without a hand for insurance. nil where it is not asked.
    func cell(_ seat: Int) -> (hand: StrategyChart.Row?, upCard: Rank)? {
        guard let choice = choice(seat), let up = upCard?.rank else { return nil }
        if choice.allows(.insurance) || choice.allows(.evenMoney) { return (nil, up) }
        let cards = cards(in: .hand(HandIdentifier(seat: seat, number: choice.hand))).compactMap(\.self)
        guard cards.count >= 2 else { return nil }
        let isPair = cards.count == 2 && cards[0].rank.points == cards[1].rank.points
        return (isPair ? .pair(cards[0].rank.points) : StrategyChart.row(of: HandValue(cards)), up)
    }
}

extension Rank {
    /// The dealer's card by its value: `10` also for a king, `an ace`.
    var inWords: SafeText { isAce ? "an ace" : "\(points)" }
}

extension Action {
    fileprivate var gerund: SafeText {
        switch self {
        case .hit: "hitting"
        case .stand: "standing"
        case .double: "doubling"
        case .split: "splitting"
        case .surrender: "surrendering"
        case .insurance: "taking insurance"
        case .decline: "declining"
        case .evenMoney: "taking even money"
        }
    }

    fileprivate var inThirdPerson: SafeText {
        switch self {
        case .insurance, .evenMoney: "takes \(self == .insurance ? "insurance" : "even money")"
        case .hit, .stand, .double, .split, .surrender, .decline: "\(SafeText(name))s"
        }
    }
}
