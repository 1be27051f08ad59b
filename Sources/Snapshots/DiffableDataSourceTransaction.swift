/// One change of what a ``DiffableDataSource`` shows, from beginning to end.
public struct DiffableDataSourceTransaction<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable>:
    Sendable
{
    /// What changed within one section.
    public struct SectionTransaction: Sendable {
        /// Which section.
        public let sectionIdentifier: SectionIdentifier
        /// Its items before; none if it is new.
        public let initialItems: [ItemIdentifier]
        /// Its items after; none if it is gone.
        public let finalItems: [ItemIdentifier]

        @inlinable
        init(sectionIdentifier: SectionIdentifier, initialItems: [ItemIdentifier], finalItems: [ItemIdentifier]) {
            self.sectionIdentifier = sectionIdentifier
            self.initialItems = initialItems
            self.finalItems = finalItems
        }

        /// What turns the initial items into the final ones, as the standard library says it. Computed when asked for.
        @inlinable
        public var difference: CollectionDifference<ItemIdentifier> { finalItems.difference(from: initialItems) }
    }

    /// What was shown before, with nothing marked.
    public let initialSnapshot: Snapshot<SectionIdentifier, ItemIdentifier>
    /// What is shown after, with nothing marked.
    public let finalSnapshot: Snapshot<SectionIdentifier, ItemIdentifier>
    /// What leads from the one to the other.
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

    /// What a view does, step by step. Computed when asked for.
    @inlinable
    public var steps: [SnapshotStep<SectionIdentifier, ItemIdentifier>] {
        // The difference was taken from the initial snapshot, so it fits; if it did not, there would be nothing to play.
        (try? difference.steps(from: initialSnapshot)) ?? []
    }

    /// The sections whose items changed: those that are there after, in that order, then those that are gone, in the order in
    /// which they were. Computed when asked for; the cost is in proportion to the number of sections and the changed items.
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
