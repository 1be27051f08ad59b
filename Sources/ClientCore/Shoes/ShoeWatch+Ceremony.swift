import Fairness
import TableModel
import Wire

/// The ceremony of the coming shoe, as last seen.
struct Ceremony: Sendable {
    var next: NextShoe
    /// The first thing that was not honest: the shoe has failed before it is played.
    var fault: ShoeFault?
    /// The list under this commitment, once closed.
    var list: Digest?
    /// Players who were seen to get up from lists of this shoe, and how often.
    var departures: [String: Int] = [:]
    /// Whether the player has left the table since it was shown.
    var hasLeft = false
    /// Whether the table was seen to close: the shoe will not be played, and its proof is asked for.
    var isClosed = false
}

/// A commitment of the server that was seen.
struct UsedCommitment: Equatable, Sendable {
    let table: String
    let epoch: String
    let shoe: Int
    let attempt: Int
    let commitment: Digest
}

extension ShoeWatch {
    mutating func followCeremony(_ step: Step, isRestart: Bool, using generator: inout some RandomNumberGenerator) {
        guard let table, let next = step.new.nextShoe else {
            // An open table with ceremonies has a coming shoe at each instant.
            if isRestart { loseCeremony(step) } else if step.new.phase != .closed { accuse(.commitmentChanged) }
            return
        }
        if isRestart, ceremony?.next.commitment != next.commitment { loseCeremony(step) }
        let before = ceremony
        if before?.next.commitment == next.commitment, before?.next.shoe == next.shoe, before?.next.attempt == next.attempt {
            ceremony?.next = next
            ceremony?.hasLeft = false
        } else {
            ceremony = Ceremony(next: next)
            if let before, before.next.shoe == next.shoe {
                // A shoe that has failed stays failed in its next attempt.
                ceremony?.fault = before.fault
                ceremony?.departures = before.departures
            } else if let before, !before.isClosed, hasMissed(before.next, in: step) {
                miss(before, .refused, step)
            }
            checkCommitment(of: next, after: before, step)
            note(
                UsedCommitment(
                    table: table, epoch: epoch, shoe: next.shoe, attempt: next.attempt, commitment: next.commitment))
        }
        checkWithheld(in: next, after: before, step)
        checkStage(of: next, after: before?.next, isSingle: step.isSingle)
        isSeated = player.map { !step.new.seats(of: $0).isEmpty } ?? false
        if !isSeated { loseSeat() }
        if contributes, isSeated, next.stage == .open, ceremony?.fault == nil { draw(for: next, using: &generator) }
        contribute(to: next)
        if step.new.phase == .closed { closeCeremony(step) }
    }

    /// The order to which the player revealed can never be played: its proof shows that it was made as shown.
    private mutating func closeCeremony(_ step: Step) {
        guard var over = ceremony, !over.isClosed else { return }
        over.isClosed = true
        ceremony = over
        if hasRevealed(to: over.next.commitment) { miss(over, .refused, step) }
    }

    /// The same revision again, after a lost connection: nothing in it can differ.
    mutating func checkRepeated(_ step: Step) {
        if let next = step.new.nextShoe, next != ceremony?.next { accuse(.contradiction) }
        guard let shoe, shoe.fault == nil, let fair = step.new.fairShoe else { return }
        let isSame = fair == shoe.fair && step.new.shoe?.number == shoe.number
        if !isSame || step.new.cardsLeft != shoe.size - shoe.drawn { accuseShoe(.contradiction) }
    }

    /// The server was started again with another ceremony. It has lost the one before, and may have rejected its order, unless its shoe
    /// was played meanwhile.
    private mutating func loseCeremony(_ step: Step) {
        guard let lost = ceremony else { return }
        ceremony = nil
        if !lost.isClosed, hasRevealed(to: lost.next.commitment) { miss(lost, .restarted, step) }
    }

    private mutating func note(_ used: UsedCommitment) {
        guard !commitments.contains(used) else { return }
        if commitments.count == Self.mostRemembered { commitments.removeFirst() }
        commitments.append(used)
    }

