import Fairness
import Rules
import TableModel
import Wire

/// A shoe in play or over as it was shown: its announcements and each card, with the state that judges the next view of it.
struct ShoeRecord: Sendable {
    var watched: WatchedShoe
    let rules: HouseRules
    private var fair: FairShoe
    var fault: ShoeFault?
    /// The number of the table's shoe: with continuous shuffling one of 32; -1 before the first is noted.
    private var number = -1
    private(set) var round = -1
    /// Cards that are drawn, burned ones included: the next card is at this place.
    private(set) var drawn = 0
    /// The place of the round's first card; nil where that was missed.
    private var roundStart: Int?
    /// The place of the first card that a reshuffle in mid-round would take; nil where that was missed.
    private var discardsStart: Int?
    /// Seats that were seen with a hand of this shoe, and whose player has not changed or sat out since.
    private var players: [Int: String] = [:]
    /// Seats whose player sat out in this round, or may have.
    private var satOut: Set<Int> = []
    /// Its secret is revealed: it is over.
    var proof: ShoeProof?
    /// The round that was shown when the proof came.
    var provedInRound: Int?

    // Asking for the proof.

    /// The round in which the proof was asked for while the shoe was in play.
    var askedInRound: Int?
    /// Why there is no proof, should none come.
    var cause = UnverifiedCause.refused
    /// The table's epoch when it was over, or left; nil: the table closed, so that a server has its proof in later epochs, too.
    var epoch: String?
    /// When the proof has to be asked for, in milliseconds.
    var askAt = Int64.min
    var attempts = 0

    init(_ fair: FairShoe, _ rules: TableRules, table: String) {
        watched = WatchedShoe(table: table, shoe: fair.shoe, rules: ShoeRules(rules), commitment: fair.commitment)
        (watched.list, watched.mixed) = (fair.list, fair.mixed.flags)
        (self.fair, self.rules) = (fair, rules.rules)
    }

    var report: ShoeReport { ShoeReport(watched: watched, proof: proof) }

    /// Whether cards of it were seen, and nothing is known of it yet.
    var isOpen: Bool { proof == nil && fault == nil && watched.seen > 0 }

    var proofRequest: ClientMessage { .proof(table: watched.table, shoe: watched.shoe, commitment: watched.commitment) }

    /// Checks a proof against everything that was noted.
    func check(_ proof: ShoeProof) -> (isIncluded: Bool, fault: ShoeFault?) {
        guard let rules = watched.rules else { return (false, .itemMissing("rules")) }
        do throws(ShoeFault) {
            return (try proof.check(against: watched, rules), nil)
        } catch {
            return (false, error)
        }
    }

    /// Cards of the shoe and its segments.
    private func size(_ fair: FairShoe) -> Int { fair.segment.map { $0.first + $0.count } ?? rules.cardsInShoe }

    // MARK: Judging

    /// Whether it was due to be shuffled: at the cut card, with too few cards for the round's hands, for a hand of a newcomer where the rules
    /// have it, or in every round.
    func isExpectedShuffle(_ step: Step) -> Bool {
        guard let old = step.old, let rules = old.tableRules?.rules, let left = old.cardsLeft, let shoe = old.shoe else {
            return false
        }
        let hasNewcomer = step.new.hands.contains { step.new.players[$0]?.name != players[$0] }
        return rules.continuousShuffle || !rules.midShoeEntry && hasNewcomer || left <= shoe.behindCutCard
            || left < 2 * (step.new.hands.count + 1) || old.fairShoe?.segment != nil || old.phase == .closed
    }

