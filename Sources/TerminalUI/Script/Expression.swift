/// A regular expression without backtracking (Thompson, CACM 11(6), 1968): a script cannot make its reader wait. Compiled once. A value.
/// References and look-around, which need backtracking, are refused.
struct Expression: Equatable, Sendable {
    /// The end of a sentence about an expression.
    struct Fault: Error, Equatable { let description: String }

    /// Steps of a compiled expression: bounds what `{m,n}` writes out.
    static let limit = 2000
    /// Characters of a text that are looked at: no sentence is longer.
    static let longestText = 4000

    indirect enum Node: Equatable, Sendable {
        case one(CharacterClass)
        case start, end
        case boundary(Bool)
        case sequence([Node])
        case choice([Node])
        case loop(Node, least: Int, most: Int?)
    }

    private enum Step: Equatable, Sendable {
        case one(CharacterClass)
        case start, end
        case boundary(Bool)
        case split(Int, Int)
        case jump(Int)
        case match
    }

    private var steps: [Step] = []
    /// Parts written out so far: an empty group has no step, and may be repeated as well.
    private var parts = 0

    init(_ source: String) throws(Fault) {
        var parser = ExpressionParser(source)
        try append(try parser.whole())
        steps.append(.match)
    }

    private mutating func append(_ node: Node) throws(Fault) {
        parts += 1
        guard parts <= 4 * Self.limit, steps.count < Self.limit else {
            throw Fault(description: "has more than \(Self.limit) steps")
        }
        switch node {
        case .one(let set): steps.append(.one(set))
        case .start: steps.append(.start)
        case .end: steps.append(.end)
        case .boundary(let isOne): steps.append(.boundary(isOne))
        case .sequence(let nodes): for node in nodes { try append(node) }
        case .choice(let nodes): try appendChoice(nodes[...])
        case .loop(let node, let least, let most):
            for _ in 0..<least { try append(node) }
            guard let most else { return try appendEndless(node) }
            for _ in least..<max(least, most) { try appendChoice([node, .sequence([])]) }
        }
    }

    private mutating func appendChoice(_ nodes: ArraySlice<Node>) throws(Fault) {
        guard let first = nodes.first else { return }
        guard nodes.count > 1 else { return try append(first) }
        let split = steps.count
        steps.append(.match)
        try append(first)
        let jump = steps.count
        steps.append(.match)
        steps[split] = .split(split + 1, steps.count)
        try appendChoice(nodes.dropFirst())
        steps[jump] = .jump(steps.count)
    }

    private mutating func appendEndless(_ node: Node) throws(Fault) {
        let split = steps.count
        steps.append(.match)
        try append(node)
        steps.append(.jump(split))
        steps[split] = .split(split + 1, steps.count)
    }

    /// Whether a part of the text matches.
    func matches(_ text: String) -> Bool {
        let text = Array(text.unicodeScalars.prefix(Self.longestText))
        var active: [Int] = []
        // The position at which a step was entered last: each is entered once for a character.
        var entered = [Int](repeating: -1, count: steps.count)
        for position in 0...text.count {
            // A match may begin at each character.
            if enter(0, at: position, of: text, &active, &entered) { return true }
            guard position < text.count else { return false }
            let before = active
            active = []
            for step in before {
                guard case .one(let set) = steps[step], set.contains(text[position]) else { continue }
                if enter(step + 1, at: position + 1, of: text, &active, &entered) { return true }
            }
        }
        return false
    }

    /// Follows steps that take no character.
    /// - Returns: whether the end of the expression is reached.
    private func enter(
        _ first: Int, at position: Int, of text: [Unicode.Scalar], _ active: inout [Int], _ entered: inout [Int]
    ) -> Bool {
        var waiting = [first]
        while let step = waiting.popLast() {
            guard entered[step] != position else { continue }
            entered[step] = position
            switch steps[step] {
            case .one: active.append(step)
            case .split(let one, let other): waiting += [one, other]
            case .jump(let next): waiting.append(next)
            case .start: if position == 0 { waiting.append(step + 1) }
            case .end: if position == text.count { waiting.append(step + 1) }
            case .boundary(let isOne):
                let before = position > 0 && CharacterClass.word.contains(text[position - 1])
                let after = position < text.count && CharacterClass.word.contains(text[position])
                if (before != after) == isOne { waiting.append(step + 1) }
            case .match: return true
            }
        }
        return false
    }
}

extension Expression {
    /// Characters that a step takes.
    struct CharacterClass: Equatable, Sendable {
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        /// Letters and digits of every script.
        var hasWords = false
        var isInverted = false

        static let any = CharacterClass(isInverted: true)
        static let digit = CharacterClass(ranges: ["0"..."9"])
        static let space = CharacterClass(ranges: [" "..." ", "\t"..."\r"])
        static let word = CharacterClass(ranges: ["_"..."_"], hasWords: true)

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            let isWord = hasWords && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            return (isWord || ranges.contains { $0.contains(scalar) }) != isInverted
        }
    }
}

/// Reads the text of an ``Expression``.
struct ExpressionParser {
    /// Groups inside each other: bounds the recursion.
    private static let deepest = 50
    /// Repetitions that `{m,n}` may ask for.
    private static let mostRepetitions = 1000

    private var rest: Substring.UnicodeScalarView
    private var depth = 0

    init(_ source: String) { rest = source[...].unicodeScalars }

