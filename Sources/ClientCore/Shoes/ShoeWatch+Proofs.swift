import Fairness
import Rules
import TableModel
import Wire

/// A shoe that is over and has no proof so far.
struct FinishedShoe: Sendable {
    var shoe: ShoeInPlay
    /// The table's when the shoe was over.
    var epoch: String
    /// The meaning of a refusal of the proof.
    var reason: UnprovenReason
    /// When the proof was asked for; nil: it has to be asked for.
    var askedAt: Int64?
    var attempts = 0
}

extension FinishedShoe {
    /// The meaning of a missing proof at another epoch. A table that was seen to close was not lost.
    fileprivate var reasonAfterRestart: UnprovenReason { shoe.isFinished ? reason : .restarted }
}

/// A proof that was asked for.
struct RequestedProof: Sendable {
    let table: String
    let shoe: Int
    /// nil: of any shoe with this number.
    let commitment: Digest?

    func isOf(_ watched: WatchedShoe) -> Bool {
        table == watched.table && shoe == watched.shoe && (commitment ?? watched.commitment) == watched.commitment
    }
}

extension WatchedShoe {
    /// With the commitment: after a restart another table may have the name.
    var proofRequest: ClientMessage { .proof(table: table, shoe: shoe, commitment: commitment) }
}

/// A revealed secret, by its digest, and the commitment that it gives.
struct UsedSecret: Equatable, Sendable {
    let digest: Digest
    let commitment: Digest
}

extension ShoeWatch {
    /// Times that a proof is asked for.
    static let mostAttempts = 3
    /// The same for a shoe that was in play when the player left, with twice the time between: its end is not seen.
    private static let mostAttemptsAfterLeaving = 8

    /// The shoe in play is over: asks for its proof, unless it has come already.
    mutating func finishShoe(_ reason: UnprovenReason, at now: Int64) {
        guard let over = shoe else { return }
        shoe = nil
        guard !over.isProved, !over.isFinished else { return }
        finish(over, reason)
        askAgain(at: now)
    }

    /// The table is closed: the shoe in play is over, and stays what the table shows.
    mutating func closeShoe(at now: Int64) {
        guard var over = shoe, !over.isProved, !over.isFinished else { return }
        over.isFinished = true
        shoe = over
        finish(over, .refused)
        askAgain(at: now)
    }

    /// The player goes while the shoe is in play: its proof is asked for later.
    mutating func leaveShoe(at now: Int64) {
        guard let left = shoe else { return }
        shoe = nil
        guard !left.isProved, !left.isFinished else { return }
        finish(left, .left)
        finished[finished.count - 1].askedAt = now
    }

    private mutating func finish(_ shoe: ShoeInPlay, _ reason: UnprovenReason) {
        var over = shoe
        over.watched.own = own(for: over.watched.commitment)
        if finished.count == Self.mostUnproven {
            let first = finished.removeFirst()
            giveUp(first, first.reason == .left ? .left : .unanswered)
        }
        finished.append(FinishedShoe(shoe: over, epoch: epoch, reason: reason))
    }

    /// Takes back a shoe that was in play when the player left. Another one in play says that it is over.
    mutating func takeBack(_ commitment: Digest) -> ShoeInPlay? {
        var left: ShoeInPlay?
        for index in finished.indices.reversed() {
            let over = finished[index]
            guard over.reason == .left, over.shoe.watched.table == table, over.epoch == epoch else { continue }
            if over.shoe.watched.commitment == commitment {
                left = finished.remove(at: index).shoe
            } else {
                (finished[index].reason, finished[index].askedAt, finished[index].attempts) = (.refused, nil, 0)
            }
        }
        return left
    }

