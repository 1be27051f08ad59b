import Rules

/// The expected value of each action of a hand, in units of its bet, at the moment of the decision.
///
/// nil: the rules do not allow the action, for this hand or at all. After a peek, the dealer is known to have no blackjack.
public struct ActionValues: Hashable, Sendable {
    public internal(set) var stand: Double
    public internal(set) var hit: Double
    public internal(set) var double: Double?
    /// Of two hands, or of more where that is better.
    public internal(set) var split: Double?
    public internal(set) var surrender: Double?
    /// Playing on, where surrender is asked before the dealer peeks; compare it with ``surrender``. The others apply after the peek.
    public internal(set) var decline: Double?

    /// The value of an action; nil where it is not allowed, and for insurance, which ``ExpectedValues/insurance`` has.
    public subscript(action: Action) -> Double? {
        switch action {
        case .stand: stand
        case .hit: hit
        case .double: double
        case .split: split
        case .surrender: surrender
        case .decline: decline
        case .insurance, .evenMoney: nil
        }
    }
}
