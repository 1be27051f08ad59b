import Measuring

extension JSONTree {
    /// The value as text in one line.
    var compact: String {
        var text = ""
        write(to: &text, indent: nil)
        return text
    }

    /// The value as text over several lines, for people.
    public var pretty: String {
        var text = ""
        write(to: &text, indent: 0)
        return text + "\n"
    }

    private func write(to text: inout String, indent: Int?) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let value): text += Self.text(of: value)
        case .string(let value): text += Self.quoted(value)
        case .array(let elements):
            // Arrays of plain values stay on a line.
            let isFlat = elements.allSatisfy { if case .array = $0 { false } else if case .object = $0 { false } else { true } }
            Self.write("[", "]", elements, isFlat ? nil : indent, &text) { $0.write(to: &$1, indent: $2) }
        case .object(let members):
            Self.write("{", "}", members, indent, &text) { member, text, indent in
                text += Self.quoted(member.key) + (indent == nil ? ":" : ": ")
                member.value.write(to: &text, indent: indent)
            }
        }
    }

    private static func write<Element>(
        _ open: String, _ close: String, _ elements: [Element], _ indent: Int?, _ text: inout String,
        _ body: (Element, inout String, Int?) -> Void
    ) {
        text += open
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            if let indent { text += "\n" + String(repeating: "  ", count: indent + 1) }
            body(element, &text, indent.map { $0 + 1 })
        }
        if let indent, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: indent) }
        text += close
    }

    /// The shortest text that reads back as the same number; null for NaN and infinities.
    static func text(of value: Double) -> String {
        value.isFinite ? shortest(value) : "null"
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
