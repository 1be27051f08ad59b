import Rules

extension TableState {
    var saved: Table.Saved {
        var saved = Table.Saved(rules: rules, pace: pace)
        saved.stage = core.stage
        saved.actingSeat = Int(core.actingSeat)
        saved.actingHand = Int(core.actingHand)
        saved.due = core.due.orNil
        saved.round = core.round
        saved.turn = core.turn
        saved.houseNet = core.houseNet
        saved.broughtIn = core.broughtIn
        saved.takenOut = core.takenOut
        saved.isClosing = core.isClosing
        saved.closing = core.closing
        saved.turnActions = core.turnActions
        saved.freeUntil = core.freeUntil.orNil
        saved.debts = debts.map { debt in
            var saved = Table.SavedDebt()
            (saved.player, saved.spent) = (debt.player, debt.spent)
            return saved
        }
        saved.idle = Int(core.idle.bits)
        saved.naturals = core.naturals
        saved.liveHands = core.liveHands
        saved.dealer = core.dealer.ids.map { Int($0.rawValue) }
        saved.holeIsHidden = core.dealer.holeIsHidden
        saved.shoe = core.shoe.saved
        saved.nextSource = core.nextSource
        saved.ceremonies = savedCeremonies
        saved.players = core.present.map { savedPlayer($0) }
        saved.seats = (0..<rules.seats).map { savedSeat($0) }.filter { seat in
            var blank = Table.SavedSeat()
            blank.seat = seat.seat
            return seat != blank
        }
        return saved
    }

    private func savedPlayer(_ slot: Int) -> Table.SavedPlayer {
        let player = players[slot]
        var saved = Table.SavedPlayer()
        saved.slot = slot
        saved.id = player.id
        saved.name = player.profile.name
        saved.isBot = player.profile.isBot
        saved.contributes = player.profile.contributes
        saved.chips = player.chips
        switch player.presence {
        case .connected: break
        case .cut(let until): saved.grace = until
        case .away: saved.isAway = true
        }
        saved.isSittingOut = player.isSittingOut
        saved.isLeaving = player.isLeaving
        saved.isReleased = player.isReleased
        saved.missedRounds = player.missedRounds
        saved.timeOuts = player.timeOuts
        saved.seatUntil = player.seatUntil.orNil
        saved.spent = player.spent
        saved.since = player.since.milliseconds > 0 ? player.since : nil
        return saved
    }

    private func savedSeat(_ index: Int) -> Table.SavedSeat {
        let seat = seats[index]
        var saved = Table.SavedSeat()
        saved.seat = index
        saved.slot = seat.player
        saved.bet = seat.bet
        saved.shoe = seat.shoe
        saved.owner = seat.owner
        saved.original = seat.original
        saved.question = Table.SavedSeat.Question(rawValue: seat.question.rawValue) ?? .notAsked
        saved.insurance = seat.insurance
        saved.insurancePaid = seat.insurancePaid
        saved.insuranceIsSettled = seat.insuranceIsSettled
        saved.hands = (0..<seat.handCount).map { savedHand(hand(index, $0).pointee) }
        return saved
    }

    private func savedHand(_ hand: Hand) -> Table.SavedHand {
        var saved = Table.SavedHand()
        saved.cards = hand.ids.map { Int($0.rawValue) }
        saved.stake = hand.stake
        saved.origin = hand.origin
        saved.isDoubled = hand.isDoubled
        saved.state = Table.SavedHand.State(rawValue: hand.state.rawValue) ?? .open
        saved.end = hand.end
        if hand.state == .settled { (saved.outcome, saved.paid) = (hand.settlement.outcome, hand.settlement.paid) }
        return saved
    }
}

extension Shoe {
    fileprivate var saved: Table.SavedShoe {
        var saved = Table.SavedShoe()
        saved.number = number
        saved.source = source
        saved.order = order
        saved.position = drawn
        saved.segment = segment
        saved.roundStart = roundStart
        saved.discardsStart = discardsStart
        return saved
    }
}

extension Moment {
    var orNil: Moment? { self == .never ? nil : self }
}