    /// Asks for proofs that were not asked for, or not answered.
    mutating func askAgain(at now: Int64) {
        for index in finished.indices.reversed() {
            let (isLeft, attempts) = (finished[index].reason == .left, finished[index].attempts)
            let pause = isLeft ? Self.patience << attempts : Self.patience
            if let asked = finished[index].askedAt, now - asked < pause { continue }
            guard attempts < (isLeft ? Self.mostAttemptsAfterLeaving : Self.mostAttempts) else {
                giveUp(finished.remove(at: index), isLeft ? .left : .unanswered)
                continue
            }
            finished[index].askedAt = now
            finished[index].attempts += 1
            actions.append(.request(finished[index].shoe.watched.proofRequest))
        }
    }

    /// Asks as soon as the secret may be revealed: at the settlement after the cut card with the next order made, at that of a closing
    /// table, or when the table is closed.
    mutating func askWhenOver(_ step: Step, at now: Int64) {
        guard let phase = step.new.phase else { return }
        if phase == .closed { return closeShoe(at: now) }
        guard let shoe, !shoe.isProved, shoe.askedInRound != shoe.round else { return }
        let isReady =
            switch phase {
            case .settled where step.new.closing != nil: true
            case .settled:
                if case .mixed = step.new.nextShoe?.stage {
                    shoe.rules.continuousShuffle
                        ? shoe.number == shoe.fair.shoe + ShoeRules.roundsOfCeremony - 1
                        : shoe.drawn >= shoe.rules.cardsBeforeCut
                } else {
                    false
                }
            default: false
            }
        guard isReady else { return }
        self.shoe?.askedInRound = shoe.round
        actions.append(.request(shoe.watched.proofRequest))
    }

    /// The answer to a request for a proof.
    mutating func proved(_ answer: Result<Reply, Refusal>, _ request: RequestedProof, at now: Int64) {
        let table = request.table
        provedMissed(answer, request, at: now)
        if !isOfShoeInPlay(answer, request), let index = finished.firstIndex(where: { request.isOf($0.shoe.watched) }) {
            switch answer {
            case .success(.proof(let proof)):
                var over = finished.remove(at: index)
                // A table that was closed and opened again, perhaps unseen, may be at a shoe of the same number already.
                let isSameTable = over.reason != .restarted && over.epoch == epoch && self.table == table
                let isLost = proof.commitment != over.shoe.watched.commitment && !isSameTable
                if isLost { giveUp(over, over.reasonAfterRestart) } else { judge(&over.shoe, by: proof) }
            case .success: giveUp(finished.remove(at: index), .refused)
            case .failure(let refusal):
                if refusal.code == ErrorCode.noProof.rawValue {
                    // A shoe that was left may be in play for long.
                    if finished[index].reason == .left { return }
                    let over = finished.remove(at: index)
                    giveUp(over, self.table == table && over.epoch != epoch ? over.reasonAfterRestart : over.reason)
                } else {
                    // For want of a connection, or of requests allowed: again with the next change.
                    finished[index].askedAt = refusal.isLocal ? nil : now
                    if refusal.isLocal { finished[index].attempts = 0 }
                }
            }
        } else if var shoe, request.isOf(shoe.watched), !shoe.isProved, case .success(.proof(let proof)) = answer {
            // Refused before the shoe is over: asked again when the next one comes.
            shoe.watched.own = own(for: shoe.watched.commitment)
            finished.removeAll { $0.shoe.watched.commitment == proof.commitment && $0.shoe.watched.table == table }
            judge(&shoe, by: proof)
            (shoe.proof, shoe.provedInRound) = (proof, shoe.round)
            self.shoe = shoe
        }
    }

    /// Whether a proof is of the shoe in play: one of an earlier table of this name may have the same number.
    private func isOfShoeInPlay(_ answer: Result<Reply, Refusal>, _ request: RequestedProof) -> Bool {
        guard case .success(.proof(let proof)) = answer, let watched = shoe?.watched else { return false }
        return request.isOf(watched) && watched.commitment == proof.commitment
    }

