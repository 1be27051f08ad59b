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
