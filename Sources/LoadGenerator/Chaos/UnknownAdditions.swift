import CommandLineKit
import Wire

/// Additions of a newer server of the same version: messages, fields of messages, items of tables.
///
/// The unknown items of a table follow from its revision alone: the diff between any two revisions is known without a memory, also on
/// another connection.
enum UnknownAdditions {
    static let message = Array(#"{"type":"weather","id":7,"sky":{"clouds":[1,null,"\u2660"]}}"#.utf8)

    /// A line with a further field and, if it is a table or a diff, with further items, which its check value includes.
    static func added(to line: [UInt8]) -> [UInt8] {
        guard let tree = try? JSONTree(parsing: line), !tree.members.isEmpty else { return line }
        func number(_ key: String) -> Int? { tree[key]?.number.flatMap { Int(exactly: $0) } }
        var members = tree.members
        if let to = tree["type"] == "snapshot" ? number("rev") : tree["type"] == "diff" ? number("to") : nil {
            members = members.map { member in
                switch member.key {
                case "items": .init("items", .object(added(to: member.value.members, from: number("from"), to: to)))
                case "check": .init("check", .integer(UInt32(truncatingIfNeeded: number("check") ?? 0) &+ check(at: to)))
                default: member
                }
            }
        }
        members.append(.init("weather", ["sky": ["blue", 1]]))
        return Array(JSONTree.object(members).description.utf8)
    }

    /// Items that concern everybody come first, then those of the dealer and the seats, then those that go.
    private static func added(to items: [JSONTree.Member], from: Int?, to: Int) -> [JSONTree.Member] {
        let (old, new) = (from.map { Self.items(at: $0) } ?? [], Self.items(at: to))
        let place = items.firstIndex { item in
            item.value == .null || item.key == "dealer" || item.key.dropFirst().first?.isLetter != true
        }
        var items = items
        items.insert(contentsOf: new.filter { !old.contains($0) }, at: place ?? items.endIndex)
        let gone = old.filter { item in !new.contains { $0.key == item.key } }
        return items + gone.map { .init($0.key, .null) }
    }

    private static func items(at revision: Int) -> [JSONTree.Member] {
        ["auction", "coin", "pet", "side.1", "tune", "weather"].enumerated().filter { (revision >> $0.offset) % 3 > 0 }.map {
            .init($0.element, ["number": .integer(revision / ($0.offset + 3)), "text": ["\u{2660}", 1, true]])
        }
    }

    private static func check(at revision: Int) -> UInt32 {
        items(at: revision).reduce(0) { sum, item in
            let text = JSONTree.object([item]).description.dropFirst().dropLast()
            return sum &+ Array(text.utf8).withUnsafeBufferPointer(CRC32.value)
        }
    }
}
