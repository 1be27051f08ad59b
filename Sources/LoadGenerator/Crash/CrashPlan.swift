import Measuring

/// How the server ends once: drawn from the seed. Milliseconds.
struct CrashPlan: Equatable, Sendable {
    enum Ending: Equatable, Sendable {
        /// Killed so long after play has resumed.
        case playing(after: Int64)
        /// Killed so long after the start, before anybody connects.
        case recovering(after: Int64)
        /// Killed so long after it listens, while players log in, watch and repeat requests.
        case entering(after: Int64)
        /// Asked to stop after so long, and killed so much later.
        case stopping(after: Int64, kill: Int64)
        /// Killed after an interrupted round of each table has ended.
        case afterRound
    }

    var ending: Ending
    /// Players who hang up just before, out of a hundred.
    var absent: Int

    /// Of a run without kills.
    static let first = CrashPlan(ending: .afterRound, absent: 0)

    private init(ending: Ending, absent: Int) { (self.ending, self.absent) = (ending, absent) }

    init(_ random: inout SeededRandom) {
        let play = Int64(2 + random.below(299))
        let draw = random.below(100)
        ending =
            switch draw {
            case 0..<64: .playing(after: play)
            case 64..<74: .afterRound
            case 74..<82: .stopping(after: play, kill: Int64(random.below(80)))
            case 82..<91: .recovering(after: Int64(random.below(120)))
            default: .entering(after: Int64(random.below(60)))
            }
        absent = random.below(5) == 0 ? random.below(101) : 0
    }
}
