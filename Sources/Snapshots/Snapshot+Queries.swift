extension Snapshot {
    /// The number of items in all sections. O(1).
    @inlinable
    public var numberOfItems: Int { itemCount }

    /// The number of sections. O(1).
    @inlinable
    public var numberOfSections: Int { rows.count }

    /// The number of items in a section.
    ///
    /// - Throws: ``SnapshotError/unknownSection(_:)``.
    @inlinable
    public func numberOfItems(inSection section: SectionIdentifier) throws(SnapshotError) -> Int {
        rows[try position(of: section)].items.count
    }

    /// All items, section by section, in order.
    @inlinable
    public var itemIdentifiers: [ItemIdentifier] {
        var all: [ItemIdentifier] = []
        all.reserveCapacity(itemCount)
        for row in rows { all.append(contentsOf: row.items) }
        return all
    }

    /// All sections, in order.
    @inlinable
    public var sectionIdentifiers: [SectionIdentifier] {
        rows.map(\.identifier)
    }

    /// The items of a section, in order. The array shares the snapshot's storage: O(1) once the section is found.
    ///
    /// - Throws: ``SnapshotError/unknownSection(_:)``.
    @inlinable
    public func itemIdentifiers(inSection section: SectionIdentifier) throws(SnapshotError) -> [ItemIdentifier] {
        rows[try position(of: section)].items
    }

    /// The position of an item among all items, from 0; `nil` if absent.
    @inlinable
    public func indexOfItem(_ item: ItemIdentifier) -> Int? {
        guard let place = place(of: item) else { return nil }
        return rows[..<place.section].reduce(place.offset) { $0 + $1.items.count }
    }

    /// The position of a section, from 0; `nil` if absent.
    @inlinable
    public func indexOfSection(_ section: SectionIdentifier) -> Int? {
        if let index { return index.value.position(of: section, in: rows) }
        for position in rows.indices where rows[position].identifier == section { return position }
        return nil
    }

    /// The section of an item; `nil` if the item is absent.
    @inlinable
    public func sectionIdentifier(containingItem item: ItemIdentifier) -> SectionIdentifier? {
        place(of: item).map { rows[$0.section].identifier }
    }

    /// Whether the item is in the snapshot.
    @inlinable
    public func contains(_ item: ItemIdentifier) -> Bool {
        place(of: item) != nil
    }

    /// Whether the section is in the snapshot.
    @inlinable
    public func contains(section: SectionIdentifier) -> Bool {
        indexOfSection(section) != nil
    }

    /// The position of an item; `nil` if absent.
    @inlinable
    public func itemPath(of item: ItemIdentifier) -> ItemPath? {
        place(of: item).map { ItemPath(item: $0.offset, section: $0.section) }
    }

    /// The item at a position; `nil` outside the snapshot.
    @inlinable
    public func itemIdentifier(at path: ItemPath) -> ItemIdentifier? {
        guard rows.indices.contains(path.section), rows[path.section].items.indices.contains(path.item) else {
            return nil
        }
        return rows[path.section].items[path.item]
    }

    /// The section at a position; `nil` outside the snapshot.
    @inlinable
    public func sectionIdentifier(at index: Int) -> SectionIdentifier? {
        rows.indices.contains(index) ? rows[index].identifier : nil
    }

    /// The number of items in the section at a position; 0 outside the snapshot.
    @inlinable
    public func numberOfItems(at index: Int) -> Int {
        rows.indices.contains(index) ? rows[index].items.count : 0
    }

    @inlinable
    func place(of item: ItemIdentifier) -> Place? {
        if let index { return index.value.place(of: item, hash: SlotTable.hash(item), in: rows) }
        return rows.withUnsafeBufferPointer { rows in
            for section in rows.indices {
                let offset = rows[section].items.withUnsafeBufferPointer { items in
                    for offset in items.indices where items[offset] == item { return offset }
                    return -1
                }
                if offset >= 0 { return Place(section: section, offset: offset) }
            }
            return nil
        }
    }

    @inlinable
    func position(of section: SectionIdentifier) throws(SnapshotError) -> Int {
        guard let position = indexOfSection(section) else { throw .unknownSection(String(describing: section)) }
        return position
    }

    @inlinable
    func knownPlace(of item: ItemIdentifier) throws(SnapshotError) -> Place {
        guard let place = place(of: item) else { throw .unknownItem(String(describing: item)) }
        return place
    }
}

extension Snapshot: Equatable {
    /// Whether both have the same sections and items in the same order. Ignores marks.
    ///
    /// Sections that share storage are skipped in O(1).
    @inlinable
    public static func == (lhs: Snapshot, rhs: Snapshot) -> Bool {
        guard lhs.itemCount == rhs.itemCount, lhs.rows.count == rhs.rows.count else { return false }
        for position in lhs.rows.indices {
            guard lhs.rows[position].identifier == rhs.rows[position].identifier,
                lhs.rows[position].items == rhs.rows[position].items
            else { return false }
        }
        return true
    }
}
