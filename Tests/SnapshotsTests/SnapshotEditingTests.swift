import Snapshots
import Testing

/// Edits as rows: the snapshot before, the one after, and the edit.
struct SnapshotEditingTests {
    typealias Edit = @Sendable (inout NamedSnapshot) throws -> Void

    static let edits: [(before: String, after: String, edit: Edit)] = [
        // New sections are empty.
        ("A: a", "A: a | C: | B:", { try $0.appendSections(["C", "B"]) }), ("A: a", "A: a", { try $0.appendSections([]) }),
        // Sections take their items along; unknown ones are ignored.
        ("A: a | B: b c | C: d", "A: a | C: d", { $0.deleteSections(["B", "X", "B"]) }),
        ("A: a | C: d", "A: a | C: d", { $0.deleteSections(["X"]) }),
        // Items go to the last section by default, and move there if they are elsewhere.
        ("A: a | B:", "A: a | B: b c", { try $0.appendItems(["b", "c"]) }),
        ("A: a | B:", "A: a | B:", { try $0.appendItems([]) }),
        ("A: a b | B: c", "A: b c x a | B:", { try $0.appendItems(["c", "x", "a"], toSection: "A") }),
        ("A: a b c | B: d e", "A: b | B: d", { $0.deleteItems(["e", "x", "a", "c", "a"]) }),
        ("A: b | B: d", "A: b | B: d", { $0.deleteItems(["x"]) }),
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
        ("", .noSection, { try $0.appendItems(["a"]) }),
        ("A: a", .unknownSection("B"), { try $0.appendItems(["b"], toSection: "B") }),
        ("A: a", .duplicateItem("b"), { try $0.appendItems(["b", "a", "b"]) }),
        ("A: a b c", .unknownItem("x"), { try $0.reconfigureItems(["a", "x"]) }),
    ]

    @Test(arguments: refused.indices) func aRefusedEdit_changesNothing(_ row: Int) throws {
        let (before, error, edit) = Self.refused[row]
        let refused = try refusal(of: edit, on: named(before))
        #expect(refused.error == error && refused.isUnchanged)
    }
}

struct SnapshotMarksTests {
    @Test func marks_areEachOnceInOrder_keptWhenAnItemMoves_andForgottenWhenItGoes() throws {
        var snapshot = try named("A: a b | B: c")
        try snapshot.reconfigureItems(["c", "a", "c"])
        try snapshot.reconfigureItems(["b", "a"])
        try snapshot.appendItems(["a"], toSection: "B")
        #expect(snapshot.reconfiguredItemIdentifiers == ["c", "a", "b"])
        snapshot.deleteItems(["c"])
        #expect(snapshot.reconfiguredItemIdentifiers == ["a", "b"])
        snapshot.deleteSections(["B"])
        #expect(snapshot.reconfiguredItemIdentifiers == ["b"] && snapshot.withoutMarks.reconfiguredItemIdentifiers.isEmpty)
    }

    @Test func marks_ofManyItemsStayOnceEachInOrder() throws {
        var snapshot = try SmallSnapshot([(section: 0, items: Array(0..<500))])
        for item in 0..<500 { try snapshot.reconfigureItems([499 - item, 499]) }
        #expect(snapshot.reconfiguredItemIdentifiers == (0..<500).reversed())
        snapshot.deleteItems(Array(0..<250))
        #expect(snapshot.reconfiguredItemIdentifiers == (250..<500).reversed())
    }

    @Test func difference_carriesTheMarksOfItemsInBoth_andApplyingMarksThem() throws {
        let first = try named("A: a b | B: c")
        var second = try named("A: a x | B: c | C: y")
        try second.reconfigureItems(["x", "y", "c", "a"])
        let difference = first.difference(to: second)
        #expect(difference.reconfiguredItems == ["c", "a"])
        #expect(difference.operationCount == difference.structuralOperationCount + 2)
        let result = try first.applying(difference)
        #expect(result == second && result.reconfiguredItemIdentifiers == ["c", "a"])
        #expect(try result.applying(NamedDifference()).reconfiguredItemIdentifiers.isEmpty)
        let marks = result.withoutMarks.difference(to: result)
        #expect(!marks.isEmpty && marks.structuralOperationCount == 0)
    }
}

struct SnapshotQueryTests {
    @Test func init_makesASnapshotOfNothing() {
        let empty = NamedSnapshot()
        #expect(empty.numberOfItems == 0 && empty.numberOfSections == 0)
        #expect(empty.itemIdentifiers.isEmpty && empty.sectionIdentifiers.isEmpty)
        #expect(empty.contents.isEmpty && empty == NamedSnapshot())
    }

    @Test func initWithContents_isRefused_whenASectionOrAnItemIsThereTwice() {
        #expect(throws: SnapshotError.duplicateSection("A")) { try named("A: a | B: b | A: c") }
        #expect(throws: SnapshotError.duplicateItem("a")) { try named("A: a | B: b a") }
        #expect(throws: SnapshotError.duplicateItem("a")) { try named("A: a a") }
    }

    @Test func initWithContents_isRefused_whenALargeOneHasAnItemTwice() {
        let items = Array(0..<1000)
        #expect(throws: SnapshotError.duplicateItem("999")) {
            try SmallSnapshot([(section: 0, items: items), (section: 1, items: [999])])
        }
        #expect(throws: SnapshotError.duplicateSection("7")) {
            try SmallSnapshot((Array(0..<100) + [7]).map { (section: $0, items: []) })
        }
    }

    @Test func anUnknownSection_hasNoItems() throws {
        let snapshot = try named("A: a b | B:")
        #expect(throws: SnapshotError.unknownSection("C")) { try snapshot.itemIdentifiers(inSection: "C") }
    }

    @Test func equality_seesOrder_andIgnoresMarks() throws {
        let snapshot = try named("A: a b | B: c")
        var marked = snapshot
        try marked.reconfigureItems(["a"])
        #expect(marked == snapshot)
        for other in ["A: b a | B: c", "B: c | A: a b", "A: a b c | B:", "A: a b", "A: a | B: b c"] {
            #expect(try named(other) != snapshot)
        }
    }
}
