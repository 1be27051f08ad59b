import Snapshots
import Testing

struct SnapshotItemTests {
    @Test func appendItems_goToTheLastSectionByDefault() throws {
        var snapshot = try named("A: a | B:")
        try snapshot.appendItems(["b", "c"])
        #expect(line(snapshot) == "A: a | B: b c")
        try snapshot.appendItems([])
        #expect(snapshot.numberOfItems == 3)
    }

    @Test func appendItems_goToTheNamedSection_andMoveThereIfTheyAreElsewhere() throws {
        var snapshot = try named("A: a b | B: c")
        try snapshot.appendItems(["c", "x", "a"], toSection: "A")
        #expect(line(snapshot) == "A: b c x a | B:" && snapshot.numberOfItems == 4)
    }

    @Test func appendItems_isRefused_withoutSections_withUnknownOnes_andWithDuplicates() throws {
        let none = refusal(of: { edit throws(SnapshotError) in try edit.appendItems(["a"]) }, on: NamedSnapshot())
        #expect(none.error == .noSection && none.isUnchanged)
        let snapshot = try named("A: a")
        let unknown = refusal(of: { edit throws(SnapshotError) in try edit.appendItems(["b"], toSection: "B") }, on: snapshot)
        #expect(unknown.error == .unknownSection("B") && unknown.isUnchanged)
        let twice = refusal(of: { edit throws(SnapshotError) in try edit.appendItems(["b", "a", "b"]) }, on: snapshot)
        #expect(twice.error == .duplicateItem("b") && twice.isUnchanged)
    }

    @Test func insertItemsBefore_putsThemBeforeTheAnchor() throws {
        var snapshot = try named("A: a b | B: c")
        try snapshot.insertItems(["x", "y"], beforeItem: "b")
        #expect(line(snapshot) == "A: a x y b | B: c")
    }

    @Test func insertItemsAfter_putsThemAfterTheAnchor() throws {
        var snapshot = try named("A: a b | B: c")
        try snapshot.insertItems(["x", "y"], afterItem: "b")
        #expect(line(snapshot) == "A: a b x y | B: c")
    }

    @Test func insertItems_movesThoseThatAreThereAlready() throws {
        var snapshot = try named("A: a b c d | B: e")
        try snapshot.insertItems(["e", "a", "x", "d"], beforeItem: "c")
        #expect(line(snapshot) == "A: b e a x d c | B:")
    }

    @Test func insertItems_putsTheRunWhereTheAnchorStood_whenTheAnchorIsAmongThem() throws {
        var before = try named("A: a b c d")
        try before.insertItems(["d", "b", "x"], beforeItem: "b")
        #expect(line(before) == "A: a d b x c")
        var after = try named("A: a b c d")
        try after.insertItems(["d", "b", "x"], afterItem: "b")
        #expect(line(after) == "A: a d b x c")
    }

    @Test func insertItems_isRefused_whenTheAnchorIsUnknownOrOneIsTwice() throws {
        let snapshot = try named("A: a b")
        let unknown = refusal(of: { edit throws(SnapshotError) in try edit.insertItems(["x"], afterItem: "y") }, on: snapshot)
        #expect(unknown.error == .unknownItem("y") && unknown.isUnchanged)
        let twice = refusal(
            of: { edit throws(SnapshotError) in try edit.insertItems(["a", "a"], beforeItem: "b") }, on: snapshot)
        #expect(twice.error == .duplicateItem("a") && twice.isUnchanged)
    }

    @Test func deleteItems_removesThem_andIgnoresUnknownOnes() throws {
        var snapshot = try named("A: a b c | B: d e")
        snapshot.deleteItems(["e", "x", "a", "c", "a"])
        #expect(line(snapshot) == "A: b | B: d" && snapshot.numberOfItems == 2)
        snapshot.deleteItems(["x"])
        #expect(line(snapshot) == "A: b | B: d")
    }

    @Test func deleteAllItems_leavesNothing() throws {
        var snapshot = try named("A: a b c | B: d e")
        try snapshot.reloadItems(["a"])
        snapshot.deleteAllItems()
        #expect(snapshot == NamedSnapshot() && snapshot.reloadedItemIdentifiers.isEmpty)
    }

    @Test(arguments: [("a", "c", "A: b a c | B: d"), ("d", "a", "A: d a b c | B:"), ("b", "b", "A: a b c | B: d")])
    func moveItemBefore_movesIt_andNextToItselfChangesNothing(item: String, anchor: String, expected: String) throws {
        var snapshot = try named("A: a b c | B: d")
        try snapshot.moveItem(item, beforeItem: anchor)
        #expect(line(snapshot) == expected)
    }

    @Test(arguments: [("a", "c", "A: b c a | B: d"), ("a", "d", "A: b c | B: d a"), ("b", "b", "A: a b c | B: d")])
    func moveItemAfter_movesIt_andNextToItselfChangesNothing(item: String, anchor: String, expected: String) throws {
        var snapshot = try named("A: a b c | B: d")
        try snapshot.moveItem(item, afterItem: anchor)
        #expect(line(snapshot) == expected)
    }

    @Test func moveItem_isRefused_whenEitherIsUnknown() throws {
        let snapshot = try named("A: a b")
        let first = refusal(of: { edit throws(SnapshotError) in try edit.moveItem("x", beforeItem: "a") }, on: snapshot)
        #expect(first.error == .unknownItem("x") && first.isUnchanged)
        let second = refusal(of: { edit throws(SnapshotError) in try edit.moveItem("a", afterItem: "x") }, on: snapshot)
        #expect(second.error == .unknownItem("x") && second.isUnchanged)
    }

    @Test func setItems_replacesASectionsItems_andTakesThemFromElsewhere() throws {
        var snapshot = try named("A: a b | B: c d")
        try snapshot.setItems(["x", "c", "b"], inSection: "A")
        #expect(line(snapshot) == "A: x c b | B: d" && snapshot.numberOfItems == 4 && !snapshot.contains("a"))
        try snapshot.setItems([], inSection: "B")
        #expect(line(snapshot) == "A: x c b | B:" && snapshot.numberOfItems == 3)
    }

    @Test func setItems_isRefused_whenTheSectionIsUnknownOrAnItemIsTwice() throws {
        let snapshot = try named("A: a b | B: c d")
        let unknown = refusal(of: { edit throws(SnapshotError) in try edit.setItems(["x"], inSection: "C") }, on: snapshot)
        #expect(unknown.error == .unknownSection("C") && unknown.isUnchanged)
        let twice = refusal(
            of: { edit throws(SnapshotError) in try edit.setItems(["x", "c", "x"], inSection: "A") }, on: snapshot)
        #expect(twice.error == .duplicateItem("x") && twice.isUnchanged)
        let kept = refusal(
            of: { edit throws(SnapshotError) in try edit.setItems(["a", "a", "b"], inSection: "A") }, on: snapshot)
        #expect(kept.error == .duplicateItem("a") && kept.isUnchanged)
    }
}
