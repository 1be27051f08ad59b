import Rules

/// The input of a decision: the hand asked, its player, and the legal actions.
@frozen
public struct Decision: Sendable {
    public var hand: HandID
    public var player: PlayerID
    public var value: HandValue
    /// Points of one card of the hand, if it is a pair.
    public var pair: Int?
    public var upCard: Rank
    public var legal: ActionSet
}

extension Table {
    /// The decision asked in phase `playing`; nil in every other phase.
    public var decision: Decision? {
        guard case .playing(let seat, let hand, _) = state.phase else { return nil }
        return state.decision(seat - 1, hand, legal: state.core.turnActions)
    }

    /// The question open to a seat, from 1; nil when it is not asked or has answered.
    public func question(seat: Int) -> Decision? {
        guard state.core.playing.contains(seat - 1), state.seats[seat - 1].question == .open else { return nil }
        return state.decision(seat - 1, 0, legal: state.answers(seat - 1))
    }

    /// The legal actions of a seat, from 1, with their costs; empty when the seat is not asked.
    public func legalActions(seat: Int) -> [LegalAction] {
        var actions: [LegalAction] = []
        forEachLegalAction(seat: seat) { actions.append(LegalAction(action: $0, cost: $1)) }
        return actions
    }

    /// Calls `body` with each action of ``legalActions(seat:)`` and its cost, without allocating.
    func forEachLegalAction(seat: Int, _ body: (Action, ClosedRange<Int>) -> Void) {
        if let decision, decision.hand.seat == seat {
            let situation = state.situation(seat - 1, decision.hand.hand)
            for action in decision.legal.inOrder {
                switch action {
                case .double: body(action, closed(state.rules.doubleAmounts(for: situation)))
                case .split: body(action, situation.bet...situation.bet)
                default: body(action, 0...0)
                }
            }
            return
        }
        guard let question = question(seat: seat) else { return }
        let chips = state.players[state.seats[seat - 1].player].chips
        let insurance = state.rules.insuranceAmounts(bet: state.seats[seat - 1].original, bankroll: chips)
        for action in question.legal.inOrder { body(action, action == .insurance ? closed(insurance) : 0...0) }
    }

    private func closed(_ range: Range<Int>) -> ClosedRange<Int> { range.lowerBound...range.upperBound - 1 }
}

extension ActionSet {
    /// The members in ascending order, without allocating.
    fileprivate struct InOrder: Sequence, IteratorProtocol {
        var rest: UInt8

        mutating func next() -> Action? {
            defer { rest &= rest &- 1 }
            return rest == 0 ? nil : Action(rawValue: UInt8(truncatingIfNeeded: rest.trailingZeroBitCount))
        }
    }

    fileprivate var inOrder: InOrder { InOrder(rest: rawValue) }
}