    private mutating func checkCommitment(of next: NextShoe, after last: Ceremony?, _ step: Step) {
        func isSameAttempt(_ used: UsedCommitment) -> Bool {
            used.table == table && used.shoe == next.shoe && used.attempt == next.attempt
        }
        let isRepeated = commitments.contains { $0.commitment == next.commitment && !isSameAttempt($0) }
        if isRepeated { return accuse(.commitmentRepeated) }
        // Within an epoch an attempt has one commitment, whatever was shown in between.
        let isChanged = commitments.contains {
            isSameAttempt($0) && $0.epoch == epoch && $0.commitment != next.commitment
        }
        guard !isChanged, isInTurn(next, step) else { return accuse(.commitmentChanged) }
        guard let last else { return }
        let before = last.next
        guard before.shoe == next.shoe else {
            if before.shoe > next.shoe { return accuse(.wentBack) }
            // Another number without the shoe before in play would let the server try other shoes.
            let played = step.new.fairShoe?.commitment
            if step.isSingle, played != before.commitment, played == step.old?.fairShoe?.commitment { accuse(.commitmentChanged) }
            return
        }
        guard before.attempt < next.attempt else { return accuse(.commitmentChanged) }
        guard step.isSingle else { return takeUnseenVoid(of: before, by: next) }
        // An attempt without a reason to be void would let the server try other shoes.
        guard next.attempt == before.attempt + 1, let cause = cause(of: next, after: before, step) else {
            return accuse(.voidedWithoutCause)
        }
        if case .named = cause { return }
        found(.voided(cause, shoe: next.shoe))
    }

    /// An attempt became void while changes were missed, and perhaps others after it.
    private mutating func takeUnseenVoid(of before: NextShoe, by next: NextShoe) {
        let named = next.withheld.filter { !before.withheld.contains($0) }
        var isNamed = false
        switch before.stage {
        case .open: break
        // No attempt is void once its order is made.
        case .mixed: return accuse(.voidedWithoutCause)
        case .revealing(let contributors):
            // The player's own name is no cause where the server had got the reveal.
            isNamed = contributors.contains { named.contains($0.name) && !($0.name == player && hasGiven(to: before.commitment)) }
            // The names of the next attempt are from this list.
            let isFromElsewhere = named.contains { name in !contributors.contains { $0.name == name } }
            if next.attempt == before.attempt + 1, isFromElsewhere { return accuse(.voidedWithoutCause) }
        }
        if named.isEmpty { found(.voided(.unseen, shoe: next.shoe)) }
        if !isNamed, hasRevealed(to: before.commitment) { countRejected() }
    }

    /// Whether the coming shoe's number follows that of the shoe in play.
    private func isInTurn(_ next: NextShoe, _ step: Step) -> Bool {
        guard let number = step.new.shoe?.number else { return true }
        guard let fair = step.new.fairShoe else { return next.shoe == number + 1 }
        guard let shoe, shoe.fair.commitment == fair.commitment else { return true }
        return next.shoe == (shoe.rules.continuousShuffle ? fair.shoe + ShoeRules.roundsOfCeremony : number + 1)
    }

    /// Why the attempt before is void; nil: for nothing that an honest server has.
    private mutating func cause(of next: NextShoe, after before: NextShoe, _ step: Step) -> VoidCause? {
        let named = next.withheld.filter { !before.withheld.contains($0) }
        let staying = Set(step.new.namesStaying)
        var gone: [String]
        switch before.stage {
        case .mixed: return nil
        case .open:
            // The list was closed and given up in one change, so nothing was revealed under it.
            gone = (step.old?.namesStaying ?? []).filter { !staying.contains($0) }
            if !named.isEmpty || gone.isEmpty { return nil }
        case .revealing(let contributors):
            let names = contributors.map(\.name)
            if !named.isEmpty { return named.allSatisfy(names.contains) ? .named(named) : nil }
            gone = names.filter { !staying.contains($0) }
            if gone.isEmpty {
                let again = names.filter(before.withheld.contains)
                return again.isEmpty ? nil : .namedBefore(again)
            }
        }
        return .gotUp(
            gone.map { name in
                ceremony?.departures[name, default: 0] += 1
                return .init(name: name, times: ceremony?.departures[name] ?? 1)
            })
    }

