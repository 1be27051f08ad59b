import Rules
import TableEngine

/// Describes facts in sentences, for people who read the protocol directly.
enum Note {
    static func sentences(_ facts: [Fact], _ table: HostedTable, _ accounts: [PlayerID: Account]) -> [String] {
        facts.compactMap { fact in sentence(fact, table, accounts) }
    }

    private static func sentence(_ fact: Fact, _ table: HostedTable, _ accounts: [PlayerID: Account]) -> String? {
        func player(_ id: PlayerID) -> String { accounts[id]?.name.text ?? "Somebody" }
        func who(_ seat: Int) -> String {
            table.engine.seatView(seat).player.map { "\(player($0)) (seat \(seat))" } ?? "Seat \(seat)"
        }
        switch fact {
        case .sat(let id, _, let seat, let chips): return "\(player(id)) sits down in seat \(seat) with \(chips) chips."
        case .left(let id, let chips): return "\(player(id)) leaves with \(chips) chips."
        case .satOut(let id, _): return "\(player(id)) sits out."
        case .satIn(let id): return "\(player(id)) plays again."
        case .away(let id): return "\(player(id)) has lost the connection."
        case .reconnected(let id): return "\(player(id)) is back."
        case .shuffled: return "The dealer shuffles."
        case .listClosed: return "The list of contributors to the next shoe is closed."
        case .attemptVoided(true): return "A contribution was withheld. The next shoe is made afresh."
        case .attemptVoided(false): return "A contributor got up. The next shoe is made afresh."
        case .bettingOpened: return "Place your bets."
        case .betPlaced(let seat, 0): return "\(who(seat)) takes the bet back."
        case .betPlaced(let seat, let amount): return "\(who(seat)) bets \(amount)."
        case .roundStarted(let round): return "Round \(round). No more bets."
        case .dealt(_, let card, let seat, _): return "\(who(seat)) gets \(card)."
        case .dealtToDealer(_, let card): return "The dealer gets \(card)."
        case .holeDealt: return "The dealer takes a card face down."
        case .insuranceOffered: return "The dealer shows an ace. Insurance?"
        case .earlySurrenderOffered: return "Surrender?"
        case .insured(let seat, let amount): return "\(who(seat)) insures for \(amount)."
        case .evenMoneyTaken(let seat): return "\(who(seat)) takes even money."
        case .turnStarted(let seat, let hand, let legal, _): return "\(who(seat)), hand \(hand + 1): \(legal)?"
        case .hit(let seat, _): return "\(who(seat)) hits."
        case .stood(let seat, _, .chosen): return "\(who(seat)) stands."
        case .stood(let seat, _, .timedOut): return "\(who(seat)) is out of time and stands."
        case .doubled(let seat, _, let added): return "\(who(seat)) doubles for \(added)."
        case .split(let seat, _, _): return "\(who(seat)) splits."
        case .surrendered(let seat): return "\(who(seat)) surrenders."
        case .holeRevealed(_, let card): return "The dealer turns \(card)."
        case .settled(let seat, let hand, let outcome, let stake, let paid):
            return "\(who(seat)), hand \(hand + 1): \(outcome.name), \(paid >= stake ? "+" : "")\(paid - stake)."
        case .closing: return "This is the last round here."
        case .closed: return "The table is closed."
        default: return nil
        }
    }
}
