import Rules

/// Decides for players: bots, practice, simulation.
public protocol Strategy {
    /// One of `decision.legal`.
    mutating func decide(_ decision: Decision) -> Action
}

extension StrategyChart: Strategy {
    @inlinable
    public func decide(_ decision: Decision) -> Action {
        action(value: decision.value, pair: decision.pair, upCard: decision.upCard, legal: decision.legal)
    }
}

extension Table {
    /// Plays one whole round by a strategy: `bet` on every seat, then whatever is asked, until the round is settled.
    ///
    /// It is just what the commands `bet` and `act` would do, checked alike, without the cost of a command each.
    /// - Throws: what the first refused command would throw; what was done before it stays done.
    @specialized(where Player == StrategyChart, Sink == RoundTally)
    public mutating func playRound<Player: Strategy, Sink: FactSink>(
        bet: Int, by player: inout Player, at now: Moment, into sink: inout Sink
    ) throws(Rejection) {
        own()
        try state.playRound(bet: bet, by: &player, now, &sink)
    }
}

extension TableState {
    func playRound<Player: Strategy, Sink: FactSink>(
        bet: Int, by player: inout Player, _ now: Moment, _ sink: inout Sink
    ) throws(Rejection) {
        advance(to: now, into: &sink)
        for place in present {
            for seat in players[place].seats {
                try checkStake(bet, place, seat)
                setBet(seat, bet, now, &sink)
            }
        }
        closeBetsIfComplete(now, &sink)
        while true {
            switch phase {
            case .playing(let seat, let hand, _):
                let action = player.decide(decision(seat - 1, hand, legal: turnActions))
                let amount = try checkTurn(action, HandID(seat: seat, hand: hand), nil)
                act(action, Move(seat: seat - 1, hand: hand, amount: amount), now, &sink)
            case .insurance, .earlySurrender:
                for seat in playing where seats[seat].question == .open {
                    let decision = decision(seat, 0, legal: answers(seat))
                    let action = player.decide(decision)
                    let move = try checkAct(decision.player, action, seat: seat + 1, hand: 0, amount: nil)
                    act(action, move, now, &sink)
                }
            default: return
            }
        }
    }

    @inline(__always)
    func decision(_ seat: Int, _ hand: Int, legal: ActionSet) -> Decision {
        let place = TableState.place(seat, hand)
        return Decision(
            hand: HandID(seat: seat + 1, hand: hand), player: players[seats[seat].player].id, value: hands[place].value,
            pair: isPair(place) ? hands[place].first.points : nil, upCard: dealer.upCard, legal: legal)
    }
}
