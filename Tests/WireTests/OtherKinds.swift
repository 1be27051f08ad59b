import TableModel
import TestKit

@testable import Wire

/// Sections and items of a later server: names and contents that nobody has thought of yet.
enum OtherKinds {
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
    private static let rest = letters + Array("ABCXYZ0123456789.".utf8)

    /// A few names, each once, none of them known.
    static func names(_ generator: inout SeededGenerator) -> [OtherName] {
        var names: Set<OtherName> = []
        for _ in 0..<generator.below(4) {
            var name = [letters[generator.below(26)], letters[generator.below(26)]]
            for _ in 0..<generator.below(OtherName.maximumBytes - 1) { name.append(rest[generator.below(rest.count)]) }
            guard let other = OtherName(name), !known.contains(String(decoding: name, as: UTF8.self)) else { continue }
            names.insert(other)
        }
        return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    private static let known: Set<String> = ["table", "dealer", "round", "phase", "clock", "shoe", "left", "rules"]

    /// Compact JSON with sorted keys.
    static func content(_ generator: inout SeededGenerator, depth: Int = 0) -> String {
        switch generator.below(depth > 3 ? 5 : 8) {
        case 0: return "\(generator.below(2_000_000) - 1_000_000)"
        case 1: return ["0.75", "-1.5", "true", "false", "null"][generator.below(5)]
        case 2, 3: return text(&generator)
        case 4: return ["{}", "[]", "\"\""][generator.below(3)]
        case 5:
            let elements = (0..<generator.below(4)).map { _ in content(&generator, depth: depth + 1) }
            return "[" + elements.joined(separator: ",") + "]"
        default:
            let keys = Set((0..<generator.below(5)).map { _ in text(&generator) })
            // By the bytes of the keys themselves: a quote at the end would come after a space, not after the end.
            let sorted = keys.map { $0.dropFirst().dropLast() }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            return "{" + sorted.map { "\"\($0)\":\(content(&generator, depth: depth + 1))" }.joined(separator: ",") + "}"
        }
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        // Never empty: each key comes after another, and there is none before the empty one.
        let parts = ["a", "b", "zz", "Z", "0", "é", "王", "🂡", " ", "long enough for no short string", "?"]
        return "\"k" + (0..<generator.below(4)).map { _ in parts[generator.below(parts.count)] }.joined() + "\""
    }
}
