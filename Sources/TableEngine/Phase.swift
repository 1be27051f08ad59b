import Rules

/// A phase without what belongs to it, in one byte, as a table keeps it.
enum Stage: UInt8, Sendable {
    case waiting, betting, dealing, earlySurrender, insurance, playing, dealer, settled, closed
}

/// What a table is doing.
@frozen
public enum Phase: Hashable, Sendable {
    /// Nobody has bet.
    case waiting
    case betting(closes: Moment)
    /// Cards go out; between two commands no table is seen in this phase.
    case dealing
    /// Everybody with a hand is asked at once: surrender before the dealer looks?
    case earlySurrender(closes: Moment)
    /// Everybody with a hand is asked at once: insurance, or even money?
    case insurance(closes: Moment)
    case playing(seat: Int, hand: Int, closes: Moment)
    /// The dealer plays and settles; between two commands no table is seen in this phase.
    case dealer
    /// Results lie on the table.
    case settled(until: Moment)
    /// The table is closed for good.
    case closed

    /// The word for it, as on the wire.
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
