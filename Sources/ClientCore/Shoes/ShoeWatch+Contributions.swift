import Fairness
import TableModel
import Wire

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
