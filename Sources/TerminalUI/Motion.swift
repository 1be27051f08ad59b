import ClientCore
import Rules
import TableModel

/// The table on its way between two revisions, made from the received difference alone: which items are hidden, older, or moving at a time.
/// Keys, question and clock follow the newest revision. One difference moves and one waits; a second one that waits finishes the first.
struct Motion: Equatable, Sendable {
    /// Bound of a difference in which the dealer does not play, in milliseconds.
    static let longest: Int64 = 300
    /// Bound of a difference in which the dealer plays, in milliseconds; the settling time is another.
    static let longestDealer: Int64 = 2000

    /// An item of the table, if it is not shown as it is.
    enum Sight: Equatable, Sendable {
        case hidden
        /// With this content: the earlier one, or chips on their way.
        case shows(TableEntry)
        /// A card slides in: parts of it that are seen.
        case sliding(Int, of: Int)
        /// A card turns: its edge is seen.
        case turning
    }

    /// Items that differ from the newest table; empty without motion.
    typealias Veil = [TableItem: Sight]

    private struct Run: Equatable {
        let steps: [MotionStep]
        let duration: Int64
        /// Sentences for its end.
        var sentences: [Sentence]
    }

    /// The one that moves, then the one that waits.
    private var runs: [Run] = []
    /// The time at which the first began to move.
    private var began: Int64 = 0

    var isMoving: Bool { !runs.isEmpty }

    /// Sets a changed table in motion, behind the one that moves.
    /// - Parameters:
    ///   - sentences: told when the motion is over.
    ///   - now: in milliseconds on any clock, also that of the other functions.
    ///   - settling: milliseconds until the results are cleared away; bounds the dealer's part.
    /// - Returns: sentences to tell at once.
    mutating func take(_ change: TableChange, _ sentences: [Sentence], at now: Int64, settling: Int64) -> [Sentence] {
        var told = advance(to: now)
        guard case .changed(let old, let difference) = change.origin else { return told + finish() + sentences }
        // Nothing of an earlier round is left to be moved.
        if difference.clears { told += finish() }
        if runs.count == 2 {
            told += runs.removeFirst().sentences
            began = now
        }
        let lag = runs.first.map { began + $0.duration - now } ?? 0
        let steps = MotionStep.steps(of: difference, from: old, to: change.new, settling: max(0, settling - lag))
        guard let duration = steps.last?.end, duration > 0 else {
            // Behind the sentences that wait: the order stays.
            guard !runs.isEmpty else { return told + sentences }
            runs[runs.count - 1].sentences += sentences
            return told
        }
        if runs.isEmpty { began = now }
        runs.append(Run(steps: steps, duration: duration, sentences: sentences))
        return told
    }

    /// Ends motion that is over.
    /// - Returns: sentences to tell.
    mutating func advance(to now: Int64) -> [Sentence] {
        var told: [Sentence] = []
        while let first = runs.first, began + first.duration <= now {
            began += first.duration
            told += first.sentences
            runs.removeFirst()
        }
        return told
    }

    /// Ends all motion at once: a key, a decision, another table.
    /// - Returns: sentences to tell.
    mutating func finish() -> [Sentence] {
        defer { runs = [] }
        return runs.flatMap(\.sentences)
    }

    func veil(at now: Int64) -> Veil {
        var veil = Veil()
        for (index, run) in runs.enumerated() {
            let elapsed = index == 0 ? now - began : -1
            for step in run.steps where elapsed < step.end {
                // An item of both is still at the earlier one.
                for item in step.items where veil[item.new.item] == nil { veil[item.new.item] = item.sight(in: step, elapsed) }
            }
        }
        return veil
    }

    /// The time at which the picture changes next; nil without motion.
    func nextChange(after now: Int64) -> Int64? {
        guard let first = runs.first else { return nil }
        let times = first.steps.lazy.flatMap(\.times).map { began + $0 }
        return times.filter { $0 > now }.min() ?? began + first.duration
    }
}

/// One event of a difference: items that change together, from `start` to `end` in milliseconds.
struct MotionStep: Equatable, Sendable {
    struct Item: Equatable, Sendable {
        /// nil: it was not on the table.
        let old: TableEntry?
        let new: TableEntry
    }

