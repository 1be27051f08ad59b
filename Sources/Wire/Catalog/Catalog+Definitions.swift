import Rules
import TableModel

extension Catalog {
    private static let digest = "the SHA-256 of all rules as compact JSON with sorted keys, in hexadecimal digits"

    static let plainDefinitions = [
        Definition(
            .id, .either([.text(maximumBytes: RequestID.maximumBytes), .anyWhole]),
            "What the client calls a request; the reply repeats it."),
        Definition(.table, .text(maximumBytes: WireLimits.tableNameBytes), "A table's name."),
        Definition(.seat, WholeNumber.seat.plainShape, "A seat."),
        Definition(.hand, WholeNumber.hand.plainShape, "A hand of a seat: 1, and one more with each split."),
        Definition(.chips, WholeNumber.chips.plainShape, "Whole chips: a bet, or what an action costs or adds."),
        Definition(.bankroll, WholeNumber.bankroll.plainShape, "Whole chips that a player owns."),
        Definition(.revision, WholeNumber.revision.plainShape, "A revision of a table or of the lobby."),
        Definition(.counter, WholeNumber.counter.plainShape, "The number of a round or of a decision, which only grows."),
        Definition(.index, WholeNumber.index.plainShape, "A place in a list after the change, from 0."),
        Definition(.time, WholeNumber.time.plainShape, "Milliseconds since 1970 on the server's clock."),
        Definition(
            .versions, .tuple([.whole(WireRange.version), .whole(WireRange.version)]),
            "The least and the greatest version of the protocol."),
        Definition(.action, .word(Action.words), "What a player may decide."),
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
        Definition(.tableSummary, .object(TableSummary.fields), "A table as the lobby lists it."),
    ]

    static let resultDefinition = Definition(
        .result, .object(RoundResult.fields), "What a round came to for one of your seats.")

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
