import Bots
import LoadGenerator
import RecoveryJudge

/// The reason why a run ended early.
public struct CrashError: Error, Sendable, CustomStringConvertible {
    public let description: String
    /// Whether the run could not be set up: the server did not start, or its folder could not be created. Says nothing about the server.
    public let isSetup: Bool

    init(_ description: String, isSetup: Bool = false) {
        self.description = description
        self.isSetup = isSetup
    }
}

/// The figures of a run.
public struct CrashReport: Sendable {
    /// How often a kind of fault happened to a cluster, and the milliseconds until all were back, at most.
    struct Fault: Sendable {
        var (count, slowest) = (0, 0.0)
    }

    public internal(set) var kills = 0
    public internal(set) var stops = 0
    public internal(set) var audits = 0
    var starts = 0
    var requests = 0
    var tally = RecoveryReferee.Tally()
    /// Shoes that players have judged by their proofs, each player their own.
    var shoes = ShoeCounts()
    /// Milliseconds from each start until every player had logged in and watched.
    var resumed: [Double] = []
    /// By its name.
    var faults: [String: Fault] = [:]

    /// Milliseconds, rounded up; nil without a measurement.
    private func resumed(at share: Double) -> Int? {
        let sorted = resumed.sorted()
        guard !sorted.isEmpty else { return nil }
        return Int(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))].rounded(.up))
    }

    /// Milliseconds of the slowest resumption.
    public var slowest: Int? { resumed(at: 1) }

    /// One line on the way.
    public var progress: String {
        "\(kills) kills, \(starts) starts, \(requests) requests, \(tally.tables) tables compared (\(tally.hands) in a round), "
            + "\(tally.resent + tally.repeats) requests sent again, \(tally.repeats) of them already answered"
    }

    /// The figures as lines.
    public var lines: [String] {
        let figures = [0.5, 0.99, 1].map { resumed(at: $0).map { "\($0) ms" } ?? "-" }
        return [
            progress,
            "\(tally.finished) interrupted rounds were played to their end, \(tally.unseenRounds) ended unseen",
            "\(shoes.verified) shoes verified, \(shoes.failed) failed, \(shoes.unproven) unproven; each player judges their own",
            "\(stops) stops with imbalance=0, \(audits) audits",
            "from start until all players were logged in and watching: median \(figures[0]), p99 \(figures[1]), max \(figures[2])",
        ]
            + faults.sorted { $0.key < $1.key }.map {
                "\($0): \($1.count) times, all back within \(Int($1.slowest.rounded(.up))) ms"
            }
    }
}

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
