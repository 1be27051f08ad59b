import Fairness
import Rules
import TableModel

/// The contents of each visible section, for snapshots and the live projection. Contains nothing about face-down cards.
extension Table {
    /// Describes a section's present entries, without the rules.
    /// - Parameters:
    ///   - changesCeremony: whether the ceremonies may differ from those shown.
    ///   - evening: the owner's items.
    func describe(
        _ section: TableSection, by change: inout RowChange, changesCeremony: Bool = true, evening: [TableEntry] = []
    ) {
        switch section {
        case .table: describeTable(by: &change, changesCeremony: changesCeremony, evening)
        case .dealer: describeDealer(by: &change)
        case .seat(let seat): describeSeat(seat, by: &change)
        case .hand(let hand): describeHand(hand, by: &change)
        }
    }

    var status: RoundStatus { RoundStatus(number: round, phase: RoundPhase(phase)) }

    /// The hands with anything to show.
    var shownHands: RowSet {
        var hands = RowSet()
        for seat in 1...state.rules.seats {
            let count = state.seats[seat - 1].bet > 0 ? 1 : Int(state.seats[seat - 1].handCount)
            hands.formUnion(.hands(count, ofSeat: seat))
        }
        return hands
    }

    private func describeTable(by change: inout RowChange, changesCeremony: Bool, _ evening: [TableEntry]) {
        change.show(.round(round))
        change.show(.phase(RoundPhase(phase)))
        if let deadline, evening.first?.item != .pause { change.show(.clock(Clock(deadline: deadline.milliseconds))) }
        let decks = state.rules.decks
        change.show(
            .shoe(
                ShoeStatus(number: state.core.shoe.number, decks: decks, behindCutCard: max(0, decks * 52 - state.core.shoe.cut)))
        )
        change.show(.cardsLeft(state.core.shoe.number == 0 ? decks * 52 : state.core.shoe.remaining))
        if state.rules.assist { change.show(.seen(state.core.seen)) }
        if state.core.hasCeremonies { showCeremonies(by: &change, changesCeremony: changesCeremony) }
        if state.core.isClosing, let notice = state.core.closing { change.show(.closing(notice)) }
        for entry in evening { change.show(entry) }
    }

    private func showCeremonies(by change: inout RowChange, changesCeremony: Bool) {
        guard changesCeremony else { return change.keepCeremonies() }
        if let fairShoe { change.show(.fairShoe(fairShoe)) }
        if let nextShoe { change.show(.nextShoe(nextShoe)) }
    }

    private func describeDealer(by change: inout RowChange) {
        let count = dealerCardCount
        guard count > 0 else { return }
        change.show(.dealerTotal(Total(dealerValue, mayBeBlackjack: true)))
        for index in 0..<count {
            let card = dealerCard(index)
            change.show(.card(Int(card.id.rawValue), .dealer, card.card))
        }
    }

    private func describeSeat(_ seat: Int, by change: inout RowChange) {
        let player = state.seats[seat - 1].player
        if player >= 0 { change.show(.player(seat, state.players[player].shown)) }
        if let options = change.options.intern({ add in forEachLegalAction(seat: seat) { add($0, $1.upperBound) } }) {
            let hand = if case .playing(seat, let hand, _) = phase { hand + 1 } else { 1 }
            change.show(.choice(seat, Choice(hand: hand, turn: state.core.turn, options: options)))
        }
        let insurance = state.seats[seat - 1].handCount > 0 ? state.seats[seat - 1].insurance : 0
        guard insurance > 0 else { return }
        change.show(.insurance(seat, insurance))
        guard state.seats[seat - 1].insuranceIsSettled else { return }
        change.show(.insuranceResult(seat, state.seats[seat - 1].insurancePaid - insurance))
    }