    mutating func whole() throws(Expression.Fault) -> Expression.Node {
        let node = try choice()
        guard rest.isEmpty else { throw .init(description: "has a ')' without its '('") }
        return node
    }

    private mutating func choice() throws(Expression.Fault) -> Expression.Node {
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(Expression.Fault) -> Expression.Node {
        var nodes: [Expression.Node] = []
        while let next = rest.first, next != "|", next != ")" {
            let node = try atom()
            nodes.append(try repeated(node))
        }
        return .sequence(nodes)
    }

    private mutating func atom() throws(Expression.Fault) -> Expression.Node {
        switch rest.removeFirst() {
        case "(": return try group()
        case "[": return .one(try set())
        case ".": return .one(.any)
        case "^": return .start
        case "$": return .end
        case "\\": return try escape()
        case let sign where "*+?".unicodeScalars.contains(sign):
            throw .init(description: "has a '\(sign)' with nothing before it")
        case let scalar: return .one(.init(ranges: [scalar...scalar]))
        }
    }

    private mutating func group() throws(Expression.Fault) -> Expression.Node {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw .init(description: "has more than \(Self.deepest) groups inside each other") }
        if take("?"), !take(":") { throw .init(description: "has '(?', of which only '(?:' is known: nothing looks around") }
        let node = try choice()
        guard take(")") else { throw .init(description: "has a '(' without its ')'") }
        return node
    }

    private mutating func repeated(_ node: Expression.Node) throws(Expression.Fault) -> Expression.Node {
        guard let sign = rest.first else { return node }
        let loop: Expression.Node
        switch sign {
        case "*": loop = .loop(node, least: 0, most: nil)
        case "+": loop = .loop(node, least: 1, most: nil)
        case "?": loop = .loop(node, least: 0, most: 1)
        case "{": return try counted(node)
        default: return node
        }
        rest.removeFirst()
        // How much is taken makes no difference to whether there is a match.
        _ = take("?")
        return loop
    }

    /// `{3}`, `{3,}`, `{3,5}`.
    private mutating func counted(_ node: Expression.Node) throws(Expression.Fault) -> Expression.Node {
        rest.removeFirst()
        guard let end = rest.firstIndex(of: "}") else { throw .init(description: "has a '{' without its '}'") }
        let numbers = String(rest[..<end]).split(separator: ",", omittingEmptySubsequences: false)
        rest = rest[rest.index(after: end)...]
        _ = take("?")
        let least = numbers.first.flatMap { Int($0) } ?? -1
        let most = numbers.count < 2 ? least : numbers[1].isEmpty ? nil : Int(numbers[1]) ?? -1
        let allowed = 0...Self.mostRepetitions
        guard numbers.count <= 2, allowed.contains(least), most.map({ $0 >= least && allowed.contains($0) }) ?? true else {
            throw .init(description: "has a '{}' that is not {m}, {m,} or {m,n} with numbers up to \(Self.mostRepetitions)")
        }
        return .loop(node, least: least, most: most)
    }

    private mutating func escape() throws(Expression.Fault) -> Expression.Node {
        guard let scalar = rest.popFirst() else { throw .init(description: "ends with '\\'") }
        switch scalar {
        case "b": return .boundary(true)
        case "B": return .boundary(false)
        default: return .one(try Self.set(escaped: scalar))
        }
    }

    private static func set(escaped scalar: Unicode.Scalar) throws(Expression.Fault) -> Expression.CharacterClass {
        switch scalar {
        case "d": return .digit
        case "s": return .space
        case "w": return .word
        case "D", "S", "W":
            var set = try set(escaped: Unicode.Scalar(UInt8(scalar.value) + 32))
            set.isInverted = true
            return set
        case "t": return .init(ranges: ["\t"..."\t"])
        case "0"..."9", "a"..."z", "A"..."Z": throw .init(description: "has '\\\(scalar)', which is not known")
        default: return .init(ranges: [scalar...scalar])
        }
    }

    /// After `[`.
    private mutating func set() throws(Expression.Fault) -> Expression.CharacterClass {
        var set = Expression.CharacterClass(isInverted: take("^"))
        while let scalar = rest.popFirst() {
            if scalar == "]", !set.ranges.isEmpty { return set }
            var first = scalar
            if scalar == "\\", let escaped = rest.popFirst() {
                let others = try Self.set(escaped: escaped)
                guard !others.isInverted else { throw .init(description: "has '\\\(escaped)' within '[]', which is not known") }
                guard !others.hasWords, others.ranges.count == 1, let only = others.ranges.first,
                    only.lowerBound == only.upperBound
                else {
                    set.ranges += others.ranges
                    set.hasWords = set.hasWords || others.hasWords
                    continue
                }
                first = only.lowerBound
            }
            set.ranges.append(first...(try last(of: first)))
        }
        throw .init(description: "has a '[' without its ']'")
    }

    /// The end of a range; the same character where there is none.
    private mutating func last(of first: Unicode.Scalar) throws(Expression.Fault) -> Unicode.Scalar {
        let after = rest.dropFirst().first
        guard rest.first == "-", let after, after != "]" else { return first }
        rest = rest.dropFirst(2)
        let last = after == "\\" ? rest.popFirst() ?? after : after
        guard first <= last else { throw .init(description: "has the range '\(first)-\(last)', which is the wrong way round") }
        return last
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }
}
