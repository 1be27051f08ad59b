import Records
import TableEngine
import Wire

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
        decisions.withLock { $0.decide(table, owner, body) }
    }

    /// The account with this name, if there is one by now or later, does not expire.
    func noteOwner(_ setting: ShardConfiguration.TableSetting) {
        guard let name = setting.owner.flatMap({ try? PlayerName($0) }) else { return }
        let key = FoldedName(name).key
        _ = state.withLock { $0.owners.insert(key) }
    }

    /// The host's phrase counts for a table.
    func overrulePhrase(ofTable name: String) { decisions.withLock { $0.overrulePhrase(of: name) } }

    /// An account is deleted.
    func forgetDecisions(of owner: PlayerID) { decisions.withLock { $0.forget(owner) } }
}
