import Fairness
import Rules
import TableModel

/// The parts of a table's change that concern shoes.
struct ShoeView: Sendable {
    let epoch: String
    let revision: Int
    let phase: RoundPhase?
    let round: Int?
    let shoe: ShoeStatus?
    let left: Int?
    let rules: TableRules?
    let fair: FairShoe?
    let next: NextShoe?
    let isClosing: Bool
    /// By seat.
    let players: [Int: Player]
    /// Seats with a hand.
    let hands: Set<Int>
    /// In ascending order of places; a face is nil for a hidden card.
    let cards: [(place: Int, face: UInt8?)]
    /// Whether a bet for the next round lies in place of a hand.
    let hasNewBet: Bool

    init(_ table: TableSnapshot, epoch: String, revision: Int) {
        (self.epoch, self.revision, phase, shoe) = (epoch, revision, table.phase, table.shoe)
        if case .round(let number) = table[.round] { round = number } else { round = nil }
        (left, rules, fair, next) = (table.cardsLeft, table.tableRules, table.fairShoe, table.nextShoe)
        isClosing = table.closing != nil
        players = Dictionary(uniqueKeysWithValues: table.seats.compactMap { seat in table.player(seat).map { (seat, $0) } })
        hands = Set(table.hands.map(\.seat))
        var cards: [(place: Int, face: UInt8?)] = []
        var hasNewBet = false
        for section in table.sections {
            let count = cards.count
            for case .card(let place, _, let face) in table.entries(in: section) { cards.append((place, face?.code)) }
            if case .hand = section, cards.count == count { hasNewBet = true }
        }
        self.cards = cards.sorted { $0.place < $1.place }
        self.hasNewBet = hasNewBet && (table.phase == .waiting || table.phase == .betting)
    }

    /// Whether cards are on the table, or hands are played.
    var isInPlay: Bool { isDealt || !cards.isEmpty }

    /// Whether the cards are those of the round shown.
    var isDealt: Bool {
        switch phase {
        case .surrender, .insurance, .playing, .settled: true
        case .waiting, .betting, .closed, nil: false
        }
    }

    /// Whether no card is dealt before the next round starts.
    var isRoundOver: Bool {
        switch phase {
        case .waiting, .betting, .settled, .closed: true
        case .surrender, .insurance, .playing, nil: false
        }
    }

    /// Players with a seat who are not getting up.
    var staying: Set<String> { Set(players.values.filter { $0.presence != .leaving }.map(\.name)) }
}

/// A table as last shown, and as shown now.
struct Step: Sendable {
    /// nil: nothing that the server has to go on from.
    let old: ShoeView?
    let new: ShoeView
    /// Whether the connection was lost in between.
    let isCut: Bool
    /// Whether another epoch was shown before.
    let isRestart: Bool
    /// Whether nothing was missed in between.
    let isNext: Bool
    /// Whether it is the same revision once more.
    let isRepeated: Bool
    var isGap: Bool { !isNext && !isRepeated }

    /// - Parameter hasSurvived: whether the shoe in play is one that was shown before. A server that kept it has its journal, so it has to
    ///   go on where it was, also in another epoch.
    init(_ old: ShoeView?, _ new: ShoeView, isCut: Bool, hasSurvived: Bool) {
        isRestart = old != nil && old?.epoch != new.epoch
        self.old = isRestart && !hasSurvived ? nil : old
        (self.new, self.isCut) = (new, isCut)
        isNext = !isRestart && old?.revision == new.revision - 1
        isRepeated = !isRestart && old?.revision == new.revision
    }

    /// Whether the server may have another ceremony than before.
    var hasForgotten: Bool { isRestart && old == nil }
}

/// A table: what was shown last, its coming shoe, and the one in play. Several are kept, since within an epoch a ceremony goes on while the
/// player is elsewhere.
struct TableRecord: Sendable {
    let name: String
    var last: ShoeView?
    var coming: ComingShoe?
    var inPlay: ShoeRecord?
    /// Whether the connection was lost and nothing of the table was shown since.
    var isCut = false
    /// When it was last shown, in milliseconds.
    var shownAt: Int64 = 0
    /// Milliseconds of the shortest shoe that was watched from its begin to its end; nil for none.
    var shortestShoe: Int64?
    var hasSaidNone = false

