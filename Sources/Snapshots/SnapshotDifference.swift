/// What turns one snapshot into another, said with identifiers and final positions only.
///
/// It needs nothing of the snapshot that it was taken from to be written down or sent: whoever has an equal snapshot can
/// apply it (``Snapshot/applying(_:)``), and gets the other one exactly. It is applied in this order:
///
/// 1. the moved items are taken out;
/// 2. the deleted items are removed, then the deleted sections with whatever is left in them;
/// 3. the moved sections are taken out, with their items;
/// 4. moved and inserted sections are put at their final positions, ascending;
/// 5. section by section, moved and inserted items are put at their final positions, ascending.
///
/// Any value can be made of the parts, for example by a decoder. Whether it fits is found out when it is applied.
public struct SnapshotDifference<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable>:
    Hashable, Sendable
{
    /// A section and its final position among all sections, from 0.
    public struct SectionPlacement: Hashable, Sendable {
        /// Which section.
        public var section: SectionIdentifier
        /// Its final position among all sections, from 0.
        public var index: Int

        /// The section `section`, finally at position `index`.
        @inlinable
        public init(section: SectionIdentifier, index: Int) {
            self.section = section
            self.index = index
        }
    }

    /// An item, the section that it is finally in, and its final position there, from 0.
    public struct ItemPlacement: Hashable, Sendable {
        /// Which item.
        public var item: ItemIdentifier
        /// The section that it is finally in.
        public var section: SectionIdentifier
        /// Its final position in that section, from 0.
        public var index: Int

        /// The item `item`, finally at position `index` of `section`.
        @inlinable
        public init(item: ItemIdentifier, section: SectionIdentifier, index: Int) {
            self.item = item
            self.section = section
            self.index = index
        }
    }

    /// Sections that go, with every item that is not moved out of them.
    public var deletedSections: [SectionIdentifier]
    /// New sections, ascending by position. They start empty; their items are listed as inserted or moved.
    public var insertedSections: [SectionPlacement]
    /// Sections that change their place among the others and take their items along, ascending by position.
    public var movedSections: [SectionPlacement]
    /// Items that go although their section stays.
    public var deletedItems: [ItemIdentifier]
    /// New items, ascending by final section and position.
    public var insertedItems: [ItemPlacement]
    /// Items that change their section, or their place among the others of their section; ascending by final section and
    /// position.
    public var movedItems: [ItemPlacement]
    /// Items to be shown anew.
    public var reloadedItems: [ItemIdentifier]
    /// Items whose cells are to be brought up to date.
    public var reconfiguredItems: [ItemIdentifier]
    /// Sections to be shown anew with all their items.
    public var reloadedSections: [SectionIdentifier]

    /// A difference made of its parts; empty where nothing is given.
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

    /// How many deletions, insertions, moves and reloads there are.
    @inlinable
    public var operationCount: Int {
        structuralOperationCount + reloadedItems.count + reconfiguredItems.count + reloadedSections.count
    }

    /// How many deletions, insertions and moves there are.
    @inlinable
    public var structuralOperationCount: Int {
        deletedSections.count + insertedSections.count + movedSections.count + deletedItems.count + insertedItems.count
            + movedItems.count
    }

    /// Whether there is nothing to do.
    @inlinable
    public var isEmpty: Bool { operationCount == 0 }
}
