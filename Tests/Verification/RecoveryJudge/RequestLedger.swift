import TableModel
import Wire

/// One player's bets and decisions as they were sent and answered, to hold tables against: however often a request comes, it has its effect
/// once.
///
/// A bet names its round and a decision its turn, so bytes alone show a second effect: two answers `ok` for one turn of a seat, more
/// decisions at a seat than requests with a turn of the round were sent for it, a bet that was never sent for its round.
struct RequestLedger: Sendable {
    private struct Place: Hashable {
        var table: String
        var seat: Int
        /// The round in which a bet is made; 0 for decisions.
        var round = 0
    }

    /// A revision from which on a table shows the effect of a request.
    private struct Effect {
        var epoch: String
        var revision: Int

        /// Whether a table is certainly not older. Epochs are compared by their order of showing.
        func precedes(_ epoch: String, _ revision: Int) -> Bool { self.epoch != epoch || self.revision <= revision }
    }

    private struct Bets {
        var sent: Set<Int> = []
        /// The last amount that was taken, with those that were sent behind it; nil while any may have been.
        var taken: (amount: Int, later: Set<Int>, since: Effect)?

        func fits(_ amount: Int, _ epoch: String, _ revision: Int) -> Bool {
            guard let taken, taken.since.precedes(epoch, revision) else { return sent.contains(amount) }
            return taken.amount == amount || taken.later.contains(amount)
        }
    }

    /// The turns of a seat in requests, each with the revision of its effect, if known.
    private struct Turns {
        var sent: Set<Int> = []
        var carriedOut: [Int: Effect?] = [:]
        static let most = 64
    }

    private var bets: [Place: Bets] = [:]
    private var turns: [Place: Turns] = [:]

    // MARK: Requests

    /// A request was sent or resent.
    /// - Parameter seats: the player's: a request that names none means the only one.
    mutating func sent(_ message: ClientMessage, at table: String, seats: Set<Int>) {
        switch message {
        case .bet(let amount, let seat, let round):
            guard let seat = seat ?? seats.min() else { return }
            let place = Place(table: table, seat: seat, round: round)
            bets[place, default: Bets()].sent.insert(amount)
            bets[place]?.taken?.later.insert(amount)
        case .act(_, let seat, _, _, let turn):
            guard let seat = seat ?? seats.min() else { return }
            turns[Place(table: table, seat: seat), default: Turns()].sent.insert(turn)
        // Bets go back.
        case .sitOut(true), .leave: retract()
        // No bet and no decision.
        case .login, .available, .lobby, .standings, .rules, .chart, .value, .sit, .watch, .sitOut, .logout, .commit, .reveal,
            .proof, .chat, .history, .kick, .pass, .pause, .match, .options, .ping:
            break
        }
    }

    /// Bets may have gone back without a word, as those of a player who was removed.
    mutating func retract() { for place in bets.keys { bets[place]?.taken = nil } }

    /// - Parameters:
    ///   - revision: the one that shows the effect, with the epoch of its table; nil for one that is not known.
    ///   - later: the requests behind it, without an answer.
    /// - Returns: the second effect in words, or nil.
    mutating func carriedOut(
        _ message: ClientMessage, at table: String, seats: Set<Int>, _ revision: (epoch: String, number: Int)?,
        later: [ClientMessage]
    ) -> String? {
        let effect = revision.map { Effect(epoch: $0.epoch, revision: $0.number) }
        switch message {
        case .bet(let amount, let named, let round):
            guard let seat = named ?? seats.min() else { break }
            let amounts = later.compactMap { if case .bet(let amount, named, round) = $0 { amount } else { nil } }
            bets[Place(table: table, seat: seat, round: round)]?.taken = effect.map { (amount, Set(amounts), $0) }
            if later.contains(where: { [.sitOut(), .leave, .logout].contains($0) }) { retract() }
        case .act(_, let named, _, _, let turn):
            guard let seat = named ?? seats.min() else { break }
            let place = Place(table: table, seat: seat)
            let former = turns[place]?.carriedOut.updateValue(effect, forKey: turn)
            if former != nil { return "turn \(turn) of seat \(seat) was answered" }
        case .sitOut(true), .leave: retract()
        // No bet and no decision: see `sent`.
        default: break
        }
        return nil
    }

    /// A new table of this name was opened.
    mutating func forget(_ table: String) {
        bets = bets.filter { $0.key.table != table }
        turns = turns.filter { $0.key.table != table }
    }

    // MARK: Tables

    /// Compares a seat of the player's with what was sent and answered.
    /// - Parameters:
    ///   - turn: the last that was asked in a former round.
    ///   - isStrict: whether tables are shown in the order in which they were.
    /// - Returns: each contradiction, as expected and received.
    mutating func contradictions(
        _ facts: TableFacts, seat: Int, _ view: PlayerMemory.View, since turn: Int, isStrict: Bool
    ) -> [(told: String, came: String)] {
        var found: [(told: String, came: String)] = []
        let (hands, round) = (facts.seats[seat].hands, facts.round)
        let isOpen = facts.phase == .waiting || facts.phase == .betting
        let known = bets[Place(table: view.table, seat: seat, round: isOpen ? round : round - 1)] ?? Bets()
        // A double adds to a bet, at most as much again.
        let amounts = known.sent.filter { known.fits($0, view.epoch, view.revision) || !isStrict }
        let isSent = amounts.contains { amount in
            hands.allSatisfy { (amount...(isOpen ? amount : 2 * amount)).contains($0.bet) }
        }
        if !hands.isEmpty, !isSent {
            found.append(
                ("bets of \(amounts.sorted()) on seat \(seat) for round \(round)", hands.map(\.text).joined(separator: ", ")))
        }
        if isOpen, hands.isEmpty, isStrict, let taken = known.taken, taken.amount > 0, !taken.later.contains(0),
            taken.since.precedes(view.epoch, view.revision), [.here, .away].contains(facts.seats[seat].player?.presence)
        {
            found.append(("a bet of \(taken.amount) on seat \(seat) was taken for round \(round)", "none"))
        }
        guard !isOpen else { return found }
        let answered = turns[Place(table: view.table, seat: seat)] ?? Turns()
        let count = answered.sent.count { $0 > turn }
        let drawn = hands.reduce(max(0, hands.count - 1)) { $0 + max(0, $1.ids.count - 2) }
        let others = (facts.seats[seat].insurance > 0 ? 1 : 0) + hands.count { $0.result?.outcome == .surrender }
        if drawn + others > count {
            found.append(("\(count) turns of seat \(seat) answered in round \(round)", "\(drawn + others) decisions"))
        }
        if isStrict, let turn = facts.seats[seat].choice?.turn, let effect = answered.carriedOut[turn] ?? nil,
            effect.precedes(view.epoch, view.revision)
        {
            found.append(("turn \(turn) of seat \(seat) is answered", "it is asked"))
        }
        bets = bets.filter { $0.key.table != view.table || $0.key.round >= round - 1 }
        for (place, known) in turns where known.sent.count > Turns.most {
            guard let first = known.sent.min() else { continue }
            turns[place]?.sent.remove(first)
            turns[place]?.carriedOut[first] = nil
        }
        return found
    }
}
