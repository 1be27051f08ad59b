extension Snapshot {
    /// Appends items to a section, by default the last. Items already present move there.
    ///
    /// - Throws: ``SnapshotError/duplicateItem(_:)`` for an item listed twice, ``SnapshotError/unknownSection(_:)``,
    ///   ``SnapshotError/noSection`` without a section.
    @inlinable
    public mutating func appendItems(
        _ items: [ItemIdentifier], toSection section: SectionIdentifier? = nil
    ) throws(SnapshotError) {
        guard !rows.isEmpty || section != nil else { throw .noSection }
        var position = rows.count - 1
        if let section { position = try self.position(of: section) }
        try put(items, at: Place(section: position, offset: rows[position].items.count))
    }

    /// Inserts items before an item. Items already present move there, even the anchor itself.
    ///
    /// - Throws: ``SnapshotError/duplicateItem(_:)`` for an item listed twice, ``SnapshotError/unknownItem(_:)`` for the anchor.
    @inlinable
    public mutating func insertItems(
        _ items: [ItemIdentifier], beforeItem anchor: ItemIdentifier
    ) throws(SnapshotError) {
        try put(items, at: try knownPlace(of: anchor))
    }

    /// Inserts items after an item. Items already present move there, even the anchor itself.
    ///
    /// - Throws: ``SnapshotError/duplicateItem(_:)`` for an item listed twice, ``SnapshotError/unknownItem(_:)`` for the anchor.
    @inlinable
    public mutating func insertItems(
        _ items: [ItemIdentifier], afterItem anchor: ItemIdentifier
    ) throws(SnapshotError) {
        var place = try knownPlace(of: anchor)
        place.offset += 1
        try put(items, at: place)
    }

    /// Removes items. Ignores absent ones.
    @inlinable
    public mutating func deleteItems(_ items: [ItemIdentifier]) {
        let places = places(of: items)
        guard !places.isEmpty else { return }
        remove(places)
        if let section = places.last?.section { settleIndex(places[0].section..<section + 1) }
        dropStaleMarks()
    }

    /// Removes all sections, items and marks.
    @inlinable
    public mutating func deleteAllItems() {
        self = Snapshot()
    }

    /// Moves an item before another, which may be in another section. No effect if both are the same.
    ///
    /// - Throws: ``SnapshotError/unknownItem(_:)``.
    @inlinable
    public mutating func moveItem(
        _ item: ItemIdentifier, beforeItem anchor: ItemIdentifier
    ) throws(SnapshotError) {
        _ = try knownPlace(of: item)
        try insertItems([item], beforeItem: anchor)
    }

    /// Moves an item after another, which may be in another section. No effect if both are the same.
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
