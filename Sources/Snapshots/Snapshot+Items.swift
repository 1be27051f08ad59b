extension Snapshot {
    /// Puts items at the end of a section, of the last one by default. Those that are in the snapshot already move there.
    ///
    /// - Throws: ``SnapshotError/duplicateItem(_:)`` if one is named twice, ``SnapshotError/unknownSection(_:)``,
    ///   ``SnapshotError/noSection`` if there is no last section.
    @inlinable
    public mutating func appendItems(
        _ items: [ItemIdentifier], toSection section: SectionIdentifier? = nil
    ) throws(SnapshotError) {
        guard !rows.isEmpty || section != nil else { throw .noSection }
        var position = rows.count - 1
        if let section { position = try self.position(of: section) }
        try put(items, at: Place(section: position, offset: rows[position].items.count))
    }

    /// Puts items just before an item. Those that are in the snapshot already move there; the anchor may be one of them, and
    /// then the items are put where it stood.
    ///
    /// - Throws: ``SnapshotError/duplicateItem(_:)`` if one is named twice, ``SnapshotError/unknownItem(_:)`` for the anchor.
    @inlinable
    public mutating func insertItems(
        _ items: [ItemIdentifier], beforeItem anchor: ItemIdentifier
    ) throws(SnapshotError) {
        try put(items, at: try knownPlace(of: anchor))
    }

    /// Puts items just after an item. Those that are in the snapshot already move there; the anchor may be one of them, and
    /// then the items are put where it stood.
    ///
    /// - Throws: ``SnapshotError/duplicateItem(_:)`` if one is named twice, ``SnapshotError/unknownItem(_:)`` for the anchor.
    @inlinable
    public mutating func insertItems(
        _ items: [ItemIdentifier], afterItem anchor: ItemIdentifier
    ) throws(SnapshotError) {
        var place = try knownPlace(of: anchor)
        place.offset += 1
        try put(items, at: place)
    }

    /// Removes items. One that is not there is nothing.
    @inlinable
    public mutating func deleteItems(_ items: [ItemIdentifier]) {
        let places = places(of: items)
        guard !places.isEmpty else { return }
        remove(places)
        if let section = places.last?.section { settleIndex(places[0].section..<section + 1) }
        dropStaleMarks()
    }

    /// Removes all sections, all items and all marks.
    @inlinable
    public mutating func deleteAllItems() {
        self = Snapshot()
    }

    /// Moves an item to just before another, which may be in another section. Before itself: nothing changes.
    ///
    /// - Throws: ``SnapshotError/unknownItem(_:)``.
    @inlinable
    public mutating func moveItem(
        _ item: ItemIdentifier, beforeItem anchor: ItemIdentifier
    ) throws(SnapshotError) {
        _ = try knownPlace(of: item)
        try insertItems([item], beforeItem: anchor)
    }

    /// Moves an item to just after another, which may be in another section. After itself: nothing changes.
    ///
    /// - Throws: ``SnapshotError/unknownItem(_:)``.
    @inlinable
    public mutating func moveItem(
        _ item: ItemIdentifier, afterItem anchor: ItemIdentifier
    ) throws(SnapshotError) {
        _ = try knownPlace(of: item)
        try insertItems([item], afterItem: anchor)
    }

}
