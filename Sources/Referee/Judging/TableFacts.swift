import Rules
import TableModel

/// A table at one revision, taken apart once so that a referee and all bots that look at it need not search it.
package struct TableFacts: Sendable, Equatable {
    package struct Hand: Sendable, Equatable {
        package var id: HandIdentifier
        /// Chips.
        package var bet = 0
        package var total: Total?
        package var ids: [Int] = []
        package var cards: [Card] = []
        package var result: HandResult?

        var counted: HandTotal { HandTotal(cards) }
    }

    package struct Seat: Sendable, Equatable {
        package var player: Player?
        package var choice: Choice?
        /// Chips.
        package var insurance = 0
        package var hands: [Hand] = []
    }

    package var round = 0
    package var phase = RoundPhase.waiting
    /// Milliseconds since 1970 on the server's clock.
    var deadline: Int64?
    package var shoe = ShoeStatus(number: 0, decks: 0, behindCutCard: 0)
    package var cardsLeft = 0
    package var rules = HouseRules()
    var dealerIDs: [Int] = []
    /// nil for a card face down.
    package var dealer: [Card?] = []
    var dealerTotal: Total?
    /// By seat; the first one, 0, is none.
    package var seats: [Seat] = Array(repeating: Seat(), count: 8)
    /// Seats that are asked something: bit n for seat n.
    package var asked: UInt8 = 0
    /// Seats whose player may bet now and has not.
    package var mayBet: UInt8 = 0
    /// Seats all of whose hands have a result.
    var settled: UInt8 = 0

    /// A table of which nothing is known.
    static let none = TableFacts()

    private init() {}

    package init(_ snapshot: TableSnapshot) {
        for section in snapshot.structure.sectionIdentifiers {
            let entries = snapshot.entries(in: section)
            read(section, entries)
        }
        sumUp()
    }

    /// Takes apart only the changes since another table.
    init(_ snapshot: TableSnapshot, after old: TableSnapshot, _ facts: TableFacts) {
        self = facts
        _ = follow(snapshot, after: old)
    }

    mutating func read(_ section: TableSection, _ entries: [TableEntry]) {
        switch section {
        case .table: readTable(entries)
        case .dealer: readDealer(entries)
        case .seat(let seat): if seats.indices.contains(seat) { readSeat(seat, entries) }
        case .hand(let hand): if seats.indices.contains(hand.seat) { seats[hand.seat].hands.append(Self.hand(hand, entries)) }
        case .other: break
        }
    }

    /// Derives the masks of some seats.
    mutating func sumUp(_ seats: UInt8 = .max) {
        let takesBets = phase == .waiting || phase == .betting
        for seat in 1..<8 where seats & (1 << UInt8(seat)) != 0 {
            let bit = UInt8(1) << UInt8(seat)
            (asked, mayBet, settled) = (asked & ~bit, mayBet & ~bit, settled & ~bit)
            if self.seats[seat].choice != nil { asked |= bit }
            let hands = self.seats[seat].hands
            let isOpen = hands.contains { $0.result == nil }
            if takesBets, !isOpen, self.seats[seat].player?.presence == .here { mayBet |= bit }
            if !isOpen, !hands.isEmpty { settled |= bit }
        }
    }

    /// Seats that are asked something, or whose player may bet.
    package var awaited: UInt8 { asked | mayBet }

    /// Whether a round is being played.
    package var isInRound: Bool { phase == .surrender || phase == .insurance || phase == .playing }

    /// Peeking settles insurance before play; without a hole card it is settled at the end.
    var isInsuranceOpen: Bool { phase == .insurance || (phase == .playing && rules.holeCard != .peek) }

    /// The dealer's cards that lie face up.
    var dealerCounted: HandTotal { HandTotal(dealer.lazy.compactMap { $0 }) }

    private mutating func readTable(_ entries: [TableEntry]) {
        for entry in entries {
            switch entry {
            case .round(let number): round = number
            case .phase(let phase): self.phase = phase
            case .clock(let clock): deadline = clock.deadline
            case .shoe(let status): shoe = status
            case .cardsLeft(let count): cardsLeft = count
            case .rules(let rules): self.rules = rules.rules
            default: break
            }
        }
    }

    private mutating func readDealer(_ entries: [TableEntry]) {
        for entry in entries {
            switch entry {
            case .card(let id, let card):
                dealerIDs.append(id)
                dealer.append(card)
            case .dealerTotal(let total): dealerTotal = total
            default: break
            }
        }
    }

    private mutating func readSeat(_ seat: Int, _ entries: [TableEntry]) {
        for entry in entries {
            switch entry {
            case .player(_, let player): seats[seat].player = player
            case .choice(_, let choice): seats[seat].choice = choice
            case .insurance(_, let chips): seats[seat].insurance = chips
            default: break
            }
        }
    }

    static func hand(_ id: HandIdentifier, _ entries: [TableEntry]) -> Hand {
        var hand = Hand(id: id)
        for entry in entries {
            switch entry {
            case .bet(_, let chips): hand.bet = chips
            case .total(_, let total): hand.total = total
            case .result(_, let result): hand.result = result
            case .card(let id, let card):
                hand.ids.append(id)
                if let card { hand.cards.append(card) }
            default: break
            }
        }
        return hand
    }
}
