import ClientCore
import Rules
import TableModel
import Wire

/// The player's hands of a session. A value.
struct SessionTally: Equatable, Sendable {
    private(set) var hands = 0
    private var rounds = 0
    private(set) var won = 0
    private(set) var lost = 0
    private(set) var even = 0
    /// Chips won with one hand at most.
    private(set) var biggestWin = 0
    /// Chips, insurance included.
    private(set) var net = 0
    /// The player's last round that is over; nil before the first.
    private(set) var last: Round?
    private var blackjacks = 0
    /// Rounds won in a row.
    private var streak = 0
    /// Chips won in one round at most.
    private var bestRound = 0
    /// Chips after the last round.
    private var chips = -1
    /// The chips to come back to, and the fewest since.
    private var (full, least) = (0, 0)

    struct Round: Equatable, Sendable {
        let table: String
        let number: Int
        /// Chips, insurance included.
        let net: Int
        /// `20 against 19. You win 20.`
        let words: SafeText
        /// A remark about it; nil where nothing is remarkable.
        let remark: SafeText?
        /// Whether it is worth a longer beat before its result.
        let isBig: Bool
    }

    /// Counts the player's hands that a change settles.
    mutating func take(_ change: TableChange, me: String) {
        guard let old = change.old else { return }
        let (table, seats) = (change.new, change.settledSeats(of: me))
        let isNewRound = old.round?.number != table.round?.number
        let results = seats.flatMap { table.hands(ofSeat: $0) }.compactMap { hand in
            table.result(hand).map { (hand: hand, result: $0, net: $0.net, isNew: isNewRound || old.result(hand) == nil) }
        }
        if !results.isEmpty, results.allSatisfy(\.isNew) { rounds += 1 }
        for result in results where result.isNew { count(result.net) }
        guard isOver(table), isNewRound || !isOver(old), !results.isEmpty else { return }
        let insurance = seats.compactMap(table.insuranceNet).reduce(0, +)
        net += insurance
        let sum = results.reduce(insurance) { $0 + $1.net }
        let hasBlackjack = results.contains { $0.result.outcome == .blackjack }
        let hasFour = results.contains { $0.hand.number == 4 }
        let isBest = hands >= 5 && sum > bestRound
        let remark = remark(sum, seats.first.flatMap(table.player)?.chips ?? 0, hasBlackjack, hasFour, isBest: isBest)
        bestRound = max(bestRound, sum)
        last = Round(
            table: change.table, number: table.round?.number ?? 0, net: sum,
            words: Round.words(table, seats: seats, net: sum), remark: remark,
            isBig: hasBlackjack || hasFour || isBest)
    }

    /// Counts a round, and says what is remarkable about it.
    private mutating func remark(_ net: Int, _ now: Int, _ isBlackjack: Bool, _ isFour: Bool, isBest: Bool) -> SafeText? {
        if isBlackjack { blackjacks += 1 }
        streak = net > 0 ? streak + 1 : net < 0 ? 0 : streak
        // New chips of the house, or another table's.
        if now - net != chips { (full, least) = (now - net, now - net) }
        (chips, least) = (now, min(least, now))
        let back = now >= full && 2 * least <= full ? least : nil
        if now >= full { (full, least) = (now, now) }
        if isFour { return "Four hands from one." }
        if isBlackjack, blackjacks > 1 { return "Your \(Wording.ordinal(blackjacks)) blackjack today." }
        if let back { return "Back from \(back) chips." }
        if isBest { return "Your biggest win today." }
        return streak >= 3 && net > 0 ? "Your \(Wording.ordinal(streak)) win in a row." : nil
    }

    private func isOver(_ table: TableSnapshot) -> Bool {
        table.round?.phase.isInPlay == false && !table.cards(in: .dealer).isEmpty
    }

    private mutating func count(_ chips: Int) {
        hands += 1
        net += chips
        if chips > 0 { won += 1 } else if chips < 0 { lost += 1 } else { even += 1 }
        biggestWin = max(biggestWin, chips)
    }