    private enum Kind {
        case stakes, card, dealer, results

        /// Milliseconds, where there is time enough.
        var ideal: Int64 {
            switch self {
            case .stakes, .card: 120
            case .dealer: 400
            case .results: 240
            }
        }
    }

    /// The longest time between two pictures of a step, in milliseconds, and the most pictures.
    private static let (pictureTime, pictureLimit): (Int64, Int64) = (40, 6)

    let items: [Item]
    let start: Int64
    let end: Int64

    /// Pictures between start and end.
    private var pictures: Int64 { max(1, min(Self.pictureLimit, (end - start) / Self.pictureTime)) }

    /// The times at which the picture changes.
    var times: [Int64] { (0...pictures).map { start + (end - start) * $0 / pictures } }

    /// The parts of the way that are done, and all of them: 1 of 3 up to 2 of 3 with two pictures.
    func progress(_ elapsed: Int64) -> (done: Int, all: Int) {
        let picture = (elapsed - start) * pictures / max(1, end - start)
        return (Int(picture) + 1, Int(pictures) + 1)
    }
}

extension MotionStep.Item {
    /// - Parameter elapsed: below the step's end.
    func sight(in step: MotionStep, _ elapsed: Int64) -> Motion.Sight {
        let before = old.map { Motion.Sight.shows($0) } ?? .hidden
        guard elapsed >= step.start else { return before }
        let (done, all) = step.progress(elapsed)
        switch (old, new) {
        case (nil, .card): return .sliding(done, of: all)
        case (_, .card): return .turning
        case (_, .bet(let hand, let chips)):
            if case .bet(_, let earlier)? = old { return .shows(.bet(hand, chips.on(done, of: all, from: earlier))) }
            return .shows(.bet(hand, chips.on(done, of: all, from: 0)))
        case (.player(_, let earlier)?, .player(let seat, var player)):
            player.chips = player.chips.on(done, of: all, from: earlier.chips)
            return .shows(.player(seat, player))
        default: return before
        }
    }
}

extension Int {
    /// On the way from another number. Chips that leave one pile are on another: both are rounded alike.
    fileprivate func on(_ done: Int, of all: Int, from start: Int) -> Int { start + (self - start) * done / all }
}

// MARK: Order

extension MotionStep {
    /// The events of a difference, one after the other: stakes, cards in the order dealt, the dealer, results.
    static func steps(
        of difference: TableDifference, from old: TableSnapshot, to new: TableSnapshot, settling: Int64
    ) -> [MotionStep] {
        let events = Events(difference, old: difference.clears ? old.cleared() : old, new: new)
        // Players' part and dealer's part have bounds of their own.
        let early = events.list.filter { $0.kind == .stakes || $0.kind == .card }.reduce(0) { $0 + $1.kind.ideal }
        let whole = events.list.reduce(0) { $0 + $1.kind.ideal }
        let earlyLimit = min(Motion.longest, early)
        let limit = events.isDealers ? min(Motion.longestDealer, settling) : Motion.longest
        let all = whole - early + earlyLimit
        var steps: [MotionStep] = []
        var (earlyDone, otherDone): (Int64, Int64) = (0, 0)
        for (kind, items) in events.list {
            if kind == .stakes || kind == .card { earlyDone += kind.ideal } else { otherDone += kind.ideal }
            let ideal = earlyDone * earlyLimit / max(1, early) + otherDone
            let end = all <= limit ? ideal : ideal * limit / all
            steps.append(MotionStep(items: items, start: steps.last?.end ?? 0, end: end))
        }
        return steps
    }

    private struct Events {
        var list: [(kind: Kind, items: [Item])] = []
        /// Whether the dealer plays.
        let isDealers: Bool

