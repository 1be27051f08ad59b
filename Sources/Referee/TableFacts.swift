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

    // MARK: Following

    // Facts that are brought up to date where a table has changed, and nowhere else.

    /// Where a table has changed since the revision before.
    struct Changes: Sendable {
        /// Seats of which something has changed, their hands included: bit n for seat n.
        var seats: UInt8 = 0
        /// Seats with another player than before, or none.
        var occupants: UInt8 = 0
        var dealer = false
        /// Whether phase, rules or shoe changed: then every seat is judged again.
        var isWide = false

        /// Everything, for the first look.
        static let everything = Changes(seats: 0b1111_1110, occupants: 0b1111_1110, dealer: true, isWide: true)

        mutating func note(_ seat: Int) { seats |= 1 << UInt8(seat) }
    }

    /// Seats with another player than in another table, or none: bit n for seat n.
    func occupants(otherThanIn other: TableFacts) -> UInt8 {
        (1..<8).reduce(0) { $0 | (seats[$1].player?.name == other.seats[$1].player?.name ? 0 : 1 << UInt8($1)) }
    }

    /// Takes apart the sections that differ from the former snapshot.
    mutating func follow(_ snapshot: TableSnapshot, after old: TableSnapshot) -> Changes {
        var changes = Changes()
        let isSameList = snapshot.forEachSection(changedSince: old) { section, entries in
            switch section {
            case .hand(let hand):
                guard seats.indices.contains(hand.seat),
                    let place = seats[hand.seat].hands.firstIndex(where: { $0.id == hand })
                else { return }
                seats[hand.seat].hands[place] = Self.hand(hand, entries)
                changes.note(hand.seat)
            case .table, .dealer, .seat, .other: update(section, entries, &changes)
            }
        }
        if !isSameList { followSections(snapshot, after: old, &changes) }
        sumUp(changes.isWide ? .max : changes.seats)
        return changes
    }

    /// The same where sections have come, gone or moved, as with each bet.
    private mutating func followSections(_ snapshot: TableSnapshot, after old: TableSnapshot, _ changes: inout Changes) {
        let (sections, former) = (snapshot.structure.sectionIdentifiers, old.structure.sectionIdentifiers)
        var hands: UInt8 = 0
        var place = -1
        for section in former {
            if let now = sections.firstIndex(of: section) {
                guard now > place else {
                    // Something has changed its place, which no table of ours does.
                    let anew = TableFacts(snapshot)
                    changes = .everything
                    changes.occupants = anew.occupants(otherThanIn: self)
                    self = anew
                    return
                }
                place = now
            } else if case .hand(let hand) = section {
                hands |= Self.bit(hand.seat)
            } else {
                update(section, [], &changes)
            }
        }
        for section in sections {
            let (entries, before) = (snapshot.entries(in: section), old.entries(in: section))
            if Self.shareStorage(entries, before) { continue }
            if case .hand(let hand) = section { hands |= Self.bit(hand.seat) } else { update(section, entries, &changes) }
        }
        guard hands != 0 else { return }
        for seat in 1..<8 where hands & Self.bit(seat) != 0 {
            seats[seat].hands.removeAll(keepingCapacity: true)
            changes.note(seat)
        }
        for case .hand(let hand) in sections where hands & Self.bit(hand.seat) != 0 && seats.indices.contains(hand.seat) {
            seats[hand.seat].hands.append(Self.hand(hand, snapshot.entries(in: .hand(hand))))
        }
    }

    private static func bit(_ seat: Int) -> UInt8 { (1..<8).contains(seat) ? 1 << UInt8(seat) : 0 }

    private static func shareStorage(_ a: [TableEntry], _ b: [TableEntry]) -> Bool {
        a.count == b.count
            && a.withUnsafeBufferPointer { a in b.withUnsafeBufferPointer { a.count > 0 && $0.baseAddress == a.baseAddress } }
    }

    /// Reads a section other than a hand again.
    private mutating func update(_ section: TableSection, _ entries: [TableEntry], _ changes: inout Changes) {
        switch section {
        case .table:
            let before = (phase, shoe.number, round)
            let (none, rules) = (Self.none, rules)
            (round, phase, deadline, shoe, cardsLeft, self.rules) =
                (none.round, none.phase, none.deadline, none.shoe, none.cardsLeft, none.rules)
            read(section, entries)
            if before != (phase, shoe.number, round) || rules != self.rules { changes.isWide = true }
        case .dealer:
            dealerIDs.removeAll(keepingCapacity: true)
            dealer.removeAll(keepingCapacity: true)
            dealerTotal = nil
            read(section, entries)
            changes.dealer = true
        case .seat(let seat):
            guard seats.indices.contains(seat) else { return }
            let occupant = seats[seat].player?.name
            (seats[seat].player, seats[seat].choice, seats[seat].insurance) = (nil, nil, 0)
            read(section, entries)
            changes.note(seat)
            if seats[seat].player?.name != occupant { changes.occupants |= 1 << UInt8(seat) }
        case .hand, .other: break
        }
    }
}

