import TableModel
import Wire

/// Tables: each revision against the last one that anybody was shown.
extension RecoveryReferee {
    /// Judges the table that a player was just shown.
    mutating func follow(_ player: Int, isNext: Bool) {
        guard let view = players[player].view else { return }
        let new = TableFacts(view.snapshot)
        let isOfSameEpoch = tables[view.table]?.epoch == view.epoch
        guard var memory = tables[view.table] else {
            var referee = TableReferee()
            note(referee.judge(new), view.table, new)
            keep(view, new, referee)
            countChips(of: view, since: nil, new)
            return
        }
        if isOfSameEpoch {
            guard view.revision > memory.revision else {
                if view.revision == memory.revision, view.snapshot != memory.snapshot {
                    accuse(
                        .table, players[player].name, told: "another revision \(view.revision) of \(view.table)", came: "\(new)")
                }
                return
            }
            if view.revision == memory.revision + 1 {
                unprovoked(memory, new, view)
            } else {
                memory.referee.lookAway()
            }
            note(memory.referee.judge(new), view.table, new)
            end(memory, new, view.table)
        } else {
            restore(&memory, new, view, player)
        }
        keep(view, new, memory.referee)
        countChips(of: view, since: memory, new)
    }

    private mutating func keep(_ view: PlayerMemory.View, _ facts: TableFacts, _ referee: TableReferee) {
        epochs.insert(view.epoch)
        tables[view.table] = TableMemory(
            epoch: view.epoch, revision: view.revision, snapshot: view.snapshot, facts: facts, referee: referee)
    }

    private mutating func note(_ found: [TableReferee.Finding], _ table: String, _ facts: TableFacts) {
        for finding in found {
            accuse(.game, table, told: "\(finding.law.rawValue), round \(facts.round)", came: finding.detail)
        }
    }

    /// Whether an interrupted round has ended before everybody's eyes.
    private mutating func end(_ memory: TableMemory, _ new: TableFacts, _ table: String) {
        guard let round = interrupted[table] else { return }
        if new.round != round || !new.isInRound {
            endInterrupted(table, isWitnessed: new.round == round && new.phase == .settled)
        }
    }

    private mutating func restore(_ memory: inout TableMemory, _ new: TableFacts, _ view: PlayerMemory.View, _ player: Int) {
        guard memory.isFromBefore else {
            return accuse(
                .table, players[player].name, told: "epoch \(memory.epoch) of \(view.table)", came: "epoch \(view.epoch)")
        }
        tally.tables += 1
        let isNew = new.round < memory.facts.round || new.shoe.number < memory.facts.shoe.number
        let wasClosing = memory.snapshot.closing != nil
        if isStopping, new.phase == .closed || view.snapshot.closing != nil && !new.isInRound {
            // Nobody was shown it between its start and the stop, which may have made its round void.
            interrupted[view.table] = nil
            memory.referee = TableReferee()
            return
        }
        if memory.mayBeClosed, isNew || wasClosing || memory.facts.round == 0 || new.round == 0 {
            if new.round > 0, wasClosing {
                accuse(.table, view.table, told: "that it closes", came: "round \(new.round), \(new.phase)")
            }
            // A table that was closed for the stop, and opened again.
            interrupted[view.table] = nil
            memory.referee = TableReferee()
            note(memory.referee.judge(new), view.table, new)
            return
        }
        if memory.facts.isInRound { tally.hands += 1 }
        let restored = RestoredTable(told: memory.facts, came: new, movers: memory.movers)
        let shoes = RestoredShoes(told: memory.snapshot, came: view.snapshot)
        for (told, came) in restored.contradictions + shoes.contradictions {
            accuse(.table, view.table, told: told, came: came)
        }
        let isPast = memory.facts.isInRound && (new.round != memory.facts.round || !new.isInRound && new.phase != .settled)
        if isPast || new.round > memory.facts.round + 1 { tally.unseenRounds += 1 }
        lastBets(memory, new, view)
        // A player who got up and sat down again unseen may have new chips: `newcomer` judges those.
        let haveMoved =
            memory.movers.contains { name in new.seats.contains { $0.player?.name == name } }
            || players.contains { player in
                player.mayBeSitting || player.mayBeLeaving || player.applied.contains { $0.epoch == view.epoch }
            }
        note(memory.referee.judgeRestored(new).filter { !haveMoved || $0.law != .chips }, view.table, new)
        end(memory, new, view.table)
    }

