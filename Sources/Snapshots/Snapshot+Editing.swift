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
        let twice = firstDuplicate(count: items.count) { items[$0] }
        if let twice { throw .duplicateItem(String(describing: twice)) }
        guard !items.isEmpty else { return }
        let old = places(of: items)
        remove(old)
        let end = (position, rows[position].items.count)
        rows[position].items += items
        itemCount += items.count
        if old.isEmpty, isKnownUniquelyReferenced(&index) { index?.addItems(items, at: end) } else { settleIndex() }
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
        let twice = firstDuplicate(count: sections.count) { sections[$0] }
        if let twice { throw .duplicateSection(String(describing: twice)) }
        for section in sections where contains(section: section) { throw .duplicateSection(String(describing: section)) }
        let first = rows.count
        rows += sections.map { ($0, []) }
        if isKnownUniquelyReferenced(&index) { index?.addSections(of: rows, from: first) } else { settleIndex() }
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
}
