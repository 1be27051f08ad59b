import CommandLineKit
import TestKit

/// In how many ways a text is written otherwise.
struct Disguise: OptionSet {
    let rawValue: Int
    /// Space between the parts.
    static let spaced = Disguise(rawValue: 1)
    /// Characters of strings as escapes.
    static let escaped = Disguise(rawValue: 2)
    /// Members in another order.
    static let shuffled = Disguise(rawValue: 4)
    /// Members that nobody knows, with values of every kind.
    static let extended = Disguise(rawValue: 8)
    /// Members that are null, absent so far.
    static let nulled = Disguise(rawValue: 16)
    /// A member twice, which is an error.
    static let doubled = Disguise(rawValue: 32)
}

extension JSONTree {
    /// The same in other bytes; with `doubled` and `extended` the outermost object has members more.
    func text(_ disguise: Disguise, _ generator: inout SeededGenerator, isOutermost: Bool = true) -> String {
        func space() -> String {
            disguise.contains(.spaced) && generator.below(3) == 0 ? [" ", "  ", "\t", "\r", " \t "][generator.below(5)] : ""
        }
        switch content {
        case .null, .bool, .number, .string: return Self.escaped(description, disguise, &generator)
        case .array(let elements):
            var parts: [String] = []
            for element in elements { parts.append(space() + element.text(disguise, &generator, isOutermost: false) + space()) }
            return "[" + (parts.isEmpty ? space() : parts.joined(separator: ",")) + "]"
        case .object(var members):
            if isOutermost { Self.add(to: &members, disguise, &generator) }
            if disguise.contains(.shuffled) { members.shuffle(using: &generator) }
            var parts: [String] = []
            for member in members {
                let key = Self.escaped(JSONTree.string(member.key).description, disguise, &generator)
                let value = member.value.text(disguise, &generator, isOutermost: false)
                parts.append(space() + key + space() + ":" + space() + value + space())
            }
            let text = "{" + (parts.isEmpty ? space() : parts.joined(separator: ",")) + "}"
            return isOutermost ? space() + text + space() : text
        }
    }

    private static func add(to members: inout [Member], _ disguise: Disguise, _ generator: inout SeededGenerator) {
        if disguise.contains(.extended) {
            let values: [JSONTree] = [
                ["type": "x", "a": [1, ["id": .null]]], [[], []], .digits(#""\ud83c\udccf""#), .digits("-1.5e3"), true, .null,
            ]
            for number in 0..<1 + generator.below(3) {
                let key = ["new\(number)", "\u{E9}\(number)", "aLongerKey\(number)"][generator.below(3)]
                members.append(Member(key, values[generator.below(values.count)]))
            }
        }
        if disguise.contains(.nulled) {
            let key = ["seat", "table", "check", "hand", "clear", "id"][generator.below(6)]
            if !members.contains(where: { $0.key == key }) { members.append(Member(key, .null)) }
        }
        if disguise.contains(.doubled), !members.isEmpty { members.append(members[generator.below(members.count)]) }
    }

    private static func escaped(_ text: String, _ disguise: Disguise, _ generator: inout SeededGenerator) -> String {
        // The digits of an escape are not escaped.
        guard disguise.contains(.escaped), text.hasPrefix("\""), !text.contains("\\u") else { return text }
        var result = ""
        var isAfterBackslash = false
        for scalar in text.unicodeScalars {
            let isPlain = scalar != "\"" && scalar != "\\" && !isAfterBackslash && scalar.value < 0x80
            if isPlain && generator.below(4) == 0 {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
            isAfterBackslash = scalar == "\\" && !isAfterBackslash
        }
        return result
    }
}
