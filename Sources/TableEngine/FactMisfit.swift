/// Why a fact cannot have happened at a table: it is corrupt, out of order, or another table's.
public enum FactMisfit: Error, CaseIterable, Hashable, Sendable {
    /// It does not happen in this phase.
    case phase
    /// Its player has no seat.
    case player
    /// No such seat, or the seat is taken, free, or not asked.
    case seat
    /// No such hand, or the hand is finished.
    case hand
    /// The shoe's next card is another one, or none is left.
    case card
    /// The shoe cannot be shuffled so.
    case shoe
    /// An amount differs from the table's, or the player does not have it.
    case chips
    /// A moment that sums of times could overflow.
    case time
    /// The round is not the next one.
    case round
    /// It is not the next step of the shoe's ceremony.
    case ceremony
}

extension FactMisfit: CustomStringConvertible {
    public var description: String {
        switch self {
        case .phase: "it does not happen in this phase"
        case .player: "its player has no seat"
        case .seat: "its seat does not exist, is taken or free, or is not asked"
        case .hand: "its hand does not exist or is finished"
        case .card: "its card is not the next one of the shoe"
        case .shoe: "the shoe cannot be shuffled so"
        case .chips: "its chips differ from those at the table"
        case .time: "its time is out of range"
        case .round: "its round is not the next one"
        case .ceremony: "it is not the next step of the shoe's ceremony"
        }
    }
}

extension Table {
    /// Applies a fact that may be corrupt: checks everything on which ``apply(_:)`` relies, not whether the rules allow it.
    ///
    /// - Throws: the misfit; the table is then unchanged.
    public mutating func replay(_ fact: Fact) throws(FactMisfit) {
        if let misfit = state.misfit(of: fact) { throw misfit }
        apply(fact)
    }
}