    /// Checks a view against everything that was noted before it.
    func fault(in step: Step, coming: NextShoe?) -> ShoeFault? {
        let new = step.new
        guard let shown = new.fairShoe, let status = new.shoe else { return nil }
        let isFresh = number != status.number
        if step.isRepeated, number >= 0, shown != fair || isFresh || new.cardsLeft != size(fair) - drawn { return .contradiction }
        if shown.list != fair.list { return .listChanged }
        if shown.mixed != fair.mixed { return .orderChanged }
        let numbers = fair.shoe..<fair.shoe + (rules.continuousShuffle ? ShoeRules.roundsOfCeremony : 1)
        if !numbers.contains(status.number) { return .commitmentChanged }
        if !isFresh, shown != fair, shown.segment?.number ?? 0 <= fair.segment?.number ?? 0 { return .orderChanged }
        if let segment = shown.segment, isFresh || shown != fair, let fault = fault(of: segment, in: step) { return fault }
        let behind = rules.cardsInShoe - rules.cardsBeforeCut
        if isFresh, status.behindCutCard != behind { return .cutCard(expected: behind, seen: status.behindCutCard) }
        // Nothing waits for a shuffle once the next order was shown.
        if !isFresh, !step.isRestart, let round = new.round, round != self.round, proof == nil, let coming, coming.shoe > number,
            case .mixed = coming.stage, !rules.continuousShuffle, drawn >= rules.cardsBeforeCut
        {
            return .shuffledLate
        }
        return cardFault(in: step, isFresh: isFresh, size: size(shown))
    }

    private func fault(of segment: FairShoe.Segment, in step: Step) -> ShoeFault? {
        let shoe = step.new.shoe?.number ?? 0
        guard segment.isPossible else { return .segment(shoe: shoe, number: segment.number) }
        let (end, known) = shoe == number ? (size(fair), fair.segment?.number ?? 0) : (rules.cardsInShoe, 0)
        // A viewer who missed announcements knows only that a segment lies behind the cards before it.
        guard segment.number == known + 1 ? segment.first == end : segment.first > end else {
            return .segmentStart(shoe: shoe, number: segment.number, expected: end, seen: segment.first)
        }
        guard let (from, to) = discards(in: segment, of: step) else { return nil }
        let isWhole = 0 <= from && from <= to && segment.count == (from == to ? rules.cardsInShoe : to - from)
        return isWhole ? nil : .segment(shoe: shoe, number: segment.number)
    }

    /// Checks places and faces: a round takes the cards of its shoe one after the other, up to the last one drawn, and a face stays.
    private func cardFault(in step: Step, isFresh: Bool, size: Int) -> ShoeFault? {
        let (new, number) = (step.new, step.new.shoe?.number ?? 0)
        func gap(_ place: Int, _ seen: Int?) -> ShoeFault { .gap(shoe: number, place: place, seen: seen) }
        let faces = watched.faces[number] ?? []
        for (place, face) in new.cards {
            guard (0..<min(max(size, 0), WatchedShoe.mostCards)).contains(place) else { return gap(drawn, place) }
            guard let face, place < faces.count, let known = faces[place], known != face else { continue }
            return .face(shoe: number, place: place, before: known, seen: face)
        }
        guard let left = new.cardsLeft else { return nil }
        let (start, end) = (self.start(in: step), size - left)
        let before = isFresh ? start ?? end : drawn
        // A slow viewer gets the proof before the end of its round.
        let isLate = !step.isNext && provedInRound == new.round && new.isRoundOver
        if proof != nil, end > before, !isLate { return .dealtAfterReveal }
        if end < before { return gap(before, end) }
        // From one revision to the next each card that is drawn is shown, and a shoe comes with some: none is passed over.
        let fresh = new.cards.drop { $0.place < before }.map { $0.place }
        if step.isNext, fresh.count != end - before || isFresh && fresh.isEmpty {
            return gap(before, fresh.first == before ? nil : fresh.first)
        }
        if !isFresh, new.round == round, step.old?.isRoundOver == true, end > before { return gap(before, nil) }
        guard let first = new.cards.first?.place, let last = new.cards.last?.place else { return nil }
        // A bet for the next round takes the place of a hand.
        let isWhole = step.isNext ? new.isDealt : !new.hasNewBet
        let origin = start ?? first
        for (index, card) in new.cards.enumerated() where isWhole && card.place != origin + index {
            return gap(origin + index, card.place)
        }
        if first < origin { return gap(origin, first) }
        if last >= end { return gap(end, last) }
        return isWhole && last != end - 1 ? gap(last + 1, nil) : nil
    }

