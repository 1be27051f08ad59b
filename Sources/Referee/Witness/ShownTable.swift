import TableModel

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
