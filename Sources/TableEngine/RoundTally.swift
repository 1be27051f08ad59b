/// Counts while rounds are played: a sink that keeps figures instead of facts.
public struct RoundTally: FactSink, Hashable, Sendable {
    public private(set) var hands = 0
    /// What the players have won, in chips; negative: lost.
    public private(set) var net = 0

    public init() {}

    public mutating func receive(_ fact: Fact) {
        switch fact {
        case .settled(_, _, _, let stake, let paid):
            hands += 1
            net += paid - stake
        case .insuranceSettled(_, let stake, let paid): net += paid - stake
        default: break
        }
    }
}
