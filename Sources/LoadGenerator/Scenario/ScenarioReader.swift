/// A value of a scenario file with its path, for errors.
struct ScenarioReader {
    let file: String
    let key: String
    let line: Int
    let value: JSONTree

    func error(_ expected: String) -> ScenarioError {
        var shown = value.compact
        if shown.count > 60 { shown = shown.prefix(60) + "…" }
        return ScenarioError(file: file, line: line, key: key, value: shown, expected: expected)
    }

    /// The members by key; each must be a known one.
    func members(_ known: [String]) throws(ScenarioError) -> [String: ScenarioReader] {
        guard case .object(let members) = value else { throw error("an object with the keys \(known.joined(separator: ", "))") }
        var found: [String: ScenarioReader] = [:]
        for member in members {
            let path = key.isEmpty ? member.key : "\(key).\(member.key)"
            guard known.contains(member.key) else {
                throw ScenarioError(
                    file: file, line: member.line, key: path, value: "",
                    expected: "unknown key; known here: \(known.joined(separator: ", "))")
            }
            found[member.key] = ScenarioReader(file: file, key: path, line: member.line, value: member.value)
        }
        return found
    }

    func elements(_ what: String) throws(ScenarioError) -> [ScenarioReader] {
        guard case .array(let elements) = value, !elements.isEmpty else { throw error("an array of \(what), at least one") }
        return elements.enumerated().map { index, element in
            // An element's first key tells its line; a plain value stands in the line of its array as far as is known.
            let start = if case .object(let members) = element, let first = members.first { first.line } else { line }
            return ScenarioReader(file: file, key: "\(key)[\(index)]", line: start, value: element)
        }
    }

    func integer(_ range: ClosedRange<Int>) throws(ScenarioError) -> Int {
        guard let number = value.number, let whole = Int(exactly: number), range.contains(whole) else {
            throw error("a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return whole
    }

    func number(_ range: ClosedRange<Double>) throws(ScenarioError) -> Double {
        guard let number = value.number, range.contains(number) else {
            throw error("a number from \(JSONTree.text(of: range.lowerBound)) to \(JSONTree.text(of: range.upperBound))")
        }
        return number
    }

    func text(_ expected: String = "a text") throws(ScenarioError) -> String {
        guard let text = value.string, !text.isEmpty else { throw error(expected) }
        return text
    }

    func milliseconds() throws(ScenarioError) -> Int64 {
        let expected = "a time such as \"250ms\", \"60s\" or \"5m\", at most a week"
        guard let time = Distribution.Span.milliseconds(in: try text(expected)), time <= 604_800_000 else {
            throw error(expected)
        }
        return Int64(time)
    }

    /// A text in the form of a type that is written in one.
    func value<Value: LosslessStringConvertible>(_ type: Value.Type, _ expected: String) throws(ScenarioError) -> Value {
        let text = if case .number(let number) = value { JSONTree.text(of: number) } else { try text(expected) }
        guard let value = Value(text) else { throw error(expected) }
        return value
    }
}
