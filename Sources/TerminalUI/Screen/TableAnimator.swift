import ClientCore
import Rules
import TableModel

/// Brings changes to a board. A difference is split into parts, in the order of the facts: cards are dealt one by one, the dealer draws, and
/// questions, turns and results come last; no number is on its way: a total is absent until the last card that it counts. Nothing moves after a
/// gap, and at a server that does not tell facts.
///
/// Not Sendable; confined to its owner, like its board.
final class TableAnimator {
    /// Between two cards of a deal, in milliseconds.
    static let card: Int64 = 80
    /// Between two cards of the dealer, and before the results.
    static let draw: Int64 = 240
    /// Bound of a difference; a quarter of the time that the table's clock leaves is another.
    static let longest: Int64 = 1200

    let board = TableBoard()
    /// Parts to come, in order.
    private var parts: [(time: Int64, entries: [TableEntry])] = []
    /// The messages before the change that is on its way.
    private var log = MessageLog()

    /// The time of the next part; nil where nothing moves.
    var nextChange: Int64? { parts.first?.time }

    /// The session as it is drawn: while the table moves, with the table of the moment, of which nothing is asked, and without messages that the
    /// last card explains.
    func drawn(_ player: PlayerSession) -> PlayerSession {
        guard !parts.isEmpty else { return player }
        var player = player
        (player.state.snapshot, player.screen.log, player.decidedAt) = (board.table, log, player.state.revision)
        player.screen.result = nil
        return player
    }

    /// Shows no table.
    func clear() {
        parts = []
        board.show(TableSnapshot(), me: "")
    }

    /// Shows a whole table, or the first part of a difference, after all of the one before.
    /// - Parameters:
    ///   - me: the viewer's name.
    ///   - log: the messages before the change.
    ///   - now: in milliseconds on any clock, also that of the other functions.
    ///   - left: milliseconds that the table's clock has left: with 0 nothing moves; nil without a clock.
    ///   - beat: milliseconds before the results.
    func show(
        _ change: TableChange, me: String, behind log: MessageLog, at now: Int64, left: Int64?, beat: Int64 = TableAnimator.draw
    ) {
        finish()
        self.log = log
        guard case .changed(_, var first) = change.origin else { return board.show(change.new, me: me) }
        let limit = left.map { max(0, min(Self.longest, $0 / 4)) } ?? Self.longest
        let former = first.clears ? board.table.cleared() : board.table
        let groups = Self.groups(change, first, from: former, beat)
        let whole = groups.reduce(0) { $0 + $1.delay }
        var elapsed: Int64 = 0
        for (delay, entries) in groups where limit > 0 {
            elapsed += delay
            if elapsed > 0 { parts.append((now + (whole <= limit ? elapsed : elapsed * limit / whole), entries)) }
        }
        let late = parts.flatMap(\.entries)
        first.entries.removeAll { entry in late.contains { $0.item == entry.item } }
        first.removals += late.filter { $0.isAbsentInMotion && former[$0.item] != nil }.map(\.item)
        if !parts.isEmpty { balance(&first, to: change.new, from: former) }
        board.apply(first, to: parts.isEmpty ? change.new : nil)
    }

    /// Has each part show the chips that its bets leave a player: the results, which are last, pay.
    private func balance(_ first: inout TableDifference, to new: TableSnapshot, from former: TableSnapshot) {
        var shown = former
        func players(after part: TableDifference) -> [TableEntry] {
            shown = (try? shown.applying(part)) ?? shown
            let changed = new.seats.compactMap { seat -> TableEntry? in
                guard var player = new.player(seat) else { return nil }
                let seats = new.seats(of: player.name)
                player.chips += new.stakes(of: seats, since: former) - shown.stakes(of: seats, since: former)
                return player == shown.player(seat) ? nil : .player(seat, player)
            }
            shown = (try? shown.applying(TableDifference(entries: changed))) ?? shown
            return changed
        }
        first.entries.removeAll { if case .player = $0 { true } else { false } }
        first.entries += players(after: first)
        for index in parts.indices { parts[index].entries += players(after: TableDifference(entries: parts[index].entries)) }
    }

    /// Shows the parts that are due.
    func advance(to now: Int64) {
        let due = parts.prefix { $0.time <= now }
        parts.removeFirst(due.count)
        board.apply(TableDifference(entries: due.flatMap(\.entries)))
    }

