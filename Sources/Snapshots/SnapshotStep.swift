/// One change by a view. Positions refer to the list after all earlier steps.
///
/// A moved element is first lifted, then dropped, so that a view can animate it; in between it is absent.
public enum SnapshotStep<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable>: Hashable, Sendable {
    /// Delete an item.
    case deleteItem(ItemIdentifier, at: ItemPath)
    /// Take an item off the list, to be dropped later.
    case liftItem(ItemIdentifier, at: ItemPath)
    /// Delete a section with its remaining items.
    case deleteSection(SectionIdentifier, at: Int)
    /// Take a section with its items off the list, to be dropped later.
    case liftSection(SectionIdentifier, at: Int)
    /// Insert an empty section.
    case insertSection(SectionIdentifier, at: Int)
    /// Put a lifted section back, with the items that it had when lifted.
    case dropSection(SectionIdentifier, at: Int)
    /// Insert an item.
    case insertItem(ItemIdentifier, at: ItemPath)
    /// Put a lifted item back.
    case dropItem(ItemIdentifier, at: ItemPath)
    /// Show a section and all its items again.
    case reloadSection(SectionIdentifier, at: Int)
    /// Show an item again.
    case reloadItem(ItemIdentifier, at: ItemPath)
    /// Update the cell of an item.
    case reconfigureItem(ItemIdentifier, at: ItemPath)
}

extension SnapshotDifference {
    /// The steps with which a view performs this difference, in the order of ``SnapshotDifference``.
    ///
    /// O(d log d) for d operations, plus lookups.
    ///
    /// - Parameter base: the snapshot shown before.
    /// - Throws: a ``SnapshotError`` if this difference does not fit `base`.
    @inlinable
    public func steps(
        from base: Snapshot<SectionIdentifier, ItemIdentifier>
    ) throws(SnapshotError) -> [SnapshotStep<SectionIdentifier, ItemIdentifier>] {
        let result = try base.applying(self)
        var steps: [SnapshotStep<SectionIdentifier, ItemIdentifier>] = []
        steps.reserveCapacity(operationCount + movedItems.count + movedSections.count)
        appendRemovals(from: base, to: &steps)
        appendSectionPlacements(to: &steps)
        appendItemPlacements(in: result, to: &steps)
        appendReloads(in: result, to: &steps)
        return steps
    }

    /// Back to front, so that a removal does not shift later ones.
    @inlinable
    func appendRemovals(
        from base: Snapshot<SectionIdentifier, ItemIdentifier>,
        to steps: inout [SnapshotStep<SectionIdentifier, ItemIdentifier>]
    ) {
        var items: [(path: ItemPath, item: ItemIdentifier, isLifted: Bool)] = []
        for item in deletedItems {
            if let path = base.itemPath(of: item) { items.append((path, item, false)) }
        }
        for placement in movedItems {
            if let path = base.itemPath(of: placement.item) { items.append((path, placement.item, true)) }
        }
        items.sort { $0.path > $1.path }
        for (path, item, isLifted) in items {
            steps.append(isLifted ? .liftItem(item, at: path) : .deleteItem(item, at: path))
        }
        var sections: [(position: Int, section: SectionIdentifier, isLifted: Bool)] = []
        for section in deletedSections {
            if let position = base.indexOfSection(section) { sections.append((position, section, false)) }
        }
        for placement in movedSections {
            if let position = base.indexOfSection(placement.section) { sections.append((position, placement.section, true)) }
        }
        sections.sort { $0.position > $1.position }
        for (position, section, isLifted) in sections {
            steps.append(isLifted ? .liftSection(section, at: position) : .deleteSection(section, at: position))
        }
    }

    @inlinable
    func appendSectionPlacements(to steps: inout [SnapshotStep<SectionIdentifier, ItemIdentifier>]) {
        var placements = insertedSections.map { (placement: $0, isLifted: false) }
        placements += movedSections.map { (placement: $0, isLifted: true) }
        placements.sort { $0.placement.index < $1.placement.index }
        for (placement, isLifted) in placements {
            steps.append(
                isLifted
                    ? .dropSection(placement.section, at: placement.index)
                    : .insertSection(placement.section, at: placement.index))
        }
    }

    @inlinable
    func appendItemPlacements(
        in result: Snapshot<SectionIdentifier, ItemIdentifier>,
        to steps: inout [SnapshotStep<SectionIdentifier, ItemIdentifier>]
    ) {
        var placements: [(path: ItemPath, item: ItemIdentifier, isLifted: Bool)] = []
        for (list, isLifted) in [(insertedItems, false), (movedItems, true)] {
            for placement in list {
                guard let section = result.indexOfSection(placement.section) else { continue }
                placements.append((ItemPath(item: placement.index, section: section), placement.item, isLifted))
            }
        }
        placements.sort { $0.path < $1.path }
        for (path, item, isLifted) in placements {
            steps.append(isLifted ? .dropItem(item, at: path) : .insertItem(item, at: path))
        }
    }

    @inlinable
    func appendReloads(
        in result: Snapshot<SectionIdentifier, ItemIdentifier>,
        to steps: inout [SnapshotStep<SectionIdentifier, ItemIdentifier>]
    ) {
        for section in result.reloadedSectionIdentifiers {
            if let position = result.indexOfSection(section) { steps.append(.reloadSection(section, at: position)) }
        }
        for item in result.reloadedItemIdentifiers {
            if let path = result.itemPath(of: item) { steps.append(.reloadItem(item, at: path)) }
        }
        for item in result.reconfiguredItemIdentifiers {
            if let path = result.itemPath(of: item) { steps.append(.reconfigureItem(item, at: path)) }
        }
    }
}
