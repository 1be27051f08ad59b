extension DiffableDataSource {
    /// What is shown now, with nothing marked. Edit it and apply it to change what is shown.
    @inlinable
    public func snapshot() -> ListSnapshot { current }

    /// The item at a position; `nil` if there is no such position.
    @inlinable
    public func itemIdentifier(for path: ItemPath) -> ItemIdentifier? { current.itemIdentifier(at: path) }

    /// Where an item is shown; `nil` if it is not.
    @inlinable
    public func indexPath(for item: ItemIdentifier) -> ItemPath? { current.itemPath(of: item) }

    /// The section at a position; `nil` if there is no such position.
    @inlinable
    public func sectionIdentifier(for index: Int) -> SectionIdentifier? { current.sectionIdentifier(at: index) }

    /// Where a section is shown; `nil` if it is not.
    @inlinable
    public func index(for section: SectionIdentifier) -> Int? { current.indexOfSection(section) }

    /// How many sections are shown.
    @inlinable
    public var numberOfSections: Int { current.numberOfSections }

    /// How many items are shown in the section at a position; 0 if there is no such position.
    @inlinable
    public func numberOfItems(inSection index: Int) -> Int { current.numberOfItems(at: index) }

    /// What is shown of an item: made, brought up to date, or as it was. `nil` if the item is not shown.
    @inlinable
    public func cell(for item: ItemIdentifier) -> Cell? {
        let cached = cells[item]
        if let cached, !cached.isOutOfDate { return cached.cell }
        guard cached != nil || current.contains(item) else { return nil }
        let cell = cellProvider(item, cached?.cell)
        // The provider may have applied a snapshot without the item.
        if current.contains(item) { cells[item] = CachedCell(cell: cell, isOutOfDate: false) }
        return cell
    }

    /// What is shown at a position; `nil` if there is no such position.
    @inlinable
    public func cell(at path: ItemPath) -> Cell? {
        itemIdentifier(for: path).flatMap { cell(for: $0) }
    }

    /// What is shown above the section at a position; `nil` if there is nothing, or no such position.
    @inlinable
    public func header(inSection index: Int) -> Cell? {
        guard let section = sectionIdentifier(for: index) else { return nil }
        if let header = headers[section] { return header }
        let header = sectionHeaderProvider?(section)
        headers[section] = .some(header)
        return header
    }
}
