import Fairness
import TableModel

/// The course of a ceremony: when its list is due, when it closes, when an attempt is void, when the key is made.
extension TableState {
    /// Whether a shuffle is due for which the key is missing. Nothing is due without players, and at a closing table.
    private var isKeyNeeded: Bool { !core.present.isEmpty && !core.isClosing && shufflesNext }

    /// Whether the shoe in play can serve a round although its shuffle is due: nobody waits for a withheld reveal.
    var canPlayOn: Bool {
        core.hasCeremonies && core.shoe.number > 0 && !rules.continuousShuffle && core.shoe.remaining >= cardsForDeal
            && (rules.midShoeEntry || !someNewcomerHasBet)
    }

    /// Takes the steps of the ceremony that are due. Called after every command and time-out.
    @inline(always)
    func followCeremony<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        guard core.hasCeremonies, core.nextSource == nil, core.ceremonyDue != .never || isKeyNeeded else { return }
        progressCeremony(now, &sink)
    }

    @inline(never)
    func progressCeremony<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        // A table that the same command has closed takes no more facts.
        guard core.stage != .closed, let ceremonies, let next = ceremonies.next else { return }
        switch next.stage {
        case .open:
            guard isKeyNeeded else {
                if core.ceremonyDue != .never { emit(.listDue(until: nil), into: &sink) }
                return
            }
            if core.ceremonyDue <= now || !someCommitmentIsMissing(next) {
                closeList(now, &sink)
            } else if core.ceremonyDue == .never {
                emit(.listDue(until: now.adding(milliseconds: Ceremonies.commitMilliseconds)), into: &sink)
            }
        case .revealing:
            // In the last attempt a player who gets up is not waited for; in the others that makes it void, without blame.
            let missing = next.contributions.filter { $0.reveal == nil }
            let isSomebodyGone = missing.contains { !isStaying($0.player) }
            let isWaiting = missing.contains { isStaying($0.player) }
            if ceremonies.isLastAttempt {
                if !isWaiting || core.ceremonyDue <= now { mix(now, &sink) }
            } else if isSomebodyGone {
                emit(.attemptVoided(timedOut: false), into: &sink)
            } else if !isWaiting {
                mix(now, &sink)
            } else if core.ceremonyDue <= now {
                emit(.attemptVoided(timedOut: true), into: &sink)
            }
        case .mixed: return
        }
    }

    private func isStaying(_ player: PlayerID) -> Bool { slot(of: player).map { !players[$0].isLeaving } ?? false }

    /// Whether a connected player who contributes has not committed.
    private func someCommitmentIsMissing(_ attempt: Attempt) -> Bool {
        for slot in core.present {
            let player = players[slot]
            guard player.profile.contributes, player.isConnected, !player.isLeaving, !isExcluded(player.id) else { continue }
            if attempt.index(of: player.id) == nil { return true }
        }
        return false
    }

    private func isExcluded(_ player: PlayerID) -> Bool { ceremonies?.excluded.contains(player) == true }

    private func closeList<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        let times = Ceremonies.revealMilliseconds
        let until = now.adding(milliseconds: core.shoe.number > 0 ? times.withShoe : times.withoutShoe)
        emit(.listClosed(until: until), into: &sink)
        // Nobody contributes, so nobody is waited for.
        if ceremonies?.next?.contributions.isEmpty == true { mix(now, &sink) }
    }

    private func mix<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        guard let key = ceremonies?.next?.key else { preconditionFailure("a closed list gives a key") }
        emit(.shoeSupplied(.keyed(key)), into: &sink)
        closeBetsIfComplete(now, &sink)
    }

    /// Reveals the secret of the shoe in play when none of its cards will be dealt: the next round begins with a shuffle for which
    /// the key is there, or there is no next round.
    func revealSecretIfOver<Sink: FactSink>(_ sink: inout Sink) {
        let isOver = core.isClosing || ceremonies?.next?.isMixed == true && shuffleIsDue
        if isOver { revealSecret(&sink) }
    }

    /// - Precondition: no card of the shoe in play will be dealt.
    func revealSecret<Sink: FactSink>(_ sink: inout Sink) {
        guard let played = ceremonies?.played, !played.isRevealed else { return }
        emit(.secretRevealed(shoe: played.attempt.shoe), into: &sink)
    }

    /// The number of the coming ceremony's shoe: with continuous shuffling one ceremony makes 32.
    var comingShoe: Int {
        guard rules.continuousShuffle, let played = ceremonies?.played else { return core.shoe.number &+ 1 }
        return played.attempt.shoe &+ Ceremonies.shoesOfContinuousShuffle
    }
}

/// Checks of requests.
extension TableState {
    func checkBegin() throws(Rejection) {
        try checkOpen()
        if ceremonies != nil { throw .shoeAlreadySupplied }
    }

    func checkSecret() throws(Rejection) {
        try checkOpen()
        guard let ceremonies else { throw .noCeremony }
        if ceremonies.next != nil { throw .shoeAlreadySupplied }
    }

    /// Until the list closes a later commitment replaces the former: nothing is revealed yet, and the player may have gone on at another
    /// device.
    /// - Returns: whether the commitment is new.
    func checkCommit(
        _ player: PlayerID, _ name: String, server: Digest, _ contribution: Digest
    ) throws(Rejection) -> Bool {
        let slot = try checkLeave(player)
        guard players[slot].profile.contributes else { throw .notContributing }
        guard let next = ceremonies?.next else { throw .noCeremony }
        guard server == next.commitment else { throw .staleCommitment }
        if isExcluded(player) { throw .hasWithheld }
        let known = next.index(of: player).map { next.contributions[$0] }
        if let known, known.commitment == contribution, known.name == name { return false }
        guard next.isOpen else { throw known == nil ? .noCeremony : .alreadyCommitted }
        return true
    }

    /// - Returns: whether the reveal is new.
    func checkReveal(_ player: PlayerID, list: Digest, _ contribution: ShoeSecret) throws(Rejection) -> Bool {
        _ = try checkSeated(player)
        guard let ceremonies, let next = ceremonies.next, let closed = next.list else { throw .noCeremony }
        guard list == closed else { throw .staleList }
        guard let index = next.index(of: player) else { throw .notOnList }
        guard next.isCommitted(contribution, by: index, at: ceremonies.table) else { throw .wrongContribution }
        if next.contributions[index].reveal != nil { return false }
        // Too late: the order is made without it.
        if next.isMixed { throw .noCeremony }
        return true
    }
}