    private mutating func checkWithheld(in next: NextShoe, after before: Ceremony?, _ step: Step) {
        guard let before = before?.next, before.shoe == next.shoe else { return }
        let names = next.withheld.filter { !before.withheld.contains($0) }
        guard !names.isEmpty else { return }
        if let player, names.contains(player) {
            if isWronglyNamed(next, after: before, step) {
                accuse(.namedAsWithholder)
            } else if !step.isCut {
                named(to: before.commitment, step.new)
            }
        }
        found(.voided(.named(names), shoe: next.shoe))
    }

    /// Whether the player cannot have withheld in any attempt that became void. On a connection that was not lost no other device has
    /// taken part, so that an attempt to which nothing was committed here had no contribution of the player's.
    private func isWronglyNamed(_ next: NextShoe, after before: NextShoe, _ step: Step) -> Bool {
        // Names come with void attempts.
        guard next.attempt > before.attempt else { return true }
        if step.isCut, next.attempt > before.attempt + 1 { return false }
        let own = contributions.filter {
            $0.table == table && $0.shoe == next.shoe && (before.attempt..<next.attempt).contains($0.attempt)
        }
        // An earlier run may have committed to the attempt that was shown first.
        guard own.contains(where: { $0.server == before.commitment }) else { return false }
        return own.allSatisfy { contribution in
            contribution.reveal == .confirmed || contribution.isReceived
                || contribution.commit == .unsent && contribution.server != before.commitment
        }
    }

    private mutating func checkStage(of next: NextShoe, after before: NextShoe?, isSingle: Bool) {
        let isSame = before?.commitment == next.commitment
        // A list is closed, and shown, before anybody on it can reveal.
        if isSingle, let before, before.stage == .open || !isSame, next.stage.hasReveals { accuse(.listChanged) }
        switch next.stage {
        case .open: if isSame, let before, before.stage != .open { accuse(.listChanged) }
        case .revealing(let contributors):
            let list = contributors.listDigest(server: next.commitment)
            if let known = ceremony?.list, known != list { accuse(.listChanged) }
            if isSame, case .mixed = before?.stage { accuse(.listChanged) }
            close(list)
        case .mixed(let list, let mixed, let order):
            if let known = ceremony?.list, known != list { accuse(.listChanged) }
            if isSame, case .mixed(_, let mix, let digest) = before?.stage, (mix, digest) != (mixed, order) {
                accuse(.orderChanged)
            }
            // Only the last attempt goes on without a contribution.
            if next.attempt < NextShoe.attempts, mixed.flags.contains(false) { accuse(.mixed) }
            checkDigit(of: next.commitment, list, mixed)
            close(list)
        }
    }

    /// Keeps the first list that is seen under a commitment.
    private mutating func close(_ list: Digest) {
        if ceremony?.list == nil { ceremony?.list = list }
    }

    /// Reports a fault of the ceremony, once for each shoe.
    mutating func accuse(_ fault: ShoeFault) {
        guard let table, var ceremony, ceremony.fault == nil else { return }
        ceremony.fault = fault
        self.ceremony = ceremony
        let next = ceremony.next
        var watched = WatchedShoe(table: table, shoe: next.shoe, rules: nil, commitment: next.commitment)
        watched.list = ceremony.list
        watched.own = own(for: next.commitment)
        found(.failed(ShoeReport(watched: watched), fault))
    }
}

extension NextShoe.Stage {
    /// Whether players were on the list whose contributions are mixed.
    fileprivate var hasReveals: Bool { if case .mixed(_, let mixed, _) = self { !mixed.flags.isEmpty } else { false } }
}

extension TableSnapshot {
    /// Players with a seat who are not getting up.
    fileprivate var namesStaying: [String] {
        seats.compactMap { player($0) }.filter { $0.presence != .leaving }.map(\.name)
    }
}

// MARK: - Contributions

/// A contribution of the player's own. Kept until its shoe is over, also over reconnects.
struct Contribution: Sendable {
    /// Doubtful: confirmed before the connection or the seat was lost, and unsent again.
    enum Progress: Equatable, Sendable { case unsent, asked, confirmed, doubtful, refused }

