import Rules

/// A table at one revision, taken apart once so that those who look at it need not search it.
package struct TableFacts: Sendable, Equatable {
    package struct Hand: Sendable, Equatable {
        package var id: HandIdentifier
        /// Chips.
        package var bet = 0
        package var total: Total?
        package var ids: [Int] = []
        package var cards: [Card] = []
        package var result: HandResult?
    }

    package struct Seat: Sendable, Equatable {
        package var player: Player?
        package var choice: Choice?
        /// Chips.
        package var insurance = 0
        /// Chips won or lost with it; nil while it is open.
        package var insuranceNet: Int?
        package var hands: [Hand] = []
    }

    package var round = 0
    package var phase = RoundPhase.waiting
    /// Milliseconds since 1970 on the server's clock.
    package var deadline: Int64?
    package var isPaused = false
    package var match: TableMatch?
    package var shoe = ShoeStatus(number: 0, decks: 0, behindCutCard: 0)
    package var cardsLeft = 0
    /// nil without the house rule `assist`.
    package var seen: SeenCards?
    package var rules = HouseRules()
    package var dealerIDs: [Int] = []
    /// nil for a card face down.
    package var dealer: [Card?] = []
    package var dealerTotal: Total?
    /// By seat; the first one, 0, is none.
    package var seats: [Seat] = Array(repeating: Seat(), count: 8)
    // Masks: bit n is seat n.

    /// Seats that are asked something.
    package private(set) var asked: UInt8 = 0
    /// Seats whose player may bet now and has not.
    package private(set) var mayBet: UInt8 = 0
    /// Seats whose player may bet now, could pay the smallest bet, and would be in a round that began now.
    package private(set) var mayJoin: UInt8 = 0
    /// Seats with a bet for the round that is about to begin.
    package private(set) var betting: UInt8 = 0
    /// Seats with a hand that is in the round and has no result.
    package private(set) var playing: UInt8 = 0
    /// Seats all of whose hands have a result, between rounds.
    package private(set) var settled: UInt8 = 0
    /// Seats with a present player.
    package private(set) var here: UInt8 = 0
    /// Seats with a player whose connection is lost, as is shown.
    package private(set) var away: UInt8 = 0
    /// Seats whose player sits out.
    package private(set) var sittingOut: UInt8 = 0

    package init(_ snapshot: TableSnapshot) {
        for section in snapshot.sections {
            let entries = snapshot.entries(in: section)
            switch section {
            case .table: readTable(entries)
            case .dealer: readDealer(entries)
            case .seat(let seat): if seats.indices.contains(seat) { readSeat(seat, entries) }
            case .hand(let hand): if seats.indices.contains(hand.seat) { seats[hand.seat].hands.append(Self.hand(hand, entries)) }
            }
        }
        for seat in 1..<8 { sumUp(seats[seat], 1 << UInt8(seat)) }
    }

    /// Sets a seat's bit in the masks.
    private mutating func sumUp(_ seat: Seat, _ bit: UInt8) {
        let isOpen = seat.hands.contains { $0.result == nil }
        if seat.choice != nil { asked |= bit }
        if !isInRound, !isOpen, !seat.hands.isEmpty { settled |= bit }
        guard let player = seat.player else { return }
        switch player.presence {
        case .here:
            here |= bit
            guard !isOpen, phase == .waiting || phase == .betting else { break }
            mayBet |= bit
            if phase == .betting, rules.midShoeEntry, player.chips >= rules.minimumBet { mayJoin |= bit }
        case .sittingOut: sittingOut |= bit
        case .away: away |= bit
        case .leaving: break
        }
        guard let first = seat.hands.first(where: { $0.id.number == 1 }), first.result == nil else { return }
        if !first.cards.isEmpty { playing |= bit } else if phase == .betting { betting |= bit }
    }

    /// Seats that are asked something, or whose player may bet.
    package var awaited: UInt8 { asked | mayBet }

    /// Whether a round is being played.
    package var isInRound: Bool { phase == .surrender || phase == .insurance || phase == .playing }

    /// Peeking settles insurance before play; without a hole card it is settled at the end.
    package var isInsuranceOpen: Bool { phase == .insurance || (phase == .playing && rules.holeCard != .peek) }

    private mutating func readTable(_ entries: [TableEntry]) {
        for entry in entries {
            switch entry {
            case .round(let number): round = number
            case .phase(let phase): self.phase = phase
            case .clock(let clock): deadline = clock.deadline
            case .pause: isPaused = true
            case .match(let match): self.match = match
            case .shoe(let status): shoe = status
            case .cardsLeft(let count): cardsLeft = count
            case .seen(let cards): seen = cards
            case .rules(let rules): self.rules = rules.rules
            // In other sections, or of no use to a program that plays.
            default: break
            }
        }
    }

    private mutating func readDealer(_ entries: [TableEntry]) {
        for entry in entries {
            switch entry {
            case .card(let id, _, let card):
                dealerIDs.append(id)
                dealer.append(card)
            case .dealerTotal(let total): dealerTotal = total
            // Of other sections.
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
            case .insuranceResult(_, let net): seats[seat].insuranceNet = net
            // Of other sections.
            default: break
            }
        }
    }

    package static func hand(_ id: HandIdentifier, _ entries: [TableEntry]) -> Hand {
        var hand = Hand(id: id)
        for entry in entries {
            switch entry {
            case .bet(_, let chips): hand.bet = chips
            case .total(_, let total): hand.total = total
            case .result(_, let result): hand.result = result
            case .card(let id, _, let card):
                hand.ids.append(id)
                if let card { hand.cards.append(card) }
            // Of other sections.
            default: break
            }
        }
        return hand
    }

    // MARK: Beside a former revision

    /// Seats with another player than in another table, or none.
    package func occupants(otherThanIn other: TableFacts) -> UInt8 {
        (1..<8).reduce(0) { $0 | (seats[$1].player?.name == other.seats[$1].player?.name ? 0 : 1 << UInt8($1)) }
    }

    /// Seats whose question in a former revision is over.
    package func answered(since old: TableFacts) -> UInt8 {
        (1..<8).reduce(0) {
            let bit = UInt8(1) << UInt8($1)
            let isSame = round == old.round && seats[$1].choice?.turn == old.seats[$1].choice?.turn
            return old.asked & bit == 0 || isSame ? $0 : $0 | bit
        }
    }

    /// Results of the finished round, by seat; nil during a round, and where there are none.
    package var outcomes: [SeatOutcome]? {
        guard settled != 0 else { return nil }
        return seats.map { seat in
            var outcome = SeatOutcome(hands: seat.hands.count)
            for hand in seat.hands { outcome.net += hand.result?.net ?? 0 }
            outcome.net += seat.insuranceNet ?? 0
            return outcome
        }
    }
}

/// A seat's result of a round.
package struct SeatOutcome: Sendable {
    package var hands = 0
    /// Chips won (positive) or lost, insurance included.
    package var net = 0
}
