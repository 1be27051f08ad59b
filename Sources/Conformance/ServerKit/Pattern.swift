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
