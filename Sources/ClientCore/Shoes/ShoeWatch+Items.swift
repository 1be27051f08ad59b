import TableModel

/// The items that a table always has. Without one of them nothing of a shoe can be compared.
extension ShoeWatch {
    /// Accuses the shoe in play of items left out, so that it cannot end without a fault where its item is missing.
    mutating func checkItemsOfShoe(_ step: Step) {
        if let item = step.new.missingItem { accuseShoe(.itemMissing(item)) }
    }

    /// Accuses the shoe in play, or the coming one where none is, of items left out.
    mutating func checkItems(_ step: Step) {
        let table = step.new
        if let item = table.missingItem {
            if shoe == nil { accuse(.itemMissing(item)) } else { accuseShoe(.itemMissing(item)) }
        } else if table.fairShoe == nil, table.shoe?.number ?? 0 == 0, table.isInPlay {
            accuse(.unannounced)
        }
    }
}

extension TableSnapshot {
    /// The first missing item of those that each table with ceremonies, cards or a round has; nil for none.
    fileprivate var missingItem: String? {
        guard fairShoe != nil || nextShoe != nil || isInPlay else { return nil }
        if shoe == nil { return "shoe" }
        if cardsLeft == nil { return "left" }
        if rules == nil { return "rules" }
        if self[.round] == nil { return "round" }
        return phase == nil ? "phase" : nil
    }

    /// Whether cards are on the table, or hands are played.
    var isInPlay: Bool {
        switch phase {
        case .surrender, .insurance, .playing, .settled: true
        case .waiting, .betting, .closed, nil: firstPlace != nil
        }
    }

    /// The lowest place of a card on the table; nil for none.
    var firstPlace: Int? {
        var first: Int?
        for section in structure.sectionIdentifiers {
            for case .card(let place, _) in entries(in: section) { first = min(first ?? place, place) }
        }
        return first
    }
}
