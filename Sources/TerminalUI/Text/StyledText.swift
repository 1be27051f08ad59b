/// How text looks. Colours are left out where they are not wanted; the rest says enough without them.
public struct Style: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let bold = Style(rawValue: 1)
    public static let dim = Style(rawValue: 2)
    public static let inverse = Style(rawValue: 4)
    public static let red = Style(rawValue: 8)
    public static let green = Style(rawValue: 16)
    public static let yellow = Style(rawValue: 32)

    public static let plain: Style = []
    static let colors: Style = [.red, .green, .yellow]
}

/// A line, or a part of one, in one or several styles.
public struct StyledText: Equatable, Sendable {
    public struct Span: Equatable, Sendable {
        public var text: SafeText
        public var style: Style
    }

    public private(set) var spans: [Span] = []
    /// The columns that it takes.
    public private(set) var columns = 0

    public init() {}

    public init(_ text: SafeText, _ style: Style = .plain) { append(text, style) }

    public mutating func append(_ text: SafeText, _ style: Style = .plain) {
        guard !text.isEmpty else { return }
        columns += text.columns
        if let last = spans.last, last.style == style {
            spans[spans.count - 1].text += text
        } else {
            spans.append(Span(text: text, style: style))
        }
    }

    public mutating func append(_ other: StyledText) {
        for span in other.spans { append(span.text, span.style) }
    }

    /// The same text with more style.
    public func with(_ style: Style) -> StyledText {
        var result = StyledText()
        for span in spans { result.append(span.text, span.style.union(style)) }
        return result
    }

    /// The words alone.
    public var text: String { spans.map(\.text.text).joined() }

    /// Within so many columns.
    public func cut(to limit: Int) -> StyledText {
        guard columns > limit else { return self }
        var result = StyledText()
        for span in spans {
            let room = limit - result.columns
            // The cut leaves its mark even where the limit falls between two spans.
            let isLastThatFits = span.text.columns >= room
            result.append(isLastThatFits ? (span.text + " ").cut(to: room) : span.text, span.style)
            if isLastThatFits { break }
        }
        return result
    }

    /// Exactly so many columns: cut, or filled with spaces.
    public func fitted(to width: Int, rightAligned: Bool = false, filler: Style = .plain) -> StyledText {
        let cut = cut(to: max(0, width))
        let spaces = StyledText(.spaces(width - cut.columns), filler)
        var result = rightAligned ? spaces : cut
        result.append(rightAligned ? cut : spaces)
        return result
    }
}

extension SafeText {
    static func spaces(_ count: Int) -> SafeText { filled(with: " ", count) }

    /// One character of ours, one column wide, so many times.
    static func filled(with character: Character, _ count: Int) -> SafeText {
        count > 0 ? SafeText(trusted: String(repeating: character, count: count), columns: count) : .empty
    }
}
