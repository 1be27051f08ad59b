/// The difference between two snapshots, in identifiers and final positions only. Any value can be made: applying checks it.
///
/// ``Snapshot/applying(_:)`` performs these steps:
///
/// 1. remove moved items;
/// 2. delete items, then sections with their remaining items;
/// 3. remove moved sections with their items;
/// 4. insert moved and new sections at their final positions, ascending;
/// 5. by section, insert moved and new items at their final positions, ascending.
public struct SnapshotDifference<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable>:
    Hashable, Sendable
{
    /// A section and its final position among all sections, from 0.
    public struct SectionPlacement: Hashable, Sendable {
        /// Which section.
        public var section: SectionIdentifier
        /// Its final position among all sections, from 0.
        public var index: Int

        /// A section with its final position.
        @inlinable
        public init(section: SectionIdentifier, index: Int) {
            self.section = section
            self.index = index
        }
    }

    /// An item, its final section, and its final position there, from 0.
    public struct ItemPlacement: Hashable, Sendable {
        /// Which item.
        public var item: ItemIdentifier
        /// Its final section.
        public var section: SectionIdentifier
        /// Its final position in that section, from 0.
        public var index: Int

        /// An item with its final position in `section`.
        @inlinable
        public init(item: ItemIdentifier, section: SectionIdentifier, index: Int) {
            self.item = item
            self.section = section
            self.index = index
        }
    }

    /// Deleted sections, with every item that is not moved out of them.
    public var deletedSections: [SectionIdentifier]
    /// New sections, ascending by position. They start empty: their items are inserted or moved.
    public var insertedSections: [SectionPlacement]
    /// Sections that change their relative order, with their items, ascending by position.
    public var movedSections: [SectionPlacement]
    /// Deleted items of remaining sections.
    public var deletedItems: [ItemIdentifier]
    /// New items, ascending by final section and position.
    public var insertedItems: [ItemPlacement]
    /// Items that change their section or their relative order in it, ascending by final section and position.
    public var movedItems: [ItemPlacement]
    /// Items to be shown again.
    public var reloadedItems: [ItemIdentifier]
    /// Items whose cells are to be updated.
    public var reconfiguredItems: [ItemIdentifier]
    /// Sections to be shown again with all their items.
    public var reloadedSections: [SectionIdentifier]

    /// A difference of these parts, all empty by default.
    @inlinable
    public init(
        deletedSections: [SectionIdentifier] = [], insertedSections: [SectionPlacement] = [],
        movedSections: [SectionPlacement] = [], deletedItems: [ItemIdentifier] = [], insertedItems: [ItemPlacement] = [],
        movedItems: [ItemPlacement] = [], reloadedItems: [ItemIdentifier] = [], reconfiguredItems: [ItemIdentifier] = [],
        reloadedSections: [SectionIdentifier] = []
    ) {
        self.deletedSections = deletedSections
        self.insertedSections = insertedSections
        self.movedSections = movedSections
        self.deletedItems = deletedItems
        self.insertedItems = insertedItems
        self.movedItems = movedItems
        self.reloadedItems = reloadedItems
        self.reconfiguredItems = reconfiguredItems
        self.reloadedSections = reloadedSections
    }

    /// The number of deletions, insertions, moves and reloads.
    @inlinable
    public var operationCount: Int {
        structuralOperationCount + reloadedItems.count + reconfiguredItems.count + reloadedSections.count
    }

    /// The number of deletions, insertions and moves.
    @inlinable
    public var structuralOperationCount: Int {
        deletedSections.count + insertedSections.count + movedSections.count + deletedItems.count + insertedItems.count
            + movedItems.count
    }

    /// Whether there are no operations.
    @inlinable
    public var isEmpty: Bool { operationCount == 0 }
}
