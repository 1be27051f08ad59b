/// A bot of the house as everybody is shown it. On the wire it is `house-1`, or `house low-1` where a house has several tables.
public struct HouseBot: Equatable, Sendable {
    public let name: String
    public let manner: Manner

    /// By the numbers of the bots, in turn.
    private static let table: [(name: String, manner: Manner)] = [
        ("Carla", .careful), ("Lou", .tens), ("Ada", .book), ("Ben", .book), ("Mia", .careful), ("Tom", .tens), ("Eve", .book),
    ]

    /// - Parameter name: a name on the wire; nil unless it is a house bot's, which no player may have.
    public init?(_ name: String) {
        let parts = name.split(separator: "-")
        guard name.hasPrefix("house-") || name.hasPrefix("house "), parts.count > 1, let number = parts.last.flatMap({ Int($0) }),
            number > 0
        else { return nil }
        let (round, row) = (number - 1).quotientAndRemainder(dividingBy: Self.table.count)
        self.name = Self.table[row].name + (round > 0 ? " \(round + 1)" : "")
        manner = Self.table[row].manner
    }

    /// The name with the mark of bots, which no player's name can have: `Carla¤`.
    public var shown: String { name + "¤" }

    /// How a bot plays: basic strategy by the rules of its table, with some rows of the chart changed.
    public enum Manner: String, CaseIterable, Sendable {
        case book, careful, tens

        /// Rows of the chart, and the play in all of their cells.
        public var changes: [(row: String, play: String)] {
            switch self {
            case .book: []
            case .careful: (12...16).map { ("hard \($0)", "S") }
            case .tens: [("pair 10", "P")]
            }
        }

        /// For players, behind a name.
        public var words: String {
            switch self {
            case .book: "plays by the book"
            case .careful: "is careful, and takes no card that could bust"
            case .tens: "splits tens"
            }
        }
    }
}
