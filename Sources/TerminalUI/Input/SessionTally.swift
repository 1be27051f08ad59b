import ClientCore
import Rules
import TableModel
import Wire

/// The player's hands of a session. A value.
struct SessionTally: Equatable, Sendable {
    private(set) var hands = 0
    private(set) var won = 0
    private(set) var lost = 0
    private(set) var even = 0
    /// Chips won with one hand at most.
    private(set) var biggestWin = 0
    /// Chips, insurance included.
    private(set) var net = 0
    /// First bets of the rounds that are over, by the digest of the table's rules; those of too many rules under no digest.
    private(set) var bets: [String: Int] = [:]

    /// The last rounds, newest first.
    private(set) var rounds: [PastRound] = []
    /// Sets of rules whose bets are counted apart.
    static let rulesLimit = 64
    /// Rounds kept.
    static let capacity = 20
    /// The bets of the round by seat, before any was doubled.
    private var openBets: [Int: Int] = [:]

    /// Counts the player's hands that a change settles.
    /// - Parameter now: milliseconds since 1970.
    mutating func take(_ change: TableChange, me: String, at now: Int64) {
        openBets.merge(change.openBets(of: me)) { $1 }
        guard let old = change.old else { return }
        let isNewRound = old.round?.number != change.new.round?.number
        for seat in change.settledSeats(of: me) {
            for hand in change.new.hands(ofSeat: seat) {
                guard let result = change.new.result(hand), isNewRound || old.result(hand) == nil else { continue }
                count(result.net)
            }
            if isOver(change.new), isNewRound || !isOver(old), let chips = change.new.insurance(seat) {
                net += change.new.insuranceNet(chips)
            }
        }
        if isOver(change.new), isNewRound || !isOver(old), let round = PastRound(change, openBets, me: me, at: now) {
            let digest = change.new.tableRules?.digest ?? ""
            let isKept = bets[digest] != nil || bets.count < Self.rulesLimit
            bets[isKept ? digest : "", default: 0] += round.seats.reduce(0) { $0 + $1.bet }
            rounds = [round] + rounds.prefix(Self.capacity - 1)
        }
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

    /// `You played 12 hands: 5 won, 6 lost, 1 push. Biggest win 25 chips, in all -15.`; nil before the first hand.
    var summary: SafeText? {
        guard hands > 0 else { return nil }
        let count: SafeText = hands == 1 ? "1 hand" : "\(hands) hands"
        let pushes: SafeText = even == 0 ? "" : even == 1 ? ", 1 push" : ", \(even) pushes"
        let biggest: SafeText = biggestWin > 0 ? "Biggest win \(biggestWin) chips, in all" : "In all"
        let sum: SafeText = net > 0 ? "+\(net)" : "\(net)"
        return "You played \(count): \(won) won, \(lost) lost\(pushes). \(biggest) \(sum) chips."
    }
}

extension PastRound {
    /// A round that a change has settled; nil without a hand of the player.
    /// - Parameters:
    ///   - bets: the first ones, by seat.
    ///   - now: milliseconds since 1970.
    fileprivate init?(_ change: TableChange, _ bets: [Int: Int], me: String, at now: Int64) {
        let table = change.new
        let seats = change.settledSeats(of: me).compactMap { Seat($0, bet: bets[$0] ?? 0, at: table) }
        guard !seats.isEmpty, let round = table.round?.number, let total = table.dealerTotal else { return nil }
        self.init(
            table: change.table, round: round, time: now, seats: seats, dealer: table.cards(in: .dealer), dealerTotal: total)
    }
}

extension PastRound.Seat {
    fileprivate init?(_ seat: Int, bet: Int, at table: TableSnapshot) {
        let hands = table.hands(ofSeat: seat).compactMap { hand -> PastRound.Hand? in
            guard let result = table.result(hand), let total = table.total(hand), let bet = table.bet(hand) else { return nil }
            return .init(cards: table.cards(in: .hand(hand)), total: total, bet: bet, result: result)
        }
        guard !hands.isEmpty else { return nil }
        let chips = table.insurance(seat)
        self.init(
            seat: seat, bet: bet, hands: hands,
            insurance: chips.map { .init(bet: $0, net: table.insuranceNet($0)) })
    }
}

extension TableChange {
    /// Seats whose hands are the player's. One that was taken after the round has somebody else's; one that a closing table has just freed still
    /// has theirs.
    fileprivate func settledSeats(of me: String) -> [Int] {
        (old?.seats(of: me) ?? []).filter { seat in new.player(seat).map { $0.name == me } ?? true }
    }
}

extension TableSnapshot {
    /// Insurance pays 2:1.
    fileprivate func insuranceNet(_ chips: Int) -> Int { dealerTotal == .blackjack ? 2 * chips : -chips }
}

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
        for seat in state.seats where !done.seats.contains(seat) && state.openBet(seat) == nil {
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

/// The chips of the player as last seen, to say what a server that starts without its data has lost. A value.
struct ChipMemory: Equatable, Sendable {
    private var house: String?
    /// Without those on the table; nil where unknown.
    private var chips: Int?
    /// Chips in bets and hands.
    private var stake = 0
    private var isInPlay = false
    /// The losses by a server that started anew, until the player is back at a table: its first messages would hide it.
    private var news: SafeText?

    /// All chips of the player; nil while a hand decides about them, and where unknown.
    var settled: Int? { isInPlay ? nil : chips.map { $0 + stake } }

    /// Applies an update of the client.
    /// - Returns: what has become of the chips, where the server has lost its players.
    mutating func take(_ update: ClientUpdate) -> SafeText? {
        let state = update.state
        switch update.event {
        case .reply(_, .login(let login)):
            if house != nil, house != state.hello?.house { news = restart(login.chips) }
            house = state.hello?.house
            if login.table == nil { (chips, stake, isInPlay) = (login.chips, 0, false) }
            return state.table == nil ? takeNews() : nil
        case .table:
            note(state)
            return state.player == nil ? nil : takeNews()
        case .leftTable, .reply(_, .applied("leave", _)): note(state)
        case .refused(let refusal) where refusal.type == "sit" || refusal.type == "watch": return takeNews()
        default: break
        }
        return nil
    }

    private mutating func takeNews() -> SafeText? {
        defer { news = nil }
        return news
    }

    private mutating func note(_ state: ClientState) {
        if let player = state.player {
            (chips, stake, isInPlay) = (player.chips, state.stakes.reduce(0, +), state.isInPlay)
        } else if isInPlay {
            // The hand is played without the player.
            (chips, stake, isInPlay) = (nil, 0, false)
        } else {
            (chips, stake) = (settled, 0)
        }
    }

    private func restart(_ now: Int) -> SafeText {
        let had = chips.map { $0 + stake }
        let before: SafeText = had == nil ? "" : had == now ? ", as before" : " again, and had \(had ?? 0)"
        let bet: SafeText = stake == 0 ? "" : isInPlay ? "; your hand is lost, bet \(stake)" : "; your bet of \(stake) is lost"
        return "The server started anew: you have \(now) chips\(before)\(bet)."
    }
}
