/// Holds the state of a list, changes it from snapshot to snapshot, and updates a view.
///
/// The model applies snapshots of identifiers; the view requests cells and shows each change.
///
/// - Cells are made on demand and kept until their item is deleted or reloaded. A reconfigured item keeps its cell for update.
/// - Changes are serial: an apply within a handler or completion is queued.
/// - Not thread-safe: confined to its creator.
/// - Handlers are retained: capture the data source weakly.
public final class DiffableDataSource<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable, Cell> {
    /// The type of applied snapshots.
    public typealias ListSnapshot = Snapshot<SectionIdentifier, ItemIdentifier>
    /// A change from one snapshot to another.
    public typealias Transaction = DiffableDataSourceTransaction<SectionIdentifier, ItemIdentifier>
    /// Makes an item's cell. `existing`: the cell of a reconfigured item, to be updated; otherwise `nil`.
    public typealias CellProvider = (_ item: ItemIdentifier, _ existing: Cell?) -> Cell

    @usableFromInline
    struct CachedCell {
        @usableFromInline var cell: Cell
        @usableFromInline var isOutOfDate: Bool

        @inlinable
        init(cell: Cell, isOutOfDate: Bool) {
            self.cell = cell
            self.isOutOfDate = isOutOfDate
        }
    }

    /// The view's callback, once per change, when queries already return the new state.
    public var onUpdate: ((_ change: Transaction, _ isAnimated: Bool) -> Void)?

    @usableFromInline let cellProvider: CellProvider
    @usableFromInline var current = ListSnapshot()
    /// The snapshot after the queued changes.
    @usableFromInline var latest = ListSnapshot()
    @usableFromInline var cells: [ItemIdentifier: CachedCell] = [:]
    @usableFromInline var isChanging = false
    /// Changes queued during a change, oldest first.
    @usableFromInline var waiting: [() -> Void] = []

    /// A data source with an empty list.
    @inlinable
    public init(cellProvider: @escaping CellProvider) {
        self.cellProvider = cellProvider
    }

    // MARK: Applying

    /// Shows a snapshot: passes the view the difference, including reloads marked in the snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: the snapshot to show.
    ///   - animatingDifferences: whether the view animates the change.
    ///   - completion: called after the view's update. During another change, both are queued.
    @inlinable
    public func apply(
        _ snapshot: ListSnapshot, animatingDifferences: Bool = true, completion: (() -> Void)? = nil
    ) {
        latest = snapshot.withoutMarks
        serially { [unowned self] in
            show(Transaction(from: current, to: snapshot), animatingDifferences)
            completion?()
        }
    }

    /// Shows a difference that is known, as one that was received: nothing is compared. O(snapshot + difference).
    ///
    /// - Parameter difference: from the snapshot that was applied last.
    /// - Throws: a ``SnapshotError`` if the difference does not fit; the list is then unchanged.
    @inlinable
    public func apply(
        _ difference: SnapshotDifference<SectionIdentifier, ItemIdentifier>, animatingDifferences: Bool = true,
        completion: (() -> Void)? = nil
    ) throws(SnapshotError) {
        let transaction = Transaction(from: latest, to: try latest.applying(difference), by: difference)
        latest = transaction.finalSnapshot
        serially { [unowned self] in
            show(transaction, animatingDifferences)
            completion?()
        }
    }

    /// Runs a change, then queued ones.
    /// Unowned: the changes do not outlive the call, and the caller retains the data source.
    @inlinable
    func serially(_ change: @escaping () -> Void) {
        waiting.append(change)
        guard !isChanging else { return }
        isChanging = true
        defer { isChanging = false }
        var next = 0
        while next < waiting.count {
            waiting[next]()
            next += 1
            // Bounds the queue's memory when a completion keeps applying snapshots.
            if next == 64 {
                waiting.removeFirst(next)
                next = 0
            }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Makes the final snapshot current, drops outdated cells and tells the view.
    @inlinable
    func show(_ transaction: Transaction, _ isAnimated: Bool) {
        let difference = transaction.difference
        current = transaction.finalSnapshot
        for item in difference.deletedItems + difference.reloadedItems { cells[item] = nil }
        for section in difference.deletedSections {
            let items = try? transaction.initialSnapshot.itemIdentifiers(inSection: section)
            for item in items ?? [] where !current.contains(item) { cells[item] = nil }
        }
        for section in difference.reloadedSections {
            let items = try? current.itemIdentifiers(inSection: section)
            for item in items ?? [] { cells[item] = nil }
        }
        for item in difference.reconfiguredItems { cells[item]?.isOutOfDate = true }
        onUpdate?(transaction, isAnimated)
    }

    // MARK: Queries

    /// The current snapshot, without marks. Edit and apply a copy to change the list.
    @inlinable
    public func snapshot() -> ListSnapshot { current }

    /// The item at a position; `nil` outside the list.
    @inlinable
    public func itemIdentifier(for path: ItemPath) -> ItemIdentifier? { current.itemIdentifier(at: path) }

    /// The number of sections.
    @inlinable
    public var numberOfSections: Int { current.numberOfSections }

    /// The number of items in the section at a position; 0 outside the list.
    @inlinable
    public func numberOfItems(inSection index: Int) -> Int { current.numberOfItems(at: index) }

    /// The cell of an item, made or updated if needed; `nil` if the item is absent.
    @inlinable
    public func cell(for item: ItemIdentifier) -> Cell? {
        let cached = cells[item]
        if let cached, !cached.isOutOfDate { return cached.cell }
        guard cached != nil || current.contains(item) else { return nil }
        let cell = cellProvider(item, cached?.cell)
        // The provider may have applied a snapshot without the item.
        if current.contains(item) { cells[item] = CachedCell(cell: cell, isOutOfDate: false) }
        return cell
    }

    /// The cell at a position; `nil` outside the list.
    @inlinable
    public func cell(at path: ItemPath) -> Cell? {
        itemIdentifier(for: path).flatMap { cell(for: $0) }
    }
}

/// A complete change of a ``DiffableDataSource``.
public struct DiffableDataSourceTransaction<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable>:
    Sendable
{
    /// The snapshot before, without marks.
    public let initialSnapshot: Snapshot<SectionIdentifier, ItemIdentifier>
    /// The snapshot after, without marks.
    public let finalSnapshot: Snapshot<SectionIdentifier, ItemIdentifier>
    /// The difference between the two.
    public let difference: SnapshotDifference<SectionIdentifier, ItemIdentifier>

    /// The change from one snapshot to another.
    @inlinable
    public init(
        from initial: Snapshot<SectionIdentifier, ItemIdentifier>, to final: Snapshot<SectionIdentifier, ItemIdentifier>
    ) {
        self.init(from: initial, to: final, by: initial.difference(to: final))
    }

    @inlinable
    init(
        from initial: Snapshot<SectionIdentifier, ItemIdentifier>, to final: Snapshot<SectionIdentifier, ItemIdentifier>,
        by difference: SnapshotDifference<SectionIdentifier, ItemIdentifier>
    ) {
        (initialSnapshot, finalSnapshot, self.difference) = (initial.withoutMarks, final.withoutMarks, difference)
    }
}
