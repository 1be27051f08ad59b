/// Finds what turns one table into another, row by row, and writes it down in the same memory time and again.
///
/// Things keep their order in a section (``TableEntry/rank``), so two rows are compared in one walk along both.
struct TableComparison: Sendable {
    /// What was found.
    private(set) var difference = TableDifference(structure: .init(), insertions: [], updates: [])
    private var travellers = Travellers()
    /// Whether the second walk is on, which knows the cards that have moved.
    private var knowsTravellers = false

    /// Begins anew.
    /// - Parameter clears: whether the table is cleared first, so that what does not outlive a round is not there any more.
    mutating func begin(clears: Bool) {
        difference.removeChanges()
        difference.clears = clears
        travellers.removeAll()
        knowsTravellers = false
    }

    /// Whether cards have gone from one section to another, as in a split. The rows are then to be compared once more: only who has seen all
    /// of them knows that a card which is missing here is there.
    mutating func mustGoAgain() -> Bool {
        guard !knowsTravellers, travellers.areThereAny else { return false }
        difference.removeChanges()
        knowsTravellers = true
        return true
    }

    /// A hand is there that was not; its row is still to be compared.
    mutating func insert(_ section: TableSection, at index: Int) {
        difference.structure.insertedSections.append(.init(section: section, index: index))
    }

    /// A hand is gone: whatever of it is nowhere else goes with it.
    mutating func delete(_ section: TableSection, _ row: [TableEntry]) {
        guard !difference.clears else { return }
        difference.structure.deletedSections.append(section)
        guard !knowsTravellers else { return }
        for entry in row { travellers.left(entry) }
    }

    /// Compares a section's row with what it was before.
    mutating func compare(_ old: [TableEntry], _ new: [TableEntry], in section: TableSection) {
        var next = 0
        for index in new.indices {
            let rank = new[index].rank
            while next < old.count, old[next].rank < rank || isCleared(old[next], section) {
                takeOut(old[next], section)
                next += 1
            }
            if next < old.count, old[next].rank == rank {
                if !new[index].shows(old[next]) { difference.updates.append(new[index]) }
                next += 1
            } else {
                putIn(new[index], section, index)
            }
        }
        while next < old.count {
            takeOut(old[next], section)
            next += 1
        }
    }

    private func isCleared(_ entry: TableEntry, _ section: TableSection) -> Bool {
        difference.clears && (section == .dealer || !entry.outlivesRound)
    }

    private mutating func takeOut(_ entry: TableEntry, _ section: TableSection) {
        guard !isCleared(entry, section) else { return }
        if knowsTravellers {
            guard travellers.find(entry) == nil else { return }
        } else {
            travellers.left(entry)
        }
        difference.structure.deletedItems.append(entry.item)
    }

    private mutating func putIn(_ entry: TableEntry, _ section: TableSection, _ index: Int) {
        if knowsTravellers {
            if let old = travellers.find(entry) {
                difference.structure.movedItems.append(.init(item: entry.item, section: section, index: index))
                if old != entry { difference.updates.append(entry) }
                return
            }
        } else {
            travellers.arrived(entry)
        }
        difference.structure.insertedItems.append(.init(item: entry.item, section: section, index: index))
        difference.insertions.append(entry)
    }
}

/// The cards that left a section and those that came into one: who did both has moved.
private struct Travellers: Sendable {
    private var leaving: [TableEntry] = []
    private var arriving: [Int] = []

    mutating func removeAll() {
        leaving.removeAll(keepingCapacity: true)
        arriving.removeAll(keepingCapacity: true)
    }

    mutating func left(_ entry: TableEntry) {
        if case .card = entry { leaving.append(entry) }
    }

    mutating func arrived(_ entry: TableEntry) {
        if case .card(let id, _) = entry { arriving.append(id) }
    }

    var areThereAny: Bool {
        guard !leaving.isEmpty, !arriving.isEmpty else { return false }
        return leaving.contains { if case .card(let id, _) = $0 { arriving.contains(id) } else { false } }
    }

    /// What a thing that has moved showed before; nil for one that has not.
    func find(_ entry: TableEntry) -> TableEntry? {
        guard case .card(let id, _) = entry, arriving.contains(id) else { return nil }
        return leaving.first { $0.item == .card(id) }
    }
}

extension TableEntry {
    /// Whether the same thing shows the same here. A table's rules never change.
    fileprivate func shows(_ other: TableEntry) -> Bool {
        switch (self, other) {
        case (.card(_, let one), .card(_, let other)): one == other
        case (.rules, .rules): true
        default: self == other
        }
    }
}

extension TableDifference {
    /// Says nothing any more, in the same memory.
    fileprivate mutating func removeChanges() {
        structure.deletedSections.removeAll(keepingCapacity: true)
        structure.insertedSections.removeAll(keepingCapacity: true)
        structure.deletedItems.removeAll(keepingCapacity: true)
        structure.insertedItems.removeAll(keepingCapacity: true)
        structure.movedItems.removeAll(keepingCapacity: true)
        insertions.removeAll(keepingCapacity: true)
        updates.removeAll(keepingCapacity: true)
    }
}
