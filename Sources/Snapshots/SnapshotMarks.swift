/// What a snapshot was told to show anew, in the order in which it was told.
///
/// An item is in one of the two item lists at most: to reload it includes to reconfigure it. Nearly every snapshot has no marks,
/// so they are kept apart from it, behind one reference.
@usableFromInline
final class SnapshotMarks<Section: Hashable & Sendable, Item: Hashable & Sendable>:
    @unchecked Sendable  // Changed only by a snapshot that holds the only reference to it.
{
    @usableFromInline var reloadedItems = UniqueList<Item>()
    @usableFromInline var reconfiguredItems = UniqueList<Item>()
    @usableFromInline var reloadedSections = UniqueList<Section>()

    @inlinable
    init() {}

    @inlinable
    func copy() -> SnapshotMarks {
        let copy = SnapshotMarks()
        copy.reloadedItems = reloadedItems
        copy.reconfiguredItems = reconfiguredItems
        copy.reloadedSections = reloadedSections
        return copy
    }

    @inlinable
    var isEmpty: Bool {
        reloadedItems.elements.isEmpty && reconfiguredItems.elements.isEmpty && reloadedSections.elements.isEmpty
    }

    @inlinable
    func reload(_ items: [Item]) {
        for item in items { reloadedItems.append(item) }
        if !reconfiguredItems.elements.isEmpty {
            let reloaded = reloadedItems
            reconfiguredItems.remove { reloaded.contains($0) }
        }
    }

    @inlinable
    func reconfigure(_ items: [Item]) {
        for item in items where !reloadedItems.contains(item) { reconfiguredItems.append(item) }
    }
}
