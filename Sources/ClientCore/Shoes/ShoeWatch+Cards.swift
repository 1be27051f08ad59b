import Fairness
import Rules
import TableModel

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
