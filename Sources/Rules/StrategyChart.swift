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

        @inlinable @inline(__always)
        var first: Action { unsafeBitCast(rawValue & 7, to: Action.self) }

        @inlinable @inline(__always)
        var second: Action { unsafeBitCast(rawValue >> 3, to: Action.self) }

        /// Whether the play may be a split, which is only for pairs.
        @inlinable
        public var splits: Bool { first == .split || second == .split }

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
        public var surrenders: Bool { first == .surrender }

        public init?(text: some StringProtocol) {
            for play in Play.allCases where play.text == text {
                self = play
                return
            }
            return nil
        }
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

        @usableFromInline var index: Int {
            switch self {
            case .hard(let total): total - 5
            case .soft(let total): total - 13 + 17
            case .pair(let points): points - 1 + 26
            }
        }
    }

    /// What the chart is called.
    public var name: String
    /// Whether insurance is taken whenever it is offered.
    public var takesInsurance: Bool
    /// Whether a split hand may be doubled in the game this chart is played in: what `Ph` and `Pd` ask.
    public var doubleAfterSplit: Bool
    /// 36 rows of 10 up cards, ace first.
    @usableFromInline var cells: [Play]

    /// A chart that always stands: a start for filling in.
    public init(name: String, doubleAfterSplit: Bool, takesInsurance: Bool = false) {
        self.name = name
        self.takesInsurance = takesInsurance
        self.doubleAfterSplit = doubleAfterSplit
        cells = Array(repeating: .stand, count: 36 * 10)
    }

    /// The play in a row against an up card worth `up` points, 1 (ace)…10.
    @inlinable
    public subscript(row: Row, up: Int) -> Play {
        get { cells[row.index * 10 + up - 1] }
        set { cells[row.index * 10 + up - 1] = newValue }
    }
}
