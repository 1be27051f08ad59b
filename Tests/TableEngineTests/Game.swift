import Rules
import TableModel
import Testing

@testable import TableEngine

/// A table with a stacked shoe and short commands. After every command chips are conserved, its facts rebuild the table, and a saved table is
/// the same; a refusal has no effect.
struct Game {
    var table: Table
    var facts: [Fact] = []
    var now = Timestamp(milliseconds: 0)
    private let start: [Int: Int]

    /// A table whose shoe is in play, its next cards as given: first to each seat, the dealer's, second to each seat, the hole card.
    /// Every listed seat holds a player of the same number.
    init(
        _ changes: [(String, RuleValue)] = [], chips: [Int: Int] = [1: 1000], cards: String, pace: Int = 0,
        bank: Int = 86_400_000, owners: [Int: UInt32] = [:]
    ) throws {
        let house = try HouseRules([("betStep", .integer(1)), ("minimumBet", .integer(1))]).with(changes)
        table = Table(rules: house, pace: Pace(settledMilliseconds: pace, bankMilliseconds: bank))
        start = chips
        for (seat, amount) in chips.sorted(by: { $0.key < $1.key }) {
            try perform(
                .sit(
                    player: PlayerID(owners[seat] ?? UInt32(seat)), profile: PlayerProfile(name: "p\(seat)"), seat: seat,
                    chips: amount)
            )
        }
        try perform(.supplyShoe(.seeded(1)))
        stack(cards)
    }

    /// A table at which these bets are placed: the last one starts the round.
    static func dealt(
        _ changes: [(String, RuleValue)] = [], chips: [Int: Int] = [1: 1000], cards: String, pace: Int = 0,
        bank: Int = 86_400_000, owners: [Int: UInt32] = [:], bets: [Int: Int] = [1: 10]
    ) throws -> Game {
        var game = try Game(changes, chips: chips, cards: cards, pace: pace, bank: bank, owners: owners)
        try game.bet(bets)
        return game
    }

    /// Puts cards on top of the shoe, which counts as shuffled before.
    mutating func stack(_ cards: String) {
        let wanted = cards.split(separator: " ").map { text in
            guard let card = Card(String(text)) else { preconditionFailure("\(text) is no card") }
            return card
        }
        if table.state.core.shoe.number == 0 {
            table.state.core.shoe.shuffle(.seeded(99), number: 1)
            for seat in 0..<table.rules.seats where table.state.seats[seat].player >= 0 { table.state.seats[seat].shoe = 1 }
        }
        for (i, card) in wanted.enumerated() { table.state.core.shoe.order[table.state.core.shoe.drawn + i] = card }
    }

    mutating func perform(_ command: Command) throws(Rejection) {
        var sink = FactList()
        let refusal = table.performByTheLaws(command, at: now, into: &sink)
        facts += sink.facts
        if let refusal { throw refusal }
        if table.phase != .dealing { #expect((try? Table(table.saved)) == table, "not saved: \(command)") }
    }

    /// Bets for each seat, in seat order; the last bet starts the round.
    mutating func bet(_ amounts: [Int: Int] = [1: 10]) throws(Rejection) {
        for (seat, amount) in amounts.sorted(by: { $0.key < $1.key }) {
            try perform(.bet(player: owner(seat), seat: seat, amount: amount))
        }
    }

    mutating func act(_ action: Action, seat: Int = 1, hand: Int? = nil, amount: Int? = nil) throws(Rejection) {
        try perform(.act(player: owner(seat), action: action, seat: seat, hand: hand, amount: amount))
    }

    mutating func wait(_ seconds: Int) throws(Rejection) { try wait(milliseconds: 1000 * seconds) }

    mutating func wait(milliseconds: Int) throws(Rejection) {
        now = now.adding(milliseconds: milliseconds)
        try perform(.tick)
    }

    mutating func cut(_ player: UInt32) throws(Rejection) { try perform(.disconnected(player: PlayerID(player))) }
    mutating func comeBack(_ player: UInt32) throws(Rejection) { try perform(.reconnected(player: PlayerID(player))) }

    func owner(_ seat: Int) -> PlayerID { table.player(seat: seat) ?? PlayerID(UInt32(seat)) }

    /// Chips won or lost since the player sat down.
    func net(_ seat: Int = 1) -> Int { (table.bankroll(of: owner(seat)) ?? 0) - (start[seat] ?? 0) }

    var turn: HandID? {
        guard case .playing(let seat, let hand, _) = table.phase else { return nil }
        return HandID(seat: seat, hand: hand)
    }

    func legal(_ seat: Int = 1) -> [Action] { table.legal(seat) }

    func outcomes(_ seat: Int = 1) -> [Outcome?] {
        (0..<table.handCount(seat: seat)).map { table.settledHand(HandID(seat: seat, hand: $0))?.settlement.outcome }
    }

    var dealerCards: [String] { (0..<table.dealerCardCount).map { table.dealerCard($0).card?.description ?? "??" } }

    func hand(_ seat: Int = 1, _ hand: Int = 0) -> [String] {
        table.ids(seat, hand).map { table.state.core.shoe[$0].description }
    }
}

extension Table {
    /// Performs a command and checks the laws of every command: `validate` says the same; a refusal has no effect, save that time passes; each
    /// fact conserves chips, and the facts rebuild the table; an accepted action was listed as legal.
    /// - Parameter place: where in a test, for a failure.
    mutating func performByTheLaws(
        _ command: Command, at now: Timestamp, into sink: inout FactList, _ place: @autoclosure () -> String = ""
    ) -> Rejection? {
        let before = self
        var (ticked, replay, due, facts) = (before, before, FactList(), FactList())
        ticked.advance(to: now, into: &due)
        let verdict = Self.refusal { () throws(Rejection) in try before.validate(command, at: now) }
        let refusal = Self.refusal { () throws(Rejection) in try perform(command, at: now, into: &facts) }
        #expect(refusal == verdict, "validated otherwise: \(command), \(place())")
        if let refusal {
            #expect(self == ticked && facts == due && !refusal.message.isEmpty, "refused, yet changed: \(command), \(place())")
        } else if case .act(let player, let action, let seat, _, _, _) = command {
            let seats = seat.map { [$0] } ?? ticked.playerView(player)?.seats ?? []
            let isListed = seats.contains { (1...rules.seats).contains($0) && ticked.legal($0).contains(action) }
            #expect(isListed, "accepted, yet not listed: \(command), \(place())")
        }
        for fact in facts.facts {
            replay.apply(fact)
            let bankrolls = replay.playerViews.reduce(0) { $0 + $1.bankroll }
            let isConserved = bankrolls + replay.chipsAtStake + replay.houseNet == replay.broughtIn - replay.takenOut
            #expect(isConserved, "chips: \(command), \(place())")
        }
        #expect(replay == self, "not rebuilt: \(command), \(place())")
        sink.facts += facts.facts
        return refusal
    }

    static func refusal(_ body: () throws(Rejection) -> Void) -> Rejection? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }

    func legal(_ seat: Int) -> [Action] { legalActions(seat: seat).map(\.action) }

    /// The cards of a hand.
    func ids(_ seat: Int, _ hand: Int = 0) -> [CardID] { state.hands[TableState.handIndex(seat - 1, hand)].ids }
}
