/// Reload marks of a snapshot, in call order.
///
/// An item is in at most one of the two item lists: reloading includes reconfiguring.
@usableFromInline
struct SnapshotMarks<Section: Hashable & Sendable, Item: Hashable & Sendable>: Sendable {
    @usableFromInline var reloadedItems = UniqueList<Item>()
    @usableFromInline var reconfiguredItems = UniqueList<Item>()
    @usableFromInline var reloadedSections = UniqueList<Section>()

    @inlinable
    init() {}

    /// Several changes in one access.
    @inlinable
    mutating func update(_ change: (inout SnapshotMarks) -> Void) { change(&self) }

    @inlinable
    var isEmpty: Bool {
        reloadedItems.elements.isEmpty && reconfiguredItems.elements.isEmpty && reloadedSections.elements.isEmpty
    }

    @inlinable
    mutating func reload(_ items: [Item]) {
        for item in items { reloadedItems.append(item) }
        if items.contains(where: { reconfiguredItems.contains($0) }) {
            let reloaded = reloadedItems
            reconfiguredItems.remove { reloaded.contains($0) }
        }
    }

    @inlinable
    mutating func reconfigure(_ items: [Item]) {
        for item in items where !reloadedItems.contains(item) { reconfiguredItems.append(item) }
    }
}