    private mutating func judge(_ over: inout ShoeInPlay, by proof: ShoeProof) {
        var report = ShoeReport(watched: over.watched, proof: proof, gaps: over.gaps)
        if let fault = over.fault {
            forgetContributions(upTo: over.watched)
            return found(.evidence(report, fault))
        }
        if let fault = verify(&report, by: proof, ShoeRules(over.rules)) {
            over.fault = fault
            found(.failed(report, fault))
        } else {
            found(.verified(report))
        }
    }

    /// Completes a report by its proof.
    /// - Returns: the first fault; nil: it is right.
    mutating func verify(_ report: inout ShoeReport, by proof: ShoeProof, _ rules: ShoeRules) -> ShoeFault? {
        let hasDrawn = contributions.contains { $0.server == report.watched.commitment }
        forgetContributions(upTo: report.watched)
        report.proof = proof
        do throws(ShoeFault) {
            report.isIncluded = try proof.check(against: report.watched, rules)
            try noteSecret(of: proof)
        } catch {
            return error
        }
        if hasDrawn, !report.isIncluded { countWithoutPlayer() }
        return nil
    }

    private mutating func forgetContributions(upTo shoe: WatchedShoe) {
        // A later table of the name counts from 1: the proof of an earlier one's shoe ends none of its contributions.
        let here = [self.shoe?.watched.commitment, ceremony?.next.commitment].compactMap(\.self).filter { $0 != shoe.commitment }
        contributions.removeAll { $0.table == shoe.table && $0.shoe <= shoe.shoe && !here.contains($0.server) }
    }

    /// A secret used twice would make the second shoe known.
    private mutating func noteSecret(of proof: ShoeProof) throws(ShoeFault) {
        let digest = SHA256.hash(proof.secret.bytes)
        if let used = secrets.first(where: { $0.digest == digest }) {
            // A player who changed tables and came back has the proof of one shoe twice.
            guard used.commitment == proof.commitment else { throw .secretReused }
            return
        }
        if secrets.count == Self.mostRemembered { secrets.removeFirst() }
        secrets.append(UsedSecret(digest: digest, commitment: proof.commitment))
    }

    private mutating func giveUp(_ over: FinishedShoe, _ reason: UnprovenReason) {
        guard over.shoe.fault == nil else { return }
        if reason == .restarted { countRejected() }
        found(.unproven(ShoeReport(watched: over.shoe.watched, gaps: over.shoe.gaps), reason))
    }
}

extension ShoeRules {
    /// The part of the house rules that determines the cards.
    public init(_ rules: HouseRules) {
        self.init(decks: rules.decks, isContinuous: rules.continuousShuffle)
    }
}

// MARK: - Cards

/// The shoe in play.
struct ShoeInPlay: Sendable {
    var watched: WatchedShoe
    var fair: FairShoe
    let rules: HouseRules
    /// The number of the table's shoe: with continuous shuffling one of 32.
    var number: Int
    var round: Int
    /// The places of cards that are drawn, burned ones included: the next card is at this place.
    var drawn: Int
    /// The place of the round's first card; nil where that was missed.
    var roundStart: Int?
    /// The place of the first card that a reshuffle in mid-round would take; nil where that was missed.
    var discardsStart: Int?
    /// The places of cards that are on the table or were: all that must not come again.
    var dealt: Set<Int> = []
    var fault: ShoeFault?
    /// Its secret is revealed: it is over.
    var proof: ShoeProof?
    var isProved: Bool { proof != nil }
    /// The round that was shown when the proof came.
    var provedInRound: Int?
    /// The round in which a proof was asked for.
    var askedInRound: Int?
    /// Whether the table is closed, and the shoe is among the finished ones.
    var isFinished = false
    /// Seats that were seen with a hand of this shoe, and whose player has not changed or sat out since. Where changes were missed it forgets
    /// them.
    var players: [Int: String] = [:]
    /// Seats whose player sat out in this round, or may have.
    var satOut: Set<Int> = []
    /// When it was seen to begin, in milliseconds; nil where that was missed.
    var began: Int64?
    /// Whether no more cards are dealt in ``round``.
    var isRoundOver = false
    /// As in ``ShoeReport/gaps``.
    var gaps = 0

