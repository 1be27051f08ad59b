import ClientCore
import Rules
import TableModel
import Wire

/// Tells the player's decisions from those that the server makes when the time is up. A value.
struct OwnTurns: Equatable, Sendable {
    private struct Turn: Hashable {
        let seat: Int?
        let number: Int
    }

    /// A decision that the server made.
    struct TimeOut: Equatable, Sendable {
        let seat: Int
        let action: Action
    }

    /// Decisions under way or taken, at most those of a few rounds.
    private var answered: [Turn] = []

    /// Whether the server has the player sit out unasked: the time to bet or to decide ran out.
    private(set) var isSatOut = false
    private var asksToSitOut = false

    /// Notes whether the player sits out, and by whose will.
    mutating func note(_ change: TableChange, me: String) {
        let isOut = { (table: TableSnapshot) in table.seats(of: me).contains { table.player($0)?.presence == .sittingOut } }
        guard isOut(change.new) else {
            isSatOut = false
            return
        }
        guard let old = change.old, !isOut(old), !old.seats(of: me).isEmpty else { return }
        (isSatOut, asksToSitOut) = (!asksToSitOut, false)
    }

    mutating func sent(_ message: ClientMessage) {
        if case .sitOut = message { asksToSitOut = true }
        guard case .act(_, let seat, _, _, let turn?) = message else { return }
        answered = (answered + [Turn(seat: seat, number: turn)]).suffix(64)
    }

    /// The server did not take it.
    mutating func refused(_ message: ClientMessage) {
        if case .sitOut = message { asksToSitOut = false }
        guard case .act(_, let seat, _, _, let turn?) = message else { return }
        answered.removeAll { $0 == Turn(seat: seat, number: turn) }
    }

    /// The player's questions that this change closes without an answer.
    func timeOuts(in change: TableChange, me: String) -> [TimeOut] {
        guard let old = change.old, change.new.round?.number == old.round?.number else { return [] }
        return old.seats(of: me).compactMap { seat in
            guard let choice = old.choice(seat), change.new.choice(seat)?.turn != choice.turn,
                change.new.player(seat)?.name == me, change.new.player(seat)?.presence != .leaving,
                change.new.bet(HandIdentifier(seat: seat, number: choice.hand)) != nil,
                !answered.contains(where: { $0.number == choice.turn && ($0.seat == nil || $0.seat == seat) })
            else { return nil }
            return TimeOut(seat: seat, action: choice.allows(.stand) ? .stand : .decline)
        }
    }
}
