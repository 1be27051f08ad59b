extension Snapshot {
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
            index?.value.removeSection(rows[position].identifier, at: position, items: rows[position].items)
        }
        index?.value.keepTokens { !isGone[$0] }
        rows = kept
        settleIndex(0..<0)
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
        index?.value.update { index in
            for (distance, section) in sections.enumerated() { index.addSection(section, at: position + distance) }
            if !isAtEnd { index.renumber() }
        }
        settleIndex(0..<0)
    }

    @inlinable
    mutating func moveSection(at source: Int, to target: Int) {
        guard source != target else { return }
        rows.insert(rows.remove(at: source), at: target)
        index?.value.update { index in
            index.tokens.insert(index.tokens.remove(at: source), at: target)
            index.renumber()
        }
    }
}
