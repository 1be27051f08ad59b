import Rules
import TableEngine
import Wire

/// An entry of an account's statement.
public struct StatementEntry: Equatable, Sendable, CustomStringConvertible {
    public enum Kind: Equatable, Sendable {
        /// The first chips.
        case opened
        case issued(IssueReason)
        /// The chips go back to the bank.
        case closed
        /// Chips go to a table; the player still owns them.
        case sat(table: String, seat: Int, chips: Int)
        /// Chips come back from a table.
        case left(table: String, chips: Int)
        /// A round's net over all seats of the player.
        case round(table: String, number: Int, isVoided: Bool)
    }

    /// In milliseconds since 1970.
    public var time: Int64
    public var place: RecordPlace
    public var kind: Kind
    /// By which the entry changes the balance, in chips.
    public var change: Int
    /// All chips that the player owns after the entry, those on tables included.
    public var balance: Int

    /// `2026-11-22 14:03:07  round 12 at low-3  +75  1075`.
    public var description: String {
        let text =
            switch kind {
            case .opened: "account opened"
            case .issued(.rebuy): "rebuy"
            case .issued(.credit): "credit"
            case .closed: "account closed"
            case .sat(let table, let seat, let chips): "sits at \(visible(table)), seat \(seat), with \(chips)"
            case .left(let table, let chips): "leaves \(visible(table)) with \(chips)"
            case .round(let table, let number, let isVoided):
                "round \(number) at \(visible(table))" + (isVoided ? ", voided" : "")
            }
        return "\(UniversalTime.text(time))  \(text)  \(signed(change))  \(balance)"
    }
}

/// Folds records into the statement of one account.
public struct Statement: Sendable {
    public let account: PlayerID
    /// All chips that the player owns, those on tables included. Bets count until they are settled.
    public private(set) var balance = 0
    var rounds: RoundHistory

    /// - Parameter state: that before the first record; nil for a journal from its start.
    public init(_ account: PlayerID, _ state: SavedState? = nil) {
        self.account = account
        rounds = RoundHistory(state)
        balance = state?.owned(rounds.unfinished)[account] ?? 0
    }

    /// Adds the next record.
    /// - Parameters:
    ///   - onRound: receives each round that ends with it, also those of others.
    ///   - body: receives each entry that it makes.
    public mutating func add(
        _ record: Record, at place: RecordPlace, onRound: (PlayedRound) -> Void = { _ in }, _ body: (StatementEntry) -> Void
    ) {
        var ended: [PlayedRound] = []
        rounds.add(record, at: place) { ended.append($0) }
        for round in ended { onRound(round) }
        switch record {
        case .account(account, _, _, _, let chips, let time): enter(.opened, chips, time, place, body)
        case .issued(account, let chips, let reason, let time): enter(.issued(reason), chips, time, place, body)
        case .closed(account, let time): enter(.closed, 0 &- balance, time, place, body)
        case .facts(let table, let time, let facts):
            for fact in facts {
                switch fact {
                case .sat(account, _, let seat, let chips):
                    enter(.sat(table: table, seat: seat, chips: chips), 0, time, place, body)
                case .left(account, let chips): enter(.left(table: table, chips: chips), 0, time, place, body)
                case .roundEnded:
                    guard !ended.isEmpty else { continue }
                    enter(ended.removeFirst(), time, place, body)
                default: break
                }
            }
        default: break
        }
    }

    private mutating func enter(
        _ round: PlayedRound, _ time: Int64, _ place: RecordPlace, _ body: (StatementEntry) -> Void
    ) {
        let mine = round.seats.filter { $0.player == account }
        guard !mine.isEmpty else { return }
        let kind = StatementEntry.Kind.round(table: round.table, number: round.number, isVoided: round.isVoided)
        enter(kind, mine.reduce(0) { $0 &+ $1.net }, time, place, body)
    }

    private mutating func enter(
        _ kind: StatementEntry.Kind, _ change: Int, _ time: Int64, _ place: RecordPlace, _ body: (StatementEntry) -> Void
    ) {
        balance &+= change
        body(StatementEntry(time: time, place: place, kind: kind, change: change, balance: balance))
    }
}

extension SavedState {
    /// All chips that each account owns, those on tables included, bets too.
    /// - Parameter unfinished: the rounds in play; parts that are settled count with the round, at its end.
    func owned(_ unfinished: [PlayedRound]) -> [PlayerID: Int] {
        var owned = accounts.mapValues(\.chips)
        for saved in tables.values {
            let table = saved.table.saved
            for player in table.players {
                owned[player.id, default: 0] &+= table.seats.filter { $0.slot == player.slot }.reduce(player.chips) { sum, seat in
                    let hands = seat.hands.filter { $0.state != .settled }.reduce(0) { $0 &+ $1.stake }
                    return sum &+ seat.bet &+ hands &+ (seat.insuranceIsSettled || seat.hands.isEmpty ? 0 : seat.insurance)
                }
            }
        }
        for seat in unfinished.flatMap(\.seats) { owned[seat.player, default: 0] &-= seat.net }
        return owned
    }
}
