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

    // MARK: Updating

    /// Several changes in one access.
    @inlinable
    mutating func update(_ change: (inout SnapshotIndex) -> Void) { change(&self) }

    /// Adds an empty section. The positions of later ones are outdated until ``renumber()``.
    @inlinable
    mutating func addSection<S: Hashable>(_ section: S, at position: Int) {
        let token = UInt32(truncatingIfNeeded: known.count)
        known.append(Section(position: position))
        tokens.insert(token, at: position)
        sections.insert(hash: SlotTable.hash(section), token: token, hint: 0)
    }

    /// Removes a section with all its items. Its token is never reused.
    @inlinable
    mutating func removeSection<S: Hashable, I: Hashable>(_ section: S, at position: Int, items gone: [I]) {
        let token = tokens[position]
        for item in gone { removeItem(hash: SlotTable.hash(item), token: token, near: nil) }
        let hash = SlotTable.hash(section)
        var slot = sections.first(hash)
        while !sections.slots[slot].isFree {
            if sections.slots[slot].hash == hash, sections.slots[slot].token == token { return sections.remove(at: slot) }
            slot = sections.next(slot)
        }
    }

    /// Updates positions after a reorder. Maps each new position to the old one, or to a negative number for a new section.
    @inlinable
    mutating func rearrange<S: Hashable, I>(_ sources: [Int], newSections rows: [Snapshot<S, I>.Row]) {
        let old = tokens
        tokens = []
        tokens.reserveCapacity(sources.count)
        for (position, source) in sources.enumerated() {
            if source < 0 { addSection(rows[position].identifier, at: position) } else { tokens.append(old[source]) }
        }
        renumber()
    }

    /// Adds the items that a difference puts into a section, of which `count` items stay.
    @inlinable
    mutating func addPlacements<S, I>(
        _ moved: ArraySlice<SnapshotDifference<S, I>.ItemPlacement>,
        _ inserted: ArraySlice<SnapshotDifference<S, I>.ItemPlacement>,
        staying: Int, at position: Int
    ) {
        var first = Int.max
        for placements in [moved, inserted] {
            for placement in placements {
                items.insert(hash: SlotTable.hash(placement.item), token: tokens[position], hint: placement.index)
                first = min(first, placement.index)
            }
        }
        if first < staying { shift(at: position, by: moved.count + inserted.count) }
    }

    /// Keeps only the tokens of sections at some positions.
    @inlinable
    mutating func keepTokens(_ isKept: (Int) -> Bool) {
        tokens = tokens.indices.filter(isKept).map { tokens[$0] }
        renumber()
    }

    /// Updates the positions of sections.
    @usableFromInline
    mutating func renumber() {
        for (position, token) in tokens.enumerated() { known[Int(token)].position = position }
    }

    /// Adds items, whose offsets are the indices of the slice.
    @inlinable
    mutating func addItems<I: Hashable>(_ added: ArraySlice<I>, at position: Int) {
        let token = tokens[position]
        for offset in added.indices { items.insert(hash: SlotTable.hash(added[offset]), token: token, hint: offset) }
    }

    /// Removes items, whose offsets are the indices of the slice.
    /// - Returns: false if their slots are ambiguous: the index is then unusable.
    @inlinable
    mutating func removeItems<I: Hashable>(_ gone: ArraySlice<I>, at position: Int) -> Bool {
        var isTold = true
        let token = tokens[position]
        for offset in gone.indices {
            if !removeItem(hash: SlotTable.hash(gone[offset]), token: token, near: offset) { isTold = false }
        }
        return isTold
    }

    /// Removes the items at these positions.
    /// - Returns: false if their slots are ambiguous: the index is then unusable.
    @inlinable
    mutating func removeItems<S, I>(at places: [Snapshot<S, I>.Place], of rows: [Snapshot<S, I>.Row]) -> Bool {
        var isTold = true
        for place in places {
            let hash = SlotTable.hash(rows[place.section].items[place.offset])
            if !removeItem(hash: hash, token: tokens[place.section], near: place.offset) { isTold = false }
        }
        return isTold
    }

    /// Removes an item of a section: of several with the same hash, the one with this hint, or any if `hint` is nil.
    ///
    /// - Returns: false, without effect, if inexact hints make the slot ambiguous.
    @usableFromInline
    @discardableResult
    mutating func removeItem(hash: UInt32, token: UInt32, near offset: Int?) -> Bool {
        var slot = items.first(hash)
        var found: Int?
        while !items.slots[slot].isFree {
            let entry = items.slots[slot]
            if entry.hash == hash, entry.token == token {
                if offset == nil || (known[Int(token)].drift == 0 && Int(entry.hint) == offset) {
                    items.remove(at: slot)
                    return true
                }
                if known[Int(token)].drift > 0 {
                    guard found == nil else { return false }
                    found = slot
                }
            }
            slot = items.next(slot)
        }
        if let found { items.remove(at: found) }
        return found != nil
    }

    /// Records that items of a section have shifted by up to `distance`.
    @inlinable
    mutating func shift(at position: Int, by distance: Int) {
        known[Int(tokens[position])].drift += distance
    }

    /// Ends an edit of these sections: refreshes hints that have drifted too far.
    /// - Returns: false if the index must be rebuilt.
    @inlinable
    mutating func isFit<S, I>(for rows: [Snapshot<S, I>.Row], _ touched: Range<Int>) -> Bool {
        if known.count > 2 * rows.count + Self.sectionScanLimit { return false }
        for position in touched {
            let limit = Self.driftLimit(itemCount: rows[position].items.count)
            guard known[Int(tokens[position])].drift > limit else { continue }
            // Rebuilding the index is faster than refreshing most hints one by one.
            if rows[position].items.count * 2 > items.count { return false }
            if !refresh(rows[position].items, at: position) { return false }
        }
        return true
    }

    /// Refreshes the hints of a section.
    /// - Returns: false if a slot is ambiguous.
    @inlinable
    mutating func refresh<I: Hashable>(_ row: [I], at position: Int) -> Bool {
        let token = tokens[position]
        for (offset, item) in row.enumerated() {
            guard setHint(hash: SlotTable.hash(item), token: token, hint: offset) else { return false }
        }
        known[Int(token)].drift = 0
        return true
    }

    @usableFromInline
    mutating func setHint(hash: UInt32, token: UInt32, hint: Int) -> Bool {
        var slot = items.first(hash)
        var found: Int?
        while !items.slots[slot].isFree {
            if items.slots[slot].hash == hash, items.slots[slot].token == token {
                guard found == nil else { return false }
                found = slot
            }
            slot = items.next(slot)
        }
        guard let found else { return false }
        items.slots[found].hint = UInt32(truncatingIfNeeded: hint)
        return true
    }
}

