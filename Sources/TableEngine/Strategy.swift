import Rules

/// Decides for players: bots, practice, simulation.
public protocol Strategy {
    /// One of `decision.legal`.
    mutating func decide(_ decision: Decision) -> Action
}

extension StrategyChart: Strategy {
    @inlinable @inline(__always)
    public func decide(_ decision: Decision) -> Action {
        action(value: decision.value, pair: decision.pair, upCard: decision.upCard, legal: decision.legal)
    }
}

extension Table {
    /// Plays one whole round by a strategy: `bet` on every seat, then whatever is asked, until the round is settled.
    ///
    /// It is just what the commands `bet` and `act` would do, checked alike, without the cost of a command each. Every player must be
    /// able to bet: commands would begin the round as soon as nobody is left who can.
    /// - Throws: what the first refused command would throw; what was done before it stays done.
    @specialized(where Player == StrategyChart, Sink == RoundTally)
    public mutating func playRound<Player: Strategy, Sink: FactSink>(
        bet: Int, by player: inout Player, at now: Moment, into sink: inout Sink
    ) throws(Rejection) {
        own()
        try state.playRound(bet: bet, isTaken: state.takes(bet: bet), by: &player, now, &sink)
    }
}

extension TableState {
    /// `isTaken`: the house takes bets of this much.
    @inline(always)
    func playRound<Player: Strategy, Sink: FactSink>(
        bet: Int, isTaken: Bool, by player: inout Player, _ now: Moment, _ sink: inout Sink
    ) throws(Rejection) {
        advance(to: now, into: &sink)
        for seat in taken {
            try checkStake(bet, seats[seat].player, seat, isTaken: isTaken)
            setBet(seat, bet, now, &sink)
        }
        closeBetsIfComplete(now, &sink)
        while true {
            switch stage {
            case .playing:
                let (seat, hand) = acting
                let action = player.decide(decision(seat, hand, legal: turnActions))
                let amount = try checkTurn(action, HandID(seat: seat &+ 1, hand: hand), nil)
                play(action, Move(seat: seat, hand: hand, amount: amount), now, &sink)
            case .insurance, .earlySurrender: try answerQuestion(by: &player, now, &sink)
            default: return
            }
        }
    }

    /// Answers what is asked of all, for every seat that has not answered.
    private func answerQuestion<Player: Strategy, Sink: FactSink>(
        by player: inout Player, _ now: Moment, _ sink: inout Sink
    ) throws(Rejection) {
        for seat in playing where seats[seat].question == .open {
            let decision = decision(seat, 0, legal: answers(seat))
            let action = player.decide(decision)
            let move = try checkAct(decision.player, action, seat: seat + 1, hand: 0, amount: nil, turn: turn)
            answer(action, move, now, &sink)
        }
    }

    @inline(always)
    func decision(_ seat: Int, _ hand: Int, legal: ActionSet) -> Decision {
        let place = TableState.place(seat, hand)
        let pair = hands[place].pairPoints
        return Decision(
            hand: HandID(seat: seat + 1, hand: hand), player: players[seats[seat].player].id, value: hands[place].value,
            pair: pair > 0 ? Int(pair) : nil, upCard: dealer.upCard, legal: legal)
    }
}
