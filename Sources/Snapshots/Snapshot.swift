/// The state of a list: ordered sections of ordered items, each identifier at most once. Copies share storage by section.
///
/// API as Apple's diffable data sources, but misuse throws a ``SnapshotError`` and has no effect.
public struct Snapshot<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable>: Sendable {
    /// A section: its identifier and its items, in an array of their own, so that copies share it.
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

    /// The position of an item: its section's, and its own in that section.
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
    /// Present when the snapshot is large enough for hashing to pay.
    @usableFromInline var index: Boxed<SnapshotIndex>?
    /// Reload marks; `nil` when there are none, the usual case.
    @usableFromInline var marks: Boxed<SnapshotMarks<SectionIdentifier, ItemIdentifier>>?

    /// An empty snapshot.
    @inlinable
    public init() {
        rows = []
        itemCount = 0
    }
}
