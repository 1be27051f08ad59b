import Fairness
import Rules
import TableModel
import Wire

/// A coming shoe to whose order the player had revealed, and which was played or lost while changes were missed. Without its proof the
/// server may have rejected that order.
struct MissedShoe: Sendable {
    /// The player's contribution, and as much of list and order as was shown.
    let watched: WatchedShoe
    /// nil: the table does not show them.
    let rules: ShoeRules?
    let reason: UnprovenReason
    /// Whether the order counts as rejected even with its proof: the server alone can have made the player miss a whole shoe.
    let isSuspect: Bool
    /// As in ``ShoeReport/gaps``.
    let gaps: Int
    /// When the proof was asked for; nil: it has to be asked for.
    var askedAt: Int64?
    var attempts = 0
}

extension ShoeWatch {
    /// Milliseconds that a whole shoe takes at least where people play: two or three rounds. Less where the rules have it, or where a
    /// shorter one was watched.
    static let shortestShoe: Int64 = 20_000

    /// - Parameter rules: the table's; nil: it shows none.
    private func shortestShoe(_ rules: HouseRules?) -> Int64 {
        var shortest = min(Self.shortestShoe, shortestSeen ?? .max)
        if let rules {
            // Seldom more than three cards to a hand, the dealer's included.
            let rounds = rules.continuousShuffle ? 1 : max(1, rules.cardsBeforeCut / (3 * (rules.seats + 1)))
            shortest = min(shortest, Int64(rounds * rules.bettingSeconds) * 1_000)
        }
        return shortest
    }

    /// Another shoe follows on one in play: notes how long that took.
    mutating func noteDuration(of over: ShoeInPlay, _ step: Step) {
        guard step.isSingle, let began = over.began, over.gaps == 0 else { return }
        let shoes: Int64 = over.rules.continuousShuffle ? Int64(ShoeRules.roundsOfCeremony) : 1
        shortestSeen = min(shortestSeen ?? .max, (now - began) / shoes)
    }

    /// Another shoe's ceremony follows on the one last seen, which may have come into play unseen.
    func hasMissed(_ before: NextShoe, in step: Step) -> Bool {
        guard !step.isSingle, hasRevealed(to: before.commitment), let fair = step.new.fairShoe else { return false }
        // A shoe in play is compared with its ceremony when it begins.
        return fair.shoe != before.shoe
    }

    /// Asks for the proof of the ceremony's shoe.
    mutating func miss(_ lost: Ceremony, _ reason: UnprovenReason, _ step: Step) {
        let next = lost.next
        guard let table, !missed.contains(where: { $0.watched.commitment == next.commitment }) else { return }
        var watched = WatchedShoe(table: table, shoe: next.shoe, rules: nil, commitment: next.commitment)
        (watched.list, watched.own) = (lost.list, own(for: next.commitment))
        if case .mixed(_, let mixed, let order) = next.stage {
            watched.mixed = mixed.flags
            let cards = step.new.rules?.cardsInShoe ?? 0
            watched.orders = [.init(shoe: next.shoe, segment: 0, first: 0, count: cards, digest: order)]
        }
        if missed.count == Self.mostUnproven { giveUp(missed.removeFirst(), .unanswered) }
        missed.append(
            MissedShoe(
                watched: watched, rules: step.new.rules.map(ShoeRules.init), reason: lost.hasLeft ? .left : reason,
                isSuspect: !lost.isClosed && isTooShort(step, until: next.shoe), gaps: lost.isClosed ? 0 : 1))
    }

    /// Whether the connection lasted, or was lost for less time than the rounds of the missed shoes take.
    private func isTooShort(_ step: Step, until missed: Int) -> Bool {
        let shoes = max(1, (step.new.fairShoe?.shoe ?? missed) - missed)
        return !step.isCut || now - shownAt < shortestShoe(step.new.rules) * Int64(shoes)
    }

    /// Asks for proofs of missed shoes that were not asked for, or not answered.
    mutating func askForMissed(at now: Int64) {
        for index in missed.indices.reversed() {
            if let asked = missed[index].askedAt, now - asked < Self.patience { continue }
            guard missed[index].attempts < Self.mostAttempts else {
                giveUp(missed.remove(at: index), .unanswered)
                continue
            }
            missed[index].askedAt = now
            missed[index].attempts += 1
            let watched = missed[index].watched
            actions.append(.request(watched.proofRequest))
        }
    }

    /// The answer to a request for a proof, as far as a missed shoe is concerned.
    mutating func provedMissed(_ answer: Result<Reply, Refusal>, _ request: RequestedProof, at now: Int64) {
        guard let index = missed.firstIndex(where: { request.isOf($0.watched) }) else { return }
        switch answer {
        case .success(.proof(let proof)): judge(missed.remove(at: index), by: proof)
        case .failure(let refusal) where refusal.code != ErrorCode.noProof.rawValue:
            // For want of a connection, or of requests allowed: again with the next change.
            missed[index].askedAt = refusal.isLocal ? nil : now
            if refusal.isLocal { missed[index].attempts = 0 }
        case .success, .failure:
            let over = missed.remove(at: index)
            giveUp(over, over.reason)
        }
    }

    private mutating func judge(_ over: MissedShoe, by proof: ShoeProof) {
        guard proof.commitment == over.watched.commitment else {
            if over.reason == .restarted { return giveUp(over, .restarted) }
            // Another attempt made the shoe.
            found(.voided(.unseen, shoe: over.watched.shoe))
            if over.reason != .left { countRejected() }
            return
        }
        guard let rules = over.rules else { return giveUp(over, over.reason) }
        var report = ShoeReport(watched: over.watched, gaps: over.gaps)
        if let fault = verify(&report, by: proof, rules) { return found(.failed(report, fault)) }
        found(.verified(report))
        if over.isSuspect { countRejected() }
    }

    private mutating func giveUp(_ over: MissedShoe, _ reason: UnprovenReason) {
        found(.unproven(ShoeReport(watched: over.watched, gaps: over.gaps), over.reason == .left ? .left : reason))
        if over.reason != .left { countRejected() }
    }
}
