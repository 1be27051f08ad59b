import Snapshots
import Testing

struct DifferenceTests {
    typealias ItemPlacement = NamedDifference.ItemPlacement
    typealias SectionPlacement = NamedDifference.SectionPlacement

    @Test func difference_listsSectionsDeletedInsertedAndMoved() throws {
        let difference = try named("A: | B: | C: | D:").difference(to: named("X: | D: | A: | C: | Y:"))
        #expect(difference.deletedSections == ["B"])
        #expect(
            difference.insertedSections == [SectionPlacement(section: "X", index: 0), SectionPlacement(section: "Y", index: 4)])
        #expect(difference.movedSections == [SectionPlacement(section: "D", index: 1)])
        #expect(difference.operationCount == 4)
    }

    @Test func difference_listsItemsDeletedAndInserted_whereTheyAreFinally() throws {
        let difference = try named("A: a b c").difference(to: named("A: x b y"))
        #expect(difference.deletedItems == ["a", "c"])
        #expect(
            difference.insertedItems == [
                ItemPlacement(item: "x", section: "A", index: 0), ItemPlacement(item: "y", section: "A", index: 2),
            ])
        #expect(difference.operationCount == 4)
    }

    @Test func difference_ofAnItemIntoANewSection_andOutOfADeletedOne_isOneMove() throws {
        let difference = try named("A: a b c").difference(to: named("B: b"))
        #expect(difference.deletedSections == ["A"] && difference.deletedItems.isEmpty)
        #expect(difference.insertedSections == [SectionPlacement(section: "B", index: 0)])
        #expect(difference.movedItems == [ItemPlacement(item: "b", section: "B", index: 0)] && difference.insertedItems.isEmpty)
    }

    @Test func difference_ofAReversal_leavesOneInPlace() throws {
        let items = (0..<300).map(String.init)
        let first = try NamedSnapshot([(section: "A", items: items)])
        let second = try NamedSnapshot([(section: "A", items: items.reversed())])
        let difference = first.difference(to: second)
        #expect(difference.movedItems.count == 299 && difference.operationCount == 299)
        #expect(try first.applying(difference) == second)
    }

    @Test func applying_keepsTheStorageOfSectionsThatNothingHappensTo() throws {
        let first = try named("A: a b | B: c d | C: e f")
        let second = try named("C: e f | A: a x b | B: c d")
        let result = try first.applying(first.difference(to: second))
        #expect(result == second)
        let isShared = try ["A", "B", "C"].map { section in
            try storage(of: first.itemIdentifiers(inSection: section)) == storage(of: result.itemIdentifiers(inSection: section))
        }
        #expect(isShared == [false, true, true])
    }

    private func storage(of items: [String]) -> UnsafePointer<String>? {
        items.withUnsafeBufferPointer { $0.baseAddress }
    }
}
