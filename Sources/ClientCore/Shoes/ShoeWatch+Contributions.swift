import Fairness
import TableModel
import Wire

/// A contribution of the player's own. Kept until its shoe is over, also over reconnects.
struct Contribution: Sendable {
    /// Doubtful: confirmed before changes were missed or the seat was lost, and unsent again.
    enum Progress: Equatable, Sendable { case unsent, asked, confirmed, doubtful, refused }

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
    /// Whether the server named the player as a withholder under this list.
    var isNamed = false

    /// A server may never have got what it has not answered.
    mutating func connectionLost() {
        if commit == .asked { askedAt = nil }
        isOnItsWay = false
        if reveal != .confirmed { (isReceived, isNamed) = (false, false) }
    }
}

/// A request that follows a reveal on its connection: a server that answers it has handled the reveal, because it takes requests in order.
struct RevealWitness: Equatable, Sendable {
    let server: Digest
    /// As in ``Contribution/sent``.
    let sent: Int
}

extension ShoeWatch {
    private func index(to server: Digest) -> Int? {
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
            guard isUnsent, isSeated, ceremony?.fault == nil else { return }
            contributions[index].commit = .asked
            contributions[index].askedAt = now
            actions.append(
                .request(.commit(server: next.commitment, contribution: contributions[index].commitment)))
        case .revealing(let contributors): reveal(index, to: contributors)
        case .mixed:
            // The list was closed while changes were missed, and cannot be looked at before the proof.
            guard contributions[index].list == nil else { return }
            if contributions[index].commit == .asked { say(.unanswered, at: index) } else { exclude(index) }
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

    private mutating func say(_ cause: ExclusionCause, at index: Int) {
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
        if contributions[index].reveal == .confirmed { accuseIfNamed(index) }
    }

    /// Without a connection nobody has refused: the same is asked on the next one.
    private func progress(_ answer: Result<Reply, Refusal>) -> Contribution.Progress {
        switch answer {
        case .success: .confirmed
        case .failure(let refusal): refusal.isLocal || refusal.retryAfter != nil ? .unsent : .refused
        }
    }

    // MARK: Reveals that the server got

    /// A request of an action has left for the server: a reveal is followed by a request that shows when the server has handled it.
    public mutating func sent(_ request: ClientMessage) -> [Action] {
        guard case .reveal(let list, _) = request, let index = contributions.lastIndex(where: { $0.list == list }),
            witnesses.count < Self.mostUnproven
        else { return [] }
        contributions[index].sent += 1
        contributions[index].isOnItsWay = true
        witnesses.append(RevealWitness(server: contributions[index].server, sent: contributions[index].sent))
        return [.request(.ping)]
    }

    /// The server refused a request of an action for now: it is sent again.
    public mutating func postponed(_ request: ClientMessage) {
        guard case .reveal(let list, _) = request, let index = contributions.lastIndex(where: { $0.list == list }) else { return }
        contributions[index].isOnItsWay = false
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

    /// The server names the player as a withholder under a list, and it cannot be told whether the reveal reached it.
    mutating func named(to server: Digest) {
        guard let index = index(to: server), contributions[index].reveal == .asked, contributions[index].isOnItsWay else {
            return
        }
        contributions[index].isNamed = true
        found(.namedUnanswered(shoe: contributions[index].shoe))
        countRejected()
    }

    /// The server had the reveal when it named the player: its answer, or one to a later request, came after all.
    private mutating func accuseIfNamed(_ index: Int) {
        let own = contributions[index]
        guard own.isNamed, own.table == table else { return }
        contributions[index].isNamed = false
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
            contributions[index].isNamed = own.reveal == .asked && own.isOnItsWay
            say(.revealUnconfirmed, at: index)
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