/// Distinct values in insertion order.
///
/// Small lists are scanned; beyond ``scanLimit`` a set keeps insertion O(1).
@usableFromInline
struct UniqueList<Element: Hashable & Sendable>: Sendable {
    /// Up to this many values, comparing all is cheaper than hashing one.
    @inlinable static var scanLimit: Int { 24 }

    @usableFromInline var elements: [Element] = []
    @usableFromInline var members: Set<Element>?

    @inlinable
    init() {}

    @inlinable
    func contains(_ element: Element) -> Bool {
        members?.contains(element) ?? elements.contains(element)
    }

    /// Appends a value unless present; returns whether it was appended.
    @inlinable
    @discardableResult
    mutating func append(_ element: Element) -> Bool {
        if members != nil {
            guard members?.insert(element).inserted == true else { return false }
        } else {
            guard !elements.contains(element) else { return false }
        }
        elements.append(element)
        if members == nil, elements.count > Self.scanLimit { members = Set(elements) }
        return true
    }

    @inlinable
    mutating func remove(where isGone: (Element) -> Bool) {
        elements.removeAll(where: isGone)
        if members != nil { members = Set(elements) }
    }

    /// The first of `count` values that occurs among those before it.
    @inlinable
    static func firstDuplicate(count: Int, _ value: (Int) -> Element) -> Element? {
        guard count > 1 else { return nil }
        guard count > scanLimit else {
            for position in 1..<count {
                let candidate = value(position)
                for earlier in 0..<position where value(earlier) == candidate { return candidate }
            }
            return nil
        }
        var table = SlotTable(minimumCapacity: count)
        for position in 0..<count {
            let candidate = value(position)
            let hash = SlotTable.hash(candidate)
            var slot = table.first(hash)
            while !table.slots[slot].isFree {
                if table.slots[slot].hash == hash, value(Int(table.slots[slot].hint)) == candidate { return candidate }
                slot = table.next(slot)
            }
            table.insert(hash: hash, token: 0, hint: position)
        }
        return nil
    }
}
