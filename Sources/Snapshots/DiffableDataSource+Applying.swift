extension DiffableDataSource {
    /// Shows a snapshot: the view is told what changed, and with it what the snapshot marks for reloading.
    ///
    /// - Parameters:
    ///   - snapshot: what to show from now on.
    ///   - animatingDifferences: whether the view shall play the change step by step.
    ///   - completion: called after the view went along. During another change, both wait for their turn.
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

    /// Shows a snapshot without looking for what changed: all cells and headers are made anew.
    ///
    /// - Parameters:
    ///   - snapshot: what to show from now on.
    ///   - completion: called after the view went along. During another change, both wait for their turn.
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

    /// Runs a change, and then those that were asked for meanwhile. The changes do not outlive the call, and whoever calls has
    /// the data source; so they may refer to it unowned.
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
            // Give up what is done now and then: a completion that applies again must not make the queue grow for ever.
            if next == 64 {
                waiting.removeFirst(next)
                next = 0
            }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Makes the final snapshot the current one, and drops the cells and headers that do not fit any more.
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
