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
