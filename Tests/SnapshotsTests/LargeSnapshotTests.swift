import TestKit
import Testing

@testable import Snapshots

/// An identifier whose hashes nearly all collide: breaks code that relies on distinct hashes.
private struct Colliding: Hashable, Sendable, Comparable {
    var number: Int

    func hash(into hasher: inout Hasher) { hasher.combine(number & 1) }

    static func < (lhs: Colliding, rhs: Colliding) -> Bool { lhs.number < rhs.number }
}

/// Large snapshots find things by an index. It must always say what scanning would.
struct LargeSnapshotTests {
    /// Whether every look-up gives what the contents say, and nothing else is found.
    private func isConsistent<Item: Hashable & Sendable>(_ snapshot: Snapshot<Int, Item>, absent: Item) -> Bool {
        for (section, content) in snapshot.contents.enumerated() {
            guard snapshot.indexOfSection(content.section) == section,
                (try? snapshot.itemIdentifiers(inSection: content.section)) == content.items
            else { return false }
            for (offset, item) in content.items.enumerated() {
                guard let place = snapshot.place(of: item), place == (section, offset) else { return false }
            }
        }
        let (sections, items) = (snapshot.contents.map(\.section), snapshot.contents.flatMap(\.items))
        return snapshot.sectionIdentifiers == sections && snapshot.numberOfSections == sections.count
            && snapshot.itemIdentifiers == items && snapshot.numberOfItems == items.count
            && sections.allSatisfy { snapshot.contains(section: $0) } && items.allSatisfy { snapshot.contains($0) }
            && !snapshot.contains(absent) && !snapshot.contains(section: -1) && snapshot.indexOfSection(-1) == nil
    }

    /// One edit of any kind, on the snapshot and on plain arrays beside it; says whether they are the same afterwards.
    private func edit<Item: Hashable & Sendable>(
        _ snapshot: inout Snapshot<Int, Item>, universe: [Item], _ generator: inout SeededGenerator
    ) -> Bool {
        let run = (0..<1 + generator.below(3)).map { _ in universe[generator.below(universe.count)] }
        let anchor = universe[generator.below(universe.count)]
        let section = generator.below(40)
        let other = generator.below(40)
        switch generator.below(14) {
        case 0, 1: snapshot.put(run[0], before: anchor)
        case 2...5: try? snapshot.appendItems(run, toSection: section)
        case 6: snapshot.deleteItems(run)
        case 7, 8: try? snapshot.appendSections([section])
        case 9: snapshot.swapSections(section, other)
        case 10: if generator.below(4) == 0 { snapshot.deleteSections([section]) }
        default:
            var next = snapshot
            snapshot.deleteItems(run)
            _ = edit(&next, universe: universe, &generator)
            _ = edit(&next, universe: universe, &generator)
            guard let applied = try? snapshot.applying(snapshot.difference(to: next)), applied == next else { return false }
            snapshot = applied
        }
        return true
    }

    /// Small snapshots are scanned, large ones have an index.
    @Test(arguments: [2, 40])
    func lookups_areRightAfterEveryEdit_andCopiesStayAsTheyWere(length: Int) throws {
        var generator = SeededGenerator(seed: Seed.value &+ 7)
        let universe = Array(0..<10 * length)
        var snapshot = try SmallSnapshot(
            (0..<5).map { part in (section: part, items: Array(part * length..<(part + 1) * length)) })
        for round in 0..<Thorough.count(500, most: 1_500) {
            let copy = snapshot
            let before = copy.contents.map(\.items)
            #expect(edit(&snapshot, universe: universe, &generator), "seed \(Seed.value), round \(round)")
            #expect(isConsistent(snapshot, absent: -1), "seed \(Seed.value), round \(round)")
            if round % 8 == 0 {
                #expect(isConsistent(copy, absent: -1) && copy.contents.map(\.items) == before, "seed \(Seed.value)")
            }
        }
    }

    @Test func lookups_areRight_whenNearlyAllHashesCollide() throws {
        var generator = SeededGenerator(seed: Seed.value &+ 8)
        let universe = (0..<160).map(Colliding.init)
        var snapshot = try Snapshot<Int, Colliding>([
            (section: 0, items: Array(universe[..<60])), (section: 1, items: Array(universe[60..<130])),
        ])
        for round in 0..<Thorough.count(100, most: 250) {
            #expect(edit(&snapshot, universe: universe, &generator), "seed \(Seed.value), round \(round)")
            #expect(isConsistent(snapshot, absent: Colliding(number: -1)), "seed \(Seed.value), round \(round)")
        }
    }

    @Test func lookups_areRight_whenHashesCollideInALongSectionWhoseItemsHaveShifted() throws {
        let items = (0..<300).map(Colliding.init)
        for gone in [0, 1, 2, 150, 298, 299] {
            var snapshot = try Snapshot<Int, Colliding>([(section: 0, items: items)])
            snapshot.put(Colliding(number: 1_000), before: items[0])
            snapshot.deleteItems([items[gone]])
            #expect(isConsistent(snapshot, absent: items[gone]))
            try snapshot.appendItems([items[gone]])
            snapshot.deleteItems(Array(items[140..<160]))
            #expect(isConsistent(snapshot, absent: items[150]))
        }
    }

    @Test func difference_isExact_whenNearlyAllHashesCollide() throws {
        var generator = SeededGenerator(seed: Seed.value &+ 9)
        for _ in 0..<50 {
            var numbers = Array(0..<120)
            RandomSnapshots.shuffle(&numbers, &generator)
            let first = try Snapshot<Int, Colliding>([(section: 0, items: numbers[..<80].map(Colliding.init))])
            RandomSnapshots.shuffle(&numbers, &generator)
            let second = try Snapshot<Int, Colliding>([(section: 0, items: numbers[..<80].map(Colliding.init))])
            #expect(try first.applying(first.difference(to: second)) == second, "seed \(Seed.value)")
        }
    }

    @Test func difference_isExact_forLongLists_withManySections() throws {
        var generator = SeededGenerator(seed: Seed.value &+ 10)
        for _ in 0..<40 {
            let first = RandomSnapshots.any(sections: 60, items: 900, &generator)
            let second = RandomSnapshots.any(sections: 60, items: 900, &generator)
            #expect(try first.applying(first.difference(to: second)) == second, "seed \(Seed.value)")
            let edited = RandomSnapshots.edited(first, edits: 60, sections: 60, items: 900, &generator)
            let difference = first.difference(to: edited)
            // Two of an edit, and the items of a section that was deleted and came back without them.
            let gone = Set(difference.deletedItems).subtracting(edited.itemIdentifiers).count
            #expect(
                try first.applying(difference) == edited && difference.operationCount - gone <= 60 * 2, "seed \(Seed.value)")
        }
    }

    @Test func appendItems_oneByOne_isNotQuadratic() throws {
        var snapshot = SmallSnapshot()
        try snapshot.appendSections([0])
        for item in 0..<30_000 { try snapshot.appendItems([item]) }
        try snapshot.reconfigureItems([29_999])
        #expect(snapshot.numberOfItems == 30_000 && snapshot.itemIdentifiers.last == 29_999)
    }
}