    /// Cards of the shoe and its segments.
    var size: Int { fair.segment.map { $0.first + $0.count } ?? rules.cardsInShoe }
}

extension ShoeWatch {
    /// Follows the shoe in play: its announcements, and each card by its place.
    mutating func follow(_ step: Step, isRestart: Bool, at now: Int64) {
        guard let fair = step.new.fairShoe, let status = step.new.shoe, let rules = step.new.rules else {
            // A shoe without the items that describe it has failed, and goes on.
            if let shoe, step.new.fairShoe?.commitment == shoe.fair.commitment { return stand(.none) }
            // A shoe that is announced stays so while it is in play.
            let isHidden = step.new.shoe?.number ?? 0 > 0 && step.new.phase != .closed
            if shoe != nil, !isRestart, isHidden { accuseShoe(.contradiction) }
            if shoe == nil, !isRestart, isHidden, let number = step.new.shoe?.number, ceremony?.next.shoe ?? .max <= number {
                accuse(.unannounced)
            }
            if shoe != nil { finishShoe(isRestart ? .restarted : .refused, at: now) }
            stand(.none)
            return sayNone(at: step.new)
        }
        if let shoe, shoe.fair.shoe != fair.shoe || shoe.fair.commitment != fair.commitment {
            if step.isSingle, !step.isExpectedShuffle(shoe) { accuseShoe(.shuffledEarly) }
            noteDuration(of: shoe, step)
            finishShoe(isRestart ? .restarted : .refused, at: now)
        }
        // Nothing is dealt at a closed table: its shoe was seen before, or not at all.
        if shoe == nil, step.new.phase == .closed { return stand(.none) }
        if shoe == nil { begin(fair, rules, step, isRestart: isRestart) } else if step.isGap { shoe?.gaps += 1 }
        let isFresh = shoe?.number != status.number
        if isFresh { shuffled(to: status, fair, step) }
        takeRound(step, isRestart: isRestart)
        takeStart(step)
        if isFresh { takeDiscards() } else { takeAnnouncement(fair) }
        takeCards(step, all: isFresh || !step.isSingle)
        notePlayers(step, isFresh: isFresh)
        askWhenOver(step, at: now)
        let own = contributions.last { $0.server == fair.commitment }
        stand(own?.list == fair.list && own?.reveal == .confirmed ? .included : .notIncluded)
    }

    /// A ceremony's first shoe comes into play.
    private mutating func begin(_ fair: FairShoe, _ rules: HouseRules, _ step: Step, isRestart: Bool) {
        guard let table else { return }
        if var left = takeBack(fair.commitment), left.fair.shoe == fair.shoe, left.rules == rules {
            left.gaps += 1
            shoe = left
            return
        }
        let digest = step.new.tableRules.flatMap { Digest(hex: $0.digest) }
        var watched = WatchedShoe(table: table, shoe: fair.shoe, rules: digest, commitment: fair.commitment)
        (watched.list, watched.mixed) = (fair.list, fair.mixed.flags)
        shoe = ShoeInPlay(watched: watched, fair: fair, rules: rules, number: -1, round: -1, drawn: 0)
        if ceremony?.next.commitment == fair.commitment { checkDigit(of: fair.commitment, fair.list, fair.mixed) }
        // After a restart another ceremony's shoe is judged with the ceremony that was lost.
        let isLost = isRestart && ceremony?.next.commitment != fair.commitment
        guard let ceremony, ceremony.next.shoe == fair.shoe, !isLost else {
            // A shoe that was never announced, though every change was seen.
            if step.isSingle, self.ceremony != nil { accuseShoe(.commitmentChanged) }
            return
        }
        if let fault = ceremony.fault {
            shoe?.fault = fault
        } else if ceremony.next.commitment != fair.commitment {
            // Another attempt made the shoe: an honest server has one where changes were missed.
            guard !step.isSingle else { return accuseShoe(.commitmentChanged) }
            if case .mixed = ceremony.next.stage { return accuseShoe(.voidedWithoutCause) }
            found(.voided(.unseen, shoe: fair.shoe))
            if hasRevealed(to: ceremony.next.commitment) { countRejected() }
        } else if let list = ceremony.list, list != fair.list {
            accuseShoe(.listChanged)
        } else if case .mixed(_, let mixed, let order) = ceremony.next.stage {
            if mixed != fair.mixed || fair.segment == nil && !rules.continuousShuffle && order != fair.order {
                accuseShoe(.orderChanged)
            }
        } else if ceremony.next.attempt < NextShoe.attempts, fair.mixed.flags.contains(false) {
            // Only the last attempt goes on without a contribution.
            accuseShoe(.mixed)
        }
    }

