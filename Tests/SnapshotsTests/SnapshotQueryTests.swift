import Snapshots
import Testing

struct SnapshotQueryTests {
    @Test func init_makesASnapshotOfNothing() {
        let empty = NamedSnapshot()
        #expect(empty.numberOfItems == 0 && empty.numberOfSections == 0)
        #expect(empty.itemIdentifiers.isEmpty && empty.sectionIdentifiers.isEmpty)
        #expect(empty.contents.isEmpty && empty == NamedSnapshot())
    }

    @Test func initWithContents_makesTheSectionsWithTheirItems() throws {
        let snapshot = try NamedSnapshot([(section: "A", items: ["a", "b"]), (section: "B", items: [])])
        #expect(line(snapshot) == "A: a b | B:")
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

    @Test func numberOfItems_countsAllSections() throws {
        #expect(try named("A: a b | B: | C: c").numberOfItems == 3)
    }

    @Test func numberOfSections_countsEmptyOnesToo() throws {
        #expect(try named("A: a b | B: | C: c").numberOfSections == 3)
    }

    @Test func numberOfItemsInSection_countsOneSection_andRefusesAnUnknownOne() throws {
        let snapshot = try named("A: a b | B:")
        #expect(try snapshot.numberOfItems(inSection: "A") == 2)
        #expect(try snapshot.numberOfItems(inSection: "B") == 0)
        #expect(throws: SnapshotError.unknownSection("C")) { try snapshot.numberOfItems(inSection: "C") }
    }

    @Test func itemIdentifiers_areInOrderSectionBySection() throws {
        #expect(try named("B: b a | A: c").itemIdentifiers == ["b", "a", "c"])
    }

    @Test func sectionIdentifiers_areInOrder() throws {
        #expect(try named("B: b a | A: c").sectionIdentifiers == ["B", "A"])
    }

    @Test func itemIdentifiersInSection_areInOrder_andRefuseAnUnknownSection() throws {
        let snapshot = try named("A: b a | B:")
        #expect(try snapshot.itemIdentifiers(inSection: "A") == ["b", "a"])
        #expect(throws: SnapshotError.unknownSection("C")) { try snapshot.itemIdentifiers(inSection: "C") }
    }

    @Test func indexOfSection_isItsPosition() throws {
        let snapshot = try named("A: a | B:")
        #expect(["A", "B", "C"].map { snapshot.indexOfSection($0) } == [0, 1, nil])
    }

    @Test func sectionIdentifierContainingItem_isTheItemsSection() throws {
        let snapshot = try named("A: a | B: b")
        #expect(snapshot.sectionIdentifier(containingItem: "b") == "B")
        #expect(snapshot.sectionIdentifier(containingItem: "c") == nil)
    }

    @Test func contains_knowsItemsAndSections() throws {
        let snapshot = try named("A: a")
        #expect(snapshot.contains("a") && !snapshot.contains("A"))
        #expect(snapshot.contains(section: "A") && !snapshot.contains(section: "a"))
    }

    @Test func itemPath_andItemIdentifierAt_areInverse() throws {
        let snapshot = try named("A: a b | B: | C: c")
        for item in snapshot.itemIdentifiers {
            #expect(snapshot.itemPath(of: item).flatMap { snapshot.itemIdentifier(at: $0) } == item)
        }
        #expect(snapshot.itemPath(of: "c") == ItemPath(item: 0, section: 2))
        #expect(snapshot.itemPath(of: "x") == nil)
        for path in [ItemPath(item: 2, section: 0), ItemPath(item: 0, section: 3), ItemPath(item: -1, section: 0)] {
            #expect(snapshot.itemIdentifier(at: path) == nil)
        }
        #expect(snapshot.sectionIdentifier(at: 1) == "B" && snapshot.sectionIdentifier(at: -1) == nil)
        #expect(snapshot.numberOfItems(at: 0) == 2 && snapshot.numberOfItems(at: 3) == 0)
    }

    @Test func equality_seesOrder_andIgnoresMarks() throws {
        let snapshot = try named("A: a b | B: c")
        var marked = snapshot
        try marked.reloadItems(["a"])
        #expect(marked == snapshot)
        for other in ["A: b a | B: c", "B: c | A: a b", "A: a b c | B:", "A: a b", "A: a | B: b c"] {
            #expect(try named(other) != snapshot)
        }
    }
}
