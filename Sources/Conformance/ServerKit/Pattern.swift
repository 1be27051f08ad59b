extension ServerKit {
    /// A JSON value with gaps, which lines are compared with. A value without gaps is a pattern too.
    indirect enum Pattern: Equatable, Sendable {
        /// The members in their order; with `...` further ones are allowed.
        case object([Member], isOpen: Bool)
        /// With `...` at the end further elements are allowed.
        case array([Pattern], isOpen: Bool)
        case text(String)
        /// As it is written.
        case number(String)
        case flag(Bool)
        case null
        /// `*`
        case anything
        /// `$name`, possibly with arithmetic: the variable's value; an unset variable takes the value it meets.
        case term(Term)
        /// `a|b`
        case either([Pattern])
        /// `!a`
        case not(Pattern)

        struct Member: Equatable, Sendable {
            var key: String
            var value: Pattern
        }
    }

    /// A variable and arithmetic on it, from left to right.
    struct Term: Equatable, Sendable {
        enum Operand: Equatable, Sendable {
            case variable(String)
            case number(Int)
        }

        var first: Operand
        var rest: [(sign: Character, operand: Operand)] = []

        static func == (one: Term, other: Term) -> Bool { one.text == other.text }

        var text: String {
            rest.reduce(Self.text(first)) { $0 + String($1.sign) + Self.text($1.operand) }
        }

        private static func text(_ operand: Operand) -> String {
            switch operand {
            case .variable(let name): "$" + name
            case .number(let number): String(number)
            }
        }
    }

    /// Values of the variables so far.
    struct Variables: Sendable {
        private var values: [String: Pattern] = [:]

        subscript(_ name: String) -> Pattern? {
            get { values[name] }
            set { values[name] = newValue }
        }

        /// nil where a name has no value yet, or the result is no number of 64 bits.
        func number(_ term: Term) -> Int? {
            func value(_ operand: Term.Operand) -> Int? {
                switch operand {
                case .number(let number): number
                case .variable(let name): if case .number(let text) = values[name] { Int(text) } else { nil }
                }
            }
            guard var result = value(term.first) else { return nil }
            for (sign, operand) in term.rest {
                guard let next = value(operand) else { return nil }
                let (value, isTooLarge) =
                    switch sign {
                    case "+": result.addingReportingOverflow(next)
                    case "-": result.subtractingReportingOverflow(next)
                    case "*": result.multipliedReportingOverflow(by: next)
                    default: next == 0 ? (0, false) : result.dividedReportingOverflow(by: next)
                    }
                guard !isTooLarge else { return nil }
                result = value
            }
            return result
        }

        /// The value of a term; nil while a variable is unset.
        func value(_ term: Term) -> Pattern? {
            if term.rest.isEmpty, case .variable(let name) = term.first { return values[name] }
            return number(term).map { .number(String($0)) }
        }

        /// A text with `$name` replaced where that has a value.
        func filled(_ text: String) -> String {
            guard text.contains("$" as Character) else { return text }
            var result = ""
            var rest = text[...]
            while let mark = rest.firstIndex(of: "$") {
                result += rest[..<mark]
                let name = rest[rest.index(after: mark)...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                switch values[String(name)] {
                case .text(let text): result += text
                case .number(let text): result += text
                default: result += "$" + name
                }
                rest = rest[name.endIndex...]
            }
            return result + rest
        }
    }

    // MARK: Text

    /// A fault in a text of the kit.
    public struct Mistake: Error, Equatable, Sendable, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }
}

extension ServerKit.Pattern {
    /// Whether a value fits. Variables that had no value get one if it does.
    func fits(_ value: Self, _ variables: inout ServerKit.Variables) -> Bool {
        var attempt = variables
        guard matches(value, &attempt) else { return false }
        variables = attempt
        return true
    }