    /// A fresh shoe: the first of a ceremony, or with continuous shuffling the next one.
    private mutating func shuffled(to status: ShoeStatus, _ fair: FairShoe, _ step: Step) {
        if fair.list != shoe?.fair.list || fair.mixed != shoe?.fair.mixed { accuseShoe(.listChanged) }
        guard var shoe else { return }
        let isSeen = step.isSingle && fair.segment == nil
        let isFirstRound = isSeen || shoe.rules.continuousShuffle || isFirstRound(of: status.number, in: step.new)
        let numbers = shoe.rules.continuousShuffle ? ShoeRules.roundsOfCeremony : 1
        guard (fair.shoe..<fair.shoe + numbers).contains(status.number) else { return accuseShoe(.commitmentChanged) }
        guard fair.segment?.isPossible ?? true else {
            return accuseShoe(.segment(shoe: status.number, number: fair.segment?.number ?? 0))
        }
        shoe.number = status.number
        shoe.fair = fair
        (shoe.dealt, shoe.players) = ([], [:])
        if isSeen, shoe.began == nil, shoe.watched.faces.isEmpty { shoe.began = now }
        shoe.drawn = isSeen ? shoe.rules.burn : shoe.size - (step.new.cardsLeft ?? 0)
        shoe.roundStart = isFirstRound ? shoe.rules.burn : nil
        (shoe.round, shoe.isRoundOver) = (step.new.round?.number ?? -1, false)
        shoe.discardsStart = fair.segment == nil ? 0 : nil
        self.shoe = shoe
        if let segment = fair.segment, let start = wrongStart(of: segment, cards: shoe.rules.cardsInShoe) {
            return accuseShoe(start)
        }
        announce(fair)
        let behind = shoe.rules.cardsInShoe - shoe.rules.cardsBeforeCut
        if status.behindCutCard != behind { accuseShoe(.cutCard(expected: behind, seen: status.behindCutCard)) }
    }

    /// A viewer who missed announcements knows only that a segment lies behind the shoe's own cards.
    private func wrongStart(of segment: FairShoe.Segment, cards: Int) -> ShoeFault? {
        if segment.number == 1 ? segment.first == cards : segment.first > cards { return nil }
        guard let number = shoe?.number else { return nil }
        return .segmentStart(shoe: number, number: segment.number, expected: cards, seen: segment.first)
    }

    /// Notes the order that is announced, once.
    private mutating func announce(_ fair: FairShoe) {
        guard var shoe else { return }
        let (number, first) = (fair.segment?.number ?? 0, fair.segment?.first ?? 0)
        let count = fair.segment?.count ?? shoe.rules.cardsInShoe
        guard !shoe.watched.orders.contains(where: { $0.shoe == shoe.number && $0.segment == number }) else { return }
        shoe.watched.orders.append(
            .init(shoe: shoe.number, segment: number, first: first, count: count, digest: fair.order))
        self.shoe = shoe
    }

