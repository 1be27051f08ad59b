import Rules
import TableModel

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
