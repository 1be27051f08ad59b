/// Holds the state of a list, changes it from snapshot to snapshot, and keeps the cells of its items.
///
/// The model applies snapshots of identifiers, or the differences that it receives; a view asks for cells and shows the changes.
///
/// - Cells are made on demand and kept until their item is deleted. A reconfigured item keeps its cell for update.
/// - Not thread-safe: confined to its creator.
/// - The provider is retained: capture the data source weakly.
public final class DiffableDataSource<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable, Cell> {
    /// The type of applied snapshots.
    public typealias ListSnapshot = Snapshot<SectionIdentifier, ItemIdentifier>
    /// The type of applied differences.
    public typealias ListDifference = SnapshotDifference<SectionIdentifier, ItemIdentifier>
    /// Makes an item's cell. `existing`: the cell of a reconfigured item, to be updated; otherwise `nil`.
    public typealias CellProvider = (_ item: ItemIdentifier, _ existing: Cell?) -> Cell

    @usableFromInline let cellProvider: CellProvider
    @usableFromInline var current = ListSnapshot()
    @usableFromInline var cells: [ItemIdentifier: Cell] = [:]
    /// Reconfigured items whose cells have not been asked for since.
    @usableFromInline var outOfDate: Set<ItemIdentifier> = []

    /// A data source with an empty list.
    @inlinable
    public init(cellProvider: @escaping CellProvider) {
        self.cellProvider = cellProvider
    }

    /// Applies a snapshot.
    ///
    /// - Returns: the difference to it, with the items marked in the snapshot.
    @inlinable
    @discardableResult
    public func apply(_ snapshot: ListSnapshot) -> ListDifference {
        let difference = current.difference(to: snapshot)
        show(snapshot, difference)
        return difference
    }

    /// Applies a known difference, such as a received one, without comparing. O(snapshot + difference).
    ///
    /// - Throws: a ``SnapshotError`` if the difference does not fit; the list is then unchanged.
    @inlinable
    public func apply(_ difference: ListDifference) throws(SnapshotError) {
        show(try current.applying(difference), difference)
    }

    @inlinable
    func show(_ next: ListSnapshot, _ difference: ListDifference) {
        let former = current
        current = next.withoutMarks
        for item in difference.deletedItems { forget(item) }
        for section in difference.deletedSections {
            let items = try? former.itemIdentifiers(inSection: section)
            for item in items ?? [] where !current.contains(item) { forget(item) }
        }
        for item in difference.reconfiguredItems where cells[item] != nil { outOfDate.insert(item) }
    }

    @inlinable
    func forget(_ item: ItemIdentifier) {
        cells[item] = nil
        outOfDate.remove(item)
    }

    /// The current snapshot, without marks. Edit and apply a copy to change the list.
    @inlinable
    public func snapshot() -> ListSnapshot { current }

    /// The cell of an item, made or updated if needed; `nil` if the item is absent.
    @inlinable
    public func cell(for item: ItemIdentifier) -> Cell? {
        let existing = cells[item]
        if existing != nil ? !outOfDate.contains(item) : !current.contains(item) { return existing }
        let cell = cellProvider(item, existing)
        // The provider may have applied a snapshot without the item.
        if current.contains(item) {
            cells[item] = cell
            outOfDate.remove(item)
        }
        return cell
    }
}
