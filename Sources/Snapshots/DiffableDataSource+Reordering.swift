extension DiffableDataSource {
    /// Whether the user may pick up the item at a position.
    @inlinable
    public func canReorderItem(at path: ItemPath) -> Bool {
        guard let item = itemIdentifier(for: path) else { return false }
        return reorderingHandlers.canReorderItem?(item) ?? false
    }

    /// Moves an item at the user's request, within its section or to another one, which may be empty. Calls the handlers.
    ///
    /// - Parameters:
    ///   - source: the item's position.
    ///   - destination: its final position. One past the last item is the end of a section; an empty section has only position 0.
    /// - Returns: whether the item is at the destination. False for an item that may not be reordered, a position outside the
    ///   list, and during another change, when positions may be outdated.
    @inlinable
    @discardableResult
    public func reorderItem(at source: ItemPath, to destination: ItemPath) -> Bool {
        guard !isChanging, canReorderItem(at: source), let item = itemIdentifier(for: source),
            let final = current.moving(item, to: destination)
        else { return false }
        guard source != destination else { return true }
        serially { [unowned self] in
            let transaction = Transaction(from: current, to: final)
            reorderingHandlers.willReorder?(transaction)
            show(transaction)
            onUpdate?(.change(transaction, isAnimated: false))
            reorderingHandlers.didReorder?(transaction)
        }
        return true
    }
}

extension Snapshot {
    /// The snapshot with an item moved; `nil` for a position outside the list.
    @inlinable
    func moving(_ item: ItemIdentifier, to destination: ItemPath) -> Snapshot? {
        guard let source = place(of: item), rows.indices.contains(destination.section) else { return nil }
        let count = rows[destination.section].items.count
        let end = source.section == destination.section ? count - 1 : count
        guard (0...end).contains(destination.item) else { return nil }
        let isLater = source.section == destination.section && destination.item > source.offset
        var copy = self
        let target = Place(section: destination.section, offset: destination.item + (isLater ? 1 : 0))
        guard (try? copy.put([item], at: target)) != nil else { return nil }
        return copy
    }
}