    /// The coming shoe as a record to report, or to ask the proof of.
    func record(of coming: ComingShoe, _ own: WatchedShoe.Own?) -> ShoeRecord {
        let next = coming.next
        var watched = WatchedShoe(
            table: name, shoe: next.shoe, rules: last?.rules.flatMap(ShoeRules.init), commitment: next.commitment)
        (watched.list, watched.own) = (coming.list, own)
        if case .mixed(_, let mixed, let order) = next.stage {
            watched.mixed = mixed.flags
            let cards = last?.rules?.rules.cardsInShoe ?? 0
            watched.orders = [.init(shoe: next.shoe, segment: 0, first: 0, count: cards, digest: order)]
        }
        return ShoeRecord(watched: watched, epoch: last?.epoch ?? "", rules: last?.rules?.rules)
    }

    /// Milliseconds that a whole shoe takes at least where people play: two or three rounds in 20 seconds. Less where the rules have it, or
    /// where a shorter one was watched.
    var leastTime: Int64 {
        let least = min(20_000, shortestShoe ?? .max)
        guard let rules = last?.rules?.rules else { return least }
        // Seldom more than three cards to a hand, the dealer's included.
        let rounds = rules.continuousShuffle ? 1 : max(1, rules.cardsBeforeCut / (3 * (rules.seats + 1)))
        return min(least, Int64(rounds * rules.bettingSeconds) * 1_000)
    }
}

/// The ceremony of a coming shoe, as last shown.
struct ComingShoe: Sendable {
    var next: NextShoe
    /// The first thing that contradicts another: the shoe has failed before it is played.
    var fault: ShoeFault?
    /// The first list that was shown under this commitment, once closed.
    var list: Digest?
    /// Whether the player has left the table since it was shown.
    var hasLeft = false
    /// Whether the table was seen to close: the shoe will not be played.
    var isClosed = false

    init(_ next: NextShoe) { self.next = next }

    /// The ceremony that another view shows.
    func followed(by next: NextShoe) -> ComingShoe {
        var coming = ComingShoe(next)
        // A shoe that has failed stays failed in its next attempt.
        if self.next.shoe == next.shoe { coming.fault = fault }
        if self.next.shoe == next.shoe, self.next.attempt == next.attempt, self.next.commitment == next.commitment {
            (coming.list, coming.isClosed) = (list, isClosed)
        }
        coming.list = coming.list ?? next.list
        return coming
    }
}

extension NextShoe {
    /// The digest of the closed list; nil while it is open.
    var list: Digest? {
        switch stage {
        case .open: nil
        case .revealing(let contributors): contributors.listDigest(server: commitment)
        case .mixed(let list, _, _): list
        }
    }
}

/// A shoe in play or over as it was shown: its announcements and each card, with the state that judges the next view of it.
struct ShoeRecord: Sendable {
    var watched: WatchedShoe
    var epoch: String
    /// nil: the table does not show them.
    let rules: HouseRules?
    /// nil: it was never seen in play.
    var fair: FairShoe?
    var fault: ShoeFault?
    /// How often changes were missed while it was in play.
    var gaps = 0
    /// The number of the table's shoe: with continuous shuffling one of 32; -1 before the first is noted.
    var number = -1
    var round = -1
    /// Cards that are drawn, burned ones included: the next card is at this place.
    var drawn = 0
    /// The place of the round's first card; nil where that was missed.
    var roundStart: Int?
    /// The place of the first card that a reshuffle in mid-round would take; nil where that was missed.
    var discardsStart: Int?
    /// Seats that were seen with a hand of this shoe, and whose player has not changed or sat out since.
    var players: [Int: String] = [:]
    /// Seats whose player sat out in this round, or may have.
    var satOut: Set<Int> = []
    /// When it was seen to begin, in milliseconds; nil where that was missed.
    var began: Int64?
    /// Its secret is revealed: it is over.
    var proof: ShoeProof?
    /// The round that was shown when the proof came.
    var provedInRound: Int?

    // Asking for the proof.

    /// Why there is no proof, should none come.
    var cause = UnverifiedCause.refused
    /// Whether the player left while it was in play.
    var isLeft = false
    /// Whether the order counts as given up even with its proof: the server alone can have made the player miss a whole shoe.
    var isSuspect = false
    /// Whether the table was seen to close.
    var isClosed = false
    /// When the proof was asked for, in milliseconds; nil: it has to be asked for.
    var askedAt: Int64?
    var attempts = 0
    /// The round in which the proof was asked for while the shoe was in play.
    var askedInRound: Int?

    /// - Parameter rules: the table's.
    init(watched: WatchedShoe, epoch: String, rules: HouseRules?) {
        (self.watched, self.epoch, self.rules) = (watched, epoch, rules)
    }