    /// The server's word that the reveal did not come in time, while the answer to the reveal can show the contrary.
    enum Verdict: Equatable, Sendable {
        case none
        /// Named as a withholder at a time, by a server that waits for so many milliseconds.
        case named(at: Int64, waits: Int64)
        /// The same, and the connection ended without an answer.
        case unanswered
        /// Missing in the last attempt's mix.
        case omitted
    }

    let table: String
    let shoe: Int
    let attempt: Int
    let player: String
    let server: Digest
    let secret: ShoeSecret
    let commitment: Digest
    var commit = Progress.unsent
    /// When the commitment was asked for, in milliseconds; nil: on no connection since.
    var askedAt: Int64?
    /// Whether the server said, after the commitment was confirmed, that the player has no seat.
    var hasLostSeat = false
    /// Whether its exclusion was said.
    var isExclusionSaid = false
    /// The one list under which it is revealed.
    var list: Digest?
    /// The player's place in that list.
    var index: Int?
    var reveal = Progress.unsent
    /// Times that the reveal was sent.
    var sent = 0
    /// Whether the reveal was sent on this connection, and not refused for now.
    var isOnItsWay = false
    /// Whether the server has handled the reveal: it answered a request sent after it on the same connection.
    var isReceived = false
    /// When the reveal was sent last, in milliseconds.
    var sentAt: Int64 = 0
    /// Whether the server refused the reveal, on this connection and before it said that there was none.
    var isTurnedAway = false
    var verdict = Verdict.none

    /// A server may never have got what it has not answered. Until its list is closed another device of the player can replace the
    /// commitment, or get up, which voids it.
    mutating func connectionLost() {
        if commit == .asked { askedAt = nil }
        if commit == .confirmed, list == nil { commit = .doubtful }
        (isOnItsWay, isTurnedAway) = (false, false)
        if reveal != .confirmed { isReceived = false }
        switch verdict {
        case .named: verdict = .unanswered
        case .omitted: verdict = .none
        case .none, .unanswered: break
        }
    }
}

extension ShoeWatch {
    func index(to server: Digest) -> Int? {
        contributions.lastIndex { $0.server == server && $0.table == table }
    }

    /// Whether the server may know the player's contribution.
    func hasRevealed(to server: Digest) -> Bool { index(to: server).map { contributions[$0].reveal != .unsent } ?? false }

    /// Draws a contribution, once for each commitment of the server.
    mutating func draw(for next: NextShoe, using generator: inout some RandomNumberGenerator) {
        guard let table, let player, !contributions.contains(where: { $0.server == next.commitment }) else { return }
        let secret = ShoeSecret(using: &generator)
        if contributions.count == Self.mostUnproven * NextShoe.attempts { contributions.removeFirst() }
        contributions.append(
            Contribution(
                table: table, shoe: next.shoe, attempt: next.attempt, player: player, server: next.commitment, secret: secret,
                commitment: secret.contribution(table: table, shoe: next.shoe, player: player, to: next.commitment)))
    }

    /// Commits or reveals, as far as the stage has it and it was not done.
    mutating func contribute(to next: NextShoe) {
        guard let index = index(to: next.commitment) else { return }
        switch next.stage {
        case .open:
            let isUnsent = [.unsent, .doubtful].contains(contributions[index].commit)
            let isExcluded = next.withheld.contains(contributions[index].player)
            guard isUnsent, isSeated, !isExcluded, ceremony?.fault == nil else { return }
            contributions[index].commit = .asked
            contributions[index].askedAt = now
            actions.append(
                .request(.commit(server: next.commitment, contribution: contributions[index].commitment)))
        case .revealing(let contributors): reveal(index, to: contributors)
        case .mixed(_, let mixed, _):
            // The list was closed while changes were missed, and cannot be looked at before the proof.
            guard contributions[index].list == nil else { return }
            // A list of nobody lacks a commitment that the server had, and that nobody has given up.
            if contributions[index].commit == .confirmed, isSeated, mixed.flags.isEmpty { return accuse(.leftOut) }
            exclude(index)
        }
    }

