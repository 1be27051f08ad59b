/// A playing strategy by total: for each hand and up card a play, with an alternative where the house does not allow it.
public struct StrategyChart: Hashable, Sendable {
    /// A cell of a chart.
    ///
    /// The raw value packs two actions, the first choice in bits 0–2 and the alternative in bits 3–5: a branch-free lookup.
    public enum Play: UInt8, CaseIterable, Sendable {
        case hit = 0b000_000
        case stand = 0b001_001
        case doubleElseHit = 0b000_010
        case doubleElseStand = 0b001_010
        case split = 0b001_011
        /// Split if a split hand may be doubled, else hit; else double by total.
        case splitIfDoubleAfterElseHit = 0b000_011
        case splitIfDoubleAfterElseDouble = 0b010_011
        case surrenderElseHit = 0b000_100
        case surrenderElseStand = 0b001_100
        case surrenderElseSplit = 0b011_100

        /// Whether the play may be a split: only for pairs.
        @inlinable
        public var splits: Bool { cell.splits }

        @inlinable
        var cell: Cell { Cell(bits: rawValue) }

        /// The text in a chart: `H`, `Ds`, `Ph`…
        public var text: String {
            switch self {
            case .hit: "H"
            case .stand: "S"
            case .doubleElseHit: "D"
            case .doubleElseStand: "Ds"
            case .split: "P"
            case .splitIfDoubleAfterElseHit: "Ph"
            case .splitIfDoubleAfterElseDouble: "Pd"
            case .surrenderElseHit: "Rh"
            case .surrenderElseStand: "Rs"
            case .surrenderElseSplit: "Rp"
            }
        }

        /// Whether the first choice is to surrender.
        @inlinable
        public var surrenders: Bool { cell.first == .surrender }

        public init?(text: some StringProtocol) {
            for play in Play.allCases where play.text == text {
                self = play
                return
            }
            return nil
        }
    }

    /// A play as stored: its raw value, since an enum would store a case number.
    @frozen
    @usableFromInline
    struct Cell: Hashable, Sendable, BitwiseCopyable {
        @usableFromInline let bits: UInt8

        @inlinable
        init(bits: UInt8) { self.bits = bits }

        @inlinable
        init(_ play: Play) { bits = play.rawValue }

        // Each raw value packs two actions, and both are valid.

        @inlinable
        var first: Action { unsafeBitCast(bits & 7, to: Action.self) }

        @inlinable
        var second: Action { unsafeBitCast(bits &>> 3, to: Action.self) }

        @inlinable
        var splits: Bool { first == .split || second == .split }
    }

    /// A row of a chart.
    public enum Row: Hashable, Sendable {
        /// 5…21.
        case hard(Int)
        /// 13…21.
        case soft(Int)
        /// The points of one card of the pair: 1 (aces)…10.
        case pair(Int)

        /// Every row in the order of a chart.
        public static let all: [Row] =
            (5...21).map(Row.hard) + (13...21).map(Row.soft) + (2...10).map(Row.pair) + [.pair(1)]

        /// The index in `cells` of the row's own hand; other hands of the row have a copy.
        @inlinable
        var place: Int {
            switch self {
            case .hard(let total): total
            case .soft(let total): 32 + total - 10
            case .pair(let points): StrategyChart.place(ofPair: points)
            }
        }
    }

    /// The title of the chart.
    public var name: String
    /// Whether insurance is always taken.
    public var takesInsurance: Bool
    /// Whether split hands may be doubled: decides `Ph` and `Pd`.
    public var doubleAfterSplit: Bool
    /// Plays by hand value, then by pair, each by rank of the up card.
    ///
    /// Denormalised for a branch-free lookup: one copy per value of a row, and per rank of a ten.
    @usableFromInline var cells: [Cell]

    /// Columns: thirteen ranks, padded to a power of two.
    @inlinable
    static var width: Int { 16 }

    @inlinable
    static func place(ofPair points: Int) -> Int { 64 &+ points }

    /// A chart that always stands, to be filled in.
    public init(name: String, doubleAfterSplit: Bool, takesInsurance: Bool = false) {
        self.name = name
        self.takesInsurance = takesInsurance
        self.doubleAfterSplit = doubleAfterSplit
        cells = Array(repeating: Cell(.stand), count: (StrategyChart.place(ofPair: 10) + 1) * StrategyChart.width)
    }

    /// The play of a row against an up card of `up` points, 1 (ace)…10.
    @inlinable
    public subscript(row: Row, up: Int) -> Play {
        get {
            let cell = cells[row.place * StrategyChart.width + up - 1]
            guard let play = Play(rawValue: cell.bits) else { preconditionFailure("cells are made of plays") }
            return play
        }
        set {
            precondition(Row.all.contains(row) && (1...10).contains(up), "a chart has rows 5 to 21, and columns 1 to 10")
            for place in StrategyChart.places(of: row) {
                for rank in Rank.allCases where rank.points == up {
                    cells[place * StrategyChart.width + Int(rank.rawValue)] = Cell(newValue)
                }
            }
        }
    }

    /// Every index in `cells` of hands that play by a row.
    @usableFromInline
    static func places(of row: Row) -> [Int] {
        if case .pair = row { return [row.place] }
        return (0..<HandValue.tableSize).filter { place in
            let value = HandValue(hard: UInt8(place % 32), count: 2, hasAce: place >= 32)
            return StrategyChart.row(of: value) == row
        }
    }

    // MARK: Play

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

// MARK: - Rows

extension StrategyChart.Row {
    /// The label in a chart: `hard 12`, `soft 18`, `pair A`.
    public var text: String {
        switch self {
        case .hard(let total): "hard \(total)"
        case .soft(let total): "soft \(total)"
        case .pair(1): "pair A"
        case .pair(let points): "pair \(points)"
        }
    }

    /// Parses ``text``, in any case; also `T` for 10. nil for any other text.
    public init?(text: String) {
        let words = text.lowercased().split { $0 == " " || $0 == "\t" }
        guard words.count == 2 else { return nil }
        let spelled = words[1] == "t" ? "10" : words[1].uppercased()
        let wanted = "\(words[0]) \(spelled)"
        guard let row = Self.all.first(where: { $0.text == wanted }) else { return nil }
        self = row
    }
}