/// Remembers the cards of a shoe: none may change its face, exceed its number in the packs, or leave the shoe unseen.
struct ShoeMemory: Sendable {
    private var number = -1
    /// The cards seen, by their number; nil for one that has not been seen, or not its face.
    private var faces: [Card?] = []
    private var isKnown: [Bool] = []
    private var counts = [Int](repeating: 0, count: 52)
    /// How often the shoe was filled up.
    private var fillings = 1
    /// Hi-Lo: +1 for 2 to 6, −1 for tens and aces.
    private(set) var runningCount = 0

    /// Bound on card numbers, which a hostile server chooses: a few shoes.
    private static let most = 8192

    /// - Parameter seats: seats whose cards may have changed.
    mutating func judge(
        _ old: TableReferee.Before?, _ new: TableFacts, _ seats: UInt8, _ findings: inout [TableReferee.Finding]
    ) {
        let isSame = new.shoe.number == number
        if !isSame {
            self = ShoeMemory()
            number = new.shoe.number
        } else if let old, new.cardsLeft > old.cardsLeft {
            // The shoe ran out during a round, and the discards came back.
            fillings += 1
            runningCount = 0
        }
        var fresh = 0
        for (id, card) in zip(new.dealerIDs, new.dealer) { fresh += see(id, card, new, &findings) }
        for seat in 1..<8 where seats & (1 << UInt8(seat)) != 0 {
            for hand in new.seats[seat].hands {
                for (id, card) in zip(hand.ids, hand.cards) { fresh += see(id, card, new, &findings) }
            }
        }
        guard isSame, fillings == 1, let old, new.round == old.round || (!old.isInRound && new.round == old.round + 1),
            !new.dealer.isEmpty || fresh > 0
        else { return }
        let gone = old.cardsLeft - new.cardsLeft
        if gone != fresh {
            findings.append(.init(.cards, "\(gone) cards have left the shoe, and \(fresh) new ones lie on the table"))
        }
    }

    /// - Returns: 1 for a card that was not on the table before.
    private mutating func see(_ id: Int, _ card: Card?, _ new: TableFacts, _ findings: inout [TableReferee.Finding]) -> Int {
        guard (0..<Self.most).contains(id) else { return 0 }
        while faces.count <= id {
            faces.append(nil)
            isKnown.append(false)
        }
        let isFresh = !isKnown[id]
        isKnown[id] = true
        if let face = faces[id] {
            if card != face {
                findings.append(.init(.cards, "card \(id) was \(face) and is \(card.map(\.description) ?? "face down")"))
            }
        } else if let card {
            faces[id] = card
            counts[Int(card.code)] += 1
            runningCount += card.rank.points == 1 || card.rank.points == 10 ? -1 : card.rank.points <= 6 ? 1 : 0
            if counts[Int(card.code)] > new.shoe.decks * fillings * 2 - new.shoe.decks {
                findings.append(.init(.cards, "\(card) has come \(counts[Int(card.code)]) times out of \(new.shoe.decks) packs"))
            }
        }
        return isFresh ? 1 : 0
    }
}

// MARK: - Rank

extension RoundPhase {
    /// How far a round has come. The bets for the next round belong to the last one's number.
    var rank: Int {
        switch self {
        case .surrender: 0
        case .insurance: 1
        case .playing: 2
        case .settled: 3
        case .waiting, .betting: 4
        case .closed: 5
        }
    }
}
