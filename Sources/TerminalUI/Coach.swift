import ClientCore
import Rules
import TableModel
import Wire

/// The coach: charts of the tables played at, and the player's mistakes since it was first turned on. A value.
struct Coach: Equatable, Sendable {
    /// The judgement of a decision that the server may take.
    struct Verdict: Equatable, Sendable {
        let play: Play
        /// In 1/10000 chips; 0 for the best action.
        let cost: Int
    }

    /// A decision as the chart has it.
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

    struct Tally: Equatable, Sendable {
        var decisions = 0
        var mistakes: [Play: Mistakes] = [:]
        /// Questions that the server answered because the time was up: no decisions of the player.
        var timeOuts = 0

        var allMistakes: Mistakes { mistakes.values.reduce(into: Mistakes()) { $0.add($1) } }
    }

    /// Charts kept.
    static let capacity = 8

    private(set) var isOn = false
    /// Whether decisions are judged: for the end of the session, also while the coach is off.
    private(set) var isWatching = false
    private(set) var tally = Tally()
    /// The last ones used, newest last.
    private(set) var charts: [ValueChart] = []
    /// The digest of the rules whose chart is awaited.
    private var awaited: String?
    /// Whether the player has asked for the chart itself.
    private var isWanted = false
    /// The decision for which advice was last said.
    private var saidTurn: Int?

    /// Judges decisions without a word until the end.
    mutating func watch() { isWatching = true }

    mutating func toggle() {
        isOn.toggle()
        isWatching = true
        saidTurn = nil
    }

    /// Has the charts of all tables asked for, also where the player has no seat.
    mutating func wantChart() { (isWatching, isWanted) = (true, true) }

    /// The request for the chart of the table shown; nil if it is here, awaited, or not wanted.
    mutating func request(in state: ClientState) -> ClientMessage? {
        // The server computes a chart: not for those who only watch.
        guard isWatching, isOn || isWanted || state.seat != nil, awaited == nil, state.link == .loggedIn,
            let digest = state.snapshot?.tableRules?.digest,
            let table = state.table, !charts.contains(where: { $0.digest == digest })
        else { return nil }
        awaited = digest
        return .chart(table: table)
    }

    /// Applies an update of the client.
    /// - Returns: whether the chart was refused, which turned the coach off.
    mutating func take(_ update: ClientUpdate) -> Bool {
        switch update.event {
        case .chart(let chart):
            charts.removeAll { $0.digest == chart.digest }
            charts = (charts + [chart]).suffix(Self.capacity)
            awaited = nil
        case .refused(let refusal) where refusal.type == "chart" || awaited != nil && refusal.code == "unknown_type":
            defer { (awaited, isOn, isWatching, isWanted) = (nil, false, false, false) }
            return isOn || isWanted
        case .link: awaited = nil
        default: break
        }
        return false
    }

    /// The chart of the table shown; nil while it is not here.
    func chart(in state: ClientState) -> ValueChart? {
        state.snapshot?.tableRules.flatMap { rules in charts.last { $0.digest == rules.digest } }
    }

    /// The values of what a seat of the player is asked for; nil while the coach is off or the chart is not here.
    func advice(in state: ClientState) -> Advice? { isOn ? judgement(in: state, seat: nil) : nil }

    /// - Parameter seat: nil for the first of the player's seats that is asked.
    private func judgement(in state: ClientState, seat: Int?) -> Advice? {
        guard isWatching, let chart = chart(in: state), let snapshot = state.snapshot,
            let seat = seat ?? state.seats.first(where: { snapshot.choice($0) != nil })
        else { return nil }
        return Advice(chart, seat: seat, at: snapshot)
    }

    /// The advice for a decision that was not given yet, for a frontend without a screen.
    mutating func unsaidAdvice(in state: ClientState) -> Advice? {
        guard let advice = advice(in: state), advice.turn != saidTurn else { return nil }
        saidTurn = advice.turn
        return advice
    }

    /// Judges a request of the player; nil for anything but a decision with a value, and before the chart is here.
    func verdict(on message: ClientMessage, in state: ClientState) -> Verdict? {
        guard case .act(let action, let seat, _, let amount, _) = message,
            let advice = judgement(in: state, seat: seat), let cost = advice.cost(of: action, chips: amount)
        else { return nil }
        let play = Play(hand: advice.hand, upCard: advice.upCard, action: action, best: advice.bestAction)
        return Verdict(play: play, cost: cost * advice.bet)
    }

    /// Counts questions that the server answered because the time was up.
    mutating func countTimeOuts(_ count: Int) { if isWatching { tally.timeOuts += count } }

    /// Counts a decision that the server has taken.
    mutating func count(_ verdict: Verdict) {
        tally.decisions += 1
        if verdict.cost > 0 { tally.mistakes[verdict.play, default: Mistakes()].add(Mistakes(count: 1, cost: verdict.cost)) }
    }

    // MARK: Words

    /// The cost of a mistake, while the coach is on; nil for a decision as good as the best one.
    func word(on verdict: Verdict) -> SafeText? {
        guard isOn, verdict.cost > 0 else { return nil }
        return "\(Self.words(verdict.play, Mistakes(count: 1, cost: verdict.cost)).capitalized)."
    }

    /// The state after ``toggle()``.
    var announcement: SafeText {
        isOn
            ? "The coach is on: it names the best action, and counts your mistakes."
            : "The coach is off. Your mistakes are still counted."
    }

    /// The player's decisions against the best ones; nil before the first.
    var summary: SafeText? {
        let late: SafeText = tally.timeOuts == 0 ? "" : " \(tally.timeOuts) ran out of time."
        guard tally.decisions > 0 else { return nil }
        let decisions: SafeText = tally.decisions == 1 ? "1 decision" : "\(tally.decisions) decisions"
        let all = tally.allMistakes
        guard all.count > 0 else { return "You vs. basic strategy: \(decisions), no mistakes.\(late)" }
        let mistakes: SafeText = all.count == 1 ? "1 mistake" : "\(all.count) mistakes"
        let dearest = tally.mistakes.map { (words: Self.words($0, $1), cost: $1.cost) }
            .sorted { ($1.cost, $0.words.text) < ($0.cost, $1.words.text) }.prefix(3).map(\.words)
        return "You vs. basic strategy: \(decisions), \(mistakes). Costliest: \(dearest.joined("; ")).\(late)"
    }

    /// `standing was better than hitting on 16 against 10, 2 times (−0.11 chips)`
    private static func words(_ play: Play, _ mistakes: Mistakes) -> SafeText {
        let hand =
            switch play.hand {
            case .hard(let total)?: " on \(total)"
            case .soft(let total)?: " on soft \(total)"
            case .pair(let points)?: " on a pair of \(points == 1 ? "ace" : "\(points)")s"
            case nil: ""
            }
        let times: SafeText = mistakes.count == 1 ? "" : ", \(mistakes.count) times"
        // Hundredths of a chip, rounded up: a mistake costs something.
        let cost = mistakes.cost / 100 + (mistakes.cost % 100 > 0 ? 1 : 0)
        let chips = "\(cost / 100)." + (cost % 100 < 10 ? "0" : "") + "\(cost % 100)"
        return """
            \(play.best.gerund) was better than \(play.action.gerund)\(SafeText(hand)) against \(play.upCard.inWords)\(times) \
            (−\(SafeText(chips)) chips)
            """
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
}