    private mutating func reveal(_ index: Int, to contributors: [Contributor]) {
        let own = contributions[index]
        let place = contributors.firstIndex { $0.name == own.player }
        guard let place, contributors[place].commitment == own.commitment else {
            // Not confirmed: another device of the same player, or an earlier run, may have committed first.
            guard own.commit == .confirmed else { return exclude(index) }
            if place != nil { accuse(.ownContribution) } else if isSeated { accuse(.leftOut) }
            return
        }
        contributions[index].commit = .confirmed
        let list = contributors.listDigest(server: own.server)
        guard own.list ?? list == list else { return accuse(.listChanged) }
        guard own.reveal == .unsent, ceremony?.fault == nil else { return }
        (contributions[index].list, contributions[index].index) = (list, place)
        contributions[index].reveal = .asked
        actions.append(.request(.reveal(list: list, contribution: own.secret)))
    }

    /// The list was closed without the player's commitment, as far as can be seen, and no fault follows from that.
    private mutating func exclude(_ index: Int) {
        guard isSeated else { return }
        switch contributions[index].commit {
        case .doubtful:
            say(contributions[index].hasLostSeat ? .seatLost : .missed, at: index)
            contributions[index].commit = .refused
        case .refused: say(.tooLate, at: index)
        case .unsent, .asked, .confirmed: break
        }
    }

    mutating func say(_ cause: ExclusionCause, at index: Int) {
        guard !contributions[index].isExclusionSaid else { return }
        contributions[index].isExclusionSaid = true
        found(.notIncluded(cause, shoe: contributions[index].shoe))
    }

    /// Says that commitments stay unanswered on a connection that lasts.
    mutating func sayUnanswered() {
        guard !wasCut else { return }
        for index in contributions.indices where contributions[index].commit == .asked {
            let asked = contributions[index].askedAt ?? now
            contributions[index].askedAt = asked
            if now - asked >= Self.patience { say(.unanswered, at: index) }
        }
    }

    // MARK: Answers

    mutating func committed(_ answer: Result<Reply, Refusal>, to server: Digest) {
        guard let index = contributions.lastIndex(where: { $0.server == server }) else { return }
        contributions[index].commit = progress(answer)
        if case .failure(let refusal) = answer, contributions[index].commit == .refused {
            switch ErrorCode(rawValue: refusal.code) {
            case .alreadyCommitted: say(.committedElsewhere, at: index)
            // Overtaken: the list, once shown, decides.
            case .noCeremony, .stale, .notSeated, .tableClosed, .tableClosing: break
            default: say(.refused(code: refusal.code), at: index)
            }
        }
        // The list may have been closed without it.
        if let next = ceremony?.next, next.commitment == server, next.stage != .open { contribute(to: next) }
    }

    mutating func revealed(_ answer: Result<Reply, Refusal>, under list: Digest) {
        guard let index = contributions.lastIndex(where: { $0.list == list }) else { return }
        contributions[index].reveal = progress(answer)
        switch contributions[index].reveal {
        case .confirmed: accuseIfNamed(index)
        case .refused: turnedAway(index)
        case .unsent, .asked, .doubtful: break
        }
    }

    /// Without a connection nobody has refused: the same is asked on the next one.
    private func progress(_ answer: Result<Reply, Refusal>) -> Contribution.Progress {
        switch answer {
        case .success: .confirmed
        case .failure(let refusal): refusal.isLocal || refusal.retryAfter != nil ? .unsent : .refused
        }
    }

    /// The player's contribution under a commitment.
    func own(for server: Digest) -> WatchedShoe.Own? {
        contributions.last { $0.server == server && $0.table == table && $0.commit == .confirmed }.map {
            WatchedShoe.Own(
                name: $0.player, contribution: $0.secret, commitment: $0.commitment, list: $0.list,
                isConfirmed: $0.reveal == .confirmed)
        }
    }
}

// MARK: - Reveals

/// A request that follows a reveal on its connection: a server that answers it has handled the reveal, because it takes requests in order.
struct RevealWitness: Equatable, Sendable {
    let server: Digest
    /// As in ``Contribution/sent``.
    let sent: Int
}

/// Reveals that the server got, or says that it did not get in time.
extension ShoeWatch {
    /// A request of an action has left for the server: a reveal is followed by a request that shows when the server has handled it.
    public mutating func sent(_ request: ClientMessage, at now: Int64) -> [Action] {
        guard case .reveal(let list, _) = request, let index = contributions.lastIndex(where: { $0.list == list }),
            witnesses.count < Self.mostUnproven
        else { return [] }
        contributions[index].sent += 1
        (contributions[index].isOnItsWay, contributions[index].sentAt) = (true, now)
        witnesses.append(RevealWitness(server: contributions[index].server, sent: contributions[index].sent))
        return [.request(.ping)]
    }

