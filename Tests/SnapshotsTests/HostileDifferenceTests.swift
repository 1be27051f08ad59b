import Snapshots
import TestKit
import Testing

/// A difference from an untrusted peer is applied or refused; it never traps or takes long.
struct HostileDifferenceTests {
    static let refused: [(NamedDifference, SnapshotError)] = [
        (NamedDifference(deletedSections: ["X"]), .unknownSection("X")),
        (NamedDifference(deletedSections: ["A", "A"]), .duplicateSection("A")),
        (NamedDifference(deletedSections: ["A"], movedSections: [.init(section: "A", index: 0)]), .duplicateSection("A")),
        (NamedDifference(insertedSections: [.init(section: "A", index: 0)]), .duplicateSection("A")),
        (
            NamedDifference(insertedSections: [.init(section: "X", index: 0), .init(section: "X", index: 1)]),
            .duplicateSection("X")
        ),
        (NamedDifference(insertedSections: [.init(section: "X", index: -1)]), .indexOutOfRange(index: -1, count: 3)),
        (NamedDifference(insertedSections: [.init(section: "X", index: 3)]), .indexOutOfRange(index: 3, count: 3)),
        (NamedDifference(insertedSections: [.init(section: "X", index: .max)]), .indexOutOfRange(index: .max, count: 3)),
        (NamedDifference(insertedSections: [.init(section: "X", index: .min)]), .indexOutOfRange(index: .min, count: 3)),
        (NamedDifference(movedSections: [.init(section: "X", index: 0)]), .unknownSection("X")),
        (
            NamedDifference(
                insertedSections: [.init(section: "X", index: 0)], movedSections: [.init(section: "A", index: 0)]),
            .misplaced("A")
        ),
        (NamedDifference(movedSections: [.init(section: "A", index: 2)]), .indexOutOfRange(index: 2, count: 2)),
        (NamedDifference(movedSections: [.init(section: "A", index: 0), .init(section: "A", index: 1)]), .duplicateSection("A")),
        (NamedDifference(deletedItems: ["x"]), .unknownItem("x")),
        (NamedDifference(deletedItems: ["a", "a"]), .duplicateItem("a")),
        (NamedDifference(deletedItems: ["a"], movedItems: [.init(item: "a", section: "B", index: 0)]), .duplicateItem("a")),
        (NamedDifference(insertedItems: [.init(item: "a", section: "B", index: 0)]), .duplicateItem("a")),
        (NamedDifference(insertedItems: [.init(item: "x", section: "X", index: 0)]), .misplaced("x")),
        (NamedDifference(insertedItems: [.init(item: "x", section: "A", index: 3)]), .indexOutOfRange(index: 3, count: 3)),
        (NamedDifference(insertedItems: [.init(item: "x", section: "A", index: -1)]), .indexOutOfRange(index: -1, count: 3)),
        (NamedDifference(insertedItems: [.init(item: "x", section: "A", index: .max)]), .indexOutOfRange(index: .max, count: 3)),
        (NamedDifference(insertedItems: [.init(item: "x", section: "A", index: .min)]), .indexOutOfRange(index: .min, count: 3)),
        (NamedDifference(movedItems: [.init(item: "x", section: "A", index: 0)]), .unknownItem("x")),
        (NamedDifference(movedItems: [.init(item: "a", section: "A", index: 2)]), .indexOutOfRange(index: 2, count: 2)),
        (
            NamedDifference(
                insertedItems: [.init(item: "x", section: "B", index: 0), .init(item: "y", section: "A", index: 0)]),
            .misplaced("y")
        ),
        (
            NamedDifference(
                insertedItems: [.init(item: "x", section: "A", index: 1), .init(item: "y", section: "A", index: 0)]),
            .misplaced("y")
        ),
        (
            NamedDifference(
                insertedItems: [.init(item: "x", section: "A", index: 0)],
                movedItems: [.init(item: "c", section: "A", index: 0)]), .misplaced("c")
        ),
        (
            NamedDifference(
                insertedItems: [.init(item: "x", section: "A", index: 0), .init(item: "x", section: "A", index: 1)]),
            .duplicateItem("x")
        ),
        (
            NamedDifference(deletedSections: ["A"], insertedItems: [.init(item: "x", section: "A", index: 0)]), .misplaced("x")
        ),
        (
            NamedDifference(deletedSections: ["A"], insertedSections: [.init(section: "A", index: 1)]), .duplicateSection("A")
        ),
        (NamedDifference(reconfiguredItems: ["x"]), .unknownItem("x")),
        (NamedDifference(deletedItems: ["a"], reconfiguredItems: ["a"]), .unknownItem("a")),
    ]

