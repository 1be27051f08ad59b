/// Locates sections by a stable *token*, and items by their section's token and a *hint*: their offset when added.
///
/// A section's *drift* is the largest distance between item and hint, and so the radius of a lookup. See the module's page.
@usableFromInline
struct SnapshotIndex: Sendable {
    /// The state of a section.
    @usableFromInline
    struct Section: Sendable {
        /// The current position of the section.
        @usableFromInline var position: Int
        /// The largest distance between an item and its hint.
        @usableFromInline var drift = 0

        @inlinable
        init(position: Int) { self.position = position }
    }

    /// Up to this many items, a snapshot is scanned: cheaper than keeping an index.
    @inlinable static var itemScanLimit: Int { 96 }
    /// Up to this many sections, they are scanned.
    @inlinable static var sectionScanLimit: Int { 32 }
    /// The drift above which hints are refreshed. Grows with the section: amortised O(1) per edit, and lookups stay short.
    @inlinable
    static func driftLimit(itemCount: Int) -> Int { max(64, itemCount / 32) }

    @usableFromInline var items: SlotTable
    @usableFromInline var sections: SlotTable
    /// By token.
    @usableFromInline var known: [Section]
    /// By position.
    @usableFromInline var tokens: [UInt32]

    @inlinable
    init(sectionCount: Int, itemCount: Int) {
        items = SlotTable(minimumCapacity: itemCount)
        sections = SlotTable(minimumCapacity: sectionCount)
        known = []
        tokens = []
    }

    /// An index of rows without duplicates.
    @inlinable
    init<S, I>(_ rows: [Snapshot<S, I>.Row], itemCount: Int) {
        self.init(sectionCount: rows.count, itemCount: itemCount)
        for (position, row) in rows.enumerated() {
            addSection(row.identifier, at: position)
            addItems(row.items[...], at: position)
        }
    }

    /// An index of rows that may contain duplicates.
    @inlinable
    init<S, I>(checking rows: [Snapshot<S, I>.Row], itemCount: Int) throws(SnapshotError) {
        self.init(sectionCount: rows.count, itemCount: itemCount)
        for (position, row) in rows.enumerated() {
            guard self.position(of: row.identifier, in: rows) == nil else {
                throw .duplicateSection(String(describing: row.identifier))
            }
            addSection(row.identifier, at: position)
            for offset in row.items.indices {
                let hash = SlotTable.hash(row.items[offset])
                guard place(of: row.items[offset], hash: hash, in: rows) == nil else {
                    throw .duplicateItem(String(describing: row.items[offset]))
                }
                items.insert(hash: hash, token: tokens[position], hint: offset)
            }
        }
    }

    // MARK: Looking up

    @inlinable
    func position<S, I>(of section: S, in rows: [Snapshot<S, I>.Row]) -> Int? {
        let hash = SlotTable.hash(section)
        var slot = sections.first(hash)
        while !sections.slots[slot].isFree {
            let entry = sections.slots[slot]
            if entry.hash == hash {
                let position = known[Int(entry.token)].position
                if rows[position].identifier == section { return position }
            }
            slot = sections.next(slot)
        }
        return nil
    }

    @inlinable
    func place<S, I>(of item: I, hash: UInt32, in rows: [Snapshot<S, I>.Row]) -> Snapshot<S, I>.Place? {
        var slot = items.first(hash)
        while !items.slots[slot].isFree {
            let entry = items.slots[slot]
            if entry.hash == hash {
                let section = known[Int(entry.token)]
                if let offset = Self.offset(
                    of: item, near: Int(entry.hint), within: section.drift, in: rows[section.position].items)
                {
                    return Snapshot<S, I>.Place(section: section.position, offset: offset)
                }
            }
            slot = items.next(slot)
        }
        return nil
    }

    @inlinable
    static func offset<I: Equatable>(of item: I, near hint: Int, within drift: Int, in items: [I]) -> Int? {
        if hint < items.count, items[hint] == item { return hint }
        guard drift > 0 else { return nil }
        for distance in 1...drift {
            if hint >= distance, hint - distance < items.count, items[hint - distance] == item { return hint - distance }
            if hint + distance < items.count, items[hint + distance] == item { return hint + distance }
        }
        return nil
    }
}