    /// The server refused a request of an action for now: it is sent again.
    public mutating func postponed(_ request: ClientMessage) {
        guard case .reveal(let list, _) = request, let index = contributions.lastIndex(where: { $0.list == list }) else { return }
        contributions[index].isOnItsWay = false
        turnedAway(index)
    }

    /// Whether the server is known to have the player's reveal under a list of an attempt.
    func hasGiven(to server: Digest) -> Bool {
        contributions.contains { $0.server == server && ($0.reveal == .confirmed || $0.isReceived) }
    }

    mutating func witnessed(_ answer: Result<Reply, Refusal>) {
        guard !witnesses.isEmpty else { return }
        let witness = witnesses.removeFirst()
        guard case .success = answer, let index = contributions.lastIndex(where: { $0.server == witness.server }) else { return }
        let own = contributions[index]
        guard own.sent == witness.sent, own.isOnItsWay, own.reveal == .asked else { return }
        contributions[index].isReceived = true
        accuseIfNamed(index)
    }

    /// The server names the player as a withholder under a list, and it cannot be told yet whether the reveal reached it in time.
    mutating func named(to server: Digest, _ table: TableSnapshot) {
        guard let index = index(to: server) else { return }
        let own = contributions[index]
        if own.isTurnedAway {
            found(.namedAfterRefusal(shoe: own.shoe))
            countRejected()
        } else if own.reveal == .asked, own.isOnItsWay {
            let waits: Int64 = table.shoe?.number ?? 0 > 0 ? 2_000 : 1_000
            contributions[index].verdict = .named(at: now, waits: waits)
        }
    }

    /// The server refused a reveal. Before it names the player no server of ours does; afterwards it is too late.
    mutating func turnedAway(_ index: Int) {
        let own = contributions[index]
        guard case .named(_, let waits) = own.verdict else {
            if own.verdict == .none { contributions[index].isTurnedAway = true }
            return
        }
        let time = now - own.sentAt
        guard time > waits else { return decideAgainst(index) }
        contributions[index].verdict = .none
        if slowShoe != own.shoe { found(.revealTooSlow(shoe: own.shoe, milliseconds: time)) }
        slowShoe = own.shoe
    }

    /// Says that a reveal stays unanswered for which the server named the player.
    mutating func sayNamedUnanswered() {
        for index in contributions.indices {
            switch contributions[index].verdict {
            case .unanswered: decideAgainst(index)
            case .named(let time, _) where now - time >= Self.patience: decideAgainst(index)
            case .none, .named, .omitted: break
            }
        }
    }

    private mutating func decideAgainst(_ index: Int) {
        contributions[index].verdict = .none
        found(.namedUnanswered(shoe: contributions[index].shoe))
        countRejected()
    }

    /// The server had the reveal when it named the player: its answer, or one to a later request, came after all.
    mutating func accuseIfNamed(_ index: Int) {
        let own = contributions[index]
        guard own.verdict != .none, own.table == table else { return }
        contributions[index].verdict = .none
        if ceremony?.next.shoe == own.shoe {
            accuse(.namedAsWithholder)
        } else if shoe?.watched.shoe == own.shoe {
            accuseShoe(.namedAsWithholder)
        }
    }

    /// Whether the player's contribution is in the mix of the list under which it was revealed.
    /// - Parameter server: the commitment of the attempt.
    mutating func checkDigit(of server: Digest, _ list: Digest, _ mixed: MixedContributions) {
        guard let index = index(to: server), contributions[index].list == list, let place = contributions[index].index,
            mixed.flags.indices.contains(place), !mixed.flags[place]
        else { return }
        let own = contributions[index]
        if own.reveal == .confirmed || own.isReceived {
            accuse(.namedAsWithholder)
        } else if !own.isExclusionSaid {
            if own.reveal == .asked, own.isOnItsWay { contributions[index].verdict = .omitted }
            say(.revealUnconfirmed, at: index)
        }
    }
}
