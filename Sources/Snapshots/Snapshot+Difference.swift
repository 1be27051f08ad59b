extension Snapshot {
    /// What turns this snapshot into another one, as few operations as possible.
    ///
    /// - Sections and items that are in both keep their identity: they stay, or they move. A section that moves takes its
    ///   items along. An item that changes its section is one move, also into a new section and out of a deleted one.
    /// - Of the sections, and of the items that stay in their section, a longest subsequence whose order is unchanged stays in
    ///   place (the longest increasing subsequence of old positions), so the number of moves is the least possible.
    /// - What is marked in `other` is reloaded, if it is in this snapshot too: what is new is shown for the first time anyway.
    ///
    /// The same two snapshots give the same operations in the same order in every process. The cost is O(n) expected, and
    /// O(m log m) for m items that stay in a section where some change places. Sections that share their storage cost nothing
    /// more than noticing it.
    @inlinable
    public func difference(to other: Snapshot) -> SnapshotDifference<SectionIdentifier, ItemIdentifier> {
        guard let marks = other.marks?.value else { return structuralDifference(to: other, reborn: []) }
        var difference = structuralDifference(to: other, reborn: [])
        difference.reloadedItems = marks.reloadedItems.elements.filter { contains($0) }
        difference.reconfiguredItems = marks.reconfiguredItems.elements.filter { contains($0) }
        difference.reloadedSections = marks.reloadedSections.elements.filter { contains(section: $0) }
        return difference
    }

    /// The difference without marks. Sections among `reborn` are taken for different ones even if they are in both snapshots.
    @inlinable
    func structuralDifference(
        to other: Snapshot, reborn: [SectionIdentifier]
    ) -> SnapshotDifference<SectionIdentifier, ItemIdentifier> {
        // Small ones are often equal although they were made independently, and to see that is quick.
        if reborn.isEmpty, rows.sharesStorage(with: other.rows) || (!isLarge && self == other) { return SnapshotDifference() }
        var computation = DifferenceComputation(from: self, to: other)
        return computation.run(reborn: reborn)
    }
}

extension Array {
    /// Whether both are the same storage, as they are when one was copied from the other and neither was changed.
    @inlinable
    func sharesStorage(with other: [Element]) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBufferPointer { mine in
            other.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress }
        }
    }
}