    /// The same; variables set by a failed match are to be discarded.
    private func matches(_ value: Self, _ variables: inout ServerKit.Variables) -> Bool {
        switch (self, value) {
        case (.anything, _): return true
        case (.either(let patterns), _):
            return patterns.contains { $0.fits(value, &variables) }
        case (.not(let pattern), _):
            var attempt = variables
            return !pattern.matches(value, &attempt)
        case (.term(let term), _):
            if let known = variables.value(term) { return known == value }
            guard term.rest.isEmpty, case .variable(let name) = term.first else { return false }
            variables[name] = value
            return true
        case (.object(let members, let isOpen), .object(let others, _)):
            // A key may name a variable that an earlier member sets.
            var keys: Set<String> = []
            for member in members {
                let key = variables.filled(member.key)
                guard let other = value[key], member.value.matches(other, &variables) else { return false }
                keys.insert(key)
            }
            return isOpen || others.allSatisfy { keys.contains($0.key) }
        case (.array(let elements, let isOpen), .array(let others, _)):
            guard elements.count == others.count || isOpen && elements.count < others.count else { return false }
            for (element, other) in zip(elements, others) where !element.matches(other, &variables) { return false }
            return true
        case (.text(let text), .text(let other)): return variables.filled(text) == other
        default: return self == value
        }
    }

    subscript(_ key: String) -> Self? {
        guard case .object(let members, _) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    var string: String? { if case .text(let text) = self { text } else { nil } }
    var whole: Int? { if case .number(let text) = self { Int(text) } else { nil } }
    var elements: [Self] { if case .array(let elements, _) = self { elements } else { [] } }
    var members: [Member] { if case .object(let members, _) = self { members } else { [] } }
}

extension ServerKit.Pattern: CustomStringConvertible {
    /// Reads a pattern, which takes the whole text.
    init(_ text: String) throws(ServerKit.Mistake) {
        var reader = PatternReader(text)
        self = try reader.alternatives()
        guard reader.isAtEnd else { throw reader.mistake("nothing more") }
    }

    /// As it is written, on one line.
    var description: String {
        switch self {
        case .object(let members, let isOpen):
            let parts = members.map { Self.quoted($0.key) + ":" + $0.value.description } + (isOpen ? ["..."] : [])
            return "{" + parts.joined(separator: ",") + "}"
        case .array(let elements, let isOpen):
            return "[" + (elements.map(\.description) + (isOpen ? ["..."] : [])).joined(separator: ",") + "]"
        case .text(let text): return Self.quoted(text)
        case .number(let text): return text
        case .flag(let flag): return flag ? "true" : "false"
        case .null: return "null"
        case .anything: return "*"
        case .term(let term): return term.text
        case .either(let patterns): return patterns.map(\.description).joined(separator: "|")
        case .not(let pattern): return "!" + pattern.description
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" {
                result += "\\" + String(scalar)
            } else if scalar.value < 0x20 {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// Reads patterns. A server's line gets here only after the codec found JSON of bounded depth.
struct PatternReader {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    /// Patterns inside each other, at most: each takes room on the stack.
    private static let mostDepth = 64

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position == bytes.count
        }
    }

    func mistake(_ expected: String) -> ServerKit.Mistake {
        ServerKit.Mistake("expected \(expected) at column \(position + 1) of \(String(decoding: bytes, as: UTF8.self))")
    }

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
    }

    private mutating func take(_ text: String) -> Bool {
        skipSpace()
        // Most characters are none that is looked for: the first one decides.
        guard position < bytes.count, bytes[position] == text.utf8.first, bytes[position...].starts(with: text.utf8) else {
            return false
        }
        position += text.utf8.count
        return true
    }

    mutating func alternatives() throws(ServerKit.Mistake) -> ServerKit.Pattern {
        let first = try value()
        var patterns = [first]
        while take("|") { patterns.append(try value()) }
        return patterns.count == 1 ? first : .either(patterns)
    }

