import Rules
import TableEngine
import Wire

/// A round as people talk about it.
public struct PlayedRound: Equatable, Sendable {
    public var table: String
    /// The table's count of rounds, from 1.
    public var number: Int
    /// The shoe, from 1.
    public var shoe: Int
    /// In milliseconds since 1970.
    public var started: Int64
    /// nil while the round is in play.
    public var ended: Int64?
    /// The record that ended the round; the last one while it is in play.
    public var place: RecordPlace
    /// Whether bets were returned instead of settled.
    public var isVoided = false
    /// In the order of the seats.
    public var seats: [PlayedSeat]
    public var dealer: [Card] = []
    /// Whether the dealer has a card that was never shown. It is not among ``dealer``.
    public var holeIsHidden = false

    /// The total of the cards shown.
    public var dealerValue: HandValue { HandValue(dealer) }
}

/// A seat in a round.
public struct PlayedSeat: Equatable, Sendable {
    /// Name of a player who has left, where only a state is known.
    package static let unknownName = "?"

    /// From 1.
    public var seat: Int
    public var player: PlayerID
    /// The name under which the player sat.
    public var name: String
    /// Chips at the start of the round.
    public var bet: Int
    public var hands: [PlayedHand]
    public var insurance: PlayedInsurance?

    /// Chips won in the settled parts, insurance included; negative: lost.
    public var net: Int { hands.reduce(insurance?.net ?? 0) { $0 &+ $1.net } }
}

public struct PlayedHand: Equatable, Sendable {
    public var cards: [Card] = []
    public var moves: [PlayedMove] = []
    /// All chips on the hand.
    public var stake: Int
    public var isSplit = false
    /// nil until the hand is settled.
    public var settlement: Settlement?

    public var value: HandValue { HandValue(cards) }
    /// 0 until the hand is settled.
    public var net: Int { settlement.map { $0.paid &- stake } ?? 0 }
}

public struct PlayedInsurance: Equatable, Sendable {
    public var stake: Int
    /// Chips returned; nil until it is settled.
    public var paid: Int?

    /// 0 until it is settled.
    public var net: Int { paid.map { $0 &- stake } ?? 0 }
}

/// A move of a hand, and the card that it brought.
public struct PlayedMove: Equatable, Sendable {
    public var action: Action
    /// Chips added.
    public var amount = 0
    public var card: Card?
    /// Whether the time ran out, or the player was leaving.
    public var isDefault = false
}

// MARK: - Text

/// A round in words. A card that was not shown is `??`, a seat's moves follow its first two cards.
extension PlayedRound: CustomStringConvertible {
    /// Several lines, without an end after the last:
    ///
    ///     round 12 at low-3, 2026-11-22 14:03 UTC
    ///       ann (seat 2) bets 50: A♠ K♥, blackjack, +75
    ///       dealer: 10♦ 7♣, 17
    public var description: String {
        let state = ended == nil ? ", in play" : isVoided ? ", voided" : ""
        var lines = ["round \(number) at \(table.printable()), \(UniversalTime.minutes(started)) UTC\(state)"]
        for seat in seats {
            var line = "  \(seat.name.printable()) (seat \(seat.seat)) bets \(seat.bet): "
            if let insurance = seat.insurance { line += insurance.text + "; " }
            line += seat.hands.map(\.text).joined(separator: "; ")
            if seat.hands.count > 1 || seat.insurance != nil, ended != nil { line += "; in all \(signed(seat.net))" }
            lines.append(line)
        }
        lines.append("  dealer: \(dealerText)")
        return lines.joined(separator: "\n")
    }

    private var dealerText: String {
        var cards = dealer.map(\.symbols)
        if holeIsHidden { cards.insert("??", at: min(1, cards.count)) }
        guard !holeIsHidden, !dealer.isEmpty else { return cards.isEmpty ? "no card" : cards.joined(separator: " ") }
        let total = dealerValue.isTwoCard21 ? "blackjack" : dealerValue.isBust ? "bust" : "\(dealerValue.total)"
        return cards.joined(separator: " ") + ", " + total
    }
}

extension PlayedHand {
    fileprivate var text: String {
        let drawn = moves.compactMap(\.card).count
        var parts = [cards.prefix(cards.count - min(drawn, cards.count)).map(\.symbols).joined(separator: " ")]
        parts += moves.map(\.text)
        guard let settlement else { return parts.joined(separator: ", ") + ", open" }
        let outcome = settlement.outcome == .win || settlement.outcome == .lose || settlement.outcome == .push
        parts.append(outcome ? "\(settlement.outcome.word) with \(value.total)" : settlement.outcome.word)
        parts.append(signed(net))
        return parts.joined(separator: ", ")
    }
}

extension PlayedMove {
    fileprivate var text: String {
        let word =
            switch action {
            case .hit: "hits"
            case .stand: isDefault ? "stands by default" : "stands"
            case .double: "doubles for \(amount)"
            case .split: "splits"
            case .surrender: "surrenders"
            case .insurance: "insures"
            case .decline: "declines"
            case .evenMoney: "takes even money"
            }
        return card.map { "\(word) \($0.symbols)" } ?? word
    }
}

extension PlayedInsurance {
    fileprivate var text: String { "insures for \(stake)" + (paid.map { ", \(signed($0 &- stake))" } ?? "") }
}

extension Outcome {
    fileprivate var word: String {
        switch self {
        case .blackjack: "blackjack"
        case .win: "wins"
        case .push: "pushes"
        case .lose: "loses"
        case .bust: "busts"
        case .surrender: "surrendered"
        case .evenMoney: "even money"
        case .charlie: "charlie"
        }
    }
}

