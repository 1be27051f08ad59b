import TableModel

extension RoundPhase {
    /// How far a round has come. The bets for the next round belong to the last one's number.
    var rank: Int {
        switch self {
        case .surrender: 0
        case .insurance: 1
        case .playing: 2
        case .settled: 3
        case .waiting, .betting: 4
        case .closed: 5
        }
    }
}
