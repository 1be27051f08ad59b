/// A JSON document under construction, whose members keep their order. For cold output that people read, too.
indirect enum JSONText {
    case object([(String, JSONText)])
    case array([JSONText])
    case text(String)
    case whole(Int)
    case number(Double)
    case flag(Bool)
    case null

    static func texts(_ values: [String]) -> JSONText { .array(values.map(JSONText.text)) }

    /// The document, indented by two spaces; what is short stands on one line.
    func formatted() -> String {
        var result = ""
        write(to: &result, indent: 0)
        return result + "\n"
    }

    private static let width = 110

    private func write(to result: inout String, indent: Int) {
        let line = inline
        guard indent + line.utf8.count > Self.width else {
            result += line
            return
        }
        let inner = String(repeating: " ", count: indent + 2)
        switch self {
        case .object(let members):
            result += "{\n"
            for (index, member) in members.enumerated() {
                result += inner + Self.quoted(member.0) + ": "
                member.1.write(to: &result, indent: indent + 2)
                result += index == members.count - 1 ? "\n" : ",\n"
            }
            result += String(repeating: " ", count: indent) + "}"
        case .array(let elements):
            result += "[\n"
            for (index, element) in elements.enumerated() {
                result += inner
                element.write(to: &result, indent: indent + 2)
                result += index == elements.count - 1 ? "\n" : ",\n"
            }
            result += String(repeating: " ", count: indent) + "]"
        case .text, .whole, .number, .flag, .null: result += line
        }
    }

    private var inline: String {
        switch self {
        case .object(let members):
            members.isEmpty ? "{}" : "{ " + members.map { Self.quoted($0.0) + ": " + $0.1.inline }.joined(separator: ", ") + " }"
        case .array(let elements): "[" + elements.map(\.inline).joined(separator: ", ") + "]"
        case .text(let text): Self.quoted(text)
        case .whole(let number): String(number)
        case .number(let number): String(number)
        case .flag(let flag): flag ? "true" : "false"
        case .null: "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { $0.string(text) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