    /// The announcement of the shoe in play changed.
    private mutating func takeAnnouncement(_ fair: FairShoe) {
        guard let shoe, shoe.fair != fair else { return }
        if fair.list != shoe.fair.list { return accuseShoe(.listChanged) }
        if fair.mixed != shoe.fair.mixed { return accuseShoe(.orderChanged) }
        guard let segment = fair.segment, segment.number > shoe.fair.segment?.number ?? 0 else {
            return accuseShoe(.orderChanged)
        }
        let wrong = ShoeFault.segment(shoe: shoe.number, number: segment.number)
        guard segment.isPossible else { return accuseShoe(wrong) }
        let isNext = segment.number == (shoe.fair.segment?.number ?? 0) + 1
        guard isNext ? segment.first == shoe.size : segment.first > shoe.size else {
            return accuseShoe(
                .segmentStart(shoe: shoe.number, number: segment.number, expected: shoe.size, seen: segment.first))
        }
        self.shoe?.fair = fair
        if !isNext { self.shoe?.discardsStart = nil }
        announce(fair)
        takeDiscards()
    }

    /// Compares the last segment with the discards, and notes them. They end where the round of the reshuffle began: the round shown, if that
    /// began before the segment. The first segment has all cards before; a later one those since the round of the reshuffle before.
    private mutating func takeDiscards() {
        guard let shoe, shoe.fault == nil, let segment = shoe.fair.segment else { return }
        guard let to = shoe.roundStart, to <= segment.first else {
            self.shoe?.discardsStart = nil
            return
        }
        self.shoe?.discardsStart = to
        let full = shoe.rules.cardsInShoe
        // A full set of packs has no discards, or just as many.
        let counted = segment.count == full ? nil : to - segment.count
        guard let from = segment.number == 1 ? 0 : shoe.discardsStart ?? counted else { return }
        guard 0 <= from, from <= to, segment.count == (from == to ? full : to - from) else {
            return accuseShoe(.segment(shoe: shoe.number, number: segment.number))
        }
        let index = shoe.watched.orders.lastIndex { $0.shoe == shoe.number && $0.segment == segment.number }
        if let index { self.shoe?.watched.orders[index].discards = from..<to }
    }

    /// Compares what was seen of the shoe in play with its proof, which may have come before: a late view shows true cards only.
    mutating func check(_ proof: ShoeProof) {
        guard let shoe else { return }
        do throws(ShoeFault) { try proof.check(against: shoe.watched, ShoeRules(shoe.rules)) } catch { accuseShoe(error) }
    }

    /// Reports a fault of the shoe in play, once.
    mutating func accuseShoe(_ fault: ShoeFault) {
        guard var shoe, shoe.fault == nil else { return }
        shoe.fault = fault
        shoe.watched.own = own(for: shoe.watched.commitment)
        self.shoe = shoe
        found(.failed(ShoeReport(watched: shoe.watched, gaps: shoe.gaps), fault))
    }
}

extension Step {
    /// Whether the old table's shoe was due to be shuffled: at the cut card, with too few cards for the round's hands, for a hand of a
    /// newcomer where the rules have it, or in every round.
    func isExpectedShuffle(_ played: ShoeInPlay) -> Bool {
        guard let old, let rules = old.rules, let left = old.cardsLeft, let shoe = old.shoe else { return old == nil }
        let seats = Set(new.hands.map(\.seat))
        let isOfNewcomer = seats.contains { new.player($0)?.name != played.players[$0] }
        let hands = seats.count
        return rules.continuousShuffle || !rules.midShoeEntry && isOfNewcomer || left <= shoe.behindCutCard
            || left < 2 * (hands + 1)
            || old.fairShoe?.segment != nil || old.phase == .closed
    }
}

extension FairShoe.Segment {
    /// Whether its numbers are within the bounds of a watch. Far more than any game has.
    fileprivate var isPossible: Bool {
        (1...64).contains(number) && (0...WatchedShoe.mostCards).contains(first) && (1...WatchedShoe.mostCards).contains(count)
    }
}

// MARK: - Missed

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
