import Rules
import TableEngine
import Wire

/// A round in words. A card that was not shown is `??`, a seat's moves follow its first two cards.
extension PlayedRound: CustomStringConvertible {
    /// Several lines, without an end after the last:
    ///
    ///     round 12 at low-3, 2026-11-22 14:03 UTC
    ///       ann (seat 2) bets 50: A♠ K♥, blackjack, +75
    ///       dealer: 10♦ 7♣, 17
    public var description: String {
        let state = ended == nil ? ", in play" : isVoided ? ", voided" : ""
        var lines = ["round \(number) at \(visible(table)), \(UniversalTime.minutes(started)) UTC\(state)"]
        for seat in seats {
            var line = "  \(visible(seat.name)) (seat \(seat.seat)) bets \(seat.bet): "
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

/// Text from a client, for a terminal: control characters replaced.
func visible(_ text: String) -> String {
    String(
        String.UnicodeScalarView(
            text.unicodeScalars.map { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) ? "?" : $0 }))
}

extension PlayedRound {
    /// Appends the round as one line of JSON, its end included.
    public func encode(into bytes: inout [UInt8]) {
        JSONWriter.append(to: &bytes) { writer in
            writer.beginObject()
            writer.member("table", table)
            writer.member("round", number)
            writer.member("shoe", shoe)
            writer.member("started", started)
            if let ended { writer.member("ended", ended) }
            if isVoided { writer.member("voided", true) }
            writer.member("sequence", Int(truncatingIfNeeded: place.sequence))
            writer.member("line", place.line)
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
            writer.endObject()
            writer.newline()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ seat: PlayedSeat) {
        beginObject()
        member("seat", seat.seat)
        member("account", seat.player)
        member("name", seat.name)
        member("bet", seat.bet)
        if let insurance = seat.insurance {
            key("insurance")
            beginObject()
            member("stake", insurance.stake)
            if let paid = insurance.paid { member("paid", paid) }
            endObject()
        }
        key("hands")
        beginArray()
        for hand in seat.hands { write(hand) }
        endArray()
        member("net", seat.net)
        endObject()
    }

    private mutating func write(_ hand: PlayedHand) {
        beginObject()
        key("cards")
        beginArray()
        for card in hand.cards { string(card.description) }
        endArray()
        key("moves")
        beginArray()
        for move in hand.moves {
            beginObject()
            member("action", move.action.name)
            if move.amount != 0 { member("amount", move.amount) }
            if let card = move.card { member("card", card.description) }
            if move.isDefault { member("default", true) }
            endObject()
        }
        endArray()
        member("stake", hand.stake)
        if let settlement = hand.settlement {
            member("outcome", settlement.outcome.name)
            member("paid", settlement.paid)
            member("net", hand.net)
        }
        endObject()
    }
}
