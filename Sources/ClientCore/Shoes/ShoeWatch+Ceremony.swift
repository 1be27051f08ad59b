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
}

/// A contribution of the player's own. Kept until its shoe is over, also over reconnects.
struct Contribution: Sendable {
    /// Doubtful: confirmed before changes were missed, and unsent again.
    enum Progress: Equatable, Sendable { case unsent, asked, confirmed, doubtful, refused }

    let table: String
    let shoe: Int
    let attempt: Int
    let player: String
    let server: Digest
    let secret: ShoeSecret
    let commitment: Digest
    var commit = Progress.unsent
    /// The one list under which it is revealed.
    var list: Digest?
    var reveal = Progress.unsent
}

/// A commitment of the server that was seen.
struct UsedCommitment: Equatable, Sendable {
    let table: String
    let shoe: Int
    let attempt: Int
    let commitment: Digest
}

extension ShoeWatch {
    mutating func followCeremony(_ step: Step, isRestart: Bool, using generator: inout some RandomNumberGenerator) {
        guard let table, let next = step.new.nextShoe else {
            // An open table with ceremonies has a coming shoe at each instant.
            if isRestart { loseCeremony() } else if step.new.phase != .closed { accuse(.commitmentChanged) }
            return
        }
        if isRestart, ceremony?.next.commitment != next.commitment { loseCeremony() }
        let before = ceremony
        if before?.next.commitment == next.commitment, before?.next.shoe == next.shoe, before?.next.attempt == next.attempt {
            ceremony?.next = next
        } else {
            ceremony = Ceremony(next: next)
            if let before, before.next.shoe == next.shoe {
                // A shoe that has failed stays failed in its next attempt.
                ceremony?.fault = before.fault
                ceremony?.departures = before.departures
            }
            checkCommitment(of: next, after: before?.next, step)
            note(UsedCommitment(table: table, shoe: next.shoe, attempt: next.attempt, commitment: next.commitment))
        }
        checkWithheld(in: next, after: before)
        checkStage(of: next, after: before?.next, isSingle: step.isSingle)
        isSeated = player.map { !step.new.seats(of: $0).isEmpty } ?? false
        if !isSeated { forgetCommitments() }
        if contributes, isSeated, next.stage == .open, ceremony?.fault == nil { draw(for: next, using: &generator) }
        contribute(to: next)
    }

    /// The server lost the table. A contribution that it has seen by then is said to be unproven: it may have rejected the order.
    private mutating func loseCeremony() {
        guard let lost = ceremony else { return }
        ceremony = nil
        guard let table, contributions.contains(where: { $0.server == lost.next.commitment && $0.reveal != .unsent }) else {
            return
        }
        let watched = WatchedShoe(table: table, shoe: lost.next.shoe, rules: nil, commitment: lost.next.commitment)
        found(.unproven(ShoeReport(watched: watched), .restarted))
    }

    private mutating func note(_ used: UsedCommitment) {
        guard !commitments.contains(used) else { return }
        if commitments.count == Self.mostRemembered { commitments.removeFirst() }
        commitments.append(used)
    }

    private mutating func checkCommitment(of next: NextShoe, after before: NextShoe?, _ step: Step) {
        let isRepeated = commitments.contains {
            $0.commitment == next.commitment && ($0.table != table || $0.shoe != next.shoe || $0.attempt != next.attempt)
        }
        if isRepeated { return accuse(.commitmentRepeated) }
        guard isInTurn(next, step) else { return accuse(.commitmentChanged) }
        guard let before else { return }
        guard before.shoe == next.shoe else {
            // Another number without the shoe before in play would let the server try other shoes.
            let played = step.new.fairShoe?.commitment
            if step.isSingle, played != before.commitment, played == step.old?.fairShoe?.commitment { accuse(.commitmentChanged) }
            return
        }
        guard before.attempt < next.attempt else { return accuse(.commitmentChanged) }
        guard step.isSingle else {
            if next.withheld.count <= before.withheld.count { found(.voided(.unseen, shoe: next.shoe)) }
            return
        }
        // An attempt without a reason to be void would let the server try other shoes.
        guard next.attempt == before.attempt + 1, let cause = cause(of: next, after: before, step) else {
            return accuse(.voidedWithoutCause)
        }
        if case .named = cause { return }
        found(.voided(cause, shoe: next.shoe))
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

    private mutating func checkWithheld(in next: NextShoe, after before: Ceremony?) {
        guard let before = before?.next, before.shoe == next.shoe else { return }
        let names = next.withheld.filter { !before.withheld.contains($0) }
        guard !names.isEmpty else { return }
        if let player, names.contains(player) {
            // In attempts that were missed another device may have taken part.
            let hasRevealed = contributions.contains {
                $0.server == before.commitment && $0.table == table && $0.reveal == .confirmed
            }
            if next.attempt == before.attempt || next.attempt == before.attempt + 1 && hasRevealed {
                accuse(.namedAsWithholder)
            }
        }
        found(.voided(.named(names), shoe: next.shoe))
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
            close(list)
        }
    }

