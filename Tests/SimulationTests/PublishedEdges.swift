import Rules
import Testing

/// Edges that others have published, one row for each set of rules: what `PublishedEdgeTests` holds the table against.
///
/// Every figure is for the first round of a fresh shoe and the player's, in per cent.
struct PublishedEdge: Sendable, CustomTestStringConvertible {
    enum Source: String, Sendable {
        /// bj21.com, "Estimating your edge", table 4: the benchmark rules (dealer stands on soft 17, double any two cards, no double after
        /// a split, no surrender) by number of decks, and what other rules add.
        case bj21 = "bj21"
        /// gamblingonlinemagazine.com, "A blackjack basic strategy primer".
        case primer = "primer"
        /// wizardofodds.com/games/blackjack/appendix/9: exact, by combinatorial analysis, to six places; pairs are split up to four
        /// hands, aces once. Its player looks at the cards of a hand and not just its total, which matters with few decks.
        case appendix9 = "appendix 9"
        /// The effects of rules of wizardofodds.com, as given by 21blackjack.net/card and realonlinegambling.com/blackjack/odds, on a
        /// game of −0.43 %: eight decks, dealer stands on soft 17, doubles on any two cards and after splits, up to four hands.
        case effects = "effects"
        /// blackjackreview.com, "Blackjack rule variations": −0.56 % with six decks and no double after a split, 6:5 −1.36, and so on.
        case review = "review"
    }

    var changes: [(String, RuleValue)]
    /// The player's, in per cent.
    var edge: Double
    /// How far off the figure itself may be, in per cent: half a unit of its last place for each number that it is the sum of, and what
    /// looking at more than totals is worth.
    var allowance: Double
    var source: Source

    init(_ source: Source, _ edge: Double, give allowance: Double, _ changes: (String, RuleValue)...) {
        (self.source, self.edge, self.allowance, self.changes) = (source, edge, allowance, changes)
    }

    var testDescription: String {
        "\(changes.map { "\($0.0) \($0.1)" }.joined(separator: ", ")): \(edge) % [\(source.rawValue)]"
    }

    private static func decks(_ number: Int) -> (String, RuleValue) { ("decks", .integer(number)) }
    private static let noDoubleAfterSplit = ("doubleAfterSplit", RuleValue.flag(false))
    private static let hitsSoft17 = ("soft17", RuleValue.text("hit"))
    private static let noHoleCard = ("holeCard", RuleValue.text("none"))

    static let all: [PublishedEdge] = [
        PublishedEdge(.bj21, 0.01, give: 0.005, decks(1), noDoubleAfterSplit),
        PublishedEdge(.bj21, -0.32, give: 0.005, decks(2), noDoubleAfterSplit),
        PublishedEdge(.bj21, -0.49, give: 0.005, decks(4), noDoubleAfterSplit),
        PublishedEdge(.bj21, -0.54, give: 0.005, decks(6), noDoubleAfterSplit),
        PublishedEdge(.bj21, -0.57, give: 0.005, decks(8), noDoubleAfterSplit),
        // The preset vegas-strip.
        PublishedEdge(.bj21, -0.35, give: 0.01, decks(4)),
        PublishedEdge(.bj21, -0.40, give: 0.01, decks(6)),
        PublishedEdge(.primer, -0.194, give: 0.0005, decks(2)),
        PublishedEdge(.primer, -0.13, give: 0.005, decks(1), noDoubleAfterSplit, ("double", .text("9-11"))),
        // The preset single-deck.
        PublishedEdge(.primer, -0.19, give: 0.005, decks(1), noDoubleAfterSplit, hitsSoft17),
        PublishedEdge(.appendix9, 0.1839, give: 0.04, decks(1)),
        PublishedEdge(.appendix9, -0.0072, give: 0.04, decks(1), hitsSoft17),
        // The preset downtown.
        PublishedEdge(.appendix9, -0.3797, give: 0.015, decks(2), hitsSoft17),
        PublishedEdge(.appendix9, -0.3804, give: 0.005, decks(5)),
        PublishedEdge(.appendix9, -0.5918, give: 0.005, decks(5), hitsSoft17),
        PublishedEdge(.appendix9, -0.72705, give: 0.005, decks(6), hitsSoft17, noHoleCard),
        PublishedEdge(.appendix9, -0.86975, give: 0.005, decks(6), hitsSoft17, noHoleCard, noDoubleAfterSplit),
        PublishedEdge(.appendix9, -0.7562, give: 0.005, decks(8), hitsSoft17, noHoleCard),
        // The preset atlantic-city.
        PublishedEdge(.effects, -0.36, give: 0.01, decks(8), ("surrender", .text("late"))),
        PublishedEdge(.effects, 0.20, give: 0.015, decks(8), ("surrender", .text("early"))),
        PublishedEdge(.effects, -0.19, give: 0.01, decks(8), ("surrender", .text("early-not-ace"))),
        PublishedEdge(.effects, -0.35, give: 0.01, decks(8), ("resplitAces", .flag(true))),
        PublishedEdge(.effects, -0.24, give: 0.01, decks(8), ("hitSplitAces", .flag(true))),
        PublishedEdge(.effects, -0.61, give: 0.01, decks(8), ("double", .text("10-11"))),
        PublishedEdge(.effects, -0.54, give: 0.015, decks(8), noHoleCard),
        PublishedEdge(.effects, -0.65, give: 0.01, decks(8), hitsSoft17),
        PublishedEdge(.review, -1.92, give: 0.01, decks(6), noDoubleAfterSplit, ("blackjackPays", .text("6:5"))),
    ]
}
