import Snapshots
import TestKit
import Testing

/// Properties of the difference of any two snapshots.
struct DifferencePropertyTests {
    @Test func difference_appliedToTheFirst_givesTheSecond_forAnyPair() {
        var generator = SeededGenerator()
        var failures = 0
        for round in 0..<Thorough.count(15_000, most: 60_000) {
            let sections = 1 + round % 5
            let items = 1 + round % 13
            let first = RandomSnapshots.any(sections: sections, items: items, &generator)
            let second = RandomSnapshots.any(sections: sections, items: items, &generator)
            if (try? first.applying(first.difference(to: second))) != second { failures += 1 }
        }
        #expect(failures == 0, "seed \(Seed.value)")
    }

    @Test func difference_appliedToTheFirst_givesTheSecond_whenTheSecondIsAnEditOfTheFirst() {
        var generator = SeededGenerator(seed: Seed.value &+ 1)
        var failures = 0
        var current = SmallSnapshot()
        for round in 0..<Thorough.count(10_000, most: 40_000) {
            let next = RandomSnapshots.edited(current, edits: 1 + round % 4, sections: 8, items: 48, &generator)
            let difference = current.difference(to: next)
            if (try? current.applying(difference)) != next { failures += 1 }
            if difference.isEmpty != (current == next) { failures += 1 }
            current = next
        }
        #expect(failures == 0, "seed \(Seed.value)")
    }
}

/// The least possible number of operations, found by trying all of them.
enum BruteForce {
    /// Tries every choice of shared sections and items that move, and checks which lead to the other snapshot.
    ///
    /// Elements in only one snapshot leave no choice.
    static func leastOperationCount(from first: SmallSnapshot, to second: SmallSnapshot) -> Int {
        var base = SmallDifference()
        base.deletedSections = first.sectionIdentifiers.filter { !second.contains(section: $0) }
        let kept = first.contents.filter { second.contains(section: $0.section) }
        base.deletedItems = kept.flatMap(\.items).filter { !second.contains($0) }
        let sections = kept.map(\.section)
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

/// Hash seeds differ per process, so a result that depended on hashes would differ from these digests, recorded in another process.
struct DeterminismTests {
    /// FNV-1a, 64 bits.
    private struct Digest {
        private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func add(_ text: String) {
            for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        }
    }

    /// Every operation in its order; identifiers as they are.
    private func add(_ difference: SmallDifference, to digest: inout Digest) {
        digest.add("-\(difference.deletedSections)-\(difference.deletedItems)")
        for placement in difference.insertedSections { digest.add("+\(placement.section)@\(placement.index)") }
        for placement in difference.movedSections { digest.add(">\(placement.section)@\(placement.index)") }
        for placement in difference.insertedItems { digest.add("+\(placement.item)@\(placement.section).\(placement.index)") }
        for placement in difference.movedItems { digest.add(">\(placement.item)@\(placement.section).\(placement.index)") }
        digest.add("!\(difference.reconfiguredItems)")
    }

    @Test func difference_isTheSame_inEveryProcess() throws {
        var generator = SeededGenerator(seed: 1)
        var digest = Digest()
        for round in 0..<400 {
            let items = 1 + round % 40 * (round % 10 == 0 ? 10 : 1)
            let first = RandomSnapshots.any(sections: 1 + round % 30, items: items, &generator)
            var second = RandomSnapshots.any(sections: 1 + round % 30, items: items, &generator)
            try second.reconfigureItems(Array(second.itemIdentifiers.prefix(40)))
            let difference = first.difference(to: second)
            add(difference, to: &digest)
            add(second.difference(to: first), to: &digest)
        }
        #expect(digest.value == 0x82B0_8E86_6C0C_DBF2)
    }
}
