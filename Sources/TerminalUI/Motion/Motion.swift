import ClientCore
import TableModel

/// The table on its way between two revisions, made from the received difference alone: which items are hidden, older, or moving at a time.
/// Keys, question and clock follow the newest revision. One difference moves and one waits; a second one that waits finishes the first.
struct Motion: Equatable, Sendable {
    /// Bound of a difference in which the dealer does not play, in milliseconds.
    static let longest: Int64 = 300
    /// Bound of a difference in which the dealer plays, in milliseconds; the settling time is another.
    static let longestDealer: Int64 = 2000

    /// An item of the table, if it is not shown as it is.
    enum Sight: Equatable, Sendable {
        case hidden
        /// With this content: the earlier one, or chips on their way.
        case shows(TableEntry)
        /// A card slides in: parts of it that are seen.
        case sliding(Int, of: Int)
        /// A card turns: its edge is seen.
        case turning
    }

    /// Items that differ from the newest table; empty without motion.
    typealias Veil = [TableItem: Sight]

    private struct Run: Equatable {
        let steps: [MotionStep]
        let duration: Int64
        /// Sentences for its end.
        var sentences: [Sentence]
    }

    /// The one that moves, then the one that waits.
    private var runs: [Run] = []
    /// The time at which the first began to move.
    private var began: Int64 = 0

    var isMoving: Bool { !runs.isEmpty }

    /// Sets a changed table in motion, behind the one that moves.
    /// - Parameters:
    ///   - sentences: told when the motion is over.
    ///   - now: in milliseconds on any clock, also that of the other functions.
    ///   - settling: milliseconds until the results are cleared away; bounds the dealer's part.
    /// - Returns: sentences to tell at once.
    mutating func take(_ change: TableChange, _ sentences: [Sentence], at now: Int64, settling: Int64) -> [Sentence] {
        var told = advance(to: now)
        guard case .changed(let old, let difference) = change.origin else { return told + finish() + sentences }
        // Nothing of an earlier round is left to be moved.
        if difference.clears { told += finish() }
        if runs.count == 2 {
            told += runs.removeFirst().sentences
            began = now
        }
        let lag = runs.first.map { began + $0.duration - now } ?? 0
        let steps = MotionStep.steps(of: difference, from: old, to: change.new, settling: max(0, settling - lag))
        guard let duration = steps.last?.end, duration > 0 else {
            // Behind the sentences that wait: the order stays.
            guard !runs.isEmpty else { return told + sentences }
            runs[runs.count - 1].sentences += sentences
            return told
        }
        if runs.isEmpty { began = now }
        runs.append(Run(steps: steps, duration: duration, sentences: sentences))
        return told
    }

    /// Ends motion that is over.
    /// - Returns: sentences to tell.
    mutating func advance(to now: Int64) -> [Sentence] {
        var told: [Sentence] = []
        while let first = runs.first, began + first.duration <= now {
            began += first.duration
            told += first.sentences
            runs.removeFirst()
        }
        return told
    }

    /// Ends all motion at once: a key, a decision, another table.
    /// - Returns: sentences to tell.
    mutating func finish() -> [Sentence] {
        defer { runs = [] }
        return runs.flatMap(\.sentences)
    }

    func veil(at now: Int64) -> Veil {
        var veil = Veil()
        for (index, run) in runs.enumerated() {
            let elapsed = index == 0 ? now - began : -1
            for step in run.steps where elapsed < step.end {
                // An item of both is still at the earlier one.
                for item in step.items where veil[item.new.item] == nil { veil[item.new.item] = item.sight(in: step, elapsed) }
            }
        }
        return veil
    }

    /// The time at which the picture changes next; nil without motion.
    func nextChange(after now: Int64) -> Int64? {
        guard let first = runs.first else { return nil }
        let times = first.steps.lazy.flatMap(\.times).map { began + $0 }
        return times.filter { $0 > now }.min() ?? began + first.duration
    }
}
