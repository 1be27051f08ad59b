import Rules

/// The expected value of every action under a table's rules, in 1/10000 of the bet.
public struct ValueChart: Equatable, Sendable {
    /// Of the rules that the chart is for.
    public var digest: String
    /// The player's mean win with the best chart for the smallest bet in a fresh shoe, in 1/1000000 of that bet; negative where the house wins.
    public var edge: Int
    /// The gain of the largest insurance, by the number of ten-valued cards in the hand: 0, 1, 2. Even money gains as much.
    public var insurance: [Int]
    /// At most ``WireLimits/chartRows``.
    public var rows: [Row]

    public init(digest: String, edge: Int, insurance: [Int], rows: [Row]) {
        (self.digest, self.edge, self.insurance, self.rows) = (digest, edge, insurance, rows)
    }

    /// The values of a hand against 2, 3 … 10, ace. A list that lacks the last is for an action that is not allowed against an ace.
    public struct Row: Equatable, Sendable {
        /// Less than 21.
        public var hand: StrategyChart.Row
        /// The number of cards, 3…6; nil for any. Given only where a charlie rule makes it matter.
        public var cards: Int?
        /// The best chart's play, which counts all hands that reach the cell; nil for hands by their number of cards.
        public var play: [StrategyChart.Play]?
        /// Of each action that is allowed, without insurance. `decline` is playing on, where surrender is asked before the dealer looks for
        /// blackjack.
        public var values: [Action: [Int]]

        public init(_ hand: StrategyChart.Row, cards: Int? = nil, stand: [Int], hit: [Int]) {
            (self.hand, self.cards, values) = (hand, cards, [.stand: stand, .hit: hit])
        }
    }
}

extension ValueChart: WireObject {
    static var blank: Self { Self(digest: "", edge: 0, insurance: [], rows: []) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("digest", &digest, .digest, "of the rules that it is for, as the table's item `rules` has it")
        try visitor.required(
            "edge", &edge, .edge, "mean win per minimum bet, as settled, with the best chart in a fresh shoe, in 1/1000000")
        try visitor.required(
            "insurance", &insurance, .of(.value, maximum: 3),
            "the gain of the largest insurance with 0, 1 and 2 ten-valued cards in the hand; even money gains as much")
        try visitor.required("rows", &rows, .upTo(WireLimits.chartRows), "a row for each hand")
    }
}

extension ValueChart.Row: WireObject {
    static var blank: Self { Self(.hard(5), stand: [], hit: []) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("hand", &hand, "`hard`, `soft` or `pair`, and the total or a card of the pair")
        try visitor.optional("cards", &cards, WholeNumber(3...6), "how many cards, where that matters; any number without it")
        try visitor.optional("play", &play, .upTo(10), "the best chart's play against 2, 3 … 10, ace; absent with `cards`")
        try visitor.required("stand", &values[.stand, default: []], .columns, "the value against 2, 3 … 10, ace")
        try visitor.required("hit", &values[.hit, default: []], .columns, "the same, as all that follow")
        try visitor.optional("double", &values[.double], .columns, "where the rules allow it")
        try visitor.optional("split", &values[.split], .columns, "where the rules allow it")
        try visitor.optional(
            "surrender", &values[.surrender], .columns, "where the rules allow it; nine columns if not against an ace")
        try visitor.optional(
            "decline", &values[.decline], .columns, "playing on, where surrender is asked before the dealer looks for blackjack")
    }
}

/// The worth of a decision, or of the next round.
public enum Valuation: Equatable, Sendable {
    case decision(DecisionValues)
    /// The mean win of the smallest bet with the best chart, in 1/1000000 of that bet.
    case nextRound(edge: Int)
}

/// The values of the actions of a decision, in 1/10000 of the hand's bet.
public struct DecisionValues: Equatable, Sendable {
    public var turn: Int
    public var seat: Int
    public var hand: Int
    /// Of each legal action, with all the chips that it may take. Insurance and even money as gain beside `decline`, which is 0.
    public var actions: [Action: Int]
    /// The most valuable action.
    public var best: Action
    /// The play of the best chart of the rules.
    public var chart: Action

    public init(turn: Int, seat: Int, hand: Int, actions: [Action: Int], best: Action, chart: Action) {
        (self.turn, self.seat, self.hand) = (turn, seat, hand)
        (self.actions, self.best, self.chart) = (actions, best, chart)
    }

    /// `{"hit":-5398,"stand":-5401}`
    fileprivate struct Actions: WireObject {
        static var blank: Self { Self() }
        var values: [Action: Int] = [:]

        mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
            for action in Action.byName { try visitor.optional(action.key, &values[action], .value, "its value") }
        }
    }
}

extension Valuation {
    /// All fields but `edge`, or `edge` alone. A part of the others reads as an edge of 0.
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        let values = if case .decision(let values) = self { values } else { nil as DecisionValues? }
        var (turn, seat, hand) = (values?.turn, values?.seat, values?.hand)
        var (actions, best, chart) = (values.map { DecisionValues.Actions(values: $0.actions) }, values?.best, values?.chart)
        var edge = if case .nextRound(let edge) = self { edge } else { nil as Int? }
        try visitor.optional("turn", &turn, .counter, "of your decision, as in the request")
        try visitor.optional("seat", &seat, .seat, "your seat")
        try visitor.optional("hand", &hand, .hand, "the hand to act")
        try visitor.optional("actions", &actions, "the value of each legal action, in 1/10000 of the hand's bet")
        try visitor.optional("best", &best, "the most valuable one")
        try visitor.optional("chart", &chart, "what the best chart of these rules plays here")
        try visitor.optional(
            "edge", &edge, WholeNumber(-8_000_000...8_000_000),
            "alone, after a request without `turn`: the mean win of the next round's minimum bet with the best chart, in 1/1000000"
        )
        if let turn, let seat, let hand, let actions, let best, let chart {
            self = .decision(
                DecisionValues(turn: turn, seat: seat, hand: hand, actions: actions.values, best: best, chart: chart))
        } else {
            self = .nextRound(edge: edge ?? 0)
        }
    }
}

extension ListBounds<Int> {
    fileprivate static var columns: Self { .of(.value, maximum: 10) }
}

/// `H`, `Ds`, `Rp`.
extension StrategyChart.Play: WireValue {
    /// The plays of a best chart.
    private static let named = Dictionary(uniqueKeysWithValues: words.map { ($0, Self(text: $0)) })
    private static let words = ["H", "S", "D", "Ds", "P", "Rh", "Rs", "Rp"]

    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self {
        try value.string(expecting: "one of " + words.joined(separator: ", ")) {
            named[String(decoding: $0, as: UTF8.self)] ?? nil
        }
    }

    func write(to writer: inout JSONWriter) { writer.string(text) }
    static func shape(_: NoBounds) -> Shape { .word(words) }
}

/// `hard 12`, `soft 18`, `pair A`.
extension StrategyChart.Row: WireValue {
    private static let pattern = "^(hard ([5-9]|1[0-9]|20)|soft (1[3-9]|20)|pair ([2-9]|10|A))$"
    private static let named = Dictionary(
        uniqueKeysWithValues: all.filter { $0 != .hard(21) && $0 != .soft(21) }.map { ($0.text, $0) })

    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self {
        try value.string(expecting: "a hand such as hard 12, soft 18 or pair A") { named[String(decoding: $0, as: UTF8.self)] }
    }

    func write(to writer: inout JSONWriter) { writer.string(text) }
    static func shape(_: NoBounds) -> Shape { .text(pattern: pattern) }
}
