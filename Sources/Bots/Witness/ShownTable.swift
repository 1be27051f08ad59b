import TableModel

/// A table as its viewers see it at one revision: taken apart and judged once for all of them.
final class ShownTable: Sendable {
    let name: String
    let epoch: String
    let revision: Int
    let snapshot: TableSnapshot
    let facts: TableFacts
    /// The Hi-Lo count of the shoe for each deck that is left.
    let trueCount: Int

    init(name: String, epoch: String, revision: Int, snapshot: TableSnapshot, facts: TableFacts, runningCount: Int) {
        self.name = name
        self.epoch = epoch
        self.revision = revision
        self.snapshot = snapshot
        self.facts = facts
        trueCount = runningCount * 52 / max(26, facts.cardsLeft)
    }
}
