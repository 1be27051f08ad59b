/// Text attributes. A ``Palette`` gives the colours; no information depends on them alone.
struct Style: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    static let bold = Style(rawValue: 1)
    static let dim = Style(rawValue: 2)
    static let inverse = Style(rawValue: 4)
    /// A loss, an alarm.
    static let red = Style(rawValue: 8)
    /// A win, a good answer.
    static let green = Style(rawValue: 16)
    /// Asks for attention.
    static let yellow = Style(rawValue: 32)
    /// The face of a card, by suit.
    static let spade = Style(rawValue: 64)
    static let heart = Style(rawValue: 128)
    static let diamond = Style(rawValue: 256)
    static let club = Style(rawValue: 512)
    /// The back of a card.
    static let back = Style(rawValue: 1024)
    /// A card of the round before.
    static let faded = Style(rawValue: 2048)
    /// The ground of the table, under all that has none of its own.
    static let felt = Style(rawValue: 4096)

    /// The name of a speaker: a number of a colour, from 1, in three bits.
    static func name(_ name: String) -> Style {
        let hash = name.utf8.reduce(5381 as UInt32) { $0 &* 33 ^ UInt32($1) }
        return Style(rawValue: (hash % UInt32(Palette.names.count) + 1) << 13)
    }
    static let names = Style(rawValue: 7 << 13)
    /// The outline of a card or of the table: blank where colours show it.
    static let edge = Style(rawValue: 1 << 16)
    /// From 0; nil where it is no name.
    var nameColor: Int? { isDisjoint(with: .names) ? nil : Int(rawValue >> 13) - 1 }

    static let plain: Style = []
    static let colors: Style = [.red, .green, .yellow, .spade, .heart, .diamond, .club, .back, .faded, .felt, .names]
}

/// Text in one or several styles, at most one line.
struct StyledText: Equatable, Sendable {
    struct Span: Equatable, Sendable {
        var text: SafeText
        var style: Style
    }

    private(set) var spans: [Span] = []
    /// Width in columns.
    private(set) var columns = 0

    init() {}

    init(_ text: SafeText, _ style: Style = .plain) { append(text, style) }

    mutating func append(_ text: SafeText, _ style: Style = .plain) {
        guard !text.isEmpty else { return }
        columns += text.columns
        if let last = spans.last, last.style == style {
            spans[spans.count - 1].text += text
        } else {
            spans.append(Span(text: text, style: style))
        }
    }

    mutating func append(_ other: StyledText) {
        for span in other.spans { append(span.text, span.style) }
    }

    static func + (first: StyledText, second: StyledText) -> StyledText {
        var text = first
        text.append(second)
        return text
    }

    /// Adds a style to all of the text.
    func with(_ style: Style) -> StyledText {
        spans.reduce(into: StyledText()) { $0.append($1.text, $1.style.union(style)) }
    }

    /// All of the text in one style.
    func plain(_ style: Style) -> StyledText {
        spans.reduce(into: StyledText()) { $0.append($1.text, style) }
    }

    /// In the middle of `width` columns: cut, or with spaces before it.
    func centred(in width: Int) -> StyledText {
        StyledText(.spaces((width - columns) / 2)) + cut(to: max(0, width))
    }

    /// The text without styles.
    var text: String { spans.map(\.text.text).joined() }

    /// The text within `limit` columns.
    func cut(to limit: Int) -> StyledText {
        guard columns > limit else { return self }
        var result = StyledText()
        for span in spans {
            let room = limit - result.columns
            // Marks the cut even where the limit falls between two spans.
            let isLastThatFits = span.text.columns >= room
            result.append(isLastThatFits ? (span.text + " ").cut(to: room) : span.text, span.style)
            if isLastThatFits { break }
        }
        return result
    }

    /// The first columns, without a mark of the cut, of characters one column wide; padded with spaces.
    func start(_ width: Int) -> StyledText {
        spans.reduce(into: StyledText()) { result, span in
            let text = String(span.text.text.prefix(width - result.columns))
            result.append(SafeText(trusted: text, columns: text.count), span.style)
        }.fitted(to: width)
    }

    /// Exactly `width` columns: cut or padded with spaces.
    func fitted(to width: Int, rightAligned: Bool = false, filler: Style = .plain) -> StyledText {
        let cut = cut(to: max(0, width))
        let spaces = StyledText(.spaces(width - cut.columns), filler)
        return rightAligned ? spaces + cut : cut + spaces
    }
}

extension Sequence<StyledText> {
    /// Joins the elements that are not empty.
    func joined(_ separator: SafeText) -> StyledText {
        reduce(into: StyledText()) { result, text in
            guard text.columns > 0 else { return }
            if result.columns > 0 { result.append(separator) }
            result.append(text)
        }
    }
}

extension SafeText {
    static func spaces(_ count: Int) -> SafeText { filled(with: " ", count) }

    /// A trusted character, one column wide, repeated.
    static func filled(with character: Character, _ count: Int) -> SafeText {
        count > 0 ? SafeText(trusted: String(repeating: character, count: count), columns: count) : .empty
    }
}

/// The characters and colours that a terminal can show.
struct TerminalCapabilities: Equatable, Sendable {
    /// False for ASCII-only terminals.
    var isUnicode = true
    var palette: Palette

    var hasColors: Bool { palette.depth != .none }
}

extension TerminalCapabilities {
    /// Reads `LC_ALL`, `LC_CTYPE`, `LANG` (the first that is set); for the colours see ``ColorDepth``.
    init(environment: [String: String], settings: ClientSettings = ClientSettings()) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        isUnicode = name.firstRange(of: "utf-8") != nil || name.firstRange(of: "utf8") != nil
        palette = Palette(depth: ColorDepth(settings.color, environment: environment), suits: settings.suits)
    }

    /// True when a terminal of this type can draw a screen.
    static func canDraw(terminal: String?) -> Bool { !["", "dumb"].contains(terminal ?? "") }
}
