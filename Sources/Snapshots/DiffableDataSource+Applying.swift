extension DiffableDataSource {
    /// Shows a snapshot: passes the view the difference, including reloads marked in the snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: the snapshot to show.
    ///   - animatingDifferences: whether the view plays the change step by step.
    ///   - completion: called after the view's update. During another change, both are queued.
    @inlinable
    public func apply(
        _ snapshot: ListSnapshot, animatingDifferences: Bool = true, completion: (() -> Void)? = nil
    ) {
        serially { [unowned self] in
            let transaction = Transaction(from: current, to: snapshot)
            show(transaction)
            onUpdate?(.change(transaction, isAnimated: animatingDifferences))
            completion?()
        }
    }

    /// Shows a snapshot without a difference: all cells and headers are made again.
    ///
    /// - Parameters:
    ///   - snapshot: the snapshot to show.
    ///   - completion: called after the view's update. During another change, both are queued.
    @inlinable
    public func applySnapshotUsingReloadData(_ snapshot: ListSnapshot, completion: (() -> Void)? = nil) {
        serially { [unowned self] in
            current = snapshot.withoutMarks
            cells = [:]
            headers = [:]
            onUpdate?(.reloadData)
            completion?()
        }
    }

    /// Runs a change, then queued ones.
    /// Unowned: the changes do not outlive the call, and the caller retains the data source.
    @inlinable
    func serially(_ change: @escaping () -> Void) {
        waiting.append(change)
        guard !isChanging else { return }
        isChanging = true
        defer { isChanging = false }
        var next = 0
        while next < waiting.count {
            waiting[next]()
            next += 1
            // Bounds the queue's memory when a completion keeps applying snapshots.
            if next == 64 {
                waiting.removeFirst(next)
                next = 0
            }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Makes the final snapshot current and drops outdated cells and headers.
    @inlinable
    func show(_ transaction: Transaction) {
        let difference = transaction.difference
        current = transaction.finalSnapshot
        for item in difference.deletedItems + difference.reloadedItems { cells[item] = nil }
        for section in difference.deletedSections {
            headers[section] = nil
            let items = try? transaction.initialSnapshot.itemIdentifiers(inSection: section)
            for item in items ?? [] where !current.contains(item) { cells[item] = nil }
        }
        for section in difference.reloadedSections {
            headers[section] = nil
            let items = try? current.itemIdentifiers(inSection: section)
            for item in items ?? [] { cells[item] = nil }
        }
        for item in difference.reconfiguredItems { cells[item]?.isOutOfDate = true }
    }
}
