import Snapshots

extension TableSnapshot {
    /// Whether any hand is on the table, including bets without cards.
    var hasHands: Bool {
        structure.sectionIdentifiers.contains { if case .hand = $0 { true } else { false } }
    }

    /// The table without its round: no hands, no dealer's cards, no clock, no questions and no insurance.
    ///
    /// Keeps seats, players, the shoe, the rules and unknown items.
    public func cleared() -> TableSnapshot {
        let kept = zip(structure.sectionIdentifiers, rows).compactMap { section, row -> (TableSection, [TableEntry])? in
            switch section {
            case .hand: nil
            case .dealer: (section, [])
            case .table, .seat: (section, row.filter(\.outlivesRound))
            case .other: (section, row)
            }
        }
        do {
            return try TableSnapshot(kept)
        } catch {
            preconditionFailure("removing entries creates no duplicates: \(error)")
        }
    }
}
