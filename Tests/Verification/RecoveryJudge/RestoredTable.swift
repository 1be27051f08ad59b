import Fairness
import TableModel

/// Compares the last table that anybody was shown with the one that a restarted server shows. Pure.
///
/// Players act under rules whose decisions have long deadlines, so that only requests move a round on, and betting clocks.
struct RestoredTable {
    /// The table that was shown before the restart.
    let told: TableFacts
    let came: TableFacts
    /// Names of players with requests of unseen effect.
    let movers: Set<String>
    /// Milliseconds that a decision may take; a shorter clock may run out while nobody is connected.
    static let longDecision = 30

    /// Each contradiction: what was told, what came.
    var contradictions: [(told: String, came: String)] {
        var found: [(told: String, came: String)] = []
        order(&found)
        // A round that was reached unseen leaves only the bets to compare.
        if came.round == told.round {
            if told.isInRound || told.phase == .settled { hands(&found) } else { bets(&found) }
            presence(&found)
        } else if came.round == told.round + 1, told.phase == .betting, came.isInRound || came.phase == .settled {
            dealtBets(&found)
        }
        return found
    }

    private func mover(_ seat: Int) -> Bool {
        [told, came].contains { $0.seats[seat].player.map { movers.contains($0.name) } ?? false }
    }

    /// Whether anybody at the table may have acted unseen.
    private var hasMovers: Bool { (1..<8).contains { mover($0) } }

    private func order(_ found: inout [(told: String, came: String)]) {
        let (toldRank, cameRank) = (told.phase.rank, came.phase.rank)
        if came.round < told.round || came.round == told.round && cameRank < toldRank {
            found.append(("round \(told.round), \(told.phase)", "round \(came.round), \(came.phase)"))
        }
        if came.shoe.number < told.shoe.number || came.round == told.round && came.shoe.number != told.shoe.number {
            found.append(("shoe \(told.shoe.number) in round \(told.round)", "shoe \(came.shoe.number) in round \(came.round)"))
        }
        guard told.isInRound, !hasMovers, told.rules.decisionSeconds >= Self.longDecision else { return }
        if came.round != told.round || came.phase != told.phase {
            found.append(("round \(told.round), \(told.phase)", "round \(came.round), \(came.phase), though nobody acted"))
        }
        for seat in 1..<8 where came.seats[seat].choice != told.seats[seat].choice {
            found.append((text(told.seats[seat].choice, seat), text(came.seats[seat].choice, seat)))
        }
    }

    private func text(_ choice: Choice?, _ seat: Int) -> String {
        choice.map { "seat \(seat) is asked, hand \($0.hand), turn \($0.turn), \($0.options.map(\.action.name))" }
            ?? "seat \(seat) is not asked"
    }

    /// The cards on the table, within a round.
    private func hands(_ found: inout [(told: String, came: String)]) {
        guard came.isInRound || came.phase == .settled else { return }
        for (index, id) in told.dealerIDs.enumerated() {
            let face = told.dealer[index]
            guard index < came.dealerIDs.count, came.dealerIDs[index] == id, face == nil || came.dealer[index] == face else {
                found.append(
                    (
                        "the dealer's card \(id), \(face.map(\.description) ?? "face down")",
                        "\(came.dealer.map { $0?.description ?? "??" })"
                    ))
                continue
            }
        }
        for seat in 1..<8 {
            for hand in told.seats[seat].hands { compare(hand, seat, &found) }
            if told.seats[seat].insurance != came.seats[seat].insurance, !mover(seat) {
                found.append(("seat \(seat) insured for \(told.seats[seat].insurance)", "\(came.seats[seat].insurance)"))
            }
            if told.seats[seat].hands.count != came.seats[seat].hands.count, !mover(seat) {
                found.append(("\(told.seats[seat].hands.count) hands of seat \(seat)", "\(came.seats[seat].hands.count)"))
            }
        }
    }

