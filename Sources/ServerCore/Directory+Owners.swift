import Records
import TableEngine

/// Decisions of tables' owners: they outlive the tables. Each is changed on its table's loop alone.
extension Directory {
    /// The decisions of a table's owner; another owner's are over.
    func decisions(ofTable name: String, by owner: PlayerID?) -> OwnerDecisions? {
        decisions.withLock { decisions in
            if decisions[name]?.owner != owner { decisions[name] = nil }
            return decisions[name]
        }
    }

    func decide(_ table: String, _ owner: PlayerID, _ body: (inout OwnerDecisions) -> Void) {
        decisions.withLock { decisions in
            var decided = decisions[table] ?? OwnerDecisions(owner: owner)
            if decided.owner != owner { decided = OwnerDecisions(owner: owner) }
            body(&decided)
            decisions[table] = decided.isEmpty ? nil : decided
        }
    }

    /// The host's phrase counts for a table.
    func overrulePhrase(ofTable name: String) {
        decisions.withLock { decisions in
            decisions[name]?.phrase = nil
            if decisions[name]?.isEmpty == true { decisions[name] = nil }
        }
    }

    /// An account is deleted.
    func forgetDecisions(of owner: PlayerID) {
        decisions.withLock { decisions in decisions = decisions.filter { $0.value.owner != owner } }
    }
}
