// snippet
import Snapshots

final class ShoppingList {
    enum Section: CaseIterable { case market, bakery, bought }

    /// The model: the items of each section, in display order.
    private(set) var plan: [Section: [String]] = [:]

    let source = DiffableDataSource<Section, String, String> { name, _ in "- \(name)" }

    init() throws(SnapshotError) {
        var empty = Snapshot<Section, String>()
        try empty.appendSections(Section.allCases)
        source.apply(empty)
        source.sectionHeaderProvider = { "\($0)" }
        source.reorderingHandlers.canReorderItem = { _ in true }
        source.reorderingHandlers.didReorder = { [unowned self] transaction in
            for section in transaction.sectionTransactions { plan[section.sectionIdentifier] = section.finalItems }
        }
    }
}
// end of snippet

// snippet
extension ShoppingList {
    func add(_ name: String, to section: Section) throws(SnapshotError) {
        var snapshot = source.snapshot()
        try snapshot.appendItems([name], toSection: section)
        show(snapshot)
    }

    func delete(_ name: String) {
        var snapshot = source.snapshot()
        snapshot.deleteItems([name])
        show(snapshot)
    }

    private func show(_ snapshot: Snapshot<Section, String>) {
        plan = Dictionary(uniqueKeysWithValues: snapshot.contents.map { ($0.section, $0.items) })
        source.apply(snapshot)
    }
}
// end of snippet

// snippet
extension ShoppingList {
    /// The user drags an item to another position, which may be in an empty section.
    func drag(from source: ItemPath, to destination: ItemPath) -> Bool {
        self.source.reorderItem(at: source, to: destination)
    }
}
// end of snippet
