import Fairness
import Rules
import TableModel

/// A table's change with what shoes are judged by. The members of ``table`` are members of the view too.
@dynamicMemberLookup
struct ShoeView: Sendable {
    /// The table's.
    let name: String
    let epoch: String
    let revision: Int
    let table: TableSnapshot
    let round: Int?
    /// By seat.
    let players: [Int: Player]
    /// Seats with a hand.
    let hands: Set<Int>
    /// In ascending order of places; a face is nil for a hidden card.
    let cards: [(place: Int, face: UInt8?)]
    /// Whether a bet for the next round lies in place of a hand.
    let hasNewBet: Bool

    init(_ change: TableChange, epoch: String) {
        (name, self.epoch, revision, table) = (change.table, epoch, change.revision, change.new)
        if case .round(let number) = table[.round] { round = number } else { round = nil }
        let seats = table.seats.compactMap { [table] seat in table.player(seat).map { (seat, $0) } }
        players = Dictionary(uniqueKeysWithValues: seats)
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

    subscript<Member>(dynamicMember member: KeyPath<TableSnapshot, Member>) -> Member { table[keyPath: member] }

    /// Whether cards are on the table, or hands are played.
    var isInPlay: Bool { isDealt || !cards.isEmpty }

    /// Whether the cards are those of the round shown.
    var isDealt: Bool {
        switch self.phase {
        case .surrender, .insurance, .playing, .settled: true
        case .waiting, .betting, .closed, nil: false
        }
    }

    /// Whether no card is dealt before the next round starts.
    var isRoundOver: Bool { self.phase == .settled || self.phase != nil && !isDealt }

    func hasSeat(_ player: String) -> Bool { players.values.contains { $0.name == player } }

    /// Players with a seat who are not getting up.
    var staying: Set<String> { Set(players.values.filter { $0.presence != .leaving }.map(\.name)) }

    /// The number of the coming shoe, which follows that of the shoe in play; nil where that is not known.
    var nextNumber: Int? {
        guard let fair = self.fairShoe, self.tableRules?.rules.continuousShuffle == true else {
            return self.shoe.map { $0.number + 1 }
        }
        return fair.shoe + ShoeRules.roundsOfCeremony
    }

    /// An item that each table with ceremonies, cards or a round has: without it nothing of a shoe can be compared.
    var missingItem: ShoeFault? {
        guard self.fairShoe != nil || self.nextShoe != nil || isInPlay else { return nil }
        let items = [
            ("shoe", self.shoe == nil), ("left", self.cardsLeft == nil),
            ("rules", self.tableRules.flatMap(ShoeRules.init) == nil),
            ("round", round == nil),
            ("phase", self.phase == nil), ("next", self.fairShoe != nil && self.nextShoe == nil && self.phase != .closed),
        ]
        return items.first { $0.1 }.map { .itemMissing($0.0) }
    }
}

/// A table as last shown, and as shown now.
struct Step: Sendable {
    /// nil: nothing that the server has to go on from.
    let old: ShoeView?
    let new: ShoeView
    /// Whether the connection was lost in between.
    let isCut: Bool
    /// For how long, in milliseconds.
    let away: Int64
    /// Whether another epoch was shown before.
    let isRestart: Bool
    /// Whether nothing was missed in between.
    let isNext: Bool
    /// Whether it is the same revision once more.
    let isRepeated: Bool
    var isGap: Bool { !isNext && !isRepeated }

    init(_ table: WatchedTable, _ new: ShoeView, at now: Int64) {
        let old = table.last
        isRestart = old != nil && old?.epoch != new.epoch
        // A server that kept the shoe in play has its journal, so it has to go on where it was, also in another epoch.
        let known = [table.inPlay?.watched.commitment, table.coming?.next.commitment]
        self.old = isRestart && new.fairShoe.map({ known.contains($0.commitment) }) != true ? nil : old
        (self.new, isCut, away) = (new, table.isCut, table.isCut ? now - table.shownAt : 0)
        isNext = !isRestart && old?.revision == new.revision - 1
        isRepeated = !isRestart && old?.revision == new.revision
    }