    /// `You played 12 hands in 11 rounds since you joined: 5 won, 6 lost, 1 push. Biggest win 25, net −15.`; nil before the first hand.
    var summary: SafeText? {
        guard hands > 0 else { return nil }
        let count: SafeText = hands == 1 ? "1 hand" : "\(hands) hands"
        let pushes: SafeText = even == 0 ? "" : even == 1 ? ", 1 push" : ", \(even) pushes"
        let biggest: SafeText = biggestWin > 0 ? "Biggest win \(biggestWin), net" : "Net"
        let rounds: SafeText = rounds == hands ? "" : rounds == 1 ? " in 1 round" : " in \(rounds) rounds"
        return
            "You played \(count)\(rounds) since you joined: \(won) won, \(lost) lost\(pushes). \(biggest) \(Wording.signed(net))."
    }
}

extension TableChange {
    /// Seats whose hands are the player's. One that was taken after the round has somebody else's; one that a closing table has just freed still
    /// has theirs.
    func settledSeats(of me: String) -> [Int] {
        (old?.seats(of: me) ?? []).filter { seat in new.player(seat).map { $0.name == me } ?? true }
    }
}

/// Makes the player's last bet again in each round. A value.
struct AutoBet: Sendable {
    enum Step: Equatable, Sendable {
        case send(ClientMessage)
        /// It turned itself off.
        case stop(SafeText)
    }

    var isOn: Bool
    /// The key that turns it on and off, or the word without a screen.
    private let control: SafeText
    private var last: (table: String, chips: Int)?
    /// The seats it has bet for in a round.
    private var done: (round: Int, seats: Set<Int>) = (-1, [])

    init(isOn: Bool, control: SafeText = "R") {
        (self.isOn, self.control) = (isOn, control)
    }

    /// The player's last bet at a table; nil for none, or for one elsewhere.
    func last(at table: String?) -> Int? { last?.table == table ? last?.chips : nil }

    /// - Parameter table: where the player is.
    func announcement(at table: String?) -> SafeText {
        let which: SafeText = last(at: table) == nil ? "next" : "last"
        return isOn ? "Rebet is on: your \(which) bet is repeated each round. \(control) turns it off." : "Rebet is off."
    }

    /// Notes the player's bets.
    mutating func take(_ change: TableChange, me: String) {
        if let chips = change.openBet(of: me) { last = (change.table, chips) }
    }

    /// The bet to make, once for each seat and round.
    /// - Parameter timedOut: whether the server has just decided for the player: then nobody is there to bet.
    mutating func next(in state: ClientState, timedOut: Bool) -> Step? {
        guard isOn else { return nil }
        if timedOut { return stop("Rebet is off: your time ran out. \(control) turns it on.") }
        guard state.link == .loggedIn, state.silentSince == nil, let snapshot = state.snapshot, let round = snapshot.round,
            round.phase.takesBets, let last, last.table == state.table
        else { return nil }
        if done.round != round.number { done = (round.number, []) }
        for seat in state.seats where !done.seats.contains(seat) && state.openBet(seat) == nil {
            guard let player = snapshot.player(seat), player.presence == .here else { continue }
            // A smaller bet than the last one would be the rest of the chips, which the player did not choose.
            guard player.chips >= last.chips else { return stop("Rebet is off: you don't have enough chips.") }
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

extension TableChange {
    /// A bet of the player that this change shows, before it can be doubled; the last seat's where there are several.
    func openBet(of me: String) -> Int? {
        new.seats(of: me).compactMap { seat in
            let hand = HandIdentifier(seat: seat, number: 1)
            let cards = new.cards(in: .hand(hand)).count
            // Reads the bet together with the first cards: the bet that a reconnect shows in mid-hand may be doubled.
            let isFresh = new.round?.number != old?.round?.number && new.hands(ofSeat: seat).count == 1
            return cards == 0 || cards == 2 && isFresh ? new.bet(hand) : nil
        }.last
    }

    /// Facts about the player's hands.
    func told(of me: String) -> [PublicFact.OfHand] {
        guard case .facts(let facts) = news else { return [] }
        return facts.compactMap { fact in
            guard case .hand(let hand, let word) = fact, new.player(hand.seat)?.name == me else { return nil }
            return word
        }
    }

    /// Whether a question to the player begins with this change; the next card of the same turn does not count.
    func beginsTurn(of me: String) -> Bool {
        let isAsked = { (table: TableSnapshot) in table.seats(of: me).contains { table.choice($0) != nil } }
        return isAsked(new) && !(old.map(isAsked) ?? false)
    }
}
