extension Snapshot {
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
}