    /// Whether the server may have another ceremony than before.
    var hasForgotten: Bool { isRestart && old == nil }

    /// Why an attempt is void, where nothing was missed; nil: for nothing that an honest server has.
    func cause(of next: NextShoe, after before: NextShoe) -> GivenUpCause? {
        var listed: [String]?
        if case .revealing(let contributors) = before.stage { listed = contributors.map(\.name) }
        let named = next.names(since: before)
        if !named.isEmpty { return Set(named).isSubset(of: listed ?? []) ? .withheld(named) : nil }
        // A list that was closed and given up in one change was not shown. A contributor may have got up before, with a hand in play.
        let gone = (listed ?? Set(old?.players.values.map(\.name) ?? []).sorted()).filter { !new.staying.contains($0) }
        if !gone.isEmpty { return .gotUp(gone) }
        // The server names each once.
        let again = listed?.filter(before.withheld.contains) ?? []
        return again.isEmpty ? nil : .withheld(again)
    }
}

/// The table that is watched: what was shown last, its coming shoe, and the one in play.
struct WatchedTable: Sendable {
    var last: ShoeView?
    var coming: ComingShoe?
    var inPlay: ShoeRecord?
    /// Whether the connection was lost and nothing of the table was shown since.
    var isCut = false
    /// When it was last shown, in milliseconds.
    var shownAt: Int64 = 0
    var hasSaidNone = false
    /// As in ``WatchedShoe/statedRules``.
    var statedRules: [String]?

    mutating func show(_ new: ShoeView, at now: Int64) -> Step {
        defer { (last, isCut, shownAt) = (new, false, now) }
        return Step(self, new, at: now)
    }

    /// Numbers go up: a round takes a revision at least, and a shoe a round. In the same revision nothing can differ.
    func fault(in step: Step) -> ShoeFault? {
        let new = step.new
        guard !step.isRepeated else { return new.nextShoe.map { $0 != coming?.next } == true ? .contradiction : nil }
        guard let old = step.old else { return nil }
        let revisions = step.isRestart ? Int.max : new.revision - old.revision
        guard revisions >= 0 else { return .wentBack }
        guard let before = old.round, let round = new.round else { return nil }
        let rounds = round - before
        let shoes = if let from = old.shoe?.number, let to = new.shoe?.number { to - from } else { 0 }
        if rounds < 0 || shoes < 0 { return .wentBack }
        return shoes > rounds || rounds > revisions ? .shoesWithoutRounds : nil
    }
}

/// The ceremony of a coming shoe, as last shown.
struct ComingShoe: Sendable {
    let next: NextShoe
    /// The first thing that contradicts another: the shoe has failed before it is played, and in each further attempt.
    var fault: ShoeFault?
    /// The first list that was shown under this commitment, once closed.
    let list: Digest?

    /// The ceremony that another view shows.
    func followed(by next: NextShoe) -> ComingShoe {
        let isSame = self.next.isSameAttempt(as: next)
        return ComingShoe(
            next: next, fault: self.next.shoe == next.shoe ? fault : nil, list: (isSame ? list : nil) ?? next.list)
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

    func isSameAttempt(as other: NextShoe) -> Bool {
        (shoe, attempt, commitment) == (other.shoe, other.attempt, other.commitment)
    }

    /// Withholders who were not named before.
    func names(since before: NextShoe) -> [String] { withheld.filter { !before.withheld.contains($0) } }
}

extension ShoeRules {
    /// nil where the digest is none.
    init?(_ shown: TableRules) {
        guard let digest = Digest(hex: shown.digest) else { return nil }
        self.init(decks: shown.rules.decks, isContinuous: shown.rules.continuousShuffle, digest: digest)
    }
}