    /// The place of the first card of the round shown; nil where that was missed.
    private func start(in step: Step) -> Int? {
        let new = step.new
        var start = roundStart
        if new.shoe?.number != number {
            let isFirst = step.isNext && new.fairShoe?.segment == nil || rules.continuousShuffle || step.isFirstRound
            start = isFirst ? rules.burn : nil
        } else if let round = new.round, round != self.round {
            start = round == self.round + 1 && (step.isNext || step.old?.isRoundOver == true) ? drawn : nil
        }
        // In a whole view the cards of a round lie behind one another.
        return start ?? (!step.isNext && new.isDealt ? new.cards.first?.place : nil)
    }

    /// The places of the discards in a segment that was announced; nil where they are not known. They end where the round of the reshuffle
    /// began: the round shown, if that began before the segment. The first segment has all cards before; a later one those since the round
    /// of the reshuffle before.
    private func discards(in segment: FairShoe.Segment, of step: Step) -> (from: Int, to: Int)? {
        guard let to = start(in: step), to <= segment.first else { return nil }
        let followsOn = step.new.shoe?.number == number && segment.number == (fair.segment?.number ?? 0) + 1
        // A full set of packs has no discards, or just as many.
        let counted = segment.count == rules.cardsInShoe ? nil : to - segment.count
        return (segment.number == 1 ? 0 : (followsOn ? discardsStart : nil) ?? counted).map { (from: $0, to: to) }
    }

    // MARK: Noting

    /// Notes what a view shows of the shoe: announcements, cards, and who plays. Its memory is bounded, whatever the server shows.
    /// - Returns: whether a face is new.
    mutating func note(_ step: Step) -> Bool {
        guard let shown = step.new.fairShoe, let status = step.new.shoe else { return false }
        let (isFresh, start, segment) = (number != status.number, start(in: step), shown.segment)
        if isFresh || fair != shown {
            if segment?.isPossible != false,
                !watched.orders.contains(where: { $0.shoe == status.number && $0.segment == segment?.number ?? 0 })
            {
                var order = WatchedShoe.Order(
                    shoe: status.number, segment: segment?.number ?? 0, first: segment?.first ?? 0,
                    count: segment?.count ?? rules.cardsInShoe, digest: shown.order)
                if let segment, let (from, to) = discards(in: segment, of: step), 0 <= from, from <= to {
                    order.discards = from..<to
                }
                watched.orders.append(order)
            }
            discardsStart = segment.map { start ?? .max <= $0.first ? start : nil } ?? 0
        }
        if isFresh { players = [:] }
        (number, fair, roundStart, round) = (status.number, shown, start, step.new.round ?? round)
        let (seen, size) = (watched.seen, size(shown))
        for case (let place, let face?) in step.new.cards where place < size { watched.note(face, at: place, ofShoe: number) }
        if let left = step.new.cardsLeft { drawn = size - left }
        if !step.isNext, let first = step.new.cards.first, !step.new.hasNewBet { roundStart = first.place }
        notePlayers(step, isFresh: isFresh)
        return watched.seen > seen
    }

    private mutating func notePlayers(_ step: Step, isFresh: Bool) {
        guard let phase = step.new.phase else { return }
        if step.isGap {
            (players, satOut) = ([:], Set(1...7))
        } else if step.old?.round != step.new.round {
            satOut = []
        }
        for (seat, player) in step.new.players where player.presence == .sittingOut { satOut.insert(seat) }
        players = players.filter { step.new.players[$0.key]?.name == $0.value && !satOut.contains($0.key) }
        // A hand stays after the settlement, while its seat can get another player.
        guard step.new.isDealt, phase != .settled || isFresh && step.isNext else { return }
        for seat in step.new.hands where !satOut.contains(seat) { players[seat] = step.new.players[seat]?.name }
    }
}

extension FairShoe.Segment {
    /// Whether its numbers are within the bounds of a record. Far more than any game has.
    fileprivate var isPossible: Bool {
        (1...64).contains(number) && (0...WatchedShoe.mostCards).contains(first) && (1...WatchedShoe.mostCards).contains(count)
    }
}

extension Step {
    /// Whether the round shown is the first with its shoe: the round before it was shown, and had another one.
    fileprivate var isFirstRound: Bool {
        guard let old, let before = old.round, let round = new.round else { return false }
        return round == before + 1 && old.shoe?.number != new.shoe?.number
    }
}
