extension DiffableDataSource {
    /// Whether the user may take up the item at a position.
    @inlinable
    public func canReorderItem(at path: ItemPath) -> Bool {
        guard let item = itemIdentifier(for: path) else { return false }
        return reorderingHandlers.canReorderItem?(item) ?? false
    }

    /// Moves an item as the user asks, within its section or to another one, which may be empty. The handlers are told before
    /// and after.
    ///
    /// - Parameters:
    ///   - source: where the item is.
    ///   - destination: where it is to be finally. One past the last item of a section is its end; an empty section has only
    ///     position 0.
    /// - Returns: whether the item was moved, or is there already. Refused are items that may not be reordered, positions that
    ///   do not exist, and anything during another change, since the positions that the user saw may not hold any more.
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
    /// With an item at another position; `nil` if there can be no such position.
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
