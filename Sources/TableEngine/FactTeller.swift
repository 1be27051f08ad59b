import TableModel

/// Converts a table's facts into public facts, which contain nothing that viewers may not know yet.
///
/// Answers to an offer to all players (early surrender, insurance) are held back until all have answered. A lost connection becomes public
/// after its grace period. Facts about ceremonies are never public.
package struct FactTeller: Sendable {
    private struct Person {
        let name: String
        var isAway: Bool
    }

    private enum Offer { case surrender, insurance }

    /// Names outlive a player's seat.
    private var people: [PlayerID: Person] = [:]
    private var offer: Offer?
    /// Answers to the open offer.
    private var held: [PublicFact] = []
    /// The public facts since ``clear()``.
    package private(set) var facts: [PublicFact] = []

    /// Converts the facts that follow the table's present state.
    package init(_ table: Table) {
        for player in table.playerViews {
            people[player.id] = Person(name: player.profile.name, isAway: player.isAway)
        }
        switch table.phase {
        case .earlySurrender: offer = .surrender
        case .insurance: offer = .insurance
        default: break
        }
    }

    /// The facts were sent.
    package mutating func clear() { facts.removeAll(keepingCapacity: true) }

    /// - Parameter asker: the player whose own request to sit out caused the facts.
    package mutating func note(_ facts: [Fact], sittingOut asker: PlayerID?) {
        for fact in facts {
            if case .satOut(asker, _) = fact { tell(asker, .satOut) } else { note(fact) }
        }
    }

    private mutating func note(_ fact: Fact) {
        switch fact {
        case .sat(let player, let profile, let seat, _):
            people[player] = Person(name: profile.name, isAway: false)
            facts.append(.sat(player: profile.name, seat: seat))
        case .left(let player, _):
            tell(player, .left)
            people[player] = nil
        case .leaving(let player): tell(player, .leaving)
        case .satOut(let player, _): tell(player, .idled)
        case .satIn(let player): tell(player, .satIn)
        case .away(let player):
            people[player]?.isAway = true
            tell(player, .away)
        case .reconnected(let player):
            guard people[player]?.isAway == true else { return }
            people[player]?.isAway = false
            tell(player, .back)
        case .betPlaced(let seat, let amount): tell(seat, amount == 0 ? .betReturned : .bet)
        case .shuffled: facts.append(.table(.shuffled))
        case .reshuffled: facts.append(.table(.reshuffled))
        case .roundStarted: facts.append(.table(.round))
        case .dealt(let card, _, _, _), .dealtToDealer(let card, _): play(.card(Int(card.rawValue), .dealt))
        case .holeDealt(let card): play(.card(Int(card.rawValue), .dealtFaceDown))
        case .holeRevealed(let card, _): play(.card(Int(card.rawValue), .turned))
        case .earlySurrenderOffered: offer = .surrender
        case .insuranceOffered:
            closeOffer()
            offer = .insurance
        case .insured(let seat, _): answer(seat, .insured)
        case .declined(let seat, let timedOut):
            if timedOut { answer(seat, .timedOut) }
            answer(seat, offer == .surrender ? .playedOn : .declined)
        case .surrendered(let seat): answer(seat, .surrendered)
        // If it answers an offer, other players may not have answered yet.
        case .settled(let seat, _, .evenMoney, _, _), .settled(let seat, _, .surrender, _, _): answer(seat, .settled)
        case .peeked: play(.table(.peeked))
        case .insuranceSettled(let seat, let stake, let paid):
            // A voided round returns the stake.
            if paid != stake { play(.hand(.first(ofSeat: seat), paid > stake ? .insuranceWon : .insuranceLost)) }
        case .turnStarted: closeOffer()
        case .hit(let seat, let hand): play(.hand(.of(seat, hand), .hit))
        case .doubled(let seat, let hand, _): play(.hand(.of(seat, hand), .doubled))
        case .split(let seat, let hand, _): play(.hand(.of(seat, hand), .split))
        case .stood(_, _, .automatic): break
        case .stood(let seat, let hand, let reason):
            if reason == .timedOut { play(.hand(.of(seat, hand), .timedOut)) }
            play(.hand(.of(seat, hand), .stood))
        case .settled(let seat, let hand, _, _, _): play(.hand(.of(seat, hand), .settled))
        case .roundEnded: play(.table(.ended))
        // Seen by nobody, or seen in the facts around it.
        case .disconnected, .released, .idling, .charged, .shoeSupplied, .burned, .declared, .ceremoniesBegan, .ceremonyOpened,
            .contributed, .listDue, .listClosed, .revealed, .attemptVoided, .secretRevealed, .bettingOpened, .bettingAbandoned,
            .evenMoneyTaken, .cleared, .closing, .closed, .postponed:
            break
        }
    }

    private mutating func tell(_ player: PlayerID?, _ word: PublicFact.OfPlayer) {
        if let player, let person = people[player] { facts.append(.player(person.name, word)) }
    }

    private mutating func tell(_ seat: Int, _ word: PublicFact.OfHand) { facts.append(.hand(.first(ofSeat: seat), word)) }

    /// Adds a fact that is possible only after all have answered, so the held answers precede it.
    private mutating func play(_ fact: PublicFact) {
        closeOffer()
        facts.append(fact)
    }

    private mutating func answer(_ seat: Int, _ word: PublicFact.OfHand) {
        if offer == nil { tell(seat, word) } else { held.append(.hand(.first(ofSeat: seat), word)) }
    }

    private mutating func closeOffer() {
        facts += held
        held.removeAll(keepingCapacity: true)
        offer = nil
    }
}

extension HandIdentifier {
    /// - Parameter hand: from 0.
    fileprivate static func of(_ seat: Int, _ hand: Int) -> Self { Self(seat: seat, number: hand + 1) }

    fileprivate static func first(ofSeat seat: Int) -> Self { Self(seat: seat, number: 1) }
}
