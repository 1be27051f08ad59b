extension Snapshot {
    /// The sorted, distinct positions of the items present in the snapshot.
    @inlinable
    func places(of items: [ItemIdentifier]) -> [Place] {
        guard itemCount > 0 else { return [] }
        var places: [Place] = []
        for item in items {
            if let place = place(of: item) { places.append(place) }
        }
        guard places.count > 1 else { return places }
        places.sort()
        var count = 1
        for next in 1..<places.count where places[next] != places[count - 1] {
            places[count] = places[next]
            count += 1
        }
        places.removeLast(places.count - count)
        return places
    }

    /// Removes the items at ascending positions. Call ``settleIndex()`` afterwards.
    @inlinable
    mutating func remove(_ places: [Place]) {
        itemCount -= places.count
        var next = 0
        while next < places.count {
            let section = places[next].section
            var end = next + 1
            while end < places.count, places[end].section == section { end += 1 }
            if end - next == 1 {
                rows[section].items.remove(at: places[next].offset)
            } else {
                rows[section].items = Self.removing(places[next..<end], from: rows[section].items)
            }
            next = end
        }
    }

    @inlinable
    static func removing(_ places: ArraySlice<Place>, from items: [ItemIdentifier]) -> [ItemIdentifier] {
        var kept: [ItemIdentifier] = []
        kept.reserveCapacity(items.count - places.count)
        var start = 0
        for place in places {
            kept.append(contentsOf: items[start..<place.offset])
            start = place.offset + 1
        }
        kept.append(contentsOf: items[start...])
        return kept
    }

    /// Inserts items, old and new, as one run at `target`.
    @inlinable
    mutating func put(_ items: [ItemIdentifier], at target: Place) throws(SnapshotError) {
        let twice = UniqueList.firstDuplicate(count: items.count) { items[$0] }
        if let twice { throw .duplicateItem(String(describing: twice)) }
        guard !items.isEmpty else { return }
        var target = target
        let old = places(of: items)
        if !old.isEmpty {
            target.offset -= old.count { $0.section == target.section && $0.offset < target.offset }
            remove(old)
        }
        rows[target.section].items.insert(contentsOf: items, at: target.offset)
        itemCount += items.count
        if old.isEmpty, isKnownUniquelyReferenced(&index) { index?.addItems(items, at: target) } else { settleIndex() }
    }

    // MARK: Items

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
        settleIndex()
        dropStaleMarks()
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

    // MARK: Reloading

    /// Marks items whose cells are made again on apply.
    ///
    /// - Throws: ``SnapshotError/unknownItem(_:)``.
    @inlinable
    public mutating func reloadItems(_ items: [ItemIdentifier]) throws(SnapshotError) {
        guard !items.isEmpty else { return }
        for item in items { _ = try knownPlace(of: item) }
        withMarks { $0.reload(items) }
    }

    /// Marks items whose cells are kept and updated on apply. No effect on items marked for reloading, which includes it.
    ///
    /// - Throws: ``SnapshotError/unknownItem(_:)``.
    @inlinable
    public mutating func reconfigureItems(_ items: [ItemIdentifier]) throws(SnapshotError) {
        guard !items.isEmpty else { return }
        for item in items { _ = try knownPlace(of: item) }
        withMarks { $0.reconfigure(items) }
    }

    /// Marks sections that are shown again with all their items on apply.
    ///
    /// - Throws: ``SnapshotError/unknownSection(_:)``.
    @inlinable
    public mutating func reloadSections(_ sections: [SectionIdentifier]) throws(SnapshotError) {
        guard !sections.isEmpty else { return }
        for section in sections { _ = try position(of: section) }
        withMarks {
            for section in sections { $0.reloadedSections.append(section) }
        }
    }

    /// The items marked with ``reloadItems(_:)``, in that order, each once.
    @inlinable
    public var reloadedItemIdentifiers: [ItemIdentifier] { marks?.value.reloadedItems.elements ?? [] }

    /// The items marked with ``reconfigureItems(_:)``, in that order, each once.
    @inlinable
    public var reconfiguredItemIdentifiers: [ItemIdentifier] { marks?.value.reconfiguredItems.elements ?? [] }

    /// The sections marked with ``reloadSections(_:)``, in that order, each once.
    @inlinable
    public var reloadedSectionIdentifiers: [SectionIdentifier] { marks?.value.reloadedSections.elements ?? [] }

    /// A copy without marks.
    @inlinable
    public var withoutMarks: Snapshot {
        var copy = self
        copy.marks = nil
        return copy
    }

    @inlinable
    mutating func withMarks(_ change: (inout SnapshotMarks<SectionIdentifier, ItemIdentifier>) -> Void) {
        if marks == nil { marks = Boxed(SnapshotMarks()) }
        marks?.value.update(change)
        if marks?.value.isEmpty == true { marks = nil }
    }

    /// Drops the marks of absent sections and items.
    @inlinable
    mutating func dropStaleMarks() {
        guard marks != nil else { return }
        let present = withoutMarks
        withMarks { marks in
            marks.reloadedItems.remove { !present.contains($0) }
            marks.reconfiguredItems.remove { !present.contains($0) }
            marks.reloadedSections.remove { !present.contains(section: $0) }
        }
    }

    // MARK: Sections

    /// Appends empty sections.
    ///
    /// - Throws: ``SnapshotError/duplicateSection(_:)`` for a section listed twice or already present.
    @inlinable
    public mutating func appendSections(_ sections: [SectionIdentifier]) throws(SnapshotError) {
        try insertSections(sections, at: rows.count)
    }

    /// Inserts empty sections before a section.
    ///
    /// - Throws: ``SnapshotError/unknownSection(_:)`` for the anchor, ``SnapshotError/duplicateSection(_:)`` for a section listed
    ///   twice or already present.
    @inlinable
    public mutating func insertSections(
        _ sections: [SectionIdentifier], beforeSection anchor: SectionIdentifier
    ) throws(SnapshotError) {
        try insertSections(sections, at: try position(of: anchor))
    }

    /// Inserts empty sections after a section.
    ///
    /// - Throws: ``SnapshotError/unknownSection(_:)`` for the anchor, ``SnapshotError/duplicateSection(_:)`` for a section listed
    ///   twice or already present.
    @inlinable
    public mutating func insertSections(
        _ sections: [SectionIdentifier], afterSection anchor: SectionIdentifier
    ) throws(SnapshotError) {
        try insertSections(sections, at: try position(of: anchor) + 1)
    }

    /// Removes sections with all their items. Ignores absent ones.
    @inlinable
    public mutating func deleteSections(_ sections: [SectionIdentifier]) {
        var isGone = [Bool](repeating: false, count: rows.count)
        var gone = 0
        for section in sections {
            guard let position = indexOfSection(section), !isGone[position] else { continue }
            isGone[position] = true
            gone += 1
        }
        guard gone > 0 else { return }
        var kept: [Row] = []
        kept.reserveCapacity(rows.count - gone)
        for position in rows.indices {
            guard isGone[position] else {
                kept.append(rows[position])
                continue
            }
            itemCount -= rows[position].items.count
        }
        rows = kept
        settleIndex()
        dropStaleMarks()
    }

    /// Moves a section with its items before another. No effect if both are the same.
    ///
    /// - Throws: ``SnapshotError/unknownSection(_:)``.
    @inlinable
    public mutating func moveSection(
        _ section: SectionIdentifier, beforeSection anchor: SectionIdentifier
    ) throws(SnapshotError) {
        let source = try position(of: section)
        let target = try position(of: anchor)
        moveSection(at: source, to: target > source ? target - 1 : target)
    }

    /// Moves a section with its items after another. No effect if both are the same.
    ///
    /// - Throws: ``SnapshotError/unknownSection(_:)``.
    @inlinable
    public mutating func moveSection(
        _ section: SectionIdentifier, afterSection anchor: SectionIdentifier
    ) throws(SnapshotError) {
        let source = try position(of: section)
        let target = try position(of: anchor)
        moveSection(at: source, to: target < source ? target + 1 : target)
    }

    @inlinable
    mutating func insertSections(_ sections: [SectionIdentifier], at position: Int) throws(SnapshotError) {
        let twice = UniqueList.firstDuplicate(count: sections.count) { sections[$0] }
        if let twice { throw .duplicateSection(String(describing: twice)) }
        for section in sections where contains(section: section) { throw .duplicateSection(String(describing: section)) }
        let isAtEnd = position == rows.count
        rows.insert(contentsOf: sections.map { Row(identifier: $0, items: []) }, at: position)
        if isAtEnd, isKnownUniquelyReferenced(&index) { index?.addSections(of: rows, from: position) } else { settleIndex() }
    }

    @inlinable
    mutating func moveSection(at source: Int, to target: Int) {
        guard source != target else { return }
        rows.insert(rows.remove(at: source), at: target)
        settleIndex()
    }
}
