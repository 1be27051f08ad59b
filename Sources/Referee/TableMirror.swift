import Rules
import TableModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A table as shown to the bots of one loop, which get the same bytes: the first reader of a line decodes and judges it, the others compare
/// bytes, and a difference means that somebody is shown another table. Confined to its loop.
final class TableMirror {
    /// One line that led from one revision to the next.
    struct Step {
        var from: Int
        var line: [UInt8]
        var after: ShownTable

        func matches(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
            guard line.count == other.count, let bytes = other.baseAddress else { return false }
            // The one thing that is done for every line of every bot.
            return line.withUnsafeBytes { lines in lines.baseAddress.map { memcmp($0, bytes, lines.count) == 0 } ?? false }
        }

        /// Compares this line and its end with the start of some bytes.
        /// - Returns: the bytes it takes; nil for another line, or less than a line.
        func opens(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
            let length = line.count
            guard bytes.count - start > length, bytes[start + length] == UInt8(ascii: "\n"), let base = bytes.baseAddress
            else { return nil }
            return line.withUnsafeBytes { lines in
                lines.baseAddress.map { memcmp($0, base + start, length) == 0 } == true ? length + 1 : nil
            }
        }
    }

    /// Steps kept: more than `TableCompany.maximumLag` of the load generator, by which a resting bot lags behind.
    private static let depth = 16

    private(set) var latest: ShownTable?
    private(set) var firstRound: Int?
    private var referee = TableReferee()
    private var questions = Questions()
    private var steps: [Step?] = Array(repeating: nil, count: depth)

    /// The latest revision taken apart. Only of use while there is one.
    var facts: TableFacts { referee.facts }

    /// Rounds that were begun since the first look.
    var rounds: Int { (latest?.glance.round ?? 0) - (firstRound ?? 0) }

    /// The line that leads on from a revision, if still kept.
    func step(from revision: Int) -> Step? {
        guard let step = steps[revision & (Self.depth - 1)], step.from == revision else { return nil }
        return step
    }

    /// The table at a revision, if still kept.
    func shown(at revision: Int) -> ShownTable? {
        if let latest, latest.revision == revision { return latest }
        return step(from: revision - 1)?.after
    }

    /// Takes the next revision; nil for any other.
    /// - Returns: the table and the laws it breaks.
    func take(
        _ line: [UInt8], from: Int, to: Int, _ snapshot: TableSnapshot
    ) -> (ShownTable, [TableReferee.Finding])? {
        guard let latest, latest.revision == from else { return nil }
        // Several revisions in one: the ones between are unknown.
        if to != from + 1 { referee.lookAway() }
        let (findings, changes) = referee.judge(snapshot, after: latest.snapshot)
        let shown = show(snapshot, changes, latest.name, latest.epoch, to, outcomes: latest.outcomes)
        if to == from + 1 { steps[from & (Self.depth - 1)] = Step(from: from, line: line, after: shown) }
        return (shown, findings)
    }

    /// Takes a whole table: the first look, or one after a gap that no bot of this loop has filled.
    func begin(_ snapshot: TableSnapshot, name: String, epoch: String, revision: Int) -> (ShownTable, [TableReferee.Finding]) {
        referee.lookAway()
        steps = Array(repeating: nil, count: Self.depth)
        let facts = TableFacts(snapshot)
        if firstRound == nil || latest?.epoch != epoch { firstRound = facts.round - (rounds > 0 ? rounds : 0) }
        let findings = referee.judge(facts)
        questions = Questions()
        return (show(snapshot, .everything, name, epoch, revision, outcomes: []), findings)
    }

    private func show(
        _ snapshot: TableSnapshot, _ changes: TableFacts.Changes, _ name: String, _ epoch: String, _ revision: Int,
        outcomes: [Glance.Outcome]
    ) -> ShownTable {
        var glance = Glance(referee.facts, changes: changes, since: questions)
        glance.trueCount = referee.runningCount * 52 / max(26, referee.facts.cardsLeft)
        if let old = latest?.snapshot {
            glance.changesShoes = snapshot.nextShoe != old.nextShoe || snapshot.fairShoe != old.fairShoe
        }
        let shown = ShownTable(
            name: name, epoch: epoch, revision: revision, snapshot: snapshot, glance: glance,
            outcomes: referee.facts.outcomes(after: outcomes))
        questions = Questions(referee.facts)
        latest = shown
        return shown
    }
}

