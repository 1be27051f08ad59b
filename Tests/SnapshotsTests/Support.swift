import Snapshots
import TestKit

typealias NamedSnapshot = Snapshot<String, String>
typealias NamedDifference = SnapshotDifference<String, String>

/// A snapshot as one line: `"A: a b | B: | C: c"` has three sections, the second of them empty.
func named(_ line: String) throws -> NamedSnapshot {
    guard !line.isEmpty else { return NamedSnapshot() }
    return try NamedSnapshot(
        line.split(separator: "|").map { part in
            let sides = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            let items = sides.dropFirst().flatMap { $0.split(separator: " ").map(String.init) }
            return (section: sides[0].filter { $0 != " " }, items: items)
        })
}

func line(_ snapshot: NamedSnapshot) -> String {
    snapshot.contents.map { ([$0.section + ":"] + $0.items).joined(separator: " ") }.joined(separator: " | ")
}

/// Runs an edit that must be refused: hands back the error, and whether the snapshot is unchanged.
func refusal(
    of edit: (inout NamedSnapshot) throws -> Void, on snapshot: NamedSnapshot
) -> (error: SnapshotError?, isUnchanged: Bool) {
    var copy = snapshot
    do {
        try edit(&copy)
        return (nil, copy == snapshot)
    } catch {
        let isSame = copy == snapshot && copy.reconfiguredItemIdentifiers == snapshot.reconfiguredItemIdentifiers
        return (error as? SnapshotError, isSame)
    }
}

extension Snapshot {
    /// Puts an item, known or new, before another one.
    mutating func put(_ item: ItemIdentifier, before anchor: ItemIdentifier) {
        guard item != anchor, contains(anchor) else { return }
        var all = contents
        for row in all.indices {
            all[row].items.removeAll { $0 == item }
            if let place = all[row].items.firstIndex(of: anchor) { all[row].items.insert(item, at: place) }
        }
        if let next = try? Snapshot(all) { self = next }
    }

    mutating func swapSections(_ one: SectionIdentifier, _ other: SectionIdentifier) {
        guard let from = indexOfSection(one), let to = indexOfSection(other) else { return }
        var all = contents
        all.swapAt(from, to)
        if let next = try? Snapshot(all) { self = next }
    }
}

typealias SmallSnapshot = Snapshot<Int, Int>
typealias SmallDifference = SnapshotDifference<Int, Int>

enum RandomSnapshots {
    /// Up to `sections` sections and `items` items out of a universe not much larger, in any order: the adversarial shape,
    /// in which nearly everything differs.
    static func any(sections: Int, items: Int, _ generator: inout SeededGenerator) -> SmallSnapshot {
        var order = Array(0..<sections)
        shuffle(&order, &generator)
        order.removeLast(generator.below(sections + 1))
        var contents = order.map { (section: $0, items: [Int]()) }
        guard !contents.isEmpty else { return SmallSnapshot() }
        var all = Array(0..<items)
        shuffle(&all, &generator)
        for item in all where generator.below(4) > 0 { contents[generator.below(contents.count)].items.append(item) }
        return made(of: contents)
    }

    static func made(of contents: [(section: Int, items: [Int])]) -> SmallSnapshot {
        do { return try SmallSnapshot(contents) } catch { fatalError("the generator made a wrong snapshot: \(error)") }
    }

    /// The snapshot after some edits: what a table sees from one moment to the next.
    static func edited(
        _ snapshot: SmallSnapshot, edits: Int, sections: Int, items: Int, _ generator: inout SeededGenerator
    ) -> SmallSnapshot {
        var copy = snapshot
        for _ in 0..<edits { edit(&copy, sections, items, &generator) }
        return copy
    }

    private static func edit(_ copy: inout SmallSnapshot, _ sections: Int, _ items: Int, _ generator: inout SeededGenerator) {
        let item = generator.below(items)
        let other = generator.below(items)
        let section = generator.below(sections)
        switch generator.below(10) {
        case 0...3: try? copy.appendItems([item], toSection: section)
        case 4, 5: copy.put(item, before: other)
        case 6: copy.deleteItems([item])
        case 7: try? copy.appendSections([section])
        case 8: copy.swapSections(section, generator.below(sections))
        default: if generator.below(3) == 0 { copy.deleteSections([section]) }
        }
    }

    static func shuffle(_ values: inout [Int], _ generator: inout SeededGenerator) {
        guard values.count > 1 else { return }
        for last in stride(from: values.count - 1, to: 0, by: -1) { values.swapAt(last, generator.below(last + 1)) }
    }
}
