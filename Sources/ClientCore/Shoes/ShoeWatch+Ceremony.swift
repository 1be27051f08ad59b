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
