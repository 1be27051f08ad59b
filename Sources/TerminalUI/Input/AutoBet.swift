import ClientCore
import TableModel
import Wire

/// Makes the player's last bet again in each round. A value.
struct AutoBet: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        case send(ClientMessage)
        /// It turned itself off.
        case stop(SafeText)
    }

    private struct Bet: Equatable {
        let table: String
        let chips: Int
    }

    /// The seats it has bet for, and the round before that bet.
    private struct Done: Equatable {
        var round = -1
        var seats: Set<Int> = []
    }

    private(set) var isOn: Bool
    /// The key that turns it on and off, or the word without a screen.
    private let control: SafeText
    private var last: Bet?
    private var done = Done()

    init(isOn: Bool, control: SafeText = "R") {
        self.isOn = isOn
        self.control = control
    }

    /// The player's last bet at a table.
    func lastBet(at table: String?) -> Int? { last?.table == table ? last?.chips : nil }

    mutating func turn(_ isOn: Bool) { self.isOn = isOn }

    /// - Parameter table: where the player is.
    func announcement(at table: String?) -> SafeText {
        guard isOn else { return "Your bets are your own again." }
        guard last != nil, last?.table == table else {
            return "Your next bet is made again in each round after it: \(control) stops it."
        }
        return "Your last bet is made again in each round: \(control) stops it."
    }

    /// Notes the player's bets.
    mutating func take(_ change: TableChange, me: String) {
        if let chips = change.openBet(of: me) { last = Bet(table: change.table, chips: chips) }
    }

    /// The bet to make, once for each seat and round.
    /// - Parameter timedOut: whether the server has just decided for the player: then nobody is there to bet.
    mutating func next(in state: ClientState, timedOut: Bool) -> Step? {
        guard isOn else { return nil }
        if timedOut { return stop("The bet is not made again: your time ran out. \(control) goes on.") }
        guard state.link == .loggedIn, state.silentSince == nil, let snapshot = state.snapshot, let round = snapshot.round,
            round.phase.takesBets, let last, last.table == state.table
        else { return nil }
        if done.round != round.number { done = Done(round: round.number) }
        for seat in state.seats where !done.seats.contains(seat) && !snapshot.hasOpenBet(seat) {
            guard let player = snapshot.player(seat), player.presence == .here else { continue }
            guard player.chips >= last.chips else { return stop("The bet is not made again: you have not enough chips.") }
            done.seats.insert(seat)
            return .send(.bet(amount: last.chips, seat: seat, round: round.number))
        }
        return nil
    }

    private mutating func stop(_ reason: SafeText) -> Step {
        isOn = false
        return .stop(reason)
    }
}

extension TableSnapshot {
    /// Whether a seat has a bet for the next round.
    fileprivate func hasOpenBet(_ seat: Int) -> Bool {
        let hand = HandIdentifier(seat: seat, number: 1)
        return result(hand) == nil && bet(hand) != nil
    }
}

extension TableChange {
    /// A bet of the player that this change shows, before it can be doubled; the last seat's where there are several.
    func openBet(of me: String) -> Int? { openBets(of: me).max { $0.key < $1.key }?.value }

    /// The player's bets that this change shows, before they can be doubled, by seat.
    func openBets(of me: String) -> [Int: Int] {
        var bets: [Int: Int] = [:]
        for seat in new.seats(of: me) {
            let hand = HandIdentifier(seat: seat, number: 1)
            // Reads the bet together with the first cards: a later value may be doubled.
            let isFresh = new.cards(in: .hand(hand)).isEmpty || new.round?.number != old?.round?.number
            guard isFresh, let bet = new.bet(hand) else { continue }
            // A blackjack may come with its bet; a hand of two cards is not doubled.
            let isAsDealt = new.cards(in: .hand(hand)).count == 2 && new.hands(ofSeat: seat).count == 1
            if new.result(hand) == nil || isAsDealt { bets[seat] = bet }
        }
        return bets
    }

    /// Whether a question to the player begins with this change; the next card of the same turn does not count.
    func beginsTurn(of me: String) -> Bool {
        let isAsked = { (table: TableSnapshot) in table.seats(of: me).contains { table.choice($0) != nil } }
        return isAsked(new) && !(old.map(isAsked) ?? false)
    }
}