    /// A bet for the next round replaces the hands of the last one.
    private func describeHand(_ hand: HandIdentifier, by change: inout RowChange) {
        let seat = hand.seat - 1
        guard state.seats[seat].bet == 0 else { return change.show(.bet(hand, state.seats[seat].bet)) }
        let slot = TableState.handIndex(seat, hand.number - 1)
        let stake = state.hands[slot].stake
        let value = state.hands[slot].value
        change.show(.bet(hand, stake))
        change.show(.total(hand, Total(value, mayBeBlackjack: state.hands[slot].origin == .dealt)))
        for index in 0..<Int(value.count) {
            let id = state.hands[slot].cards[index]
            change.show(.card(Int(id.rawValue), .hand(hand), state.core.shoe[id]))
        }
        guard state.hands[slot].state == .settled else { return }
        let settlement = state.hands[slot].settlement
        change.show(.result(hand, HandResult(outcome: settlement.outcome, net: settlement.paid - stake)))
    }
}

extension SeatedPlayer {
    fileprivate var shown: TableModel.Player {
        let presence: TableModel.Player.Presence =
            if isLeaving { .leaving } else if !isPresent { .away } else if isSittingOut { .sittingOut } else { .here }
        return .init(name: profile.name, chips: chips, presence: presence, isBot: profile.isBot)
    }
}

extension RoundPhase {
    /// How a table's phase is shown.
    package init(_ phase: Phase) {
        self =
            switch phase {
            case .waiting: .waiting
            case .betting: .betting
            case .earlySurrender: .surrender
            case .insurance: .insurance
            case .dealing, .playing, .dealer: .playing
            case .settled: .settled
            case .closed: .closed
            }
    }
}

/// The rows that some facts may have changed. May contain extra rows, but misses none.
///
/// Excludes the table's row and seats with a question: nearly every fact may change them, so callers describe them always.
struct DirtyRows: Equatable, Sendable {
    private(set) var rows = RowSet()
    /// Whether no visible fact was added.
    private(set) var isEmpty = true
    /// Whether the items of ceremonies may have changed.
    private(set) var changesCeremony = false

    init() {}

    /// Adds the table's row, which is described always.
    mutating func addTable() { isEmpty = false }

    /// - Parameter sharesBankrolls: whether a player may hold several seats, each of which shows the same chips.
    mutating func add(_ fact: Fact, sharesBankrolls: Bool) {
        guard !fact.isUnseen else { return }
        isEmpty = false
        if fact.changesCeremony { changesCeremony = true }
        switch fact {
        // A lost connection is shown after its grace period.
        case .shoeSupplied, .burned, .reshuffled, .bettingAbandoned, .peeked, .disconnected, .released, .idling,
            .charged,
            .postponed, .declared, .ceremoniesBegan, .contributed, .revealed, .secretRevealed, .ceremonyOpened, .listDue,
            .listClosed, .attemptVoided:
            break
        case .dealtToDealer, .holeDealt, .holeRevealed: rows.formUnion(.dealer)
        case .dealt(_, _, let seat, let hand): rows.formUnion(.hand(hand + 1, ofSeat: seat))
        case .declined(let seat, _), .turnStarted(let seat, _, _, _), .hit(let seat, _), .stood(let seat, _, _),
            .evenMoneyTaken(let seat):
            rows.formUnion(.seat(seat))
        case .insured(let seat, _), .insuranceSettled(let seat, _, _): addChips(of: seat, sharesBankrolls)
        case .doubled(let seat, let hand, _), .settled(let seat, let hand, _, _, _):
            addChips(of: seat, sharesBankrolls)
            rows.formUnion(.hand(hand + 1, ofSeat: seat))
        // A bet replaces every hand of the last round.
        case .betPlaced(let seat, _), .split(let seat, _, _), .surrendered(let seat):
            addChips(of: seat, sharesBankrolls)
            rows.formUnion(.hands(ofSeat: seat))
        case .earlySurrenderOffered, .insuranceOffered, .roundEnded: rows.formUnion(.seats)
        case .sat, .left, .leaving, .satOut, .satIn, .away, .reconnected, .shuffled, .bettingOpened, .roundStarted, .cleared,
            .closing, .closed:
            rows = .everything
        }
    }

