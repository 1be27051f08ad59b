/// Holds the state of a list, changes it from snapshot to snapshot, and updates a view.
///
/// The model applies snapshots of identifiers; the view requests cells and plays the steps of each change.
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
    /// Makes a section's header; `nil` for none.
    public typealias SectionHeaderProvider = (_ section: SectionIdentifier) -> Cell?

    /// An update for the view.
    public enum Update {
        /// Apply the difference: at once, or step by step (``DiffableDataSourceTransaction/steps``) if `isAnimated`.
        case change(Transaction, isAnimated: Bool)
        /// Discard all cells and show everything again.
        case reloadData
    }

    /// Permission and callbacks for reordering by the user.
    public struct ReorderingHandlers {
        /// Whether the user may pick up an item. Without a handler: no.
        public var canReorderItem: ((_ item: ItemIdentifier) -> Bool)?
        /// Called before the order changes. ``DiffableDataSource/snapshot()`` is still the initial one.
        public var willReorder: ((_ transaction: Transaction) -> Void)?
        /// Called after the order has changed: update the model here.
        public var didReorder: ((_ transaction: Transaction) -> Void)?

        /// Handlers for reordering; by default nothing can be reordered.
        @inlinable
        public init(
            canReorderItem: ((_ item: ItemIdentifier) -> Bool)? = nil,
            willReorder: ((_ transaction: Transaction) -> Void)? = nil,
            didReorder: ((_ transaction: Transaction) -> Void)? = nil
        ) {
            self.canReorderItem = canReorderItem
            self.willReorder = willReorder
            self.didReorder = didReorder
        }
    }

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

    /// Makes section headers; by default there are none. Setting it makes all headers again.
    public var sectionHeaderProvider: SectionHeaderProvider? {
        didSet { headers = [:] }
    }

    /// Permission and callbacks for reordering by the user.
    public var reorderingHandlers = ReorderingHandlers()

    /// The view's callback, once per change, when queries already return the new state.
    public var onUpdate: ((_ update: Update) -> Void)?

    @usableFromInline let cellProvider: CellProvider
    @usableFromInline var current = ListSnapshot()
    @usableFromInline var cells: [ItemIdentifier: CachedCell] = [:]
    @usableFromInline var headers: [SectionIdentifier: Cell?] = [:]
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
    ///   - animatingDifferences: whether the view plays the change step by step.
    ///   - completion: called after the view's update. During another change, both are queued.
    @inlinable
    public func apply(
        _ snapshot: ListSnapshot, animatingDifferences: Bool = true, completion: (() -> Void)? = nil
    ) {
        serially { [unowned self] in
            let transaction = Transaction(from: current, to: snapshot)
            show(transaction)
            onUpdate?(.change(transaction, isAnimated: animatingDifferences))
            completion?()
        }
    }

    /// Shows a snapshot without a difference: all cells and headers are made again.
    ///
    /// - Parameters:
    ///   - snapshot: the snapshot to show.
    ///   - completion: called after the view's update. During another change, both are queued.
    @inlinable
    public func applySnapshotUsingReloadData(_ snapshot: ListSnapshot, completion: (() -> Void)? = nil) {
        serially { [unowned self] in
            current = snapshot.withoutMarks
            cells = [:]
            headers = [:]
            onUpdate?(.reloadData)
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

    /// Makes the final snapshot current and drops outdated cells and headers.
    @inlinable
    func show(_ transaction: Transaction) {
        let difference = transaction.difference
        current = transaction.finalSnapshot
        for item in difference.deletedItems + difference.reloadedItems { cells[item] = nil }
        for section in difference.deletedSections {
            headers[section] = nil
            let items = try? transaction.initialSnapshot.itemIdentifiers(inSection: section)
            for item in items ?? [] where !current.contains(item) { cells[item] = nil }
        }
        for section in difference.reloadedSections {
            headers[section] = nil
            let items = try? current.itemIdentifiers(inSection: section)
            for item in items ?? [] { cells[item] = nil }
        }
        for item in difference.reconfiguredItems { cells[item]?.isOutOfDate = true }
    }

    // MARK: Queries

    /// The current snapshot, without marks. Edit and apply a copy to change the list.
    @inlinable
    public func snapshot() -> ListSnapshot { current }

    /// The item at a position; `nil` outside the list.
    @inlinable
    public func itemIdentifier(for path: ItemPath) -> ItemIdentifier? { current.itemIdentifier(at: path) }

    /// The position of an item; `nil` if absent.
    @inlinable
    public func indexPath(for item: ItemIdentifier) -> ItemPath? { current.itemPath(of: item) }

    /// The section at a position; `nil` outside the list.
    @inlinable
    public func sectionIdentifier(for index: Int) -> SectionIdentifier? { current.sectionIdentifier(at: index) }

    /// The position of a section; `nil` if absent.
    @inlinable
    public func index(for section: SectionIdentifier) -> Int? { current.indexOfSection(section) }

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

    /// The header of the section at a position; `nil` without a header or outside the list.
    @inlinable
    public func header(inSection index: Int) -> Cell? {
        guard let section = sectionIdentifier(for: index) else { return nil }
        if let header = headers[section] { return header }
        let header = sectionHeaderProvider?(section)
        headers[section] = .some(header)
        return header
    }

    // MARK: Reordering

    /// Whether the user may pick up the item at a position.
    @inlinable
    public func canReorderItem(at path: ItemPath) -> Bool {
        guard let item = itemIdentifier(for: path) else { return false }
        return reorderingHandlers.canReorderItem?(item) ?? false
    }

    /// Moves an item at the user's request, within its section or to another one, which may be empty. Calls the handlers.
    ///
    /// - Parameters:
    ///   - source: the item's position.
    ///   - destination: its final position. One past the last item is the end of a section; an empty section has only position 0.
    /// - Returns: whether the item is at the destination. False for an item that may not be reordered, a position outside the
    ///   list, and during another change, when positions may be outdated.
    @inlinable
    @discardableResult
    public func reorderItem(at source: ItemPath, to destination: ItemPath) -> Bool {
        guard !isChanging, canReorderItem(at: source), let item = itemIdentifier(for: source),
            let final = current.moving(item, to: destination)
        else { return false }
        guard source != destination else { return true }
        serially { [unowned self] in
            let transaction = Transaction(from: current, to: final)
            reorderingHandlers.willReorder?(transaction)
            show(transaction)
            onUpdate?(.change(transaction, isAnimated: false))
            reorderingHandlers.didReorder?(transaction)
        }
        return true
    }
}

extension Snapshot {
    /// The snapshot with an item moved; `nil` for a position outside the list.
    @inlinable
    func moving(_ item: ItemIdentifier, to destination: ItemPath) -> Snapshot? {
        guard let source = place(of: item), rows.indices.contains(destination.section) else { return nil }
        let count = rows[destination.section].items.count
        let end = source.section == destination.section ? count - 1 : count
        guard (0...end).contains(destination.item) else { return nil }
        let isLater = source.section == destination.section && destination.item > source.offset
        var copy = self
        let target = Place(section: destination.section, offset: destination.item + (isLater ? 1 : 0))
        guard (try? copy.put([item], at: target)) != nil else { return nil }
        return copy
    }
}

/// A complete change of a ``DiffableDataSource``.
public struct DiffableDataSourceTransaction<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable>:
    Sendable
{
    /// The change of one section.
    public struct SectionTransaction: Sendable {
        /// The section.
        public let sectionIdentifier: SectionIdentifier
        /// Its items before; empty if it is new.
        public let initialItems: [ItemIdentifier]
        /// Its items after; empty if it is deleted.
        public let finalItems: [ItemIdentifier]

        @inlinable
        init(sectionIdentifier: SectionIdentifier, initialItems: [ItemIdentifier], finalItems: [ItemIdentifier]) {
            self.sectionIdentifier = sectionIdentifier
            self.initialItems = initialItems
            self.finalItems = finalItems
        }

        /// The difference of the items as a `CollectionDifference`. Computed on access.
        @inlinable
        public var difference: CollectionDifference<ItemIdentifier> { finalItems.difference(from: initialItems) }
    }

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
        initialSnapshot = initial.withoutMarks
        finalSnapshot = final.withoutMarks
        difference = initial.difference(to: final)
    }

    /// The steps for a view. Computed on access.
    @inlinable
    public var steps: [SnapshotStep<SectionIdentifier, ItemIdentifier>] {
        // Cannot throw: the difference was computed from the initial snapshot.
        (try? difference.steps(from: initialSnapshot)) ?? []
    }

    /// Sections with changed items: present ones in final order, then deleted ones in initial order.
    ///
    /// Computed on access, in O(sections + changed items).
    @inlinable
    public var sectionTransactions: [SectionTransaction] {
        var transactions: [SectionTransaction] = []
        for row in finalSnapshot.rows {
            let initial = initialSnapshot.indexOfSection(row.identifier).map { initialSnapshot.rows[$0].items }
            guard initial != row.items else { continue }
            transactions.append(
                SectionTransaction(sectionIdentifier: row.identifier, initialItems: initial ?? [], finalItems: row.items))
        }
        for row in initialSnapshot.rows where !finalSnapshot.contains(section: row.identifier) {
            transactions.append(SectionTransaction(sectionIdentifier: row.identifier, initialItems: row.items, finalItems: []))
        }
        return transactions
    }
}
