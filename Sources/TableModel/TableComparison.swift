import Rules

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
    mutating func delete(_ section: TableSection, _ row: UnsafeBufferPointer<TableEntry>) {
        guard !difference.clears else { return }
        difference.structure.deletedSections.append(section)
        guard !knowsTravellers else { return }
        for entry in row {
            if case .card(let id, let card) = entry { travellers.left(id, card) }
        }
    }

    /// Compares a section's row with what it was before.
    mutating func compare(
        _ old: UnsafeBufferPointer<TableEntry>, _ new: UnsafeBufferPointer<TableEntry>, in section: TableSection
    ) {
        var next = 0
        for index in new.indices {
            let rank = new[index].rank
            while next < old.count, old[next].rank < rank || isCleared(old[next], section) {
                takeOut(old[next], section)
                next += 1
            }
            if next < old.count, old[next].rank == rank {
                if !TableEntry.showSame(new, index, old, next) { difference.updates.append(new[index]) }
                next += 1
            } else {
                putIn(new, index, section)
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
        if case .card(let id, let card) = entry {
            if knowsTravellers {
                guard travellers.find(id) == nil else { return }
            } else {
                travellers.left(id, card)
            }
        }
        difference.structure.deletedItems.append(entry.item)
    }

    private mutating func putIn(_ row: UnsafeBufferPointer<TableEntry>, _ index: Int, _ section: TableSection) {
        let item = row[index].item
        if case .card(let id, _) = row[index] {
            if !knowsTravellers {
                travellers.arrived(id)
            } else if let old = travellers.find(id) {
                difference.structure.movedItems.append(.init(item: item, section: section, index: index))
                if old != row[index] { difference.updates.append(row[index]) }
                return
            }
        }
        difference.structure.insertedItems.append(.init(item: item, section: section, index: index))
        difference.insertions.append(row[index])
    }
}

/// The cards that left a section and those that came into one: who did both has moved.
private struct Travellers: Sendable {
    private var leaving: [(id: Int, card: Card?)] = []
    private var arriving: [Int] = []

    mutating func removeAll() {
        leaving.empty()
        arriving.empty()
    }

    mutating func left(_ id: Int, _ card: Card?) { leaving.append((id, card)) }

    mutating func arrived(_ id: Int) { arriving.append(id) }

    var areThereAny: Bool {
        guard !leaving.isEmpty, !arriving.isEmpty else { return false }
        return leaving.contains { arriving.contains($0.id) }
    }

    /// What a card that has moved showed before; nil for one that has not moved.
    func find(_ id: Int) -> TableEntry? {
        guard arriving.contains(id), let old = leaving.first(where: { $0.id == id }) else { return nil }
        return .card(id, old.card)
    }
}

extension TableEntry {
    /// Whether the same thing shows the same in two entries. A table's rules never change.
    ///
    /// Where they are, and a case at a time: an entry that is handed to a function is copied first, which takes longer than to compare it.
    fileprivate static func showSame(
        _ ones: UnsafeBufferPointer<TableEntry>, _ one: Int, _ others: UnsafeBufferPointer<TableEntry>, _ other: Int
    ) -> Bool {
        switch ones[one] {
        case .round(let value): if case .round(value) = others[other] { true } else { false }
        case .phase(let value): if case .phase(value) = others[other] { true } else { false }
        case .clock(let value): if case .clock(let other) = others[other] { value == other } else { false }
        case .shoe(let value): if case .shoe(let other) = others[other] { value == other } else { false }
        case .cardsLeft(let value): if case .cardsLeft(value) = others[other] { true } else { false }
        case .rules: if case .rules = others[other] { true } else { false }
        case .dealerTotal(let value): if case .dealerTotal(let other) = others[other] { value == other } else { false }
        case .player(_, let value): if case .player(_, let other) = others[other] { value == other } else { false }
        case .choice(_, let value): if case .choice(_, let other) = others[other] { value == other } else { false }
        case .insurance(_, let value): if case .insurance(_, value) = others[other] { true } else { false }
        case .bet(_, let value): if case .bet(_, value) = others[other] { true } else { false }
        case .total(_, let value): if case .total(_, let other) = others[other] { value == other } else { false }
        case .result(_, let value): if case .result(_, let other) = others[other] { value == other } else { false }
        case .card(_, let value): if case .card(_, let other) = others[other] { value == other } else { false }
        }
    }
}

extension TableDifference {
    /// Says nothing any more, in the same memory.
    fileprivate mutating func removeChanges() {
        structure.deletedSections.empty()
        structure.insertedSections.empty()
        structure.deletedItems.empty()
        structure.insertedItems.empty()
        structure.movedItems.empty()
        insertions.empty()
        updates.empty()
    }
}

extension Array {
    /// Takes everything out and keeps the memory; most of the lists here are empty already.
    fileprivate mutating func empty() {
        if !isEmpty { removeAll(keepingCapacity: true) }
    }
}
