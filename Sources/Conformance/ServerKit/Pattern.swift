import CommandLineKit

extension ServerKit {
    /// A JSON value with gaps, which the values of lines are compared with.
    indirect enum Pattern: Equatable, Sendable {
        /// The members in their order; with `...` further ones are allowed.
        case object([Member], isOpen: Bool)
        /// With `...` at the end further elements are allowed.
        case array([Pattern], isOpen: Bool)
        /// A string, in which `$name` stands for a variable.
        case text(String)
        /// A number, true, false or null, as it is written.
        case value(JSONTree)
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
        private var values: [String: JSONTree] = [:]

        subscript(_ name: String) -> JSONTree? {
            get { values[name] }
            set { values[name] = newValue }
        }

        /// nil where a name has no value yet, or the result is no number of 64 bits.
        func number(_ term: Term) -> Int? {
            func value(_ operand: Term.Operand) -> Int? {
                switch operand {
                case .number(let number): number
                case .variable(let name): if case .number(let digits) = values[name]?.content { Int(digits) } else { nil }
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
        func value(_ term: Term) -> JSONTree? {
            if term.rest.isEmpty, case .variable(let name) = term.first { return values[name] }
            return number(term).map { .integer($0) }
        }

        /// A text with `$name` replaced where that has a value.
        func filled(_ text: String) -> String {
            guard text.contains("$" as Character) else { return text }
            var result = ""
            var rest = text[...]
            while let mark = rest.firstIndex(of: "$") {
                result += rest[..<mark]
                let name = rest[rest.index(after: mark)...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                switch values[String(name)]?.content {
                case .string(let text), .number(let text): result += text
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
    func fits(_ value: JSONTree, _ variables: inout ServerKit.Variables) -> Bool {
        var attempt = variables
        guard matches(value, &attempt) else { return false }
        variables = attempt
        return true
    }

    /// The same; variables set by a failed match are to be discarded.
    private func matches(_ value: JSONTree, _ variables: inout ServerKit.Variables) -> Bool {
        switch (self, value.content) {
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
        case (.object(let members, let isOpen), .object(let others)):
            // A key may name a variable that an earlier member sets.
            var keys: Set<String> = []
            for member in members {
                let key = variables.filled(member.key)
                guard let other = value[key], member.value.matches(other, &variables) else { return false }
                keys.insert(key)
            }
            return isOpen || others.allSatisfy { keys.contains($0.key) }
        case (.array(let elements, let isOpen), .array(let others)):
            guard elements.count == others.count || isOpen && elements.count < others.count else { return false }
            for (element, other) in zip(elements, others) where !element.matches(other, &variables) { return false }
            return true
        case (.text(let text), .string(let other)): return variables.filled(text) == other
        case (.value(let expected), _): return expected == value
        case (.object, _), (.array, _), (.text, _): return false
        }
    }

    /// Reads a pattern, which takes the whole text.
    init(_ text: String) throws(ServerKit.Mistake) {
        self = try ServerKit.read(text) { parser throws(FileError) in try parser.pattern() }
    }
}

extension ServerKit {
    /// A text that is one pattern or term.
    static func read<Value>(
        _ text: String, _ value: (inout JSONParser) throws(FileError) -> Value
    ) throws(Mistake) -> Value {
        var parser = JSONParser(text.utf8)
        do throws(FileError) {
            return try parser.whole(value)
        } catch {
            throw Mistake("\(error.problem) at column \(error.position?.column ?? 1) of \(text)")
        }
    }
}

/// Patterns: what they add to JSON.
extension JSONParser {
    fileprivate mutating func pattern() throws(FileError) -> ServerKit.Pattern {
        var patterns = [try part()]
        while take("|") { patterns.append(try part()) }
        return patterns.count == 1 ? patterns[0] : .either(patterns)
    }

    private mutating func part() throws(FileError) -> ServerKit.Pattern {
        try nested { parser throws(FileError) in
            if parser.take("!") { return .not(try parser.part()) }
            if parser.take("*") { return .anything }
            switch parser.next {
            case "{":
                var keys: Set<String> = []
                let (members, isOpen) = try parser.openItems(until: "}") { parser throws(FileError) in
                    let member = try parser.member(&keys) { parser throws(FileError) in try parser.pattern() }
                    return ServerKit.Pattern.Member(key: member.key, value: member.value)
                }
                return .object(members, isOpen: isOpen)
            case "[":
                let (elements, isOpen) = try parser.openItems(until: "]") { parser throws(FileError) in try parser.pattern() }
                return .array(elements, isOpen: isOpen)
            case "\"": return .text(try parser.string())
            default:
                // Arithmetic may begin with a number, too.
                let isTerm = parser.upcoming { !",]}:| \t".unicodeScalars.contains($0) }.contains("$" as Character)
                return isTerm ? .term(try parser.term()) : .value(try parser.tree())
            }
        }
    }

    /// Items of which the last may be `...`: further ones are allowed.
    private mutating func openItems<Item>(
        until end: String, _ item: (inout Self) throws(FileError) -> Item
    ) throws(FileError) -> (items: [Item], isOpen: Bool) {
        var isOpen = false
        let items = try items(until: end) { parser throws(FileError) -> Item? in
            if isOpen { throw parser.error("expected \(end) after ...") }
            isOpen = parser.take("...")
            return isOpen ? nil : try item(&parser)
        }
        return (items.compactMap { $0 }, isOpen)
    }

    /// `$name`, `$name+5`, `$a-$b*2`; a plain number too.
    mutating func term() throws(FileError) -> ServerKit.Term {
        var term = ServerKit.Term(first: try operand())
        while let sign = next, "+-*/".unicodeScalars.contains(sign) {
            _ = take(String(sign))
            term.rest.append((Character(sign), try operand()))
        }
        return term
    }

    private mutating func operand() throws(FileError) -> ServerKit.Term.Operand {
        let isVariable = take("$")
        let name = upcoming { $0 == "_" || $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil) }
        guard !name.isEmpty else { throw error("expected a name or a number") }
        _ = take(name)
        if isVariable { return .variable(name) }
        guard let number = Int(name) else { throw error("expected a number") }
        return .number(number)
    }
}
