extension Snapshot {
    /// A snapshot of these sections and items, in order.
    ///
    /// - Throws: ``SnapshotError/duplicateSection(_:)``, ``SnapshotError/duplicateItem(_:)``.
    @inlinable
    public init(
        _ contents: some Sequence<(section: SectionIdentifier, items: [ItemIdentifier])>
    ) throws(SnapshotError) {
        self.init()
        rows.reserveCapacity(contents.underestimatedCount)
        for (section, items) in contents {
            rows.append(Row(identifier: section, items: items))
            itemCount += items.count
        }
        if itemCount > UniqueList<ItemIdentifier>.scanLimit || rows.count > UniqueList<SectionIdentifier>.scanLimit {
            let checked = try SnapshotIndex(checking: rows, itemCount: itemCount)
            if isLarge { index = Boxed(checked) }
        } else {
            try checkUniqueness()
        }
    }

    /// The sections with their items, in order: the argument of ``init(_:)``.
    @inlinable
    public var contents: [(section: SectionIdentifier, items: [ItemIdentifier])] {
        rows.map { (section: $0.identifier, items: $0.items) }
    }

    /// Replaces the items of a section. Items of other sections move here; own items that are not listed are removed.
    ///
    /// Examines only the range between the first and the last difference.
    ///
    /// - Throws: ``SnapshotError/unknownSection(_:)``, ``SnapshotError/duplicateItem(_:)`` for an item listed twice.
    @inlinable
    public mutating func setItems(
        _ items: [ItemIdentifier], inSection section: SectionIdentifier
    ) throws(SnapshotError) {
        let position = try position(of: section)
        let present = rows[position].items
        let (old, new) = Self.changedPart(of: present, to: items)
        guard !old.isEmpty || !new.isEmpty else { return }
        let twice = UniqueList.firstDuplicate(count: new.count) { items[new.lowerBound + $0] }
        if let twice { throw .duplicateItem(String(describing: twice)) }
        var elsewhere: [Place] = []
        for offset in new {
            guard let place = place(of: items[offset]) else { continue }
            if place.section != position {
                elsewhere.append(place)
            } else if !old.contains(place.offset) {
                throw .duplicateItem(String(describing: items[offset]))
            }
        }
        if !elsewhere.isEmpty {
            elsewhere.sort()
            remove(elsewhere)
        }
        replace(old, at: position, with: items, new)
        for place in elsewhere { settleIndex(place.section..<place.section + 1) }
        settleIndex(position..<position + 1)
        if !old.isEmpty { dropStaleMarks() }
    }

    /// Both ranges without their common prefix and suffix.
    @inlinable
    static func changedPart(of old: [ItemIdentifier], to new: [ItemIdentifier]) -> (old: Range<Int>, new: Range<Int>) {
        let shared = min(old.count, new.count)
        if old.sharesStorage(with: new) { return (shared..<shared, shared..<shared) }
        var start = 0
        while start < shared, old[start] == new[start] { start += 1 }
        var oldEnd = old.count
        var newEnd = new.count
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        return (start..<oldEnd, start..<newEnd)
    }

    /// Sets the items of a section; `old` and `new` are the differing ranges.
    @inlinable
    mutating func replace(_ old: Range<Int>, at position: Int, with items: [ItemIdentifier], _ new: Range<Int>) {
        let present = rows[position].items
        var isTold = true
        index?.value.update { index in
            isTold = index.removeItems(present[old], at: position)
            index.addItems(items[new], at: position)
            if old.count != new.count, old.upperBound < present.count {
                index.shift(at: position, by: abs(new.count - old.count))
            }
        }
        if !isTold { index = nil }
        itemCount += items.count - present.count
        rows[position].items = items
    }

    @inlinable
    func checkUniqueness() throws(SnapshotError) {
        let section = UniqueList.firstDuplicate(count: rows.count) { rows[$0].identifier }
        if let section { throw .duplicateSection(String(describing: section)) }
        var seen: [ItemIdentifier] = []
        seen.reserveCapacity(itemCount)
        for row in rows {
            for item in row.items {
                if seen.contains(item) { throw .duplicateItem(String(describing: item)) }
                seen.append(item)
            }
        }
    }
}