    private mutating func value() throws(ServerKit.Mistake) -> ServerKit.Pattern {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.mostDepth else { throw mistake("no more than \(Self.mostDepth) patterns inside each other") }
        if take("!") { return .not(try value()) }
        if take("*") { return .anything }
        if take("{") { return try object() }
        if take("[") { return try array() }
        if take("\"") { return .text(try text()) }
        if take("$") {
            position -= 1
            return .term(try term())
        }
        let start = position
        let word = word()
        if word.contains("$" as Character) {
            position = start
            return .term(try term())
        }
        switch word {
        case "true": return .flag(true)
        case "false": return .flag(false)
        case "null": return .null
        default:
            guard Double(word) != nil else { throw mistake("a value") }
            return .number(word)
        }
    }

    private mutating func word() -> String {
        let start = position
        while position < bytes.count, !",]}:| \t".utf8.contains(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func object() throws(ServerKit.Mistake) -> ServerKit.Pattern {
        var members: [ServerKit.Pattern.Member] = []
        if take("}") { return .object([], isOpen: false) }
        repeat {
            if take("...") {
                guard take("}") else { throw mistake("} after ...") }
                return .object(members, isOpen: true)
            }
            guard take("\"") else { throw mistake("a key") }
            let key = try text()
            guard take(":") else { throw mistake(":") }
            members.append(.init(key: key, value: try alternatives()))
        } while take(",")
        guard take("}") else { throw mistake(", or }") }
        return .object(members, isOpen: false)
    }

    private mutating func array() throws(ServerKit.Mistake) -> ServerKit.Pattern {
        var elements: [ServerKit.Pattern] = []
        if take("]") { return .array([], isOpen: false) }
        repeat {
            if take("...") {
                guard take("]") else { throw mistake("] after ...") }
                return .array(elements, isOpen: true)
            }
            elements.append(try alternatives())
        } while take(",")
        guard take("]") else { throw mistake(", or ]") }
        return .array(elements, isOpen: false)
    }

    /// `$name`, `$name+5`, `$a-$b*2`; a plain number too.
    mutating func term() throws(ServerKit.Mistake) -> ServerKit.Term {
        var term = ServerKit.Term(first: try operand())
        while position < bytes.count, "+-*/".utf8.contains(bytes[position]) {
            let sign = Character(Unicode.Scalar(bytes[position]))
            position += 1
            term.rest.append((sign, try operand()))
        }
        return term
    }

    private mutating func operand() throws(ServerKit.Mistake) -> ServerKit.Term.Operand {
        let isVariable = take("$")
        let start = position
        while position < bytes.count, bytes[position] == UInt8(ascii: "_") || Character(Unicode.Scalar(bytes[position])).isWord {
            position += 1
        }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        guard !name.isEmpty else { throw mistake("a name or a number") }
        if isVariable { return .variable(name) }
        guard let number = Int(name) else { throw mistake("a number") }
        return .number(number)
    }

    /// The rest of a string whose first quote was taken.
    private mutating func text() throws(ServerKit.Mistake) -> String {
        var units: [UInt16] = []
        var plain: [UInt8] = []
        func flush(_ plain: inout [UInt8], _ units: inout [UInt16]) {
            units += String(decoding: plain, as: UTF8.self).utf16
            plain.removeAll()
        }
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") {
                flush(&plain, &units)
                return String(decoding: units, as: UTF16.self)
            }
            guard byte == UInt8(ascii: "\\") else {
                plain.append(byte)
                continue
            }
            guard position < bytes.count else { break }
            let escape = bytes[position]
            position += 1
            switch escape {
            case UInt8(ascii: "n"): plain.append(10)
            case UInt8(ascii: "r"): plain.append(13)
            case UInt8(ascii: "t"): plain.append(9)
            case UInt8(ascii: "b"): plain.append(8)
            case UInt8(ascii: "f"): plain.append(12)
            case UInt8(ascii: "u"):
                let digits = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
                guard digits.utf8.count == 4, let unit = UInt16(digits, radix: 16) else { throw mistake("four digits") }
                position += 4
                flush(&plain, &units)
                units.append(unit)
            default: plain.append(escape)
            }
        }
        throw mistake("the end of a string")
    }
}

extension Character {
    fileprivate var isWord: Bool { isASCII && (isLetter || isNumber) }
}
