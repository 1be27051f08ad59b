import Snapshots
import Testing

struct ReorderingTests {
    private typealias Source = DiffableDataSource<String, String, String>

    private func reorderable(_ text: String) throws -> Source {
        let source = Source { item, _ in item }
        source.apply(try named(text))
        source.reorderingHandlers.canReorderItem = { $0 != "fixed" }
        return source
    }

    @Test func canReorderItem_isNo_withoutAHandler_withoutAnItem_andWhenTheHandlerSaysSo() throws {
        let source = try reorderable("A: a fixed")
        #expect(source.canReorderItem(at: ItemPath(item: 0, section: 0)))
        #expect(!source.canReorderItem(at: ItemPath(item: 1, section: 0)))
        #expect(!source.canReorderItem(at: ItemPath(item: 2, section: 0)))
        source.reorderingHandlers = Source.ReorderingHandlers()
        #expect(!source.canReorderItem(at: ItemPath(item: 0, section: 0)))
    }

    @Test(arguments: [
        (0, 0, 2, 0, "A: b c a | B: d | C:"), (2, 0, 0, 0, "A: c a b | B: d | C:"), (0, 0, 0, 1, "A: b c | B: a d | C:"),
        (1, 0, 1, 1, "A: a c | B: d b | C:"), (0, 1, 0, 2, "A: a b c | B: | C: d"), (1, 0, 1, 0, "A: a b c | B: d | C:"),
    ])
    func reorderItem_movesItToItsFinalPosition_alsoIntoAnEmptySection(
        item: Int, section: Int, toItem: Int, toSection: Int, expected: String
    ) throws {
        let source = try reorderable("A: a b c | B: d | C:")
        let isMoved = source.reorderItem(
            at: ItemPath(item: item, section: section), to: ItemPath(item: toItem, section: toSection))
        #expect(isMoved && line(source.snapshot()) == expected)
    }

    @Test(arguments: [(0, 0, 3, 0), (0, 0, 3, 1), (0, 0, 0, 2), (0, 0, -1, 0), (1, 1, 0, 0), (5, 0, 0, 0), (0, 7, 0, 0)])
    func reorderItem_isRefused_whereNothingCanBe_andChangesNothing(item: Int, section: Int, toItem: Int, toSection: Int) throws {
        let source = try reorderable("A: a b c | B: d fixed")
        source.reorderingHandlers.willReorder = { _ in Issue.record("nothing is reordered") }
        let isMoved = source.reorderItem(
            at: ItemPath(item: item, section: section), to: ItemPath(item: toItem, section: toSection))
        #expect(!isMoved && line(source.snapshot()) == "A: a b c | B: d fixed")
    }

    @Test func willReorder_seesTheInitialSnapshot_andDidReorder_theFinalOne() throws {
        let source = try reorderable("A: a b | B: c | C: d")
        var log: [String] = []
        source.reorderingHandlers.willReorder = { [unowned source] _ in log.append("will " + line(source.snapshot())) }
        source.onUpdate = { [unowned source] _ in log.append("view " + line(source.snapshot())) }
        source.reorderingHandlers.didReorder = { [unowned source] transaction in
            log.append("did " + line(source.snapshot()))
            #expect(line(transaction.initialSnapshot) == "A: a b | B: c | C: d")
            #expect(transaction.finalSnapshot == source.snapshot())
            #expect(
                transaction.difference
                    == NamedDifference(movedItems: [NamedDifference.ItemPlacement(item: "a", section: "B", index: 1)]))
            #expect(transaction.sectionTransactions.map(\.sectionIdentifier) == ["A", "B"])
            #expect(transaction.sectionTransactions.map(\.initialItems) == [["a", "b"], ["c"]])
            #expect(transaction.sectionTransactions.map(\.finalItems) == [["b"], ["c", "a"]])
            for section in transaction.sectionTransactions {
                #expect(section.initialItems.applying(section.difference) == section.finalItems)
            }
        }
        #expect(source.reorderItem(at: ItemPath(item: 0, section: 0), to: ItemPath(item: 1, section: 1)))
        #expect(log == ["will A: a b | B: c | C: d", "view A: b | B: c a | C: d", "did A: b | B: c a | C: d"])
    }

    @Test func sectionTransactions_listNewSectionsAndThoseThatAreGone() throws {
        let transaction = DiffableDataSourceTransaction(from: try named("A: a | B: b | C: c"), to: try named("D: a | C: c"))
        #expect(transaction.sectionTransactions.map(\.sectionIdentifier) == ["D", "A", "B"])
    }

    @Test func reorderItem_duringAnotherChange_isRefused_andAnApplyDuringAReorder_waits() throws {
        let source = try reorderable("A: a b")
        let path = ItemPath(item: 0, section: 0)
        let end = ItemPath(item: 1, section: 0)
        let next = try named("A: x")
        source.reorderingHandlers.didReorder = { [unowned source] _ in
            #expect(!source.reorderItem(at: path, to: end))
            source.apply(next)
            #expect(line(source.snapshot()) == "A: b a")
        }
        #expect(source.reorderItem(at: path, to: end))
        #expect(source.snapshot() == next)
    }
}
