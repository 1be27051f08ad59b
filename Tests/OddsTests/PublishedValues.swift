import Rules

/// Expected values that others have published, in bets.
enum PublishedValues {
    /// Standing, with an infinite deck: dealer stands on soft 17 and has no blackjack. Against 2, 3 … 10, ace.
    ///
    /// Source: wizardofodds.com/games/blackjack/appendix/1, to four places.
    static let standing: [(total: Int, values: [Double])] = [
        (16, [-0.2928, -0.2523, -0.2111, -0.1672, -0.1537, -0.4754, -0.5105, -0.5431, -0.5404, -0.6670]),
        (17, [-0.1530, -0.1172, -0.0806, -0.0449, 0.0117, -0.1068, -0.3820, -0.4232, -0.4197, -0.4780]),
        (18, [0.1217, 0.1483, 0.1759, 0.1996, 0.2834, 0.3996, 0.1060, -0.1832, -0.1783, -0.1002]),
        (19, [0.3863, 0.4044, 0.4232, 0.4395, 0.4960, 0.6160, 0.5939, 0.2876, 0.0631, 0.2776]),
        (20, [0.6400, 0.6503, 0.6610, 0.6704, 0.7040, 0.7732, 0.7918, 0.7584, 0.5545, 0.6555]),
    ]

    /// Other cells of the same appendix, to six places.
    static let infinite: [(row: StrategyChart.Row, up: Int, action: Action, value: Double)] = [
        (.hard(16), 10, .hit, -0.539826), (.hard(16), 10, .stand, -0.540430), (.hard(16), 10, .double, -1.079653),
        (.pair(8), 10, .split, -0.480686), (.soft(17), 10, .hit, -0.196867), (.soft(17), 10, .double, -0.458316),
        (.soft(17), 10, .stand, -0.419721), (.soft(18), 6, .stand, 0.283444), (.soft(18), 6, .hit, 0.190753),
        (.soft(18), 6, .double, 0.381506), (.hard(20), 2, .stand, 0.639987),
    ]

    /// The player's expected win under the rules of appendix 1, in per cent.
    static let infiniteEdge = -0.511734

    /// Hands of two cards: stand, hit, double to six places, and where splitting to more hands is better, split to four.
    ///
    /// Source: the notebook of github.com/hhoppe/blackjack, which gives the splits of bjstrat.net, too.
    static let hands: [(decks: Int, soft17: String, cards: (Int, Int), up: Int, values: [Double], split: Double?)] = [
        (6, "hit", (7, 8), 10, [-0.536220, -0.499763, -0.999525], nil),
        (2, "hit", (2, 10), 4, [-0.206125, -0.204205, -0.408411], nil),
        (1, "hit", (2, 6), 6, [-0.108450, 0.119677, 0.111237], nil),
        (1, "hit", (5, 10), 10, [-0.538433, -0.501091, -1.002183], nil),
        (1, "stand", (7, 9), 1, [-0.643247, -0.495493, -0.990987], nil),
        (1, "stand", (6, 10), 10, [-0.542952, -0.506929, -1.013858], nil),
        (1, "hit", (9, 9), 1, [-0.186130, -0.637010, -1.274020], -0.1839),
        (1, "hit", (8, 8), 10, [], -0.4469),
    ]

    /// Player's edges in per cent by printed charts, `Rh` for hard 16 against a ten: of a fresh shoe, and dealt to a cut card.
    ///
    /// Source: the same. The second is a simulation, ± 0.001.
    static let chartEdges: [(changes: [(String, RuleValue)], fresh: Double, dealt: Double?)] = [
        ([("decks", .integer(6)), ("resplitAces", .flag(true)), ("penetration", .number(244 / 312))], -0.264, -0.289),
        ([("decks", .integer(8)), ("resplitAces", .flag(true))], -0.286, nil),
        (
            [("decks", .integer(8)), ("soft17", .text("hit")), ("resplitAces", .flag(true)), ("penetration", .number(0.75))],
            -0.485, -0.505
        ),
    ]

