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
    /// An object whose keys match these patterns, each at most one; a member may be null.
    case dictionary([Field])
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

    // MARK: Schema

    // Shapes as JSON Schema, draft 2020-12.

    /// - Parameter isNullable: whether null is allowed, which counts as absent.
    func schema(isNullable: Bool = false, explanation: String? = nil) -> JSONText {
        var members = members(isNullable: isNullable)
        if let explanation { members.append(("description", .text(explanation))) }
        return .object(members)
    }

    private func members(isNullable: Bool) -> [(String, JSONText)] {
        switch self {
        case .text(let maximum, let pattern):
            // JSON Schema bounds characters; the exact bound, in bytes, is a keyword of our own.
            let bounds = maximum.map { [("maxLength", JSONText.whole($0)), ("x-maxBytes", .whole($0))] } ?? []
            return typed("string", isNullable) + bounds + (pattern.map { [("pattern", .text($0))] } ?? [])
        case .word(let words):
            return typed("string", isNullable) + [("enum", .array(words.map(JSONText.text) + (isNullable ? [.null] : [])))]
        case .openWord(let words):
            let known = words.map { JSONText.object([("const", .text($0.name)), ("description", .text($0.explanation))]) }
            return any(known + [.object([("type", .text("string"))])], isNullable)
        case .whole(let range):
            return typed("integer", isNullable)
                + [("minimum", .whole(range.lowerBound)), ("maximum", .whole(range.upperBound))]
        case .number(let range):
            return typed("number", isNullable)
                + [("minimum", .number(range.lowerBound)), ("maximum", .number(range.upperBound))]
        case .flag: return typed("boolean", isNullable)
        case .anything: return []
        case .list(let element): return typed("array", isNullable) + [("items", element.schema())]
        case .tuple(let elements):
            return typed("array", isNullable)
                + [("prefixItems", .array(elements.map { $0.schema() })), ("minItems", .whole(elements.count))]
        case .object(let fields): return Shape.object(fields, typed("object", isNullable))
        case .dictionary(let fields):
            let properties = fields.map { ("^\($0.name)$", $0.shape.schema(isNullable: true, explanation: $0.explanation)) }
            return typed("object", isNullable) + [
                ("patternProperties", .object(properties)), ("additionalProperties", .flag(false)),
                ("maxProperties", .whole(WireLimits.eventMembers)),
            ]
        case .either(let shapes): return any(shapes.map { $0.schema() }, isNullable)
        case .reference(let name):
            let reference = ("$ref", JSONText.text("#/$defs/\(name.rawValue)"))
            return isNullable ? any([.object([reference])], true) : [reference]
        }
    }

    private func typed(_ type: String, _ isNullable: Bool) -> [(String, JSONText)] {
        [("type", isNullable ? .texts([type, "null"]) : .text(type))]
    }

    private func any(_ schemas: [JSONText], _ isNullable: Bool) -> [(String, JSONText)] {
        [("anyOf", .array(schemas + (isNullable ? [.object([("type", .text("null"))])] : [])))]
    }

    /// An object with these fields and any others. `constants` are fields that say what it is.
    static func object(
        _ fields: [Field], _ type: [(String, JSONText)], constants: [(String, JSONText)] = [],
        maximum: Int = WireLimits.eventMembers
    ) -> [(String, JSONText)] {
        let required = constants.map(\.0) + fields.filter(\.isRequired).map(\.name)
        let properties = fields.map { ($0.name, $0.shape.schema(isNullable: !$0.isRequired, explanation: $0.explanation)) }
        return type + (required.isEmpty ? [] : [("required", .texts(required))])
            + [
                ("properties", .object(constants + properties)), ("additionalProperties", .flag(true)),
                ("maxProperties", .whole(maximum)),
            ]
    }
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
        case id, table, seat, hand, chips, bankroll, revision, counter, time, versions, action, items, card, total, rules,
            tableRules, tableSummary, result, factWord, fact, errorCode, goodbyeCode
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
