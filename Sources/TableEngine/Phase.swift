import Rules

/// The kind of a phase, in one byte, without its payload.
package enum Stage: UInt8, CaseIterable, Sendable {
    case waiting, betting, dealing, earlySurrender, insurance, playing, dealer, settled, closed
}

/// The phase of a table.
@frozen
public enum Phase: Hashable, Sendable {
    /// Nobody has bet.
    case waiting
    case betting(closes: Moment)
    /// Cards are dealt. Never observed between commands.
    case dealing
    /// Every seat with a hand is asked at once whether it surrenders before the dealer looks.
    case earlySurrender(closes: Moment)
    /// Every seat with a hand is asked at once about insurance, or even money.
    case insurance(closes: Moment)
    case playing(seat: Int, hand: Int, closes: Moment)
    /// The dealer plays and settles. Never observed between commands.
    case dealer
    /// Results are visible.
    case settled(until: Moment)
    /// The table is closed for good.
    case closed

    /// The name on the wire.
    public var name: String {
        switch self {
        case .waiting: "waiting"
        case .betting: "betting"
        case .dealing: "dealing"
        case .earlySurrender: "early_surrender"
        case .insurance: "insurance"
        case .playing: "playing"
        case .dealer: "dealer"
        case .settled: "settled"
        case .closed: "closed"
        }
    }
}
