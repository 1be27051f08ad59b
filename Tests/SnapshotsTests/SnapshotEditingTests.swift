import Snapshots
import Testing

/// Edits as rows: the snapshot before, the one after, and the edit.
struct SnapshotEditingTests {
    typealias Edit = @Sendable (inout NamedSnapshot) throws -> Void

    static let edits: [(before: String, after: String, edit: Edit)] = [
        // New sections are empty.
        ("A: a", "A: a | C: | B:", { try $0.appendSections(["C", "B"]) }), ("A: a", "A: a", { try $0.appendSections([]) }),
        ("A: a | B: b", "A: a | X: | Y: | B: b", { try $0.insertSections(["X", "Y"], beforeSection: "B") }),
        ("A: a | B: b", "A: a | B: b | X: | Y:", { try $0.insertSections(["X", "Y"], afterSection: "B") }),
        // Sections take their items along; unknown ones are ignored.
        ("A: a | B: b c | C: d", "A: a | C: d", { $0.deleteSections(["B", "X", "B"]) }),
        ("A: a | C: d", "A: a | C: d", { $0.deleteSections(["X"]) }),
        ("A: a | B: b | C: c", "B: b | A: a | C: c", { try $0.moveSection("A", beforeSection: "C") }),
        ("A: a | B: b | C: c", "C: c | A: a | B: b", { try $0.moveSection("C", beforeSection: "A") }),
        ("A: a | B: b | C: c", "A: a | B: b | C: c", { try $0.moveSection("B", beforeSection: "B") }),
        ("A: a | B: b | C: c", "A: a | B: b | C: c", { try $0.moveSection("A", beforeSection: "B") }),
        ("A: a | B: b | C: c", "B: b | C: c | A: a", { try $0.moveSection("A", afterSection: "C") }),
        ("A: a | B: b | C: c", "A: a | C: c | B: b", { try $0.moveSection("C", afterSection: "A") }),
        ("A: a | B: b | C: c", "A: a | B: b | C: c", { try $0.moveSection("B", afterSection: "B") }),
        ("A: a | B: b | C: c", "A: a | B: b | C: c", { try $0.moveSection("B", afterSection: "A") }),
        // Items go to the last section by default, and move there if they are elsewhere.
        ("A: a | B:", "A: a | B: b c", { try $0.appendItems(["b", "c"]) }),
        ("A: a | B:", "A: a | B:", { try $0.appendItems([]) }),
        ("A: a b | B: c", "A: b c x a | B:", { try $0.appendItems(["c", "x", "a"], toSection: "A") }),
        ("A: a b | B: c", "A: a x y b | B: c", { try $0.insertItems(["x", "y"], beforeItem: "b") }),
        ("A: a b | B: c", "A: a b x y | B: c", { try $0.insertItems(["x", "y"], afterItem: "b") }),
        ("A: a b c d | B: e", "A: b e a x d c | B:", { try $0.insertItems(["e", "a", "x", "d"], beforeItem: "c") }),
        // The anchor is among them: the run goes where it stood.
        ("A: a b c d", "A: a d b x c", { try $0.insertItems(["d", "b", "x"], beforeItem: "b") }),
        ("A: a b c d", "A: a d b x c", { try $0.insertItems(["d", "b", "x"], afterItem: "b") }),
        ("A: a b c | B: d e", "A: b | B: d", { $0.deleteItems(["e", "x", "a", "c", "a"]) }),
        ("A: b | B: d", "A: b | B: d", { $0.deleteItems(["x"]) }),
        // Next to itself, an item stays.
        ("A: a b c | B: d", "A: b a c | B: d", { try $0.moveItem("a", beforeItem: "c") }),
        ("A: a b c | B: d", "A: d a b c | B:", { try $0.moveItem("d", beforeItem: "a") }),
        ("A: a b c | B: d", "A: a b c | B: d", { try $0.moveItem("b", beforeItem: "b") }),
        ("A: a b c | B: d", "A: b c a | B: d", { try $0.moveItem("a", afterItem: "c") }),
        ("A: a b c | B: d", "A: b c | B: d a", { try $0.moveItem("a", afterItem: "d") }),
        ("A: a b c | B: d", "A: a b c | B: d", { try $0.moveItem("b", afterItem: "b") }),
        // Items that are set leave their former sections.
        ("A: a b | B: c d", "A: x c b | B: d", { try $0.setItems(["x", "c", "b"], inSection: "A") }),
        ("A: x c b | B: d", "A: x c b | B:", { try $0.setItems([], inSection: "B") }),
    ]

    @Test(arguments: edits.indices) func anEdit_makesOfASnapshotWhatItSays(_ row: Int) throws {
        let (before, after, edit) = Self.edits[row]
        var snapshot = try named(before)
        try edit(&snapshot)
        let items = after.split(separator: " ").filter { $0 != "|" && !$0.hasSuffix(":") }.map(String.init)
        #expect(line(snapshot) == after && snapshot.numberOfItems == items.count)
        #expect((items + ["a", "b", "c", "d", "e", "x"]).allSatisfy { snapshot.contains($0) == items.contains($0) })
    }

    static let refused: [(before: String, error: SnapshotError, edit: Edit)] = [
        ("A: a", .duplicateSection("B"), { try $0.appendSections(["B", "B"]) }),
        ("A: a", .duplicateSection("A"), { try $0.appendSections(["B", "A"]) }),
        ("A: a | B: b", .unknownSection("C"), { try $0.insertSections(["X"], beforeSection: "C") }),
        ("A: a | B: b", .duplicateSection("B"), { try $0.insertSections(["X", "B"], afterSection: "A") }),
        ("A: a | B: b", .unknownSection("X"), { try $0.moveSection("X", beforeSection: "A") }),
        ("A: a | B: b", .unknownSection("X"), { try $0.moveSection("A", afterSection: "X") }),
        ("", .noSection, { try $0.appendItems(["a"]) }),
        ("A: a", .unknownSection("B"), { try $0.appendItems(["b"], toSection: "B") }),
        ("A: a", .duplicateItem("b"), { try $0.appendItems(["b", "a", "b"]) }),
        ("A: a b", .unknownItem("y"), { try $0.insertItems(["x"], afterItem: "y") }),
        ("A: a b", .duplicateItem("a"), { try $0.insertItems(["a", "a"], beforeItem: "b") }),
        ("A: a b", .unknownItem("x"), { try $0.moveItem("x", beforeItem: "a") }),
        ("A: a b", .unknownItem("x"), { try $0.moveItem("a", afterItem: "x") }),
        ("A: a b | B: c d", .unknownSection("C"), { try $0.setItems(["x"], inSection: "C") }),
        ("A: a b | B: c d", .duplicateItem("x"), { try $0.setItems(["x", "c", "x"], inSection: "A") }),
        ("A: a b | B: c d", .duplicateItem("a"), { try $0.setItems(["a", "a", "b"], inSection: "A") }),
        ("A: a b c", .unknownItem("x"), { try $0.reloadItems(["a", "x"]) }),
        ("A: a b c", .unknownItem("x"), { try $0.reconfigureItems(["a", "x"]) }),
        ("A: a | B: b", .unknownSection("X"), { try $0.reloadSections(["A", "X"]) }),
    ]

    @Test(arguments: refused.indices) func aRefusedEdit_changesNothing(_ row: Int) throws {
        let (before, error, edit) = Self.refused[row]
        let refused = try refusal(of: edit, on: named(before))
        #expect(refused.error == error && refused.isUnchanged)
    }
}

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
