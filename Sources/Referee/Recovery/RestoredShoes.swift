import Fairness
import TableModel

/// Ceremonies across a restart: what was committed to, listed or made goes on.
struct RestoredShoes {
    /// The table that was shown before the restart.
    let told: TableSnapshot
    let came: TableSnapshot

    /// Each contradiction: what was told, what came.
    var contradictions: [(told: String, came: String)] {
        var found: [(told: String, came: String)] = []
        if let old = told.fairShoe, told.shoe?.number == came.shoe?.number {
            if came.fairShoe.map({ Self.isOfSameCeremony(old, $0) }) != true {
                found.append((Self.text(old), Self.text(came.fairShoe)))
            }
        }
        guard let old = told.nextShoe else { return found }
        if let new = came.nextShoe, new.shoe == old.shoe {
            if !Self.goesOn(old, as: new) { found.append((Self.text(old), Self.text(new))) }
        } else if case .mixed(let list, let mixed, _) = old.stage, let fair = came.fairShoe, fair.shoe == old.shoe {
            // The shoe was shuffled unseen.
            if fair.commitment != old.commitment || fair.list != list || fair.mixed != mixed {
                found.append((Self.text(old), Self.text(fair)))
            }
        } else if came.nextShoe == nil {
            found.append((Self.text(old), "no ceremony"))
        }
        return found
    }

    /// The order differs where cards were reshuffled unseen, or with each round of continuous shuffling.
    private static func isOfSameCeremony(_ old: FairShoe, _ new: FairShoe) -> Bool {
        new.shoe == old.shoe && new.commitment == old.commitment && new.list == old.list && new.mixed == old.mixed
            && (new.segment != old.segment || new.order == old.order)
    }

    private static func goesOn(_ old: NextShoe, as new: NextShoe) -> Bool {
        // Attempts may have been void unseen.
        guard new.attempt == old.attempt else { return new.attempt > old.attempt && new.withheld.starts(with: old.withheld) }
        guard new.commitment == old.commitment, new.withheld == old.withheld else { return false }
        switch (old.stage, new.stage) {
        case (.open, _): return true
        case (.revealing(let one), .revealing(let other)): return one == other
        case (.revealing(let one), .mixed(let list, _, _)): return one.listDigest(server: old.commitment) == list
        case (.mixed, .mixed): return old.stage == new.stage
        case (.revealing, .open), (.mixed, .open), (.mixed, .revealing): return false
        }
    }

    private static func text(_ shoe: FairShoe?) -> String {
        shoe.map {
            "shoe \($0.shoe) of commitment \($0.commitment.base64), list \($0.list.base64), mix \($0.mixed.text), order \($0.order.base64)"
        } ?? "a shoe without a ceremony"
    }

    private static func text(_ next: NextShoe) -> String {
        let stage =
            switch next.stage {
            case .open: "open"
            case .revealing(let list): "revealing by \(list.map(\.name))"
            case .mixed(let list, let mixed, let order): "list \(list.base64), mix \(mixed.text), order \(order.base64)"
            }
        return "next shoe \(next.shoe), attempt \(next.attempt), commitment \(next.commitment.base64), \(stage)"
    }
}
