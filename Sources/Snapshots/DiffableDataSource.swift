/// Keeps what a list shows, changes it from snapshot to snapshot, and tells the view what to do.
///
/// It is the one source of truth between a model and a view: the model applies snapshots of identifiers, the view asks for the
/// cell of an item and plays the steps of each change.
///
/// - Cells are made by the cell provider when they are first asked for, and kept until their item is deleted or reloaded. An
///   item that is reconfigured keeps its cell: the provider gets it and brings it up to date.
/// - Changes are serial. An apply inside an apply (in a handler, in a completion) waits for its turn; it is neither a deadlock
///   nor a recursion.
/// - There is no thread in it and no lock: it belongs to whoever made it.
///
/// The handlers are kept by the data source; let them refer to it weakly if they capture it.
public final class DiffableDataSource<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable, Cell> {
    /// What is applied.
    public typealias ListSnapshot = Snapshot<SectionIdentifier, ItemIdentifier>
    /// A change from one snapshot to another.
    public typealias Transaction = DiffableDataSourceTransaction<SectionIdentifier, ItemIdentifier>
    /// Makes what is shown of an item. `existing` is the cell that the item has and keeps, if it was reconfigured; else `nil`.
    public typealias CellProvider = (_ item: ItemIdentifier, _ existing: Cell?) -> Cell
    /// Makes what is shown above a section; `nil` for nothing.
    public typealias SectionHeaderProvider = (_ section: SectionIdentifier) -> Cell?

    /// What the view is told.
    public enum Update {
        /// Go along with the difference: at once, or step by step (``DiffableDataSourceTransaction/steps``) if `isAnimated`.
        case change(Transaction, isAnimated: Bool)
        /// Forget what is shown and show everything anew.
        case reloadData
    }

    /// What the user may reorder, and who is told about it.
    public struct ReorderingHandlers {
        /// Whether the user may take up an item. Nobody may if there is no handler.
        public var canReorderItem: ((_ item: ItemIdentifier) -> Bool)?
        /// Called before the order changes. ``DiffableDataSource/snapshot()`` is still the initial one.
        public var willReorder: ((_ transaction: Transaction) -> Void)?
        /// Called after the order changed. This is where the model learns about it.
        public var didReorder: ((_ transaction: Transaction) -> Void)?

        /// Handlers for reordering; nothing can be reordered by default.
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

    /// Makes what is shown above each section. Nothing is, by default. Setting it makes all headers anew.
    public var sectionHeaderProvider: SectionHeaderProvider? {
        didSet { headers = [:] }
    }

    /// What the user may reorder, and who is told about it.
    public var reorderingHandlers = ReorderingHandlers()

    /// The view: called once for each change, when queries answer with the new state already.
    public var onUpdate: ((_ update: Update) -> Void)?

    @usableFromInline let cellProvider: CellProvider
    @usableFromInline var current = ListSnapshot()
    @usableFromInline var cells: [ItemIdentifier: CachedCell] = [:]
    @usableFromInline var headers: [SectionIdentifier: Cell?] = [:]
    @usableFromInline var isChanging = false
    /// Changes that were asked for during a change, in that order.
    @usableFromInline var waiting: [() -> Void] = []

    /// A data source that shows nothing yet.
    @inlinable
    public init(cellProvider: @escaping CellProvider) {
        self.cellProvider = cellProvider
    }
}
