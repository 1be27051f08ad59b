/// What a field of a message may hold: the form, which a reader checks before anybody asks what it means.
public indirect enum Shape: Equatable, Sendable {
    /// A string of at most so many bytes of UTF-8, and of that pattern (ECMA-262, as JSON Schema has them) if there is one.
    case text(maximumBytes: Int? = nil, pattern: String? = nil)
    /// One of these strings.
    case word([String])
    /// A string: one of these as far as this version knows, each with what it means. Later ones may be others.
    case openWord([Word])
    /// A whole number, written without fraction or exponent.
    case whole(ClosedRange<Int>)
    /// Any number of the range.
    case number(ClosedRange<Double>)
    /// `true` or `false`.
    case flag
    /// Any value, of which nobody asks what it means.
    case anything
    /// An array of any length.
    case list(Shape)
    /// An array that begins with these.
    case tuple([Shape])
    case object([Field])
    /// Any of these.
    case either([Shape])
    /// What the catalog describes once under this name.
    case reference(Definition.Name)

    /// A word with what it means.
    public struct Word: Equatable, Sendable {
        public let name: String
        public let explanation: String

        init(_ name: String, _ explanation: String) {
            self.name = name
            self.explanation = explanation
        }
    }

    /// Any whole number of 64 bits.
    static let anyWhole = Shape.whole(Int.min...Int.max)
    static let count = Shape.whole(WireRange.count)
    /// Any string.
    static let anyText = Shape.text()
}

/// One field of an object.
public struct Field: Equatable, Sendable {
    public let name: String
    public let shape: Shape
    /// Whether it must be there. A field that need not be may be null as well, which is as good as absent.
    public let isRequired: Bool
    /// One sentence, or a part of one.
    public let explanation: String

    static func required(_ name: String, _ shape: Shape, _ explanation: String) -> Field {
        Field(name: name, shape: shape, isRequired: true, explanation: explanation)
    }

    static func optional(_ name: String, _ shape: Shape, _ explanation: String) -> Field {
        Field(name: name, shape: shape, isRequired: false, explanation: explanation)
    }
}

/// Something that several messages have in them.
public struct Definition: Equatable, Sendable {
    public enum Name: String, CaseIterable, Sendable {
        case id, table, seat, hand, chips, bankroll, revision, counter, index, time, versions, action, section, item, card, total,
            rules,
            tableRules,
            tableSummary, result, entry,
            sectionContent, sectionPlace, itemPlace, newItem, errorCode, goodbyeCode
    }

    public let name: Name
    public let shape: Shape
    public let explanation: String

    init(_ name: Name, _ shape: Shape, _ explanation: String) {
        self.name = name
        self.shape = shape
        self.explanation = explanation
    }
}
