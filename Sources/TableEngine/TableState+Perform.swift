import Rules

extension TableState {
    func perform<Sink: FactSink>(
        _ command: Command, at now: Moment, into sink: inout Sink
    ) throws(Rejection) {
        // Before the time-outs, which it puts off.
        if case .postpone(let milliseconds) = command { try postpone(milliseconds, &sink) }
        advance(to: now, into: &sink)
        switch command {
        case .act(let player, let action, let seat, let hand, let amount, let turn):
            let move = try checkAct(player, action, seat: seat, hand: hand, amount: amount, turn: turn)
            act(action, move, now, &sink)
        case .bet(let player, let seat, let amount, let round):
            let target = try checkBet(player, seat: seat, amount: amount, round: round)
            placeBet(target, amount, now, &sink)
        case .tick, .postpone: break
        case .supplyShoe(let source):
            try checkSupply()
            emit(.shoeSupplied(source), into: &sink)
            closeBetsIfComplete(now, &sink)
        default:
            try performAtSeats(command, now, &sink)
        }
    }

    private func performAtSeats<Sink: FactSink>(
        _ command: Command, _ now: Moment, _ sink: inout Sink
    ) throws(Rejection) {
        switch command {
        case .sit(let player, let profile, let seat, let chips):
            let seat = try checkSit(player, seat: seat, chips: chips)
            emit(.sat(player: player, profile: profile, seat: seat + 1, chips: chips), into: &sink)
            restartIdling(now, &sink)
        case .leave(let player):
            leave(try checkLeave(player), now, &sink)
        case .sitOut(let player):
            let slot = try checkSitOut(player)
            sitOut(slot, now, &sink)
            returnBets(of: slot, now, &sink)
            // The seat timer may have expired while the player sat in without playing.
            advance(to: now, into: &sink)
        case .sitIn(let player):
            try checkSitIn(player)
            emit(.satIn(player: player), into: &sink)
            restartIdling(now, &sink)
        case .disconnected(let player):
            try checkDisconnected(player)
            disconnect(player, now, &sink)
        case .reconnected(let player):
            try checkReconnected(player)
            reconnect(player, now, &sink)
        case .release(let player):
            release(try checkRelease(player), now, &sink)
        case .close(let notice):
            try checkClose(notice)
            close(notice, now, &sink)
        case .void: void(now, &sink)
        case .act, .bet, .tick, .supplyShoe, .postpone:
            preconditionFailure("handled by perform")
        }
    }

    /// Throws the rejection of `perform`, without any effect.
    func check(_ command: Command) throws(Rejection) {
        switch command {
        case .sit(let player, _, let seat, let chips): _ = try checkSit(player, seat: seat, chips: chips)
        case .leave(let player): _ = try checkLeave(player)
        case .bet(let player, let seat, let amount, let round):
            _ = try checkBet(player, seat: seat, amount: amount, round: round)
        case .act(let player, let action, let seat, let hand, let amount, let turn):
            _ = try checkAct(player, action, seat: seat, hand: hand, amount: amount, turn: turn)
        case .sitOut(let player): _ = try checkSitOut(player)
        case .sitIn(let player): try checkSitIn(player)
        case .disconnected(let player): try checkDisconnected(player)
        case .reconnected(let player): try checkReconnected(player)
        case .release(let player): _ = try checkRelease(player)
        case .supplyShoe: try checkSupply()
        case .postpone: try checkOpen()
        case .tick, .void: break
        case .close(let notice): try checkClose(notice)
        }
    }
}
