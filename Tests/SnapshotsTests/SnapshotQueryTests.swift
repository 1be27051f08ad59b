import Snapshots
import Testing

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
        #expect(throws: SnapshotError.unknownSection("C")) { try snapshot.numberOfItems(inSection: "C") }
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
