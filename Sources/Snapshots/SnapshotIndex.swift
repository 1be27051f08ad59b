/// Finds the items and sections of a large snapshot.
///
/// The rows are the truth; the index says where in them to look. It knows each section by a *token* that stays the same when
/// sections move, and each item by the token of its section and a *hint*: the offset that it had. An edit in the middle of a
/// section shifts the items behind it, and their hints with them, by no more than the section's *drift*; that far around the
/// hint an item is looked for. When the drift becomes too large, the hints of the section are written anew.
@usableFromInline
struct SnapshotIndex: Sendable {
    /// What is known of a section.
    @usableFromInline
    struct Section: Sendable {
        /// The position of the section now.
        @usableFromInline var position: Int
        /// How far an item may be from its hint.
        @usableFromInline var drift = 0

        @inlinable
        init(position: Int) { self.position = position }
    }

    /// A snapshot with no more items than this is scanned: comparing that many identifiers costs less than keeping an index.
    @inlinable static var itemScanLimit: Int { 96 }
    /// The same for sections.
    @inlinable static var sectionScanLimit: Int { 32 }
    /// The drift above which the hints of a section are written anew. It grows with the section, so that an edit costs O(1) of
    /// that work, and a look-up stays a short scan of memory at worst.
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

    /// An index of rows that are known to have nothing twice.
    @inlinable
    init<S, I>(_ rows: [Snapshot<S, I>.Row], itemCount: Int) {
        self.init(sectionCount: rows.count, itemCount: itemCount)
        for (position, row) in rows.enumerated() {
            addSection(row.identifier, at: position)
            addItems(row.items[...], at: position)
        }
    }

    /// An index of rows that may have something twice.
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
