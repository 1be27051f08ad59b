import Rules

extension Catalog {
    private static let digest = "the SHA-256 of all rules as compact JSON with sorted keys, in hexadecimal digits"

    static let plainDefinitions = [
        Definition(
            .id, .either([.text(maximumBytes: RequestID.maximumBytes), .anyWhole]),
            "What the client calls a request; the reply repeats it."),
        Definition(.table, .text(maximumBytes: WireLimits.tableNameBytes), "A table's name."),
        Definition(.seat, .whole(WireRange.seat), "A seat."),
        Definition(.hand, .whole(WireRange.hand), "A hand of a seat: 1, and one more with each split."),
        Definition(.chips, .whole(WireRange.chips), "Whole chips: a bet, or what an action costs or adds."),
        Definition(.bankroll, .whole(WireRange.bankroll), "Whole chips that a player owns."),
        Definition(.revision, .whole(WireRange.revision), "A revision of a table or of the lobby."),
        Definition(.counter, .whole(WireRange.revision), "The number of a round or of a decision, which only grows."),
        Definition(.index, .whole(WireRange.index), "A place in a list after the change, from 0."),
        Definition(.time, .whole(WireRange.time), "Milliseconds since 1970 on the server's clock."),
        Definition(
            .versions, .tuple([.whole(WireRange.version), .whole(WireRange.version)]),
            "The least and the greatest version of the protocol."),
        Definition(.action, .word(Action.allCases.map(\.name)), "What a player may decide."),
        Definition(
            .errorCode,
            .openWord(ErrorCode.allCases.filter { !$0.isInternal }.map { Shape.Word($0.rawValue, $0.explanation) }),
            "Why a request was refused. A code never changes its meaning; there may be new ones."),
        Definition(
            .goodbyeCode, .openWord(GoodbyeCode.allCases.map { Shape.Word($0.rawValue, $0.explanation) }),
            "Why the server closes the connection. There may be new codes."),
        Definition(.rules, .object(rules), "House rules, by the keys of a rules file; what is absent is as by default."),
        Definition(
            .tableRules, .object(rules + [.required("digest", .text(maximumBytes: 64), digest)]),
            "A table's rules: the bets, and what is not as by default."),
        Definition(
            .tableSummary,
            .object([
                .required("table", .reference(.table), "the table's name"),
                .required("seats", .whole(WireRange.seat), "seats that it has"),
                .required("free", .whole(WireRange.freeSeats), "seats that nobody has"),
                .required("players", .list(.anyText), "names of those who sit, in the order of their seats"),
                .required("watchers", .count, "how many watch without a seat"),
                .required("rules", .reference(.rules), "those house rules that are not as by default"),
                .optional("locked", .flag, "whether it takes a pass phrase to watch or to sit"),
            ]),
            "A table as the lobby lists it."),
    ]

    static let resultDefinition = Definition(
        .result,
        .object([
            .required("round", .reference(.counter), "the round"),
            .required("seat", .reference(.seat), "your seat"),
            .required(
                "hands",
                .list(
                    .object([
                        .required("bet", .reference(.chips), "all chips that were on it"),
                        .required("outcome", .word(Outcome.allCases.map(\.name)), "how it ended"),
                        .required("net", .whole(WireRange.net), "chips won, or lost if negative"),
                    ])),
                "its hands, in the order of their numbers"),
            .optional(
                "insurance",
                .object([
                    .required("bet", .reference(.chips), "the insurance bet"),
                    .required("net", .whole(WireRange.net), "chips won, or lost if negative"),
                ]), "where you had insured"),
            .required("chips", .reference(.bankroll), "your chips when the round was over"),
        ]),
        "What a round came to for one of your seats.")

    static let tableDefinitions = [
        Definition(
            .section, .text(pattern: "^(\(sections.map(\.pattern).joined(separator: "|"))|\(otherNames))$"),
            "A section of a table; one that is not known is kept, and nothing of it shown."),
        Definition(
            .item, .text(pattern: "^(\(items.map(\.pattern).joined(separator: "|"))|\(otherNames))$"),
            "An item of a table; one that is not known is kept, and nothing of it shown."),
        Definition(
            .card, .text(pattern: "^([A2-9TJQK][SHDC]|\\?\\?)$"),
            "A card: rank (`T` is ten) and suit (spades, hearts, diamonds, clubs), or `??` while it lies face down."),
        Definition(
            .total,
            .text(pattern: "^([0-9]|1[0-9]|2[01]|soft (1[1-9]|2[01])|bust (2[2-9]|3[01])|blackjack)$"),
            "The points of a hand, as a dealer calls them."),
        Definition(
            .entry, .either(items.map { .tuple([$0.name, $0.shape]) } + [.tuple([otherItem, .anything])]),
            "An item and what it shows."),
        Definition(
            .sectionContent, .tuple([.reference(.section), .list(.reference(.entry))]), "A section and the items in it."),
        Definition(.sectionPlace, .tuple([.reference(.section), .reference(.index)]), "A section and its place."),
        Definition(
            .itemPlace, .tuple([.reference(.item), .reference(.section), .reference(.index)]),
            "An item, the section that it is in, and its place there."),
        Definition(
            .newItem,
            .either(
                items.map { .tuple([$0.name, .reference(.section), .reference(.index), $0.shape]) }
                    + [.tuple([otherItem, .reference(.section), .reference(.index), .anything])]),
            "An item, the section that it is in, its place there, and what it shows."),
    ]
}

extension ItemDescription {
    /// The shape of its identifier.
    fileprivate var name: Shape { .text(pattern: "^\(pattern)$") }
}
