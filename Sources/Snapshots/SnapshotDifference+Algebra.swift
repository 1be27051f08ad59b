extension SnapshotDifference {
    /// The difference that leads back. What this one reloads is reloaded on the way back too, if it is there on both sides.
    ///
    /// - Parameter base: the snapshot that this difference is applied to. The way back needs what was deleted and where things
    ///   were, and that is not in the difference.
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

    /// This difference and then another, as one that is never larger than the two.
    ///
    /// Everything that either of them reloads is reloaded, if it is there before and after: somebody who gets only the one
    /// difference misses no change.
    ///
    /// - Parameters:
    ///   - next: the difference to apply after this one.
    ///   - base: the snapshot that this difference is applied to.
    /// - Throws: a ``SnapshotError`` if this difference does not fit `base`, or `next` does not fit what this one leads to.
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

    /// The sections that went with their items at one deletion each and came back empty. To keep their identity, each of their
    /// items would have to be deleted, which may be more than the two differences together; so they go and come back here too.
    @inlinable
    static func reborn(
        _ deleted: [SectionIdentifier], _ next: SnapshotDifference, _ base: Snapshot<SectionIdentifier, ItemIdentifier>,
        _ last: Snapshot<SectionIdentifier, ItemIdentifier>
    ) -> [SectionIdentifier] {
        (deleted + next.deletedSections).filter { base.contains(section: $0) && last.contains(section: $0) }
    }
}
