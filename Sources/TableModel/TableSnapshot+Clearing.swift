import Snapshots

extension TableSnapshot {
    /// Whether any hand lies on the table, a bet without cards included.
    var hasHands: Bool {
        structure.sectionIdentifiers.contains { if case .hand = $0 { true } else { false } }
    }

    /// The table with the round taken off it: every hand, whatever is in the dealer's section, the clock, and what seats were asked or
    /// have insured. The seats and their players, the shoe and the rules stay, and whatever else is not known.
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
            preconditionFailure("what is left of a table has nothing twice: \(error)")
        }
    }
}