extension Card {
    /// `A♠`, `10♥`.
    var symbols: String { (rank == .ten ? "10" : String(rank.letter)) + String(suit.symbol) }
}

/// `+75`, `-10`, `0`.
func signed(_ chips: Int) -> String { chips > 0 ? "+\(chips)" : "\(chips)" }

extension PlayedRound {
    /// Appends the round as one line of JSON, its end included.
    public func encode(into bytes: inout [UInt8]) {
        JSONWriter.appendLine(to: &bytes) { writer in
            writer.required("table", table)
            writer.required("round", number)
            writer.required("shoe", shoe)
            writer.required("started", started)
            writer.optional("ended", ended)
            writer.flag("voided", isVoided)
            writer.required("sequence", Int(truncatingIfNeeded: place.sequence))
            writer.required("line", place.line)
            writer.key("dealer")
            writer.beginArray()
            for (index, card) in dealer.enumerated() {
                writer.string(card.description)
                if index == 0, holeIsHidden { writer.string("??") }
            }
            writer.endArray()
            writer.key("seats")
            writer.beginArray()
            for seat in seats { writer.write(seat) }
            writer.endArray()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ seat: PlayedSeat) {
        beginObject()
        required("seat", seat.seat)
        required("account", seat.player)
        required("name", seat.name)
        required("bet", seat.bet)
        if let insurance = seat.insurance {
            key("insurance")
            beginObject()
            required("stake", insurance.stake)
            optional("paid", insurance.paid)
            endObject()
        }
        key("hands")
        beginArray()
        for hand in seat.hands { write(hand) }
        endArray()
        required("net", seat.net)
        endObject()
    }

    private mutating func write(_ hand: PlayedHand) {
        beginObject()
        required("cards", hand.cards)
        key("moves")
        beginArray()
        for move in hand.moves {
            beginObject()
            required("action", move.action)
            optional("amount", move.amount, absent: 0)
            optional("card", move.card)
            flag("default", move.isDefault)
            endObject()
        }
        endArray()
        required("stake", hand.stake)
        if let settlement = hand.settlement {
            required("outcome", settlement.outcome)
            required("paid", settlement.paid)
            required("net", hand.net)
        }
        endObject()
    }
}

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
        case .opened(let name, _, _, _, _), .gone(let name, _): tables[name] = nil
        // No card is dealt.
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
        // Of the round in play, if at all.
        default: table.round?.add(fact)
        }
    }

    /// Whether the settlements at the end of these facts follow from no play: the round was voided.
    private static func isVoided(_ facts: ArraySlice<Fact>) -> Bool {
        let before = facts.last { fact in
            switch fact {
            case .settled, .insuranceSettled: false
            // Play, which a settlement may follow.
            default: !fact.isOfCeremony
            }
        }
        return switch before {
        case nil, .turnStarted, .insuranceOffered, .earlySurrenderOffered, .postponed: true
        // An answer or a card, after which hands are settled.
        default: false
        }
    }

    private static func live(_ name: String, _ saved: SavedTable) -> LiveTable {
        let table = saved.table.saved
        let (shoe, dealer) = (table.core.shoe, table.core.dealer)
        var live = LiveTable()
        live.shoe = shoe.number
        for seat in table.seats {
            if let player = table.players.first(where: { $0.slot == seat.state.player })?.state {
                live.players[seat.seat + 1] = (player.id, player.profile.name)
            }
            if seat.state.bet > 0 { live.bets[seat.seat + 1] = seat.state.bet }
        }
        switch table.core.stage {
        case .waiting, .betting, .settled, .closed: return live
        default: break
        }
        let seats = table.seats.filter { !$0.hands.isEmpty }.map { saved in
            let seat = saved.state
            let player = live.players[saved.seat + 1] ?? (seat.owner, PlayedSeat.unknownName)
            let hands = saved.hands.map { hand in
                PlayedHand(
                    cards: hand.ids.map { shoe[$0] }, stake: hand.stake, isSplit: hand.origin != .dealt,
                    settlement: hand.state == .settled ? hand.settlement : nil)
            }
            let insurance = PlayedInsurance(stake: seat.insurance, paid: seat.insuranceIsSettled ? seat.insurancePaid : nil)
            return PlayedSeat(
                seat: saved.seat + 1, player: player.0, name: player.1, bet: seat.original, hands: hands,
                insurance: seat.insurance > 0 ? insurance : nil)
        }
        let shown = dealer.holeIsHidden ? dealer.ids.prefix(1) : dealer.ids[...]
        live.round = PlayedRound(
            table: name, number: table.core.round, shoe: shoe.number, started: saved.time,
            place: RecordPlace(sequence: 0, line: 0), seats: seats, dealer: shown.map { shoe[$0] },
            holeIsHidden: dealer.holeIsHidden)
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
        // Not part of the story of a hand.
        case .sat, .left, .leaving, .satOut, .satIn, .disconnected, .away, .reconnected, .released, .idling, .charged,
            .shoeSupplied, .shuffled, .burned, .reshuffled, .declared, .ceremoniesBegan, .ceremonyOpened, .contributed, .listDue,
            .listClosed, .revealed, .attemptVoided, .secretRevealed, .bettingOpened, .betPlaced, .bettingAbandoned, .roundStarted,
            .earlySurrenderOffered, .insuranceOffered, .declined, .peeked, .turnStarted, .roundEnded, .cleared, .closing, .closed,
            .postponed:
            break
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
