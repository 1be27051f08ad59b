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

    struct Tally: Equatable, Sendable {
        /// Hands that were settled.
        var hands = 0
        var decisions = 0
        var mistakes = 0
        /// Of the mistakes, in expected value: 1/10000 chips.
        var cost = 0
    }

    /// Charts kept.
    static let capacity = 8

    private(set) var isOn = false
    /// Whether it was ever on: decisions are judged from then on.
    private(set) var isWatching = false
    private(set) var tally = Tally()
    /// The last ones used, newest last.
    private var charts: [ValueChart] = []
    /// The digest of the rules whose chart is awaited.
    private var awaited: String?
    /// The decision for which advice was last said.
    private var saidTurn: Int?

    mutating func toggle() {
        isOn.toggle()
        isWatching = true
        saidTurn = nil
    }

    /// The request for the chart of the table shown; nil if it is here, awaited, or not wanted.
    mutating func request(in state: ClientState) -> ClientMessage? {
        guard isWatching, awaited == nil, state.link == .loggedIn, let digest = state.snapshot?.tableRules?.digest,
            let table = state.table, !charts.contains(where: { $0.digest == digest })
        else { return nil }
        awaited = digest
        return .chart(table: table)
    }

    /// Applies an update of the client.
    /// - Returns: whether the chart was refused, which turns the coach off.
    mutating func take(_ update: ClientUpdate) -> Bool {
        switch update.event {
        case .chart(let chart):
            charts.removeAll { $0.digest == chart.digest }
            charts = (charts + [chart]).suffix(Self.capacity)
            awaited = nil
        case .refused(let refusal) where refusal.type == "chart" || awaited != nil && refusal.code == "unknown_type":
            (awaited, isOn, isWatching) = (nil, false, false)
            return true
        case .link: awaited = nil
        case .table(let change): count(change, of: update.state)
        default: break
        }
        return false
    }

    /// Counts the player's hands that this change settles.
    private mutating func count(_ change: TableChange, of state: ClientState) {
        guard let old = change.old, chart(in: state) != nil else { return }
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

    /// Counts a decision that the server has taken.
    mutating func count(_ verdict: Verdict) {
        tally.decisions += 1
        guard verdict.cost > 0 else { return }
        tally.mistakes += 1
        let (sum, isOver) = tally.cost.addingReportingOverflow(verdict.cost)
        tally.cost = isOver ? .max : sum
    }
}
