import Rules
import TableModel

extension Catalog {
    static let sectionDescriptions = [
        SectionDescription(
            title: "`table`", pattern: "table", explanation: "what concerns everybody",
            contents: "`round`, `phase`, `clock`?, `shoe`, `left`, `closing`?, `rules`"),
        SectionDescription(
            title: "`dealer`", pattern: "dealer", explanation: "the dealer's hand", contents: "`dealer`?, cards"),
        SectionDescription(
            title: "`s1` … `s7`", pattern: "s[1-7]", explanation: "a seat; always there", contents: "`p1`? `a1`? `i1`?"),
        SectionDescription(
            title: "`h1.1` … `h7.4`", pattern: "h[1-7]\\.[1-4]",
            explanation:
                "a hand: seat, then number. It comes with the bet, behind its seat; a split adds the next number",
            contents: "`b1.1`, `t1.1`?, cards, `r1.1`?"),
    ]

    static let roundItems = [
        ItemDescription(
            example: "round", pattern: "round", shape: .count, explanation: "the number of the round, from 1; 0 before the first"),
        ItemDescription(
            example: "phase", pattern: "phase", shape: .word(RoundPhase.allCases.map(\.rawValue)), explanation: phases),
        ItemDescription(
            example: "clock", pattern: "clock", shape: .reference(.time),
            explanation: "when time is up; absent when no clock runs"),
        ItemDescription(
            example: "shoe", pattern: "shoe",
            shape: .object([
                .required("number", .count, "counted from 1; 0 before the first shuffle"),
                .required("decks", .whole(WireRange.decks), "packs of 52"),
                .required("behindCut", .whole(WireRange.cardsInShoe), "cards behind the cut card"),
            ]),
            explanation:
                "`{\"behindCut\":78,\"decks\":6,\"number\":3}`: when no more than `behindCut` cards are left, the next round starts with a shuffle"
        ),
        ItemDescription(
            example: "left", pattern: "left", shape: .whole(WireRange.cardsInShoe), explanation: "cards left in the shoe"),
        ItemDescription(
            example: "closing", pattern: "closing",
            shape: .object([
                .required(
                    "cause", .word(ClosingNotice.Cause.allCases.map(\.rawValue)), "what closes: this `table`, or the `server`"),
                .optional("deadline", .reference(.time), "when a round that is still in play is given up, and its bets go back"),
                .optional("reason", .text(maximumBytes: ChatText.maximumBytes), "in the host's words"),
            ]),
            explanation:
                "the table closes when its round is over: `{\"cause\":\"server\",\"deadline\":1700000060000,\"reason\":\"Back at noon.\"}`; `cause` is `table` or `server`, a round still in play at `deadline` is given up, and its bets go back"
        ),
        ItemDescription(
            example: "rules", pattern: "rules", shape: .reference(.tableRules),
            explanation:
                "the house rules: `digest`, the bets, and what is not as by default; the keys are below, and the request `rules` has all"
        ),
        ItemDescription(
            example: "dealer", pattern: "dealer", shape: .reference(.total),
            explanation: "the total of the dealer's cards that lie face up"),
        ItemDescription(
            example: "c17", pattern: "c(0|[1-9][0-9]{0,5}|1000000)", shape: .reference(.card),
            explanation:
                "a card: `\"KH\"`, `\"TD\"`, `\"AS\"`, or `\"??\"` face down. The number is its place in the shoe and says nothing about its face"
        ),
    ]

    /// Items of later servers: any name of two letters or more that is none of the known.
    static let otherItem: Shape = .text(
        pattern: "^(?!(\(roundItems.map(\.pattern).joined(separator: "|")))$)\(otherNames)$")
    /// Of sections and items of later servers.
    static let otherNames = "[a-z]{2}[A-Za-z0-9.]{0,\(OtherName.maximumBytes - 2)}"

    private static let phases = RoundPhase.allCases.map { "`\"\($0.rawValue)\"`" }.joined(separator: ", ")
    private static let outcomes = Outcome.allCases.map(\.name)
    private static let presences = Player.Presence.allCases.map(\.rawValue)

    static let handItems = [
        ItemDescription(
            example: "p3", pattern: "p[1-7]",
            shape: .object([
                .required("name", .text(maximumBytes: 256), "who sits there"),
                .required("chips", .reference(.bankroll), "chips that are not on the table"),
                .optional("presence", .word(presences), "`here` without it"),
                .optional("bot", .flag, "whether no person plays"),
            ]),
            explanation:
                "the player in seat 3: `{\"chips\":990,\"name\":\"ann\"}`, with `\"presence\"` (`sittingOut`, `away`, `leaving`) unless the player simply plays, and `\"bot\":true`"
        ),
        ItemDescription(
            example: "a3", pattern: "a[1-7]",
            shape: .object([
                .required(
                    "actions", .object(Action.allCases.map { .optional($0.name, .reference(.chips), "what it costs") }),
                    "what is legal"),
                .required("hand", .reference(.hand), "the hand that is asked about"),
                .required("turn", .reference(.counter), "the number of the decision, for `act`"),
            ]),
            explanation:
                "what seat 3 is asked, and only while it is: `{\"actions\":{\"double\":10,\"hit\":0,\"stand\":0},\"hand\":1,\"turn\":5}`, each legal action with the chips that it costs (for `insurance`, the most that may be bet), and the number of the decision: each has its own, and what all are asked at once has one"
        ),
        ItemDescription(
            example: "i3", pattern: "i[1-7]", shape: .reference(.chips), explanation: "seat 3's insurance bet"),
        ItemDescription(
            example: "b3.1", pattern: "b[1-7]\\.[1-4]", shape: .reference(.chips),
            explanation: "the bet on hand 1 of seat 3"),
        ItemDescription(
            example: "t3.1", pattern: "t[1-7]\\.[1-4]", shape: .reference(.total),
            explanation: "its total: `\"16\"`, `\"soft 17\"`, `\"blackjack\"`, `\"bust 24\"`"),
        ItemDescription(
            example: "r3.1", pattern: "r[1-7]\\.[1-4]",
            shape: .object([
                .required(
                    "net", .whole(WireRange.net), "chips won, or lost if negative, the stake not counted"),
                .required("outcome", .word(outcomes), "how"),
            ]),
            explanation:
                "how it ended: `{\"net\":10,\"outcome\":\"win\"}`; outcomes: \(outcomes.map { "`\($0)`" }.joined(separator: ", "))"
        ),
    ]
}
