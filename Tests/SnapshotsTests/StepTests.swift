import Snapshots
import TestKit
import Testing

struct StepTests {
    @Test func steps_playedOnTheFirst_showTheSecond_forAnyPair() throws {
        var generator = SeededGenerator(seed: Seed.value &+ 6)
        var failures = 0
        for round in 0..<3_000 {
            let items = 1 + round % 13
            let first = RandomSnapshots.any(sections: 4, items: items, &generator)
            var second = RandomSnapshots.any(sections: 4, items: items, &generator)
            if let item = second.itemIdentifiers.last { try second.reloadItems([item]) }
            if let section = second.sectionIdentifiers.first { try second.reloadSections([section]) }
            var player = StepPlayer(first)
            player.play(try first.difference(to: second).steps(from: first))
            let isShown = RandomSnapshots.made(of: player.shown) == second
            if !isShown || !player.misfits.isEmpty || !player.isHoldingNothing { failures += 1 }
        }
        #expect(failures == 0, "seed \(Seed.value)")
    }

    @Test func steps_liftWhatMovesAndDropItLater() throws {
        let first = try named("A: a b c | B: d")
        let second = try named("A: c x | B: d a")
        #expect(
            try first.difference(to: second).steps(from: first) == [
                .deleteItem("b", at: ItemPath(item: 1, section: 0)), .liftItem("a", at: ItemPath(item: 0, section: 0)),
                .insertItem("x", at: ItemPath(item: 1, section: 0)), .dropItem("a", at: ItemPath(item: 1, section: 1)),
            ])
    }

    @Test func steps_areRefused_whenTheDifferenceDoesNotFit() throws {
        let difference = NamedDifference(deletedItems: ["x"])
        #expect(throws: SnapshotError.unknownItem("x")) { try difference.steps(from: named("A: a")) }
    }
}