    /// A bet that was confirmed and not shown yet lies there, unless later requests may have changed it.
    private mutating func lastBets(_ memory: TableMemory, _ new: TableFacts, _ view: PlayerMemory.View) {
        guard new.round == memory.facts.round, new.phase == .waiting || new.phase == .betting else { return }
        for player in players where player.open.isEmpty {
            guard let last = player.answers.last, case .success(.bet(let amount, let seat, _)) = last.request.message,
                case .ok(.applied(_, let revision)) = last.answer, revision.epoch == memory.epoch,
                let first = seat ?? new.seats(of: player.name).min(), new.seats[first].player?.name == player.name,
                player.seating?.seats.count == 1, new.openBet(first) != amount
            else { continue }
            // After a revision that was shown, later revisions may have taken it back, as a closing table does.
            guard revision.number > memory.revision else { continue }
            accuse(.table, player.name, told: "its bet of \(amount) was taken", came: "\(new.openBet(first)) on seat \(first)")
        }
    }

    /// Cards and bets change by the owner's requests alone: repeated ones have no second effect.
    private mutating func unprovoked(_ memory: TableMemory, _ new: TableFacts, _ view: PlayerMemory.View) {
        let old = memory.facts
        guard old.isInRound, new.round == old.round else { return }
        for seat in 1..<8 {
            guard let name = old.seats[seat].player?.name, let owner = players.first(where: { $0.name == name }),
                !owner.mayHaveMoved(after: memory.revision, inEpoch: view.epoch)
            else { continue }
            for hand in old.seats[seat].hands {
                guard let next = new.seats[seat].hands.first(where: { $0.id == hand.id }) else { continue }
                let drew = next.ids.count - hand.ids.count
                guard drew > (hand.ids.count == 1 ? 1 : 0) || next.bet != hand.bet else { continue }
                accuse(.effects, name, told: hand.text, came: next.text)
            }
        }
    }

    // MARK: Chips

    /// Chips that a player may have, by everything told: exact, except where a result may be unseen.
    func possibleWorth(_ player: Int) -> ClosedRange<Int> {
        let memory = players[player]
        var worth = memory.worth
        if let seating = memory.seating, let table = tables[seating.table], let wealth = table.facts.wealth(of: memory.name) {
            let sum = wealth.chips + wealth.open
            let hasMoved = memory.mayHaveMoved(after: table.revision, inEpoch: table.epoch)
            let unseen = memory.unseenBets(after: table.revision, inEpoch: table.epoch, shown: epochs)
            let stake = hasMoved ? memory.stake(wealth.open) + unseen : wealth.open
            worth = sum - stake...sum + 2 * stake
        }
        guard memory.mayBeSitting, memory.seating == nil || memory.mayBeLeaving || mayBeUnseated[player] else { return worth }
        // A seat taken and given up unseen may have brought new chips.
        return worth.lowerBound...max(worth.upperBound, startingChips)
    }

    /// Follows what each player has, at the table and beyond.
    private mutating func countChips(of view: PlayerMemory.View, since old: TableMemory?, _ new: TableFacts) {
        for index in players.indices {
            let memory = players[index]
            let own = new.seats(of: memory.name)
            if let wealth = new.wealth(of: memory.name) {
                let sum = wealth.chips + wealth.open
                if memory.seating == nil {
                    let wasShown = old.map { !$0.facts.seats(of: memory.name).isDisjoint(with: own) } ?? false
                    if mayBePast(view, own, memory, wasShown: wasShown && (old?.epoch == view.epoch || memory.mayBeLeaving)) {
                        continue
                    }
                    newcomer(index, sum, own, view)
                }
                if memory.seating?.ending == .possible, memory.open.isEmpty, !memory.isAhead(of: view),
                    !own.contains(where: { new.seats[$0].player?.presence == .leaving })
                {
                    players[index].seating = .init(table: view.table, seats: own, isCertain: false)
                }
                players[index].worth = sum...sum
                if memory.seating?.table == view.table, memory.open.isEmpty || !own.isSuperset(of: memory.seating?.seats ?? []) {
                    seen(index, own, view)
                }
                if let mine = memory.view, (mine.table, mine.epoch) == (view.table, view.epoch), mine.revision >= view.revision {
                    players[index].seating?.isCertain = true
                }
            } else if let seating = memory.seating, seating.table == view.table, let old {
                vanished(index, seating, old, new, view)
            }
        }
    }

