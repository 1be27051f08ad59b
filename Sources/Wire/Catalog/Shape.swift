/// The form of a value: what the codec accepts before the server checks its meaning.
package indirect enum Shape: Equatable, Sendable {
    /// A string of at most `maximumBytes` of UTF-8 that matches a pattern (ECMA-262, as in JSON Schema), if any.
    case text(maximumBytes: Int? = nil, pattern: String? = nil)
    /// One of these strings.
    case word([String])
    /// A string: one of these words, or one of a later version.
    case openWord([Word])
    /// A whole number, written without fraction or exponent.
    case whole(ClosedRange<Int>)
    /// Any number of the range.
    case number(ClosedRange<Double>)
    /// `true` or `false`.
    case flag
    /// Any value.
    case anything
    /// An array of any length.
    case list(Shape)
    /// An array that begins with these.
    case tuple([Shape])
    case object([Field])
    /// Any of these.
    case either([Shape])
    /// A definition of the catalog.
    case reference(Definition.Name)

    /// A word and its meaning.
    package struct Word: Equatable, Sendable {
        package let name: String
        package let explanation: String

        init(_ name: String, _ explanation: String) {
            self.name = name
            self.explanation = explanation
        }
    }

    /// Any whole number of 64 bits.
    static let anyWhole = Shape.whole(Int.min...Int.max)
}

/// One field of an object.
package struct Field: Equatable, Sendable {
    package let name: String
    package let shape: Shape
    /// Whether it must be present. An optional field may be null, which is as good as absent.
    package let isRequired: Bool
    /// One sentence, or a part of one.
    package let explanation: String

    static func required(_ name: String, _ shape: Shape, _ explanation: String) -> Field {
        Field(name: name, shape: shape, isRequired: true, explanation: explanation)
    }

    static func optional(_ name: String, _ shape: Shape, _ explanation: String) -> Field {
        Field(name: name, shape: shape, isRequired: false, explanation: explanation)
    }
}

/// A shape that several messages share.
package struct Definition: Equatable, Sendable {
    package enum Name: String, CaseIterable, Sendable {
        case id, table, seat, hand, chips, bankroll, revision, counter, index, time, versions, action, section, item, card, total,
            rules,
            tableRules,
            tableSummary, result, entry,
            sectionContent, sectionPlace, itemPlace, newItem, errorCode, goodbyeCode
    }

    package let name: Name
    package let shape: Shape
    package let explanation: String

    init(_ name: Name, _ shape: Shape, _ explanation: String) {
        self.name = name
        self.shape = shape
        self.explanation = explanation
    }
}
