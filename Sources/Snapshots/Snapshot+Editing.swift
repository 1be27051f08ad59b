extension Snapshot {
    /// The sorted positions of the items present in the snapshot.
    @inlinable
    func places(of items: [ItemIdentifier]) -> [Place] {
        guard itemCount > 0 else { return [] }
        var places: [Place] = []
        for item in items { if let place = place(of: item) { places.append(place) } }
        if places.count > 1 { places.sort(by: <) }
        return places
    }

    /// Removes the items at ascending positions; one may be listed twice. Call ``settleIndex()`` afterwards.
    @inlinable
    mutating func remove(_ places: [Place]) {
        var rest = places[...]
        while let section = rest.first?.section {
            let end = rest.firstIndex { $0.section != section } ?? rest.endIndex
            let items = rows[section].items
            var (kept, start): ([ItemIdentifier], Int) = ([], 0)
            kept.reserveCapacity(items.count)
            for place in rest[..<end] where place.offset >= start {
                kept.append(contentsOf: items[start..<place.offset])
                start = place.offset + 1
            }
            kept.append(contentsOf: items[start...])
            itemCount -= items.count - kept.count
            rows[section].items = kept
            rest = rest[end...]
        }
    }

    /// Inserts items, old and new, as one run at `target`.
    @inlinable
    mutating func put(_ items: [ItemIdentifier], at target: Place) throws(SnapshotError) {
        let twice = firstDuplicate(count: items.count) { items[$0] }
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
        try put(items, at: (position, rows[position].items.count))
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

    // MARK: Reconfiguring

    /// Marks items whose cells are updated on apply.
    ///
    /// - Throws: ``SnapshotError/unknownItem(_:)``.
    @inlinable
    public mutating func reconfigureItems(_ items: [ItemIdentifier]) throws(SnapshotError) {
        for item in items { _ = try knownPlace(of: item) }
        if !items.isEmpty { marks = (marks ?? []) + items }
    }

    /// The items marked with ``reconfigureItems(_:)``, in that order, each once.
    @inlinable
    public var reconfiguredItemIdentifiers: [ItemIdentifier] {
        var seen = Set<ItemIdentifier>()
        return (marks ?? []).filter { seen.insert($0).inserted }
    }

    /// A copy without marks.
    @inlinable
    public var withoutMarks: Snapshot {
        var copy = self
        copy.marks = nil
        return copy
    }

    /// Drops the marks of absent items.
    @inlinable
    mutating func dropStaleMarks() {
        marks = marks?.filter(contains)
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
        let gone = Set(sections)
        let kept = rows.filter { !gone.contains($0.section) }
        guard kept.count < rows.count else { return }
        rows = kept
        itemCount = kept.reduce(0) { $0 + $1.items.count }
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
        let twice = firstDuplicate(count: sections.count) { sections[$0] }
        if let twice { throw .duplicateSection(String(describing: twice)) }
        for section in sections where contains(section: section) { throw .duplicateSection(String(describing: section)) }
        let isAtEnd = position == rows.count
        rows.insert(contentsOf: sections.map { ($0, []) }, at: position)
        if isAtEnd, isKnownUniquelyReferenced(&index) { index?.addSections(of: rows, from: position) } else { settleIndex() }
    }

    @inlinable
    mutating func moveSection(at source: Int, to target: Int) {
        guard source != target else { return }
        rows.insert(rows.remove(at: source), at: target)
        settleIndex()
    }
}