    /// Whether a view with a player's seat may be older than the login that told of none: others' bytes may come late.
    /// - Parameter wasShown: whether the last table shown before it has the seat.
    private func mayBePast(_ view: PlayerMemory.View, _ own: Set<Int>, _ memory: PlayerMemory, wasShown: Bool) -> Bool {
        // The player's own view came after the login on the same connection.
        if let mine = memory.view, (mine.table, mine.epoch) == (view.table, view.epoch), mine.revision >= view.revision {
            return false
        }
        let wasTold = memory.formerSeating.map { $0.table == view.table && !$0.seats.isDisjoint(with: own) } ?? false
        return wasShown || wasTold || memory.isAhead(of: view)
    }

    private mutating func newcomer(_ index: Int, _ sum: Int, _ own: Set<Int>, _ view: PlayerMemory.View) {
        let memory = players[index]
        players[index].isOpen = true
        guard memory.mayBeSitting else {
            return accuse(.account, memory.name, told: "no seat", came: "seats \(own.sorted()) at \(view.table)")
        }
        let minimum = view.snapshot.rules?.minimumBet ?? 0
        let isRebuy = memory.worth.lowerBound < minimum && sum == max(startingChips, minimum)
        if !memory.worth.contains(sum), !isRebuy {
            accuse(.chips, memory.name, told: "\(memory.worth) chips", came: "\(sum) at \(view.table)")
        }
        players[index].seating = .init(table: view.table, seats: own, isCertain: false)
    }

    /// The player's own view decides whether a `sit` that was sent again has been carried out; others may have shown its revision before.
    mutating func confirmSeat(_ index: Int) {
        let memory = players[index]
        guard memory.mayHaveSatDown else { return }
        if let view = memory.view, memory.seating == nil {
            let facts = TableFacts(view.snapshot)
            if let wealth = facts.wealth(of: memory.name) {
                let sum = wealth.chips + wealth.open
                newcomer(index, sum, facts.seats(of: memory.name), view)
                players[index].worth = sum...sum
            }
        }
        players[index].mayHaveSatDown = false
    }

    /// The seats that a table shows are those that the player was told.
    private mutating func seen(_ index: Int, _ own: Set<Int>, _ view: PlayerMemory.View) {
        let memory = players[index]
        guard let seating = memory.seating, !memory.mayBeLeaving, !memory.mayBeSitting, own != seating.seats,
            !memory.isAhead(of: view)
        else { return }
        if seating.isCertain {
            accuse(
                .account, memory.name, told: "seats \(seating.seats.sorted()) at \(seating.table)", came: "seats \(own.sorted())")
        }
        players[index].seating?.seats = own
    }

    /// A player's seat is no longer shown: they have left, with what is theirs.
    private mutating func vanished(
        _ index: Int, _ seating: PlayerMemory.Seating, _ old: TableMemory, _ new: TableFacts, _ view: PlayerMemory.View
    ) {
        let memory = players[index]
        // The reply to the sit may come before the revision that shows it.
        guard !memory.isAhead(of: view) else { return }
        if seating.isCertain, !memory.mayBeLeaving, !mayBeUnseated[index], new.phase != .closed {
            accuse(.account, memory.name, told: "seats \(seating.seats.sorted()) at \(seating.table)", came: "nobody there")
        }
        if let wealth = old.facts.wealth(of: memory.name) {
            let sum = wealth.chips + wealth.open
            // A bet that nobody was shown may have won or lost, too, and so may insurance.
            let shown = epochs.subtracting([view.epoch])
            let unseen = memory.unseenBets(after: old.revision, inEpoch: old.epoch, shown: shown)
            let hasActed = memory.mayHaveActed(after: old.revision, inEpoch: old.epoch, shown: shown)
            let mayBeInsured = old.facts.phase != .playing && hasActed
            if unseen == 0, !mayBeInsured, let gain = new.gain(of: old.facts.seats(of: memory.name), since: old.facts) {
                players[index].worth = sum + gain...sum + gain
            } else {
                let stake = memory.stake(wealth.open) + unseen
                players[index].worth = sum - stake...sum + 2 * stake
            }
        }
        guard seating.isCertain || memory.mayBeLeaving || mayBeUnseated[index] else { return }
        players[index].formerSeating = seating
        players[index].seating = nil
    }
}
