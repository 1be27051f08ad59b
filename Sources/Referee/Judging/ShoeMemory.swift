import Rules
import TableModel

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
