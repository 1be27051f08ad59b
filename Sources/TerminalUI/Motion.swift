import ClientCore
import Rules
import TableModel

/// The table on its way between two revisions, in the order of the facts: a snapshot for each moment, of which the whole screen is made. Cards
/// are dealt one by one, the dealer draws, and questions, turns and results come last; no number is on its way: a total is absent until the
/// last card that it counts. Nothing moves after a gap, and at a server that does not tell facts.
struct Motion: Equatable, Sendable {
    /// Between two cards of a deal, in milliseconds.
    static let card: Int64 = 80
    /// Between two cards of the dealer, and before the results.
    static let draw: Int64 = 240
    /// Bound of a difference; a quarter of the time that the table's clock leaves is another.
    static let longest: Int64 = 1200

    /// Items that differ from the newest table, each as it was; nil for one that is not on the table.
    private typealias Veil = [TableItem: TableEntry?]

    private struct Step: Equatable {
        let time: Int64
        let items: Veil
        /// Sentences for its end.
        var sentences: [Sentence] = []
    }

    /// Steps to come, in order.
    private var steps: [Step] = []

    var isMoving: Bool { !steps.isEmpty }

    /// Sets a changed table in motion, behind what moves.
    /// - Parameters:
    ///   - sentences: told when the motion is over.
    ///   - now: in milliseconds on any clock, also that of the other functions.
    ///   - left: milliseconds that the table's clock has left; nil without one.
    /// - Returns: sentences to tell at once.
    mutating func take(_ change: TableChange, _ sentences: [Sentence], at now: Int64, left: Int64?) -> [Sentence] {
        var told = advance(to: now)
        guard case .changed(let old, let difference) = change.origin else { return told + finish() + sentences }
        let limit = left.map { max(0, min(Self.longest, $0 / 4)) } ?? Self.longest
        // Nothing of an earlier round is left to be moved, and what lags is not waited for.
        if difference.clears || steps.last.map({ $0.time > now + limit }) == true { told += finish() }
        let groups = Self.groups(change, from: difference.clears ? old.cleared() : old, isFirst: steps.isEmpty)
        let whole = groups.reduce(0) { $0 + $1.delay }
        let start = steps.last?.time ?? now
        var elapsed: Int64 = 0
        for (delay, items) in groups where limit > 0 {
            elapsed += delay
            let time = start + (whole <= limit ? elapsed : elapsed * limit / whole)
            if time > now { steps.append(Step(time: time, items: items)) }
        }
        guard let last = steps.indices.last else { return told + sentences }
        steps[last].sentences += sentences
        return told
    }

    /// Ends motion that is over.
    /// - Returns: sentences to tell.
    mutating func advance(to now: Int64) -> [Sentence] {
        let count = steps.prefix { $0.time <= now }.count
        defer { steps.removeFirst(count) }
        return steps.prefix(count).flatMap(\.sentences)
    }

    /// Ends all motion at once: a key, a decision, another table.
    /// - Returns: sentences to tell.
    mutating func finish() -> [Sentence] { advance(to: .max) }

    /// The table at a time.
    /// - Parameter newest: the table at the end of all motion.
    func picture(of newest: TableSnapshot, at now: Int64) -> TableSnapshot {
        // An item of two steps is still at the earlier one.
        let veil = steps.reduce(into: Veil()) { veil, step in
            if step.time > now { veil.merge(step.items) { earlier, _ in earlier } }
        }
        guard !veil.isEmpty else { return newest }
        return TableSnapshot(newest.entries.compactMap { veil[$0.item] ?? $0 })
    }

    /// The time at which the picture changes next; nil without motion.
    func nextChange(after now: Int64) -> Int64? { steps.first { $0.time > now }?.time }

    // MARK: Order

    /// Groups of items that change together, in the order of the facts: each card, the last one of a hand with the total that it makes, then
    /// what follows from all cards.
    /// - Parameter isFirst: whether nothing moves: the first card lies at once.
    private static func groups(_ change: TableChange, from old: TableSnapshot, isFirst: Bool) -> [(delay: Int64, items: Veil)] {
        guard case .facts(let facts) = change.news, case .changed(_, let difference) = change.origin else { return [] }
        let all = difference.entries
        func veil(_ entries: [TableEntry]) -> Veil {
            Veil(entries.map { ($0.item, $0.isAbsentInMotion ? nil : old[$0.item]) }, uniquingKeysWith: { first, _ in first })
        }
        let cards = facts.compactMap { fact -> (section: TableSection, entry: TableEntry, isTurned: Bool)? in
            guard case .card(let number, let word) = fact, let entry = change.new[.card(number)] else { return nil }
            return (entry.section, entry, word == .turned)
        }
        // The shoe has the cards that do not lie yet.
        func inShoe(from index: Int) -> Veil {
            let count = cards[index...].count { !$0.isTurned }
            guard count > 0, case .cardsLeft(let left)? = change.new[.cardsLeft] else { return [:] }
            return [.cardsLeft: .cardsLeft(left + count)]
        }
        let isDealers = cards.contains { $0.isTurned || $0.section == .dealer && !old.entries(in: .dealer).isEmpty }
        var groups: [(delay: Int64, items: Veil)] = []
        for (index, card) in cards.enumerated() {
            let isLast = !cards[(index + 1)...].contains { $0.section == card.section }
            let totals = isLast ? all.filter { $0.isTotal(of: card.section) } : []
            let delay = isDealers && card.section == .dealer ? draw : index == 0 && isFirst ? 0 : Self.card
            let items = veil([card.entry] + totals).merging(inShoe(from: index)) { first, _ in first }
            groups.append((delay, items))
        }
        guard let last = groups.indices.last else { return [] }
        let isSettled = all.contains { if case .result = $0 { true } else { false } }
        // A bet is raised by a double, which its card follows.
        let raised = all.filter { if case .bet = $0 { old[$0.item] != nil } else { false } }
        let rest = veil(all.filter { $0.followsCards || isSettled && $0.isPlayer } + raised)
        if isDealers || isSettled { return groups + [(draw, rest)] }
        groups[last].items.merge(rest) { first, _ in first }
        return groups
    }
}

extension TableEntry {
    /// Whether the old entry would contradict cards that lie already.
    fileprivate var isAbsentInMotion: Bool {
        switch self {
        case .total, .dealerTotal, .choice, .clock: true
        default: false
        }
    }

    /// Whether the entry is about all cards of a change.
    fileprivate var followsCards: Bool {
        switch self {
        case .result, .phase, .choice, .clock: true
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
