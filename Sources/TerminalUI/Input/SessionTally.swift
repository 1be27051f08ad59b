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

    /// The last rounds, newest first.
    private(set) var rounds: [PastRound] = []
    /// Rounds kept.
    static let capacity = 20
    /// The bets of the round by seat, before any was doubled.
    private var bets: [Int: Int] = [:]

    /// Counts the player's hands that a change settles.
    /// - Parameter now: milliseconds since 1970.
    mutating func take(_ change: TableChange, me: String, at now: Int64) {
        bets.merge(change.openBets(of: me)) { $1 }
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
        if isOver(change.new), isNewRound || !isOver(old), let round = PastRound(change, bets, me: me, at: now) {
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