    @Test(arguments: refused.indices)
    func apply_refusesWhatDoesNotFit_andChangesNothing(case number: Int) throws {
        let (difference, expected) = Self.refused[number]
        let snapshot = try named("A: a b | B: c")
        let refused = refusal(of: { $0 = try $0.applying(difference) }, on: snapshot)
        #expect(refused.error == expected && refused.isUnchanged)
        #expect(!expected.description.isEmpty)
    }

    @Test func apply_acceptsAnItemDeletedTogetherWithItsSection() throws {
        let difference = NamedDifference(deletedSections: ["A"], deletedItems: ["a"])
        #expect(try line(named("A: a b | B: c").applying(difference)) == "B: c")
    }

    @Test func apply_ofAnyDifference_endsInAWellFormedSnapshotOrAnError() {
        var generator = SeededGenerator(seed: Seed.value &+ 5)
        var failures = 0
        var accepted = 0
        for _ in 0..<10_000 {
            let snapshot = RandomSnapshots.any(sections: 4, items: 10, &generator)
            let difference = nonsense(&generator)
            guard let result = try? snapshot.applying(difference) else { continue }
            accepted += 1
            let isWellFormed = (try? SmallSnapshot(result.contents)) == result
            if !isWellFormed || result.numberOfItems != result.itemIdentifiers.count { failures += 1 }
        }
        #expect(failures == 0 && accepted > 0, "seed \(Seed.value)")
    }

    /// Few operations with small numbers, so that some of them fit by chance.
    private func nonsense(_ generator: inout SeededGenerator) -> SmallDifference {
        var difference = SmallDifference()
        for _ in 0..<1 + generator.below(3) {
            let section = generator.below(5)
            let item = generator.below(11)
            let index = generator.below(5) - 1
            switch generator.below(7) {
            case 0: difference.deletedSections.append(section)
            case 1: difference.insertedSections.append(.init(section: section, index: index))
            case 2: difference.movedSections.append(.init(section: section, index: index))
            case 3: difference.deletedItems.append(item)
            case 4: difference.insertedItems.append(.init(item: item, section: section, index: index))
            case 5: difference.movedItems.append(.init(item: item, section: section, index: index))
            default: difference.reconfiguredItems.append(item)
            }
        }
        return difference
    }

    @Test func apply_ofALargeHostileDifference_takesNoQuadraticTime() throws {
        // A quadratic algorithm would need minutes for these, not a blink.
        let many = Array(0..<40_000)
        let snapshot = try SmallSnapshot([(section: 0, items: many), (section: 1, items: [])])
        let sameIndex = SmallDifference(insertedItems: many.map { .init(item: $0 + 40_000, section: 1, index: 0) })
        #expect(throws: SnapshotError.misplaced("40001")) { try snapshot.applying(sameIndex) }
        let sameItem = SmallDifference(deletedItems: many + [0])
        #expect(throws: SnapshotError.duplicateItem("0")) { try snapshot.applying(sameItem) }
        let sections = SmallDifference(insertedSections: many.map { .init(section: $0 + 2, index: $0 * 2 + 2) })
        #expect(throws: SnapshotError.indexOutOfRange(index: 4, count: 40_002)) { try snapshot.applying(sections) }
        let moves = SmallDifference(movedItems: many.map { .init(item: 39_999 - $0, section: 1, index: $0) })
        #expect(try snapshot.applying(moves).itemIdentifiers(inSection: 1) == many.reversed())
    }
}
