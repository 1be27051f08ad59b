import Rules
import TableModel

extension Catalog {
    static let sectionDescriptions = [
        SectionDescription(
            title: "`table`", pattern: "table", explanation: "what concerns everybody",
            contents: "`round`, `phase`, `clock`?, `shoe`, `left`, `fair`?, `next`?, `closing`?, `rules`"),
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

    /// Items of later servers: any name of two letters or more that is none of the known.
    static let otherItem: Shape = .text(
        pattern: "^(?!(\(ItemKind.all.filter(\.isWord).map(\.description.pattern).joined(separator: "|")))$)\(otherNames)$")
    /// Of sections and items of later servers.
    static let otherNames = "[a-z]{2}[A-Za-z0-9.]{0,\(OtherName.maximumBytes - 2)}"
}
