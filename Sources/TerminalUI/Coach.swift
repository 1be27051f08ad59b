import ClientCore
import Rules
import TableModel
import Wire

/// The coach: charts of the tables played at, and the player's mistakes since it was first turned on. A value.
struct Coach: Equatable, Sendable {
    /// A decision, until the server has taken it.
    struct Verdict: Equatable, Sendable {
        /// In 1/10000 chips; 0 for the best action.
        var cost: Int
    }

    /// A decision, and the table at which it is made.
    struct Decision: Equatable, Sendable {
        fileprivate let message: ClientMessage
        fileprivate let state: ClientState
    }

    struct Tally: Equatable, Sendable {
        /// Hands that were settled.
        var hands = 0
        var decisions = 0
        var mistakes = 0
        /// Questions that the server answered because the time was up: no decisions of the player.
        var timeOuts = 0
        /// Of the mistakes, in expected value: 1/10000 chips.
        var cost = 0
    }

    /// Charts kept.
    static let capacity = 8
    /// Decisions kept until their chart is here: those of a few rounds.
    private static let unjudgedLimit = 64

    private(set) var isOn = false
    /// Whether decisions are judged: for the end of the session, also while the coach is off.
    private(set) var isWatching = false
    /// Decisions that the server has taken before the chart was here, oldest first.
    private var unjudged: [Decision] = []
    private(set) var tally = Tally()
    /// The last ones used, newest last.
    private(set) var charts: [ValueChart] = []
    /// The digest of the rules whose chart is awaited.
    private var awaited: String?
    /// The decision for which advice was last said.
    private var saidTurn: Int?

    /// Judges decisions without a word until the end.
    mutating func watch() { isWatching = true }

    mutating func toggle() {
        isOn.toggle()
        isWatching = true
        saidTurn = nil
    }

    /// The request for the chart of the table shown; nil if it is here, awaited, or not wanted.
    mutating func request(in state: ClientState) -> ClientMessage? {
        // The server computes a chart: not for those who only watch.
        guard isWatching, isOn || state.seat != nil, awaited == nil, state.link == .loggedIn,
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
            judgeLate()
        case .refused(let refusal) where refusal.type == "chart" || awaited != nil && refusal.code == "unknown_type":
            defer { (awaited, isOn, isWatching, unjudged) = (nil, false, false, []) }
            return isOn
        case .link: awaited = nil
        case .table(let change): count(change, of: update.state)
        default: break
        }
        return false
    }

    /// Counts the player's hands that this change settles.
    private mutating func count(_ change: TableChange, of state: ClientState) {
        guard isWatching, let old = change.old else { return }
        let isNewRound = old.round?.number != change.new.round?.number
        for hand in state.seats.flatMap({ change.new.hands(ofSeat: $0) }) where change.new.result(hand) != nil {
            if isNewRound || old.result(hand) == nil { tally.hands += 1 }
        }
    }

    private func chart(in state: ClientState) -> ValueChart? {
        guard isWatching, let digest = state.snapshot?.tableRules?.digest else { return nil }
        return charts.last { $0.digest == digest }
    }

    /// The values of what a seat of the player is asked for; nil while the coach is off or the chart is not here.
    func advice(in state: ClientState) -> Advice? { isOn ? judgement(in: state, seat: nil) : nil }

    /// - Parameter seat: nil for the first of the player's seats that is asked.
    private func judgement(in state: ClientState, seat: Int?) -> Advice? {
        guard let chart = chart(in: state), let snapshot = state.snapshot,
            let seat = seat ?? state.seats.first(where: { snapshot.choice($0) != nil })
        else { return nil }
        return Advice(chart, seat: seat, at: snapshot)
    }

    /// The advice for a decision that was not given yet, for a front end without a screen.
    mutating func unsaidAdvice(in state: ClientState) -> Advice? {
        guard let advice = advice(in: state), advice.turn != saidTurn else { return nil }
        saidTurn = advice.turn
        return advice
    }

    /// Judges a request of the player; nil for anything but a decision with a value.
    func verdict(on message: ClientMessage, in state: ClientState) -> Verdict? {
        guard case .act(let action, let seat, _, let amount, _) = message,
            let advice = judgement(in: state, seat: seat), let cost = advice.cost(of: action, chips: amount)
        else { return nil }
        return Verdict(cost: cost * advice.bet)
    }

    /// A decision to be counted once the server has taken it; nil for another request, and where nothing is judged.
    func decision(_ message: ClientMessage, in state: ClientState) -> Decision? {
        guard isWatching, case .act = message else { return nil }
        return Decision(message: message, state: state)
    }

    /// Counts questions that the server answered because the time was up.
    mutating func countTimeOuts(_ count: Int) { if isWatching { tally.timeOuts += count } }

    /// Counts a decision that the server has taken, as soon as its chart is here.
    mutating func count(_ decision: Decision) {
        if let verdict = verdict(on: decision.message, in: decision.state) { return count(verdict) }
        guard chart(in: decision.state) == nil else { return }
        unjudged = (unjudged + [decision]).suffix(Self.unjudgedLimit)
    }

    private mutating func judgeLate() {
        let late = unjudged
        unjudged = []
        for decision in late { count(decision) }
    }

    /// Counts a decision that the server has taken.
    mutating func count(_ verdict: Verdict) {
        tally.decisions += 1
        guard verdict.cost > 0 else { return }
        tally.mistakes += 1
        let (sum, isOver) = tally.cost.addingReportingOverflow(verdict.cost)
        tally.cost = isOver ? .max : sum
    }

    // MARK: Words

    /// The state after ``toggle()``.
    var announcement: SafeText {
        isOn
            ? "The coach is on: the best action is marked, the others show their cost in bets. Your mistakes are counted."
            : "The coach is off. Your mistakes are still counted."
    }

    /// The player's decisions against the best ones; nil before any hand, and without a chart.
    var summary: SafeText? {
        let late: SafeText = tally.timeOuts == 0 ? "" : " \(tally.timeOuts) ran out of time."
        guard tally.decisions > 0 else {
            let words: SafeText = late.isEmpty ? "there was nothing to decide." : "you decided nothing.\(late)"
            return tally.hands > 0 && !charts.isEmpty ? "You vs. basic strategy: \(words)" : nil
        }
        let decisions: SafeText = tally.decisions == 1 ? "1 decision" : "\(tally.decisions) decisions"
        guard tally.mistakes > 0 else { return "You vs. basic strategy: \(decisions), no mistake.\(late)" }
        let mistakes: SafeText = tally.mistakes == 1 ? "1 mistake" : "\(tally.mistakes) mistakes"
        // Hundredths of a chip, rounded up: a mistake costs something.
        let cost = tally.cost / 100 + (tally.cost % 100 > 0 ? 1 : 0)
        let chips = cost % 100 == 0 ? "\(cost / 100)" : "\(cost / 100)." + (cost % 100 < 10 ? "0" : "") + "\(cost % 100)"
        return "You vs. basic strategy: \(decisions), \(mistakes) with an expected loss of \(SafeText(chips)) chips.\(late)"
    }
}

