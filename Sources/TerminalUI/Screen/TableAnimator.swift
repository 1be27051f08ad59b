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
    func show(_ change: TableChange, me: String, behind log: MessageLog, at now: Int64, left: Int64?) {
        finish()
        self.log = log
        guard case .changed(_, var first) = change.origin else { return board.show(change.new, me: me) }
        let limit = left.map { max(0, min(Self.longest, $0 / 4)) } ?? Self.longest
        let former = first.clears ? board.table.cleared() : board.table
        let groups = Self.groups(change, first, from: former)
        let whole = groups.reduce(0) { $0 + $1.delay }
        var elapsed: Int64 = 0
        for (delay, entries) in groups where limit > 0 {
            elapsed += delay
            if elapsed > 0 { parts.append((now + (whole <= limit ? elapsed : elapsed * limit / whole), entries)) }
        }
        let late = parts.flatMap(\.entries)
        first.entries.removeAll { entry in late.contains { $0.item == entry.item } }
        first.removals += late.filter { $0.isAbsentInMotion && former[$0.item] != nil }.map(\.item)
        board.apply(first, to: parts.isEmpty ? change.new : nil)
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
        _ change: TableChange, _ difference: TableDifference, from old: TableSnapshot
    ) -> [(delay: Int64, entries: [TableEntry])] {
        guard case .facts(let facts) = change.news else { return [] }
        let all = difference.entries
        var cards: [(entry: TableEntry, isTurned: Bool)] = []
        for case .card(let number, let word) in facts {
            guard let entry = all.first(where: { $0.item == .card(number) }) else { continue }
            // One that is dealt and turned is shown turned.
            cards.removeAll { $0.entry.item == entry.item }
            cards.append((entry, word == .turned))
        }
        let isDealers = cards.contains { $0.isTurned || $0.entry.section == .dealer && !old.entries(in: .dealer).isEmpty }
        var groups = cards.enumerated().map { index, card -> (delay: Int64, entries: [TableEntry]) in
            let section = card.entry.section
            let isLast = !cards[(index + 1)...].contains { $0.entry.section == section }
            let delay = isDealers && section == .dealer ? draw : index == 0 ? 0 : Self.card
            return (delay, [card.entry] + (isLast ? all.filter { $0.isTotal(of: section) } : []))
        }
        guard let last = groups.indices.last else { return [] }
        groups[last].entries += all.filter { $0.item == .cardsLeft }
        let isSettled = all.contains { if case .result = $0 { true } else { false } }
        // A bet is raised by a double, which its card follows.
        let raised = all.filter { if case .bet = $0 { old[$0.item] != nil } else { false } }
        let rest = all.filter { $0.followsCards || isSettled && $0.isPlayer } + raised
        if isDealers || isSettled { return groups + [(draw, rest)] }
        groups[last].entries += rest
        return groups
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
        case .result, .phase, .choice, .clock: true
        // About a single card, or about none.
        default: false
        }
    }

    fileprivate var isPlayer: Bool { if case .player = self { true } else { false } }

    fileprivate func isTotal(of section: TableSection) -> Bool {
        switch (self, section) {
        case (.dealerTotal, .dealer): true
        case (.total(let hand, _), .hand(let other)): hand == other
        default: false
        }
    }
}
