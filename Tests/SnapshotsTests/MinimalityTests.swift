import Snapshots
import TestKit
import Testing

/// The least possible number of operations, found by trying all of them.
enum BruteForce {
    /// Tries every choice of shared sections and items that move, and checks which lead to the other snapshot.
    ///
    /// Elements in only one snapshot leave no choice.
    static func leastOperationCount(from first: SmallSnapshot, to second: SmallSnapshot) -> Int {
        var base = SmallDifference()
        base.deletedSections = first.sectionIdentifiers.filter { !second.contains(section: $0) }
        base.deletedItems = first.itemIdentifiers.filter { item in
            !second.contains(item) && first.sectionIdentifier(containingItem: item).map { second.contains(section: $0) } == true
        }
        let sections = first.sectionIdentifiers.filter { second.contains(section: $0) }
        let items = first.itemIdentifiers.filter { second.contains($0) }
        var least = Int.max
        for sectionChoice in 0..<1 << sections.count {
            for itemChoice in 0..<1 << items.count {
                let moved = Set(sections.indices.filter { sectionChoice >> $0 & 1 == 1 }.map { sections[$0] })
                let movedItems = Set(items.indices.filter { itemChoice >> $0 & 1 == 1 }.map { items[$0] })
                let difference = completed(base, moved, movedItems, first, second)
                guard difference.operationCount < least, (try? first.applying(difference)) == second else { continue }
                least = difference.operationCount
            }
        }
        return least
    }

    private static func completed(
        _ base: SmallDifference, _ movedSections: Set<Int>, _ movedItems: Set<Int>, _ first: SmallSnapshot,
        _ second: SmallSnapshot
    ) -> SmallDifference {
        var difference = base
        for (index, content) in second.contents.enumerated() {
            let placement = SmallDifference.SectionPlacement(section: content.section, index: index)
            if !first.contains(section: content.section) {
                difference.insertedSections.append(placement)
            } else if movedSections.contains(content.section) {
                difference.movedSections.append(placement)
            }
            for (index, item) in content.items.enumerated() {
                let placement = SmallDifference.ItemPlacement(item: item, section: content.section, index: index)
                if !first.contains(item) {
                    difference.insertedItems.append(placement)
                } else if movedItems.contains(item) {
                    difference.movedItems.append(placement)
                }
            }
        }
        return difference
    }
}

struct MinimalityTests {
    @Test func difference_hasAsFewOperationsAsTheBruteForceOptimum_onSmallCases() {
        var generator = SeededGenerator(seed: Seed.value &+ 4)
        for round in 0..<250 {
            let items = 1 + round % 6
            let first = RandomSnapshots.any(sections: 3, items: items, &generator)
            let second = RandomSnapshots.any(sections: 3, items: items, &generator)
            let found = first.difference(to: second).operationCount
            #expect(found == BruteForce.leastOperationCount(from: first, to: second), "seed \(Seed.value), round \(round)")
        }
    }
}
