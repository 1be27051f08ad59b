/// What a list shows at one instant: sections in order, each with its items in order, all of them by identifier.
///
/// A snapshot is a value. Copy it, edit the copy, and take the ``difference(to:)`` of the two, or hand it to a
/// ``DiffableDataSource``. Names and behaviour are those of the diffable data sources that app developers know, with one
/// exception: what is a programming exception there is a thrown ``SnapshotError`` here, and the snapshot is unchanged after it.
///
/// Always true: an item identifier is in at most one place of the whole snapshot; a section identifier is there at most once.
///
/// Copies share their storage, section by section: a section that no edit touched is recognised as unchanged without looking
/// at its items.
public struct Snapshot<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable>: Sendable {
    /// One section: its identifier and its items, which are an array of their own so that copies share it.
    @usableFromInline
    struct Row: Sendable {
        @usableFromInline var identifier: SectionIdentifier
        @usableFromInline var items: [ItemIdentifier]

        @inlinable
        init(identifier: SectionIdentifier, items: [ItemIdentifier]) {
            self.identifier = identifier
            self.items = items
        }
    }

    /// Where an item is: the position of its section, and its position in that section.
    @usableFromInline
    struct Place: Sendable, Comparable {
        @usableFromInline var section: Int
        @usableFromInline var offset: Int

        @inlinable
        init(section: Int, offset: Int) {
            self.section = section
            self.offset = offset
        }

        @inlinable
        static func < (lhs: Place, rhs: Place) -> Bool {
            lhs.section != rhs.section ? lhs.section < rhs.section : lhs.offset < rhs.offset
        }
    }

    @usableFromInline var rows: [Row]
    @usableFromInline var itemCount: Int
    /// Present when the snapshot is large enough for hashing to be cheaper than scanning.
    @usableFromInline var index: Boxed<SnapshotIndex>?
    /// What was marked for reloading; `nil` when nothing is, which is nearly always.
    @usableFromInline var marks: Boxed<SnapshotMarks<SectionIdentifier, ItemIdentifier>>?

    /// An empty snapshot: no sections, no items.
    @inlinable
    public init() {
        rows = []
        itemCount = 0
    }
}
