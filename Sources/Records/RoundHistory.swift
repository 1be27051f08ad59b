import Rules
import TableEngine

/// Folds records into rounds, one record after another.
///
/// Knows only what was shown at the table: no keys, no hidden card, no undrawn card. Reads any records without a trap, also corrupt ones.
public struct RoundHistory: Sendable {
    private struct LiveTable {
        var round: PlayedRound?
        var shoe = 0
        /// Players by seat, with their names.
        var players: [Int: (id: PlayerID, name: String)] = [:]
        /// Bets for the next round by seat.
        var bets: [Int: Int] = [:]
    }

    private var tables: [String: LiveTable] = [:]

    /// - Parameter state: that before the first record; nil for a journal from its start. Moves before it are not known.
    public init(_ state: SavedState? = nil) {
        for (name, saved) in state?.tables ?? [:] { tables[name] = Self.live(name, saved) }
    }

    /// The rounds in play, in the order of their tables' names.
    public var unfinished: [PlayedRound] { tables.sorted { $0.key < $1.key }.compactMap(\.value.round) }

    /// Forgets tables whose next records are not added: their bets and seats would be out of date later.
    mutating func forget(where isForgotten: (String) -> Bool) { tables = tables.filter { !isForgotten($0.key) } }

    /// Whether a player has a hand in the round in play at a table.
    func isInPlay(_ player: PlayerID, at table: String) -> Bool {
        tables[table]?.round?.seats.contains { $0.player == player } ?? false
    }

    /// Adds the next record.
    /// - Parameter body: receives each round that ends with it.
    public mutating func add(_ record: Record, at place: RecordPlace, _ body: (PlayedRound) -> Void) {
        switch record {
        case .facts(let name, let time, let facts):
            for (index, fact) in facts.enumerated() {
                Self.add(fact, to: &tables[name, default: LiveTable()], name, time, place)
                guard case .roundEnded = fact, var round = tables[name]?.round else { continue }
                round.ended = time
                round.isVoided = Self.isVoided(facts[..<index])
                body(round)
                tables[name]?.round = nil
            }
        case .opened(let name, _, _, _, _, _), .gone(let name, _): tables[name] = nil
        default: break
        }
    }

    // Static: a method of the value would hold the dictionary meanwhile, and each fact would copy it, all tables.
    private static func add(_ fact: Fact, to table: inout LiveTable, _ name: String, _ time: Int64, _ place: RecordPlace) {
        table.round?.place = place
        switch fact {
        case .sat(let id, let profile, let seat, _): table.players[seat] = (id, profile.name)
        case .left(let id, _): for (seat, player) in table.players where player.id == id { table.players[seat] = nil }
        case .shuffled(let shoe, _): table.shoe = shoe
        case .betPlaced(let seat, let amount): table.bets[seat] = amount > 0 ? amount : nil
        case .roundStarted(let number):
            let seats = table.bets.sorted { $0.key < $1.key }.map { seat, bet in
                let player = table.players[seat] ?? (PlayerID(0), PlayedSeat.unknownName)
                return PlayedSeat(seat: seat, player: player.id, name: player.name, bet: bet, hands: [PlayedHand(stake: bet)])
            }
            table.bets = [:]
            table.round = PlayedRound(
                table: name, number: number, shoe: table.shoe, started: time, place: place, seats: seats)
        default: table.round?.add(fact)
        }
    }

    /// Whether the settlements at the end of these facts follow from no play: the round was voided.
    private static func isVoided(_ facts: ArraySlice<Fact>) -> Bool {
        let before = facts.last { fact in
            switch fact {
            case .settled, .insuranceSettled: false
            default: !fact.isOfCeremony
            }
        }
        return switch before {
        case nil, .turnStarted, .insuranceOffered, .earlySurrenderOffered, .postponed: true
        default: false
        }
    }

