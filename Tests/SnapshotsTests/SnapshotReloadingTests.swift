import Snapshots
import Testing

struct SnapshotReloadingTests {
    @Test func reloadItems_marksEachOnceInOrder() throws {
        var snapshot = try named("A: a b c")
        try snapshot.reloadItems(["c", "a"])
        try snapshot.reloadItems(["b", "c"])
        #expect(snapshot.reloadedItemIdentifiers == ["c", "a", "b"])
    }

    @Test func reconfigureItems_marksEachOnceInOrder_andReloadingIncludesIt() throws {
        var snapshot = try named("A: a b c")
        try snapshot.reconfigureItems(["c", "a", "c"])
        #expect(snapshot.reconfiguredItemIdentifiers == ["c", "a"])
        try snapshot.reloadItems(["a"])
        try snapshot.reconfigureItems(["a", "b"])
        #expect(snapshot.reconfiguredItemIdentifiers == ["c", "b"] && snapshot.reloadedItemIdentifiers == ["a"])
    }

    @Test func reloadSections_marksEachOnceInOrder() throws {
        var snapshot = try named("A: a | B: b")
        try snapshot.reloadSections(["B", "A", "B"])
        #expect(snapshot.reloadedSectionIdentifiers == ["B", "A"])
    }

    @Test func marks_areKeptWhenAnItemMoves_andForgottenWhenItGoes() throws {
        var snapshot = try named("A: a b | B: c")
        try snapshot.reloadItems(["a", "b", "c"])
        try snapshot.reloadSections(["A", "B"])
        try snapshot.moveItem("a", afterItem: "c")
        #expect(snapshot.reloadedItemIdentifiers == ["a", "b", "c"])
        snapshot.deleteItems(["c"])
        #expect(snapshot.reloadedItemIdentifiers == ["a", "b"])
        snapshot.deleteSections(["B"])
        #expect(snapshot.reloadedItemIdentifiers == ["b"] && snapshot.reloadedSectionIdentifiers == ["A"])
        try snapshot.setItems([], inSection: "A")
        #expect(snapshot.reloadedItemIdentifiers.isEmpty && snapshot.withoutMarks.reloadedSectionIdentifiers.isEmpty)
    }

    @Test func marks_ofManyItemsStayOnceEachInOrder() throws {
        var snapshot = try SmallSnapshot([(section: 0, items: Array(0..<500))])
        for item in 0..<500 { try snapshot.reloadItems([499 - item, 499]) }
        #expect(snapshot.reloadedItemIdentifiers == (0..<500).reversed())
        snapshot.deleteItems(Array(0..<250))
        #expect(snapshot.reloadedItemIdentifiers == (250..<500).reversed())
    }

    @Test func difference_carriesTheMarksOfWhatIsInBoth_andApplyingMarksIt() throws {
        let first = try named("A: a b | B: c")
        var second = try named("A: a x | B: c | C: y")
        try second.reloadItems(["x", "a"])
        try second.reconfigureItems(["y", "c"])
        try second.reloadSections(["C", "B"])
        let difference = first.difference(to: second)
        #expect(difference.reloadedItems == ["a"] && difference.reconfiguredItems == ["c"])
        #expect(difference.reloadedSections == ["B"])
        let result = try first.applying(difference)
        #expect(result == second && result.reloadedItemIdentifiers == ["a"])
        #expect(result.reconfiguredItemIdentifiers == ["c"] && result.reloadedSectionIdentifiers == ["B"])
        #expect(try result.applying(NamedDifference()).reloadedItemIdentifiers.isEmpty)
    }

    @Test func difference_ofOnlyAMark_isNotEmpty() throws {
        let first = try named("A: a")
        var second = first
        try second.reconfigureItems(["a"])
        let difference = first.difference(to: second)
        #expect(!difference.isEmpty && difference.operationCount == 1 && difference.structuralOperationCount == 0)
    }
}