    /// A shoe that comes into play.
    init(_ fair: FairShoe, _ rules: TableRules, table: String, epoch: String) {
        var watched = WatchedShoe(table: table, shoe: fair.shoe, rules: ShoeRules(rules), commitment: fair.commitment)
        (watched.list, watched.mixed) = (fair.list, fair.mixed.flags)
        self.init(watched: watched, epoch: epoch, rules: rules.rules)
        self.fair = fair
    }

    var report: ShoeReport { ShoeReport(watched: watched, proof: proof, gaps: gaps) }

    /// Whether cards of it were seen, and nothing is known of it yet.
    var isOpen: Bool { proof == nil && fault == nil && watched.seen > 0 }

    /// Cards of the shoe and its segments.
    var size: Int { fair?.segment.map { $0.first + $0.count } ?? rules?.cardsInShoe ?? 0 }

    /// Whether a proof is asked for by this request: with the commitment, since after a restart another table may have the name.
    func isAsked(by table: String, _ shoe: Int, _ commitment: Digest?) -> Bool {
        watched.table == table && watched.shoe == shoe && (commitment ?? watched.commitment) == watched.commitment
    }

    // MARK: Noting

    /// The place of the first card of the round shown; nil where that was missed.
    func start(in step: Step) -> Int? {
        let (new, burn) = (step.new, rules?.burn ?? 0)
        var start = roundStart
        if new.shoe?.number != number {
            let isFirst = step.isNext && new.fair?.segment == nil || rules?.continuousShuffle == true || step.isFirstRound
            start = isFirst ? burn : nil
        } else if let round = new.round, round != self.round {
            start = round == self.round + 1 && (step.isNext || step.old?.isRoundOver == true) ? drawn : nil
        }
        // In a whole view the cards of a round lie behind one another.
        return start ?? (!step.isNext && new.isDealt ? new.cards.first?.place : nil)
    }

    /// The places of the discards in a segment that was announced; nil where they are not known. They end where the round of the reshuffle
    /// began: the round shown, if that began before the segment. The first segment has all cards before; a later one those since the round
    /// of the reshuffle before.
    func discards(in segment: FairShoe.Segment, of step: Step) -> (from: Int, to: Int)? {
        guard let to = self.start(in: step), to <= segment.first else { return nil }
        let followsOn = step.new.shoe?.number == number && segment.number == (fair?.segment?.number ?? 0) + 1
        // A full set of packs has no discards, or just as many.
        let counted = segment.count == rules?.cardsInShoe ? nil : to - segment.count
        return (segment.number == 1 ? 0 : (followsOn ? discardsStart : nil) ?? counted).map { (from: $0, to: to) }
    }

    /// Notes what a view shows of the shoe: announcements, cards, and who plays. Its memory is bounded, whatever the server shows.
    /// - Returns: whether a face is new.
    mutating func note(_ step: Step, at now: Int64) -> Bool {
        guard let shown = step.new.fair, let shoe = step.new.shoe, let rules else { return false }
        let isFresh = number != shoe.number
        let segment = shown.segment.flatMap { $0.isPossible ? $0 : nil }
        let isAnnounced = isFresh || fair != shown
        let known = segment.flatMap { isAnnounced ? self.discards(in: $0, of: step) : nil }
        let discards = known.flatMap { 0 <= $0.from && $0.from <= $0.to ? $0.from..<$0.to : nil }
        let start = self.start(in: step)
        if isFresh { players = [:] }
        if isFresh, step.isNext, shown.segment == nil, began == nil, watched.faces.isEmpty { began = now }
        if isAnnounced { discardsStart = shown.segment.map { start ?? .max <= $0.first ? start : nil } ?? 0 }
        (number, fair, roundStart) = (shoe.number, shown, start)
        if let round = step.new.round { self.round = round }
        let index = segment?.number ?? 0
        if isAnnounced, segment != nil || shown.segment == nil,
            !watched.orders.contains(where: { $0.shoe == number && $0.segment == index })
        {
            watched.orders.append(
                .init(
                    shoe: number, segment: index, first: segment?.first ?? 0, count: segment?.count ?? rules.cardsInShoe,
                    digest: shown.order, discards: discards))
        }
        let seen = watched.seen
        for case (let place, let face?) in step.new.cards where place < size { watched.note(face, at: place, ofShoe: number) }
        if let left = step.new.left { drawn = size - left }
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
    var isPossible: Bool {
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