    private func compare(_ hand: TableFacts.Hand, _ seat: Int, _ found: inout [(told: String, came: String)]) {
        guard let next = came.seats[seat].hands.first(where: { $0.id == hand.id }) else {
            found.append((hand.text, "no such hand"))
            return
        }
        if hand.result != nil, next.result != hand.result || next.bet != hand.bet || next.ids != hand.ids {
            found.append((hand.text, next.text))
        } else if !mover(seat) {
            // A split hand gets its second card at its turn.
            let fits = hand.ids.count == 1 && next.ids.count == 2 ? Array(next.ids.prefix(1)) : next.ids
            if fits != hand.ids || next.bet != hand.bet { found.append((hand.text, next.text)) }
        } else if next.bet < hand.bet || next.ids.first != hand.ids.first {
            found.append((hand.text, next.text))
        }
        for (id, card) in zip(hand.ids, hand.cards) {
            let places = came.seats[seat].hands.flatMap { zip($0.ids, $0.cards) }
            if let now = places.first(where: { $0.0 == id })?.1, now == card { continue }
            found.append(
                ("card \(id) of seat \(seat), \(card)", places.first { $0.0 == id }?.1.description ?? "not at this seat"))
        }
    }

    /// The bets for the next round.
    private func bets(_ found: inout [(told: String, came: String)]) {
        guard came.phase == .waiting || came.phase == .betting else { return }
        for seat in 1..<8 where !mover(seat) && told.openBet(seat) != came.openBet(seat) {
            found.append(("a bet of \(told.openBet(seat)) on seat \(seat)", "\(came.openBet(seat))"))
        }
    }

    /// The bets with which a round began unseen.
    private func dealtBets(_ found: inout [(told: String, came: String)]) {
        for seat in 1..<8 where !mover(seat) && told.openBet(seat) != came.seats[seat].hands.first?.bet ?? 0 {
            found.append(("a bet of \(told.openBet(seat)) on seat \(seat)", "\(came.seats[seat].hands.first?.text ?? "no hand")"))
        }
    }

    private func presence(_ found: inout [(told: String, came: String)]) {
        for seat in 1..<8 where !mover(seat) {
            guard let old = told.seats[seat].player, let new = came.seats[seat].player, old.name == new.name else { continue }
            // `away` hides whether they sit out.
            guard old.presence != .away, new.presence != .away else { continue }
            // The end of a round sits out players who have missed several.
            if told.isInRound, !came.isInRound, new.presence == .sittingOut { continue }
            if (old.presence == .sittingOut) != (new.presence == .sittingOut) {
                found.append(("\(old.name) is \(old.presence)", "\(new.presence)"))
            }
        }
    }
}

extension TableFacts {
    /// Chips on a seat that nothing has come of yet.
    func openBet(_ seat: Int) -> Int { seats[seat].hands.reduce(0) { $0 + ($1.result == nil ? $1.bet : 0) } }

    func seats(of name: String) -> Set<Int> { Set((1..<8).filter { seats[$0].player?.name == name }) }

    /// A player's chips and bets; nil for one without a seat.
    func wealth(of name: String) -> (chips: Int, open: Int)? {
        let own = seats(of: name)
        guard let first = own.min(), let chips = seats[first].player?.chips else { return nil }
        return (chips, own.reduce(0) { $0 + openBet($1) + (isInsuranceOpen ? seats[$1].insurance : 0) })
    }

    /// Chips that some seats' open bets have won since an earlier revision of the round; nil unless all of them have their results.
    func gain(of own: Set<Int>, since old: TableFacts) -> Int? {
        var sum = 0
        for seat in own {
            for hand in old.seats[seat].hands where hand.result == nil && hand.bet > 0 {
                // A bet for the next round that is taken back shows the last round's results again.
                guard old.isInRound, round == old.round,
                    let result = seats[seat].hands.first(where: { $0.id == hand.id })?.result,
                    seats[seat].hands.count == old.seats[seat].hands.count
                else { return nil }
                sum += result.net
            }
            let stake = old.isInsuranceOpen ? old.seats[seat].insurance : 0
            guard stake > 0 else { continue }
            guard round == old.round, dealerTotal != nil, let gain = insuranceGain(of: stake) else { return nil }
            sum += gain
        }
        return sum
    }
}

extension TableFacts.Hand {
    var text: String {
        "hand \(id.number) of seat \(id.seat): \(zip(ids, cards).map { "c\($0) \($1)" }), bet \(bet)"
            + (result.map { ", \($0.outcome.name) \($0.net)" } ?? "")
    }
}

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
