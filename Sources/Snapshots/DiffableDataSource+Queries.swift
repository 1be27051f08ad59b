extension DiffableDataSource {
    /// The current snapshot, without marks. Edit and apply a copy to change the list.
    @inlinable
    public func snapshot() -> ListSnapshot { current }

    /// The item at a position; `nil` outside the list.
    @inlinable
    public func itemIdentifier(for path: ItemPath) -> ItemIdentifier? { current.itemIdentifier(at: path) }

    /// The position of an item; `nil` if absent.
    @inlinable
    public func indexPath(for item: ItemIdentifier) -> ItemPath? { current.itemPath(of: item) }

    /// The section at a position; `nil` outside the list.
    @inlinable
    public func sectionIdentifier(for index: Int) -> SectionIdentifier? { current.sectionIdentifier(at: index) }

    /// The position of a section; `nil` if absent.
    @inlinable
    public func index(for section: SectionIdentifier) -> Int? { current.indexOfSection(section) }

    /// The number of sections.
    @inlinable
    public var numberOfSections: Int { current.numberOfSections }

    /// The number of items in the section at a position; 0 outside the list.
    @inlinable
    public func numberOfItems(inSection index: Int) -> Int { current.numberOfItems(at: index) }

    /// The cell of an item, made or updated if needed; `nil` if the item is absent.
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

    /// The cell at a position; `nil` outside the list.
    @inlinable
    public func cell(at path: ItemPath) -> Cell? {
        itemIdentifier(for: path).flatMap { cell(for: $0) }
    }

    /// The header of the section at a position; `nil` without a header or outside the list.
    @inlinable
    public func header(inSection index: Int) -> Cell? {
        guard let section = sectionIdentifier(for: index) else { return nil }
        if let header = headers[section] { return header }
        let header = sectionHeaderProvider?(section)
        headers[section] = .some(header)
        return header
    }
}
