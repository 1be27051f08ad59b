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
            if core.freeUntil < now { charge(seats[move.seat].player, now, &sink) }
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
        followCeremony(now, &sink)
    }

    private func performAtSeats<Sink: FactSink>(
        _ command: Command, _ now: Moment, _ sink: inout Sink
    ) throws(Rejection) {
        switch command {
        case .sit(let player, let profile, let seat, let chips):
            let seat = try checkSit(player, seat: seat, chips: chips)
            // With another seat before.
            if let slot = slot(of: player) { charge(slot, now, &sink) }
            emit(.sat(player: player, profile: profile, seat: seat + 1, chips: chips), into: &sink)
            startTime(of: seats[seat].player, now, &sink)
            restartIdling(for: seats[seat].player, now, &sink)
        case .leave(let player):
            leave(try checkLeave(player), now, &sink)
        case .sitOut(let player):
            let slot = try checkSitOut(player)
            sitOut(slot, now, &sink)
            returnBets(of: slot, now, &sink)
            // The seat timer may have expired while the player sat in without playing.
            advance(to: now, into: &sink)
        case .sitIn(let player):
            let slot = try checkSitIn(player)
            charge(slot, now, &sink)
            emit(.satIn(player: player), into: &sink)
            startTime(of: slot, now, &sink)
            restartIdling(for: slot, now, &sink)
        case .disconnected(let player):
            disconnect(try checkDisconnected(player), now, &sink)
        case .reconnected(let player):
            reconnect(try checkReconnected(player), now, &sink)
        case .release(let player):
            release(try checkRelease(player), now, &sink)
        case .close(let notice):
            try checkClose(notice)
            close(notice, now, &sink)
        case .void: void(now, &sink)
        case .beginCeremonies, .supplySecret, .declare, .commit, .reveal: try performCeremony(command, &sink)
        case .act, .bet, .tick, .supplyShoe, .postpone:
            preconditionFailure("handled by perform")
        }
    }

    private func performCeremony<Sink: FactSink>(_ command: Command, _ sink: inout Sink) throws(Rejection) {
        switch command {
        case .beginCeremonies(let table):
            try checkBegin()
            emit(.ceremoniesBegan(table: table), into: &sink)
        case .supplySecret(let secret):
            try checkSecret()
            emit(.ceremonyOpened(shoe: comingShoe, secret: secret), into: &sink)
        case .declare(let player, let contributes):
            let slot = try checkSeated(player)
            guard players[slot].profile.contributes != contributes else { return }
            emit(.declared(player: player, contributes: contributes), into: &sink)
        case .commit(let player, let name, let server, let contribution):
            guard try checkCommit(player, name, server: server, contribution) else { return }
            emit(.contributed(player: player, name: name, commitment: contribution), into: &sink)
        case .reveal(let player, let list, let contribution):
            guard try checkReveal(player, list: list, contribution) else { return }
            emit(.revealed(player: player, contribution: contribution), into: &sink)
        default: preconditionFailure("no command of a ceremony")
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
        case .sitIn(let player): _ = try checkSitIn(player)
        case .disconnected(let player): _ = try checkDisconnected(player)
        case .reconnected(let player): _ = try checkReconnected(player)
        case .release(let player): _ = try checkRelease(player)
        case .supplyShoe: try checkSupply()
        case .beginCeremonies: try checkBegin()
        case .supplySecret: try checkSecret()
        case .declare(let player, _): _ = try checkSeated(player)
        case .commit(let player, let name, let server, let contribution):
            _ = try checkCommit(player, name, server: server, contribution)
        case .reveal(let player, let list, let contribution): _ = try checkReveal(player, list: list, contribution)
        case .postpone: try checkOpen()
        case .tick, .void: break
        case .close(let notice): try checkClose(notice)
        }
    }
}