    /// Ends all motion at once: a key, a decision, the next difference, another table.
    func finish() { advance(to: .max) }

    // MARK: Order

    /// Groups of entries that change together, in the order of the facts: each card, the last one of a hand with the total that it makes, then
    /// what follows from all cards.
    private static func groups(
        _ change: TableChange, _ difference: TableDifference, from old: TableSnapshot, _ beat: Int64
    ) -> [(delay: Int64, entries: [TableEntry])] {
        guard case .facts(let facts) = change.news else { return [] }
        let all = difference.entries
        var cards: [(entry: TableEntry, isTurned: Bool, others: [TableEntry])] = []
        // Entries that the next card completes: a raised bet; the bet and the first card of a new hand.
        var begun: [TableEntry] = []
        for fact in facts {
            switch fact {
            case .card(let number, let word):
                guard let entry = all.first(where: { $0.item == .card(number) }) else { continue }
                // One that is dealt and turned is shown turned.
                let earlier = cards.filter { $0.entry.item == entry.item }.flatMap(\.others)
                cards.removeAll { $0.entry.item == entry.item }
                cards.append((entry, word == .turned, earlier + begun))
                begun = []
            case .hand(let hand, .doubled): begun += all.filter { $0.item == .bet(hand) && old[$0.item] != nil }
            case .hand(let hand, .split): begun += all.filter { $0.isSplit(from: hand, in: old) }
            case .hand(let hand, .insured):
                cards.indices.last.map { cards[$0].others += all.filter { $0.item == .insurance(hand.seat) } }
            // Shows at once, or follows the cards.
            default: break
            }
        }
        let isDealers = cards.contains { $0.isTurned || $0.entry.section == .dealer && !old.entries(in: .dealer).isEmpty }
        var groups = cards.enumerated().map { index, card -> (delay: Int64, entries: [TableEntry]) in
            let section = card.entry.section
            let isLast = !cards[(index + 1)...].contains { $0.entry.section == section }
            let delay = isDealers && section == .dealer ? draw : index == 0 ? 0 : Self.card
            return (delay, [card.entry] + card.others + (isLast ? all.filter { $0.isTotal(of: section) } : []))
        }
        guard let last = groups.indices.last else { return [] }
        groups[last].entries += begun + all.filter { $0.item == .cardsLeft || $0.item == .seen }
        let rest = all.filter(\.followsCards)
        if isDealers || all.contains(where: \.isResult) { return groups + [(beat, rest)] }
        groups[last].entries += rest
        return groups
    }
}

extension TableSnapshot {
    /// Chips that seats have in bets without a result before; one that has a result counts what it has cost.
    fileprivate func stakes(of seats: [Int], since former: TableSnapshot) -> Int {
        let open = seats.flatMap { hands(ofSeat: $0) }.filter { former.result($0) == nil }
        let bets = open.map { hand in result(hand).map { -$0.net } ?? bet(hand) ?? 0 }
        return seats.filter { former[.insuranceResult($0)] == nil }.reduce(bets.reduce(0, +)) { sum, seat in
            if case .insuranceResult(_, let net)? = self[.insuranceResult(seat)] {
                sum - net
            } else {
                sum + (insurance(seat) ?? 0)
            }
        }
    }
}

extension TableEntry {
    /// Whether the old entry would contradict cards that lie already.
    fileprivate var isAbsentInMotion: Bool {
        switch self {
        case .total, .dealerTotal, .choice, .clock: true
        // True whatever cards lie.
        default: false
        }
    }

    /// Whether the entry is about all cards of a change.
    fileprivate var followsCards: Bool {
        switch self {
        case .result, .insuranceResult, .phase, .choice, .clock: true
        // About a single card, or about none.
        default: false
        }
    }

    fileprivate var isResult: Bool { if case .result = self { true } else { false } }

    /// Whether a split of a hand brings it: the card that moves, and the bet on the new hand.
    fileprivate func isSplit(from hand: HandIdentifier, in old: TableSnapshot) -> Bool {
        guard case .hand(let new) = section, new.seat == hand.seat else { return false }
        return switch self {
        case .bet: old[item] == nil
        case .card: old[item] != nil
        // Of the cards that follow.
        default: false
        }
    }

    fileprivate func isTotal(of section: TableSection) -> Bool {
        switch (self, section) {
        case (.dealerTotal, .dealer): true
        case (.total(let hand, _), .hand(let other)): hand == other
        default: false
        }
    }
}