/// The figures of a revision that bots need, worked out once per table. Bit n of a mask is seat n.
package struct Glance: Sendable {
    /// A seat's result of a round.
    package struct Outcome: Sendable {
        package var hands = 0
        /// Chips won (positive) or lost, insurance included.
        package var net = 0
    }

    package var round = 0
    package var isInRound = false
    /// Milliseconds since 1970 on the server's clock.
    var deadline: Int64?
    /// Seats that are asked something.
    package var asked: UInt8 = 0
    /// Seats that the table waits for.
    package var awaited: UInt8 = 0
    /// Seats whose player may bet now, could pay the smallest bet, and would be in a round that began now.
    var mayBet: UInt8 = 0
    /// Seats with a present player.
    var here: UInt8 = 0
    /// Seats with a player whose connection is lost, as is shown.
    var away: UInt8 = 0
    /// Seats with a bet for the round that is about to begin.
    var betting: UInt8 = 0
    /// Seats whose player sits out.
    package var sittingOut: UInt8 = 0
    /// Seats all of whose hands have a result, between rounds.
    package var settled: UInt8 = 0
    /// Seats with a hand that is in the round and has no result.
    var playing: UInt8 = 0
    /// Seats whose question of the former revision is over.
    var answered: UInt8 = 0
    /// Seats with another player than at the revision before, or none.
    var occupants: UInt8 = 0
    /// Whether the item `fair` or `next` differs from the revision before, or may.
    package var changesShoes = true
    /// The Hi-Lo count of the shoe for each deck that is left; 0 where nobody has counted.
    package var trueCount = 0

    init() {}

    /// - Parameter before: the questions of the former revision.
    init(_ facts: TableFacts, changes: TableFacts.Changes, since before: Questions) {
        (round, isInRound, deadline) = (facts.round, facts.isInRound, facts.deadline)
        (asked, awaited, occupants) = (facts.asked, facts.awaited, changes.occupants)
        if !isInRound { settled = facts.settled }
        let isBetting = facts.phase == .betting && facts.rules.midShoeEntry
        for seat in 1..<8 {
            let bit = UInt8(1) << UInt8(seat)
            guard let player = facts.seats[seat].player else { continue }
            switch player.presence {
            case .here:
                here |= bit
                if isBetting, facts.mayBet & bit != 0, player.chips >= facts.rules.minimumBet { mayBet |= bit }
            case .sittingOut: sittingOut |= bit
            case .away: away |= bit
            case .leaving: break
            }
            let first = facts.seats[seat].hands.first { $0.id.number == 1 }
            if let first, !first.cards.isEmpty, first.result == nil { playing |= bit }
            if facts.phase == .betting, let first, first.cards.isEmpty, first.result == nil { betting |= bit }
        }
        answered = before.over(facts)
    }
}

/// The questions at a table with the hands they concern; as a rule one seat's.
struct Questions: Sendable {
    private var asked: [(seat: Int, choice: Choice, hands: [TableFacts.Hand])] = []
    private var round = 0

    init() {}

    init(_ facts: TableFacts) {
        round = facts.round
        guard facts.asked != 0 else { return }
        for seat in 1..<8 {
            if let choice = facts.seats[seat].choice { asked.append((seat, choice, facts.seats[seat].hands)) }
        }
    }

    /// Seats whose question is over: bit n for seat n.
    func over(_ facts: TableFacts) -> UInt8 {
        var mask: UInt8 = 0
        for (seat, choice, hands) in asked {
            let isSame = facts.round == round && facts.seats[seat].choice == choice && facts.seats[seat].hands == hands
            if !isSame { mask |= 1 << UInt8(seat) }
        }
        return mask
    }
}

/// A table as its viewers see it at one revision: taken apart and judged once for all of them.
package final class ShownTable: Sendable {
    package let name: String
    package let epoch: String
    package let revision: Int
    package let snapshot: TableSnapshot
    package let glance: Glance
    /// Results of the last finished round, by seat; empty before the first.
    package let outcomes: [Glance.Outcome]

    init(
        name: String, epoch: String, revision: Int, snapshot: TableSnapshot, glance: Glance, outcomes: [Glance.Outcome] = []
    ) {
        self.name = name
        self.epoch = epoch
        self.revision = revision
        self.snapshot = snapshot
        self.glance = glance
        self.outcomes = outcomes
    }

    /// A table that is followed by one viewer alone.
    convenience init(
        name: String, epoch: String, revision: Int, snapshot: TableSnapshot, after old: ShownTable?
    ) {
        let facts = TableFacts(snapshot)
        let before = old?.facts
        var changes = TableFacts.Changes.everything
        if let before { changes.occupants = facts.occupants(otherThanIn: before) }
        self.init(
            name: name, epoch: epoch, revision: revision, snapshot: snapshot,
            glance: Glance(facts, changes: changes, since: before.map { Questions($0) } ?? Questions()),
            outcomes: facts.outcomes(after: old?.outcomes ?? []))
    }

    /// Takes the table apart, which is slow: ``TableMirror`` keeps the facts of its latest revision.
    var facts: TableFacts { TableFacts(snapshot) }
}

extension TableFacts {
    /// Results of the finished round by seat; the known ones while there is nothing new.
    func outcomes(after known: [Glance.Outcome]) -> [Glance.Outcome] {
        guard !isInRound, settled != 0 else { return known }
        return seats.indices.map { seat in
            var outcome = Glance.Outcome(hands: seats[seat].hands.count)
            for hand in seats[seat].hands { outcome.net += hand.result?.net ?? 0 }
            let stake = seats[seat].insurance
            if stake > 0 { outcome.net += dealerTotal == .blackjack ? 2 * stake : -stake }
            return outcome
        }
    }
}
