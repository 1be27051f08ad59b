extension Snapshot {
    /// The difference to another snapshot, with the fewest operations. Deterministic.
    ///
    /// - Sections and items in both keep their identity: they stay or move. A moved section takes its items along; an item that
    ///   changes its section is one move, even into a new section or out of a deleted one.
    /// - The longest increasing subsequence of old positions stays in place, so the number of moves is minimal.
    /// - Marked items and sections of `other` are reloaded if they are in this snapshot.
    ///
    /// O(n) expected, and O(m log m) for m items of a reordered section. Sections that share storage are skipped in O(1).
    @inlinable
    public func difference(to other: Snapshot) -> SnapshotDifference<SectionIdentifier, ItemIdentifier> {
        guard let marks = other.marks?.value else { return structuralDifference(to: other, reborn: []) }
        var difference = structuralDifference(to: other, reborn: [])
        difference.reloadedItems = marks.reloadedItems.elements.filter { contains($0) }
        difference.reconfiguredItems = marks.reconfiguredItems.elements.filter { contains($0) }
        difference.reloadedSections = marks.reloadedSections.elements.filter { contains(section: $0) }
        return difference
    }

    /// The difference without marks. Sections in `reborn` count as different even if they are in both snapshots.
    @inlinable
    func structuralDifference(
        to other: Snapshot, reborn: [SectionIdentifier]
    ) -> SnapshotDifference<SectionIdentifier, ItemIdentifier> {
        // Small snapshots are often equal without sharing storage, and comparing them is cheap.
        if reborn.isEmpty, rows.sharesStorage(with: other.rows) || (!isLarge && self == other) { return SnapshotDifference() }
        var computation = DifferenceComputation(from: self, to: other)
        return computation.run(reborn: reborn)
    }
}

extension Array {
    /// Whether both share the same storage, as unchanged copies do.
    @inlinable
    func sharesStorage(with other: [Element]) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBufferPointer { mine in
            other.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress }
        }
    }
}
