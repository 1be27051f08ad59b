import ClientCore
import Rules
import TableModel

/// The table on its way between two revisions, made from the received difference alone: which items still show what they were at a time.
/// Cards are dealt one by one, the dealer draws, and results come last; no number is on its way, and nothing is asked before its cards lie.
struct Motion: Equatable, Sendable {
    /// Between two cards of a deal, in milliseconds.
    static let card: Int64 = 80
    /// Between two cards of the dealer, and before the results.
    static let draw: Int64 = 240
    /// Bound of a difference; a quarter of the time that the table's clock leaves is another.
    static let longest: Int64 = 1200

    /// Items that differ from the newest table, each as it was; nil for one that was not on the table.
    typealias Veil = [TableItem: TableEntry?]

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
        let groups = Self.groups(of: difference, from: difference.clears ? old.cleared() : old, isFirst: steps.isEmpty)
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

    func veil(at now: Int64) -> Veil {
        // An item of two steps is still at the earlier one.
        steps.reduce(into: [:]) { veil, step in if step.time > now { veil.merge(step.items) { earlier, _ in earlier } } }
    }

    /// The time at which the picture changes next; nil without motion.
    func nextChange(after now: Int64) -> Int64? { steps.first { $0.time > now }?.time }

    // MARK: Order

    /// Groups of items that change together, in order: cards in the order dealt, the dealer, results.
    /// - Parameter isFirst: whether nothing moves: the first card lies at once.
    private static func groups(
        of difference: TableDifference, from old: TableSnapshot, isFirst: Bool
    ) -> [(delay: Int64, items: Veil)] {
        let fresh = zip(difference.insertions, difference.structure.insertedItems).map { (entry: $0, section: $1.section) }
        let all = difference.updates + difference.insertions
        let turned = difference.updates.filter(\.isCard)
        // A card's number is its index in the shoe: the order in which the cards were dealt.
        let cards = fresh.filter(\.entry.isCard).sorted { $0.entry.cardNumber < $1.entry.cardNumber }
        let isDealers = !turned.isEmpty || !old.entries(in: .dealer).isEmpty && cards.contains { $0.section == .dealer }
        func veil(_ entries: [TableEntry]) -> Veil {
            Veil(entries.map { ($0.item, old[$0.item]) }, uniquingKeysWith: { first, _ in first })
        }
        var groups: [(delay: Int64, items: Veil)] = []
        let dealt = cards.filter { !isDealers || $0.section != .dealer }
        for (index, card) in dealt.enumerated() {
            let isLast = !dealt[(index + 1)...].contains { $0.section == card.section }
            let totals = isLast ? all.filter { $0.isTotal(of: card.section) } : []
            groups.append((index == 0 && isFirst ? 0 : Self.card, veil([card.entry] + totals)))
        }
        let draws = isDealers ? turned + cards.filter { $0.section == .dealer }.map(\.entry) : []
        for (index, card) in draws.enumerated() {
            let totals = index == draws.count - 1 ? all.filter { $0.isTotal(of: .dealer) } : []
            groups.append((Self.draw, veil([card] + totals)))
        }
        let results = all.filter(\.isResult)
        guard !groups.isEmpty, isDealers || !results.isEmpty else { return groups }
        let rest = difference.updates.filter { if case .phase = $0 { true } else { $0.isPlayer && !results.isEmpty } }
        return groups + [(Self.draw, veil(results + rest))]
    }
}

extension TableEntry {
    fileprivate var isCard: Bool { if case .card = self { true } else { false } }
    fileprivate var isResult: Bool { if case .result = self { true } else { false } }
    fileprivate var isPlayer: Bool { if case .player = self { true } else { false } }
    fileprivate var cardNumber: Int { if case .card(let number, _) = self { number } else { 0 } }

    fileprivate func isTotal(of section: TableSection) -> Bool {
        switch (self, section) {
        case (.dealerTotal, .dealer): true
        case (.total(let hand, _), .hand(let other)): hand == other
        default: false
        }
    }
}