    private mutating func addChips(of seat: Int, _ sharesBankrolls: Bool) {
        rows.formUnion(sharesBankrolls ? .seats : .seat(seat))
    }
}

extension Fact {
    /// Whether it changes nothing visible. Commitments and reveals show in the stage that they complete, and the bank shows in the clock.
    fileprivate var isUnseen: Bool {
        switch self {
        case .contributed, .revealed, .charged: true
        // Seen in rows, see `DirtyRows`, or in the clock.
        default: false
        }
    }

    /// Whether the items `fair` and `next` may change with it.
    fileprivate var changesCeremony: Bool {
        switch self {
        case .shoeSupplied, .shuffled, .reshuffled, .ceremoniesBegan, .ceremonyOpened, .listDue, .listClosed, .attemptVoided,
            .postponed:
            true
        // No shoe and no deadline of a ceremony changes.
        default: false
        }
    }
}

/// The visible rows of a table, kept up to date from its facts: always equal to a fresh `TableSnapshot` of the table.
///
/// Describes only rows that the facts may have changed. Avoid copying it: the next change would copy the rows.
package struct TableDisplay: Sendable {
    package private(set) var rows: TableRows
    /// Rows that may differ from the table since the last ``follow(_:_:)``.
    private var dirty = DirtyRows()
    /// Seats that show a question.
    private var asked = RowSet.seats
    /// The owner's items, in the order of ranks: a pause, in which no clock is shown, comes first.
    package var evening: [TableEntry] { didSet { dirty.addTable() } }

    package init(_ table: Table, evening: [TableEntry] = []) {
        (rows, self.evening) = (TableRows(table, evening: evening), evening)
    }

    /// Marks the rows that facts may have changed.
    package mutating func note(_ facts: [Fact], at table: Table) {
        let sharesBankrolls = table.rules.seatsPerPlayer > 1
        for fact in facts { dirty.add(fact, sharesBankrolls: sharesBankrolls) }
    }

    /// Brings the rows up to date with the table after the noted facts.
    /// - Parameter change: receives the difference.
    /// - Returns: whether anything visible has changed.
    package mutating func follow(_ table: Table, _ change: inout RowChange) -> Bool {
        guard !dirty.isEmpty else { return false }
        let hands = table.shownHands
        var touched = dirty.rows.union(asked).union(.table)
        let changesCeremony = dirty.changesCeremony
        dirty = DirtyRows()
        if change.begin(rows, hands: hands, status: table.status) { touched = .everything }
        // Skips hands that were absent and still are.
        touched = touched.intersection(.all(seats: rows.seats)).subtracting(RowSet.hands.subtracting(hands.union(rows.filled)))
        for row in touched {
            if RowSet.hands.contains(row), !hands.contains(row) {
                change.remove(row, from: &rows)
            } else {
                change.describe(row, in: &rows) {
                    table.describe(TableRows.section(row), by: &$0, changesCeremony: changesCeremony, evening: evening)
                }
            }
        }
        for row in touched.intersection(.seats) { asked.set(row, rows.isAsked(row)) }
        return change.end()
    }
}

// MARK: - Table

extension TableSnapshot {
    /// The visible state of a table. Contains nothing about face-down cards.
    public init(_ table: Table) { self = TableRows(table).snapshot }
}

extension TableRows {
    init(_ table: Table, evening: [TableEntry] = []) {
        self.init(seats: table.rules.seats)
        rules = TableRules(table.rules, digest: table.rules.digest.hex)
        var change = RowChange()
        let hands = table.shownHands
        _ = change.begin(self, hands: hands, status: table.status)
        for row in RowSet.all(seats: seats).subtracting(.hands).union(hands) {
            change.describe(row, in: &self) { table.describe(Self.section(row), by: &$0, evening: evening) }
        }
    }
}

extension HouseRules {
    /// The SHA-256 of all rules: shown by the table, and part of a shoe's commitment.
    public var digest: Digest { SHA256.hash(canonicalText.utf8) }
}
