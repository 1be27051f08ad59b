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