        init(_ difference: TableDifference, old: TableSnapshot, new: TableSnapshot) {
            let updates = difference.updates.map { Item(old: old[$0.item], new: $0) }
            let fresh = zip(difference.insertions, difference.structure.insertedItems)
                .map { (item: Item(old: nil, new: $0), section: $1.section) }
            let turned = updates.filter { if case .card = $0.new { true } else { false } }
            let isDealt = !old.entries(in: .dealer).isEmpty
            let all = updates + fresh.map(\.item)
            let results = all.filter { if case .result = $0.new { true } else { false } }
            isDealers = !turned.isEmpty || isDealt && fresh.contains { $0.section == .dealer && $0.item.isCard }

            let chips = updates.filter(\.isOnlyChips)
            add(.stakes, all.filter(\.isStake) + (results.isEmpty ? chips : []))
            // A card's number is its index in the shoe: the order in which the cards were dealt.
            let cards = fresh.filter(\.item.isCard).sorted { $0.item.cardNumber < $1.item.cardNumber }
            for (index, card) in cards.enumerated() where !(isDealers && card.section == .dealer) {
                let isLast = !cards[(index + 1)...].contains { $0.section == card.section }
                add(.card, [card.item] + (isLast ? all.filter { $0.isTotal(of: card.section) } : []))
            }
            if isDealers {
                let draws = turned + cards.filter { $0.section == .dealer }.map(\.item)
                for (index, draw) in draws.enumerated() {
                    add(.dealer, [draw] + (index == draws.count - 1 ? all.filter { $0.isTotal(of: .dealer) } : []))
                }
            }
            guard !results.isEmpty || isDealers else { return }
            let phase = updates.filter { if case .phase = $0.new { true } else { false } }
            add(.results, results + (results.isEmpty ? [] : chips) + phase)
        }

        private mutating func add(_ kind: Kind, _ items: [Item]) {
            if !items.isEmpty { list.append((kind, items)) }
        }
    }
}

extension MotionStep.Item {
    fileprivate var isCard: Bool { if case .card = new { true } else { false } }
    fileprivate var cardNumber: Int { if case .card(let number, _) = new { number } else { 0 } }

    fileprivate var isStake: Bool {
        switch new {
        case .bet, .insurance: true
        default: false
        }
    }

    /// True for a player who stays, with other chips.
    fileprivate var isOnlyChips: Bool {
        guard case .player(_, let before)? = old, case .player(_, let after) = new else { return false }
        return before.name == after.name && before.chips != after.chips
    }

    fileprivate func isTotal(of section: TableSection) -> Bool {
        switch (new, section) {
        case (.dealerTotal, .dealer): true
        case (.total(let hand, _), .hand(let other)): hand == other
        default: false
        }
    }
}

// MARK: - Motion

extension TableCell {
    /// The card on its way into its slot, from the right.
    /// - Parameters:
    ///   - done: parts of the way, below `all`.
    func sliding(_ done: Int, of all: Int) -> TableCell {
        var cell = self
        cell.arrival = .sliding(done, of: all)
        cell.text = text.slid(done, of: all)
        return cell
    }

    /// The card between its back and its face.
    var turning: TableCell {
        var cell = self
        cell.arrival = .turning
        cell.text = StyledText("│", .dim).centred(in: text.columns).fitted(to: text.columns)
        return cell
    }
}

/// The way of a card.
enum CardArrival: Equatable, Sendable {
    case sliding(Int, of: Int)
    case turning

    /// A row of a card's face.
    func row(_ line: StyledText) -> StyledText {
        switch self {
        case .sliding(let done, let all): line.slid(done, of: all)
        case .turning: StyledText("│", .dim).centred(in: line.columns).fitted(to: line.columns)
        }
    }
}

extension StyledText {
    /// The left part, at the right of the same width.
    fileprivate func slid(_ done: Int, of all: Int) -> StyledText {
        let seen = max(1, columns * done / all)
        var result = StyledText(.spaces(columns - seen))
        for span in spans {
            let room = columns - result.columns
            guard room > 0 else { break }
            result.append(span.text.columns <= room ? span.text : span.text.start(room), span.style)
        }
        return result
    }
}

extension SafeText {
    /// The first columns, without a mark; a wider character is left out.
    fileprivate func start(_ limit: Int) -> SafeText {
        var start = SafeText.empty
        for glyph in Glyphs(text) {
            guard start.columns + glyph.columns <= limit else { break }
            start += SafeText(trusted: String(glyph.scalars), columns: glyph.columns)
        }
        return start + .spaces(limit - start.columns)
    }
}
