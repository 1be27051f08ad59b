import TestKit

@testable import Wire

/// A JSON text taken apart, so that it can be written in other ways that mean the same.
indirect enum JSONTree {
    /// A number, a word, or a string with its quotes, as it stands.
    case leaf(String)
    case array([JSONTree])
    /// Keys with their quotes.
    case object([(key: String, value: JSONTree)])

    /// Takes apart what is valid and has no space outside of strings.
    init(_ text: String) {
        var rest = Array(text.unicodeScalars)[...]
        self.init(&rest)
    }

    private init(_ rest: inout ArraySlice<Unicode.Scalar>) {
        switch rest.first {
        case "[":
            var elements: [JSONTree] = []
            while rest.removeFirst() != "]" {
                guard rest.first != "]" else { continue }
                elements.append(JSONTree(&rest))
            }
            self = .array(elements)
        case "{":
            var members: [(key: String, value: JSONTree)] = []
            while rest.removeFirst() != "}" {
                guard rest.first != "}" else { continue }
                let key = Self.leaf(&rest)
                rest.removeFirst()
                members.append((key, JSONTree(&rest)))
            }
            self = .object(members)
        default: self = .leaf(Self.leaf(&rest))
        }
    }

    private static func leaf(_ rest: inout ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        let isString = rest.first == "\""
        repeat {
            let scalar = rest.removeFirst()
            text.append(scalar)
            if scalar == "\\" { text.append(rest.removeFirst()) }
            if isString && scalar == "\"" && text.count > 1 { break }
        } while isString || rest.first.map { !",]}:".unicodeScalars.contains($0) } == true
        return String(text)
    }
}

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
        switch self {
        case .leaf(let text): return disguise.contains(.escaped) ? Self.escaped(text, &generator) : text
        case .array(let elements):
            var parts: [String] = []
            for element in elements { parts.append(space() + element.text(disguise, &generator, isOutermost: false) + space()) }
            return "[" + (parts.isEmpty ? space() : parts.joined(separator: ",")) + "]"
        case .object(var members):
            if isOutermost { Self.add(to: &members, disguise, &generator) }
            if disguise.contains(.shuffled) { members.shuffle(using: &generator) }
            var parts: [String] = []
            for (key, value) in members {
                let key = disguise.contains(.escaped) ? Self.escaped(key, &generator) : key
                parts.append(
                    space() + key + space() + ":" + space() + value.text(disguise, &generator, isOutermost: false) + space())
            }
            let text = "{" + (parts.isEmpty ? space() : parts.joined(separator: ",")) + "}"
            return isOutermost ? space() + text + space() : text
        }
    }

    private static func add(
        to members: inout [(key: String, value: JSONTree)], _ disguise: Disguise, _ generator: inout SeededGenerator
    ) {
        if disguise.contains(.extended) {
            let values = [#"{"type":"x","a":[1,{"id":null}]}"#, "[[],[]]", #""\ud83c\udccf""#, "-1.5e3", "true", "null"]
            for number in 0..<1 + generator.below(3) {
                members.append(
                    (
                        ["\"new\(number)\"", "\"\u{E9}\(number)\"", "\"aLongerKey\(number)\""][generator.below(3)],
                        JSONTree(values[generator.below(values.count)])
                    ))
            }
        }
        if disguise.contains(.nulled) {
            let key = ["\"seat\"", "\"table\"", "\"check\"", "\"hand\"", "\"clear\"", "\"id\""][generator.below(6)]
            if !members.contains(where: { $0.key == key }) { members.append((key, .leaf("null"))) }
        }
        if disguise.contains(.doubled), !members.isEmpty { members.append(members[generator.below(members.count)]) }
    }

    private static func escaped(_ text: String, _ generator: inout SeededGenerator) -> String {
        guard text.hasPrefix("\"") else { return text }
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
