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
}
