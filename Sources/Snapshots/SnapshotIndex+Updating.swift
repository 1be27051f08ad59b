extension SnapshotIndex {
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