    private static func live(_ name: String, _ saved: SavedTable) -> LiveTable {
        let table = saved.table.saved
        var live = LiveTable()
        live.shoe = table.shoe.number
        for seat in table.seats {
            if let player = table.players.first(where: { $0.slot == seat.slot }) {
                live.players[seat.seat + 1] = (player.id, player.name)
            }
            if seat.bet > 0 { live.bets[seat.seat + 1] = seat.bet }
        }
        switch table.stage {
        case .waiting, .betting, .settled, .closed: return live
        default: break
        }
        let order = table.shoe.order
        let seats = table.seats.filter { !$0.hands.isEmpty }.map { seat in
            let player = live.players[seat.seat + 1] ?? (seat.owner, PlayedSeat.unknownName)
            let hands = seat.hands.map { hand in
                PlayedHand(
                    cards: hand.cards.map { order[$0] }, stake: hand.stake, isSplit: hand.origin != .dealt,
                    settlement: hand.state == .settled ? Settlement(hand.outcome, paid: hand.paid) : nil)
            }
            let insurance = PlayedInsurance(stake: seat.insurance, paid: seat.insuranceIsSettled ? seat.insurancePaid : nil)
            return PlayedSeat(
                seat: seat.seat + 1, player: player.0, name: player.1, bet: seat.original, hands: hands,
                insurance: seat.insurance > 0 ? insurance : nil)
        }
        let shown = table.holeIsHidden ? table.dealer.prefix(1) : table.dealer[...]
        live.round = PlayedRound(
            table: name, number: table.round, shoe: table.shoe.number, started: saved.time,
            place: RecordPlace(sequence: 0, line: 0), seats: seats, dealer: shown.map { order[$0] },
            holeIsHidden: table.holeIsHidden)
        return live
    }
}

extension PlayedRound {
    /// Adds a fact of the round.
    fileprivate mutating func add(_ fact: Fact) {
        switch fact {
        case .dealt(_, let card, let seat, let hand): deal(card, seat, hand)
        case .dealtToDealer(_, let card): dealer.append(card)
        case .holeDealt: holeIsHidden = true
        case .holeRevealed(_, let card):
            holeIsHidden = false
            // The hole card is the second one.
            dealer.insert(card, at: min(1, dealer.count))
        case .hit(let seat, let hand): move(seat, hand, PlayedMove(action: .hit))
        case .stood(let seat, let hand, let reason):
            guard reason != .automatic else { return }
            move(seat, hand, PlayedMove(action: .stand, isDefault: reason != .chosen))
        case .doubled(let seat, let hand, let added):
            move(seat, hand, PlayedMove(action: .double, amount: added))
            change(seat, hand) { $0.stake &+= added }
        case .split(let seat, let hand, _): split(seat, hand)
        case .surrendered(let seat): move(seat, 0, PlayedMove(action: .surrender))
        case .evenMoneyTaken(let seat): move(seat, 0, PlayedMove(action: .evenMoney))
        case .insured(let seat, let amount):
            guard let index = index(seat) else { return }
            seats[index].insurance = PlayedInsurance(stake: amount)
        case .insuranceSettled(let seat, let stake, let paid):
            guard let index = index(seat) else { return }
            seats[index].insurance = PlayedInsurance(stake: stake, paid: paid)
        case .settled(let seat, let hand, let outcome, _, let paid):
            change(seat, hand) { $0.settlement = Settlement(outcome, paid: paid) }
        default: break
        }
    }

    private func index(_ seat: Int) -> Int? { seats.firstIndex { $0.seat == seat } }

    private mutating func change(_ seat: Int, _ hand: Int, _ body: (inout PlayedHand) -> Void) {
        guard let index = index(seat), seats[index].hands.indices.contains(hand) else { return }
        body(&seats[index].hands[hand])
    }

    private mutating func move(_ seat: Int, _ hand: Int, _ move: PlayedMove) { change(seat, hand) { $0.moves.append(move) } }

    private mutating func deal(_ card: Card, _ seat: Int, _ hand: Int) {
        change(seat, hand) { hand in
            hand.cards.append(card)
            guard let last = hand.moves.indices.last, hand.cards.count > 2 else { return }
            hand.moves[last].card = card
        }
    }

    private mutating func split(_ seat: Int, _ hand: Int) {
        guard let index = index(seat), seats[index].hands.indices.contains(hand),
            seats[index].hands[hand].cards.count == 2
        else { return }
        let moved = seats[index].hands[hand].cards.removeLast()
        seats[index].hands[hand].isSplit = true
        seats[index].hands[hand].moves.append(PlayedMove(action: .split, amount: seats[index].bet))
        seats[index].hands.append(PlayedHand(cards: [moved], stake: seats[index].bet, isSplit: true))
    }
}