    /// Exact values of two-card hands, whose player looks at every card.
    ///
    /// Source: wizardofodds.com/games/blackjack/appendix/9, by combinatorial analysis, to six places.
    struct Game: Sendable {
        var name: String
        var decks: Int
        var hitsSoft17: Bool
        var hasHoleCard = true
        /// The player's expected win in per cent: with double after a split, and without.
        var edges: (Double, Double)
        /// Against an ace: the two cards, then stand, hit, double.
        var againstAnAce: [(Int, Int, [Double])]

        var changes: [(String, RuleValue)] {
            [
                ("decks", .integer(decks)), ("soft17", .text(hitsSoft17 ? "hit" : "stand")),
                ("holeCard", .text(hasHoleCard ? "peek" : "none")),
            ]
        }
    }

    static let games = [
        Game(
            name: "1ds17r4", decks: 1, hitsSoft17: false, edges: (0.1839, 0.0423),
            againstAnAce: [
                (2, 1, [-0.661732, -0.067808, -0.593281]), (3, 2, [-0.659375, -0.291565, -1.318751]),
                (4, 3, [-0.657967, -0.345048, -1.126423]), (5, 1, [-0.659151, -0.206061, -0.656070]),
                (5, 4, [-0.654533, -0.070215, -0.395771]), (6, 4, [-0.636118, 0.081506, 0.048615]),
                (6, 5, [-0.634013, 0.172946, 0.240259]), (7, 1, [-0.101015, -0.108386, -0.357778]),
            ]),
        Game(
            name: "1dh17r4", decks: 1, hitsSoft17: true, edges: (-0.0072, -0.1513),
            againstAnAce: [
                (2, 1, [-0.589084, -0.107929, -0.552040]), (4, 3, [-0.582464, -0.375417, -1.067304]),
                (6, 1, [-0.507702, -0.229134, -0.529713]), (6, 5, [-0.575374, 0.143003, 0.234296]),
                (7, 1, [-0.223909, -0.173175, -0.414678]),
            ]),
        Game(
            name: "2dh17r4", decks: 2, hitsSoft17: true, edges: (-0.3797, -0.5252),
            againstAnAce: [
                (2, 1, [-0.594150, -0.103429, -0.571816]), (4, 3, [-0.590338, -0.362212, -1.077576]),
                (6, 4, [-0.587412, 0.038312, -0.003909]), (6, 5, [-0.587564, 0.121079, 0.166650]),
                (7, 1, [-0.224703, -0.165428, -0.416886]),
            ]),
        Game(
            name: "5ds17r4", decks: 5, hitsSoft17: false, edges: (-0.3804, -0.5225),
            againstAnAce: [
                (2, 1, [-0.666073, -0.059817, -0.618525]), (4, 3, [-0.664918, -0.316950, -1.129202]),
                (6, 4, [-0.661223, 0.081318, -0.002174]), (6, 5, [-0.660850, 0.148532, 0.133896]),
            ]),
        Game(
            name: "5dh17r4", decks: 5, hitsSoft17: true, edges: (-0.5918, -0.7366),
            againstAnAce: [
                (2, 1, [-0.596923, -0.100728, -0.583036]), (4, 3, [-0.595297, -0.354238, -1.084254]),
                (6, 5, [-0.594346, 0.109880, 0.128187]), (7, 1, [-0.225295, -0.160941, -0.417747]),
            ]),
        Game(
            name: "euro-6dh17r4", decks: 6, hitsSoft17: true, hasHoleCard: false, edges: (-0.72705, -0.86975),
            againstAnAce: [
                (2, 1, [-0.722356, -0.379910, -1.024099]), (4, 3, [-0.721415, -0.554273, -1.369282]),
                (6, 5, [-0.720879, -0.235772, -0.535879]), (6, 1, [-0.665166, -0.463296, -0.999484]),
            ]),
        Game(
            name: "euro-8dh17r4", decks: 8, hitsSoft17: true, hasHoleCard: false, edges: (-0.7562, -0.89865),
            againstAnAce: [
                (2, 1, [-0.722307, -0.378980, -1.024082]), (4, 3, [-0.721595, -0.553054, -1.369253]),
                (6, 5, [-0.721201, -0.235977, -0.537869]), (6, 1, [-0.665036, -0.462428, -0.998987]),
            ]),
    ]
}
