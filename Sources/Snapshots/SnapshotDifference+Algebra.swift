extension SnapshotDifference {
    /// The inverse difference. Reloads what this one reloads, if present on both sides.
    ///
    /// - Parameter base: the snapshot that this difference applies to; deleted identifiers and old positions are found only
    ///   there.
    /// - Throws: a ``SnapshotError`` if this difference does not fit `base`.
    @inlinable
    public func inverse(
        from base: Snapshot<SectionIdentifier, ItemIdentifier>
    ) throws(SnapshotError) -> SnapshotDifference {
        let result = try base.applying(self)
        var inverse = result.structuralDifference(to: base, reborn: [])
        inverse.reloadedItems = reloadedItems.filter { base.contains($0) }
        inverse.reconfiguredItems = reconfiguredItems.filter { base.contains($0) }
        inverse.reloadedSections = reloadedSections.filter { base.contains(section: $0) }
        return inverse
    }

    /// This difference followed by another, as one that is never larger than both together.
    ///
    /// Reloads what either reloads, if present before and after.
    ///
    /// - Parameters:
    ///   - next: the difference to apply after this one.
    ///   - base: the snapshot that this difference applies to.
    /// - Throws: a ``SnapshotError`` if this difference does not fit `base`, or `next` does not fit the result.
    @inlinable
    public func composed(
        with next: SnapshotDifference, from base: Snapshot<SectionIdentifier, ItemIdentifier>
    ) throws(SnapshotError) -> SnapshotDifference {
        let middle = try base.applying(self)
        let last = try middle.applying(next)
        var composition = base.structuralDifference(to: last, reborn: [])
        let limit = structuralOperationCount + next.structuralOperationCount
        if composition.structuralOperationCount > limit {
            composition = base.structuralDifference(to: last, reborn: Self.reborn(deletedSections, next, base, last))
        }
        var marks = SnapshotMarks<SectionIdentifier, ItemIdentifier>()
        let isThroughout = { (item: ItemIdentifier) in base.contains(item) && last.contains(item) }
        for difference in [self, next] {
            marks.reload(difference.reloadedItems.filter(isThroughout))
            marks.reconfigure(difference.reconfiguredItems.filter(isThroughout))
            for section in difference.reloadedSections where base.contains(section: section) && last.contains(section: section) {
                marks.reloadedSections.append(section)
            }
        }
        composition.reloadedItems = marks.reloadedItems.elements
        composition.reconfiguredItems = marks.reconfiguredItems.elements
        composition.reloadedSections = marks.reloadedSections.elements
        return composition
    }

    /// Sections deleted with their items and inserted again empty.
    /// Deleting each of their items instead could need more operations than both differences together.
    @inlinable
    static func reborn(
        _ deleted: [SectionIdentifier], _ next: SnapshotDifference, _ base: Snapshot<SectionIdentifier, ItemIdentifier>,
        _ last: Snapshot<SectionIdentifier, ItemIdentifier>
    ) -> [SectionIdentifier] {
        (deleted + next.deletedSections).filter { base.contains(section: $0) && last.contains(section: $0) }
    }
}
