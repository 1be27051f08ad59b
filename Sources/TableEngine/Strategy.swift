import Rules
import TableModel

/// A decision maker: bots, practice, simulation.
public protocol Strategy {
    /// - Returns: a member of `decision.legal`.
    mutating func decide(_ decision: Decision) -> Action
}

extension StrategyChart: Strategy {
    // Forced inlining: without, a round takes 6.6 % more instructions with one seat, 10.4 % with seven (bjbench engine).

    @inlinable @inline(__always)
    public func decide(_ decision: Decision) -> Action {
        action(value: decision.value, pair: decision.pair, upCard: decision.upCard, legal: decision.legal)
    }
}

extension Table {
    /// Plays one round: `bet` on every seat, then decisions by `player`, until the round is settled.
    ///
    /// Equivalent to the commands `bet` and `act`, with the same checks. Every player must be able to bet.
    ///
    /// - Throws: the rejection of the first refused command; earlier ones have taken effect.
    @specialized(where Player == StrategyChart, Sink == RoundTally)
    public mutating func playRound<Player: Strategy, Sink: FactSink>(
        bet: Int, by player: inout Player, at now: Timestamp, into sink: inout Sink
    ) throws(Rejection) {
        own()
        try state.playRound(bet: bet, by: &player, now, &sink)
    }
}

extension TableState {
    func playRound<Player: Strategy, Sink: FactSink>(
        bet: Int, by player: inout Player, _ now: Timestamp, _ sink: inout Sink
    ) throws(Rejection) {
        advance(to: now, into: &sink)
        for seat in core.taken {
            try checkStake(bet, seats[seat].player, seat)
            setBet(seat, bet, now, &sink)
        }
        closeBetsIfComplete(now, &sink)
        while true {
            switch core.stage {
            case .playing:
                let (seat, hand) = core.acting
                let action = player.decide(decision(seat, hand, legal: core.turnActions))
                let amount = try checkTurn(action, HandID(seat: seat &+ 1, hand: hand), nil)
                play(action, Move(seat: seat, hand: hand, amount: amount), now, &sink)
            case .insurance, .earlySurrender: try answerQuestion(by: &player, now, &sink)
            default: return
            }
        }
    }

    /// Answers for every seat that still has an open question.
    private func answerQuestion<Player: Strategy, Sink: FactSink>(
        by player: inout Player, _ now: Timestamp, _ sink: inout Sink
    ) throws(Rejection) {
        // The last answer may open the next question: that one begins with the first seat.
        let stage = core.stage
        for seat in core.playing where core.stage == stage && seats[seat].question == .open {
            let decision = decision(seat, 0, legal: answers(seat))
            let action = player.decide(decision)
            let move = try checkAct(decision.player, action, seat: seat + 1, hand: 0, amount: nil, turn: core.turn)
            answer(action, move, now, &sink)
        }
    }

    @inline(always)
    func decision(_ seat: Int, _ hand: Int, legal: ActionSet) -> Decision {
        let slot = TableState.handIndex(seat, hand)
        let pair = hands[slot].pairPoints
        return Decision(
            hand: HandID(seat: seat + 1, hand: hand), player: players[seats[seat].player].id, value: hands[slot].value,
            pair: pair > 0 ? Int(pair) : nil, upCard: core.dealer.upCard, legal: legal)
    }
}
