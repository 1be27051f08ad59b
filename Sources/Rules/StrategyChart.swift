/// A playing strategy by total: for every hand and up card one play, with what to do instead where the house does not allow it.
public struct StrategyChart: Hashable, Sendable {
    /// One cell of a chart.
    ///
    /// The raw value is two actions, the first choice in the lower three bits and what to do instead in the next three, so that a
    /// cell is looked up without a jump.
    public enum Play: UInt8, CaseIterable, Sendable {
        case hit = 0b000_000
        case stand = 0b001_001
        case doubleElseHit = 0b000_010
        case doubleElseStand = 0b001_010
        case split = 0b001_011
        /// Split where a split hand may be doubled, else hit; else double as a hand of that total.
        case splitIfDoubleAfterElseHit = 0b000_011
        case splitIfDoubleAfterElseDouble = 0b010_011
        case surrenderElseHit = 0b000_100
        case surrenderElseStand = 0b001_100
        case surrenderElseSplit = 0b011_100

        /// Whether the play may be a split, which is only for pairs.
        @inlinable
        public var splits: Bool { cell.splits }

        @inlinable
        var cell: Cell { Cell(bits: rawValue) }

        /// As it is written in a chart: `H`, `Ds`, `Ph`…
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

    /// A play as it is kept: its raw value, which an enum would turn into a case number first.
    @frozen
    @usableFromInline
    struct Cell: Hashable, Sendable, BitwiseCopyable {
        @usableFromInline let bits: UInt8

        @inlinable @inline(__always)
        init(bits: UInt8) { self.bits = bits }

        @inlinable @inline(__always)
        init(_ play: Play) { bits = play.rawValue }

        // Two plays' worth of actions are in the raw values, and each of those is an action.

        @inlinable @inline(__always)
        var first: Action { unsafeBitCast(bits & 7, to: Action.self) }

        @inlinable @inline(__always)
        var second: Action { unsafeBitCast(bits &>> 3, to: Action.self) }

        @inlinable @inline(__always)
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

        /// The place in `cells` of the row's own hand; other hands that play by it have a copy.
        @inlinable
        var place: Int {
            switch self {
            case .hard(let total): total
            case .soft(let total): 32 + total - 10
            case .pair(let points): StrategyChart.place(ofPair: points)
            }
        }
    }

    /// What the chart is called.
    public var name: String
    /// Whether insurance is taken whenever it is offered.
    public var takesInsurance: Bool
    /// Whether a split hand may be doubled in the game this chart is played in: what `Ph` and `Pd` ask.
    public var doubleAfterSplit: Bool
    /// What to do with each value that a hand can have, then with each pair, against each rank: laid out so that a play is looked up
    /// without a jump. A row of the chart stands here once for each value that plays by it, a ten's column once for each of its ranks.
    @usableFromInline var cells: [Cell]

    /// Columns: the thirteen ranks, and a power of two.
    @inlinable
    static var width: Int { 16 }

    @inlinable @inline(__always)
    static func place(ofPair points: Int) -> Int { 64 &+ points }

    /// A chart that always stands: a start for filling in.
    public init(name: String, doubleAfterSplit: Bool, takesInsurance: Bool = false) {
        self.name = name
        self.takesInsurance = takesInsurance
        self.doubleAfterSplit = doubleAfterSplit
        cells = Array(repeating: Cell(.stand), count: (StrategyChart.place(ofPair: 10) + 1) * StrategyChart.width)
    }

    /// The play in a row against an up card worth `up` points, 1 (ace)…10.
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

    /// Every place in `cells` of hands that play by a row.
    @usableFromInline
    static func places(of row: Row) -> [Int] {
        if case .pair = row { return [row.place] }
        return (0..<HandValue.tableSize).filter { place in
            let value = HandValue(hard: UInt8(place % 32), count: 2, hasAce: place >= 32)
            return StrategyChart.row(of: value) == row
        }
    }
}