extension Advice {
    /// `best`, or the cost of an action in bets: `−0.02`. Empty without a value.
    func note(on action: Action) -> SafeText {
        guard let cost = cost(of: action) else { return "" }
        return cost == 0 ? "best" : "−\(Self.bets(cost))"
    }

    /// `stand; hit −0.02, double 10 −0.61`, for a front end without a screen.
    var sentence: SafeText {
        let others = costs.filter { $0.cost > 0 }.map { "\($0.action.typed) −\(Self.bets($0.cost))" as SafeText }
        return "Coach: \(bestAction.typed) is best; in bets: \(others.joined())."
    }

    /// Two decimals, four for less than a hundredth.
    private static func bets(_ cost: Int) -> SafeText {
        let (digits, fraction) = cost < 100 ? (4, cost % 10_000) : (2, (cost + 50) / 100 % 100)
        let whole = cost < 100 ? 0 : (cost + 50) / 10_000
        let text = String(fraction)
        return SafeText("\(whole)." + String(repeating: "0", count: digits - text.count) + text)
    }
}

extension Action {
    /// The word for it without a screen.
    var typed: SafeText {
        switch self {
        case .hit: "hit"
        case .stand: "stand"
        case .double: "double"
        case .split: "split"
        case .surrender: "surrender"
        case .insurance: "insurance"
        case .decline: "no"
        case .evenMoney: "even"
        }
    }
}

// MARK: - Coach

/// The coach of both front ends.
extension TableSession {
    /// Turns the coach on or off, and says so.
    func toggleCoach() {
        coach.toggle()
        settingsFollow()
        face?.say(Sentence(.answer, coach.announcement))
        adviseIfAsked()
    }

    /// Asks for a chart that is missing; says advice where no screen shows it.
    func adviseIfAsked() {
        if let request = coach.request(in: state) { client.send(request) }
        if !hasScreen, let advice = coach.unsaidAdvice(in: state) { face?.say(Sentence(.answer, advice.sentence)) }
    }
}
