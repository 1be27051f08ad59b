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