    /// Keeps the first list that is seen under a commitment.
    private mutating func close(_ list: Digest) {
        if ceremony?.list == nil { ceremony?.list = list }
    }

    /// Draws a contribution, once for each commitment of the server.
    private mutating func draw(for next: NextShoe, using generator: inout some RandomNumberGenerator) {
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
        guard let index = contributions.lastIndex(where: { $0.server == next.commitment && $0.table == table }) else { return }
        switch next.stage {
        case .open:
            let isUnsent = [.unsent, .doubtful].contains(contributions[index].commit)
            guard isUnsent, isSeated, ceremony?.fault == nil else { return }
            contributions[index].commit = .asked
            actions.append(
                .request(.commit(server: next.commitment, contribution: contributions[index].commitment)))
        case .revealing(let contributors): reveal(index, to: contributors)
        case .mixed:
            // The list was closed while changes were missed, and cannot be looked at before the proof.
            guard contributions[index].commit == .doubtful, contributions[index].list == nil else { return }
            contributions[index].commit = .refused
            if isSeated { found(.notListed(shoe: next.shoe)) }
        }
    }

    private mutating func reveal(_ index: Int, to contributors: [Contributor]) {
        let own = contributions[index]
        let entry = contributors.first { $0.name == own.player }
        guard let entry, entry.commitment == own.commitment else {
            if own.commit == .doubtful {
                contributions[index].commit = .refused
                if isSeated { found(.notListed(shoe: own.shoe)) }
            }
            // Not confirmed: another device of the same player, or an earlier run, committed first.
            guard own.commit == .confirmed else { return }
            if entry != nil { accuse(.ownContribution) } else if isSeated { accuse(.leftOut) }
            return
        }
        contributions[index].commit = .confirmed
        let list = contributors.listDigest(server: own.server)
        guard own.list ?? list == list else { return accuse(.listChanged) }
        guard own.reveal == .unsent, ceremony?.fault == nil else { return }
        contributions[index].list = list
        contributions[index].reveal = .asked
        actions.append(.request(.reveal(list: list, contribution: own.secret)))
    }

    mutating func committed(_ answer: Result<Reply, Refusal>, to server: Digest) {
        guard let index = contributions.lastIndex(where: { $0.server == server }) else { return }
        contributions[index].commit = progress(answer)
        if case .failure(let refusal) = answer, refusal.code == ErrorCode.alreadyCommitted.rawValue {
            found(.committedElsewhere(shoe: contributions[index].shoe))
        }
        // The list may have been closed without it.
        if let next = ceremony?.next, next.commitment == server, next.stage != .open { contribute(to: next) }
    }

    mutating func revealed(_ answer: Result<Reply, Refusal>, under list: Digest) {
        guard let index = contributions.lastIndex(where: { $0.list == list }) else { return }
        contributions[index].reveal = progress(answer)
    }

    /// Without a connection nobody has refused: the same is asked on the next one.
    private func progress(_ answer: Result<Reply, Refusal>) -> Contribution.Progress {
        switch answer {
        case .success: .confirmed
        case .failure(let refusal): refusal.isLocal || refusal.retryAfter != nil ? .unsent : .refused
        }
    }

    /// Reports a fault of the ceremony, once for each shoe.
    private mutating func accuse(_ fault: ShoeFault) {
        guard let table, var ceremony, ceremony.fault == nil else { return }
        ceremony.fault = fault
        self.ceremony = ceremony
        let next = ceremony.next
        var watched = WatchedShoe(table: table, shoe: next.shoe, rules: nil, commitment: next.commitment)
        watched.list = ceremony.list
        watched.own = own(for: next.commitment)
        found(.failed(ShoeReport(watched: watched), fault))
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
