import Rules

extension StrategyChart {
    /// Basic strategy by total for several decks, adapted to the rules.
    ///
    /// Source: the published chart for four to eight decks, with its variants for soft 17 hit, no hole card and early surrender.
    public init(publishedFor rules: HouseRules) {
        self.init(name: "published", doubleAfterSplit: rules.doubleAfterSplit)
        for (row, line) in Self.published { fill(row, line) }
        if rules.soft17 == .hit { hitsSoft17() }
        if rules.holeCard == .none { noHoleCard() }
        if rules.surrender == .early || rules.surrender == .earlyNotAce { earlySurrender() }
    }

    /// Against 2, 3 … 10, ace: dealer stands on soft 17 and peeks, late surrender.
    private static let published: [(Row, String)] = [
        (.hard(5), "H H H H H H H H H H"), (.hard(6), "H H H H H H H H H H"),
        (.hard(7), "H H H H H H H H H H"), (.hard(8), "H H H H H H H H H H"),
        (.hard(9), "H D D D D H H H H H"), (.hard(10), "D D D D D D D D H H"),
        (.hard(11), "D D D D D D D D D H"), (.hard(12), "H H S S S H H H H H"),
        (.hard(13), "S S S S S H H H H H"), (.hard(14), "S S S S S H H H H H"),
        (.hard(15), "S S S S S H H H Rh H"), (.hard(16), "S S S S S H H Rh Rh Rh"),
        (.soft(13), "H H H D D H H H H H"), (.soft(14), "H H H D D H H H H H"),
        (.soft(15), "H H D D D H H H H H"), (.soft(16), "H H D D D H H H H H"),
        (.soft(17), "H D D D D H H H H H"), (.soft(18), "S Ds Ds Ds Ds S S H H H"),
        (.pair(2), "Ph Ph P P P P H H H H"), (.pair(3), "Ph Ph P P P P H H H H"),
        (.pair(4), "H H H Ph Ph H H H H H"), (.pair(5), "D D D D D D D D H H"),
        (.pair(6), "Ph P P P P H H H H H"), (.pair(7), "P P P P P P H H H H"),
        (.pair(8), "P P P P P P P P P P"), (.pair(9), "P P P P P S P P S S"),
        (.pair(1), "P P P P P P P P P P"),
    ]

    private mutating func fill(_ row: Row, _ line: String) {
        for (column, text) in line.split(separator: " ").enumerated() {
            guard let play = Play(text: text) else { preconditionFailure("the published chart is written in known cells") }
            self[row, column == 9 ? 1 : column + 2] = play
        }
    }

    private mutating func hitsSoft17() {
        self[.hard(11), 1] = .doubleElseHit
        self[.hard(15), 1] = .surrenderElseHit
        self[.hard(17), 1] = .surrenderElseStand
        self[.soft(18), 2] = .doubleElseStand
        self[.soft(19), 6] = .doubleElseStand
        self[.pair(8), 1] = .surrenderElseSplit
    }

    /// No second chip against a ten or an ace, where a dealer's blackjack takes all bets.
    private mutating func noHoleCard() {
        self[.hard(11), 10] = .hit
        self[.hard(11), 1] = .hit
        self[.pair(8), 10] = .surrenderElseHit
        self[.pair(8), 1] = .surrenderElseHit
        self[.pair(1), 1] = .hit
    }

    private mutating func earlySurrender() {
        for total in [14, 15, 16] { self[.hard(total), 10] = .surrenderElseHit }
        self[.pair(7), 10] = .surrenderElseHit
        self[.pair(8), 10] = .surrenderElseSplit
        for total in [5, 6, 7, 12, 13, 14, 15, 16] { self[.hard(total), 1] = .surrenderElseHit }
        self[.hard(17), 1] = .surrenderElseStand
        for points in [3, 6, 7] { self[.pair(points), 1] = .surrenderElseHit }
        self[.pair(8), 1] = .surrenderElseSplit
    }
}
