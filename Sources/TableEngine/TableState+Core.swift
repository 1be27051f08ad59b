import Rules

/// The core's fields by their own names. Plain memory behind a `let`, so that the hot path pays for no check of exclusive access: a
/// table is changed by one call at a time, which `Table` sees to.
extension TableState {
    @inline(always)
    var stage: Stage {
        _read { yield core.pointee.stage }
        _modify { yield &core.pointee.stage }
    }

    /// The hand whose turn it is, its seat from 0; of use while `stage` is `playing`.
    @inline(always)
    var acting: (seat: Int, hand: Int) { (Int(core.pointee.actingSeat), Int(core.pointee.actingHand)) }

    @inline(always)
    var due: Moment {
        _read { yield core.pointee.due }
        _modify { yield &core.pointee.due }
    }

    @inline(always)
    var round: Int {
        _read { yield core.pointee.round }
        _modify { yield &core.pointee.round }
    }

    @inline(always)
    var turn: Int {
        _read { yield core.pointee.turn }
        _modify { yield &core.pointee.turn }
    }

    @inline(always)
    var houseNet: Int {
        _read { yield core.pointee.houseNet }
        _modify { yield &core.pointee.houseNet }
    }

    @inline(always)
    var broughtIn: Int {
        _read { yield core.pointee.broughtIn }
        _modify { yield &core.pointee.broughtIn }
    }

    @inline(always)
    var takenOut: Int {
        _read { yield core.pointee.takenOut }
        _modify { yield &core.pointee.takenOut }
    }

    @inline(always)
    var isClosing: Bool {
        _read { yield core.pointee.isClosing }
        _modify { yield &core.pointee.isClosing }
    }

    @inline(always)
    var turnActions: ActionSet {
        _read { yield core.pointee.turnActions }
        _modify { yield &core.pointee.turnActions }
    }

    @inline(always)
    var present: SeatMask {
        _read { yield core.pointee.present }
        _modify { yield &core.pointee.present }
    }

    @inline(always)
    var taken: SeatMask {
        _read { yield core.pointee.taken }
        _modify { yield &core.pointee.taken }
    }

    @inline(always)
    var idle: SeatMask {
        _read { yield core.pointee.idle }
        _modify { yield &core.pointee.idle }
    }

    @inline(always)
    var leaving: SeatMask {
        _read { yield core.pointee.leaving }
        _modify { yield &core.pointee.leaving }
    }

    @inline(always)
    var late: SeatMask {
        _read { yield core.pointee.late }
        _modify { yield &core.pointee.late }
    }

    @inline(always)
    var clocked: SeatMask {
        _read { yield core.pointee.clocked }
        _modify { yield &core.pointee.clocked }
    }

    @inline(always)
    var bets: SeatMask {
        _read { yield core.pointee.bets }
        _modify { yield &core.pointee.bets }
    }

    @inline(always)
    var playing: SeatMask {
        _read { yield core.pointee.playing }
        _modify { yield &core.pointee.playing }
    }

    @inline(always)
    var naturals: Int {
        _read { yield core.pointee.naturals }
        _modify { yield &core.pointee.naturals }
    }

    @inline(always)
    var liveHands: Int {
        _read { yield core.pointee.liveHands }
        _modify { yield &core.pointee.liveHands }
    }

    @inline(always)
    var insured: SeatMask {
        _read { yield core.pointee.insured }
        _modify { yield &core.pointee.insured }
    }

    @inline(always)
    var dealer: Dealer {
        _read { yield core.pointee.dealer }
        _modify { yield &core.pointee.dealer }
    }

    @inline(always)
    var shoe: Shoe {
        _read { yield core.pointee.shoe }
        _modify { yield &core.pointee.shoe }
    }

    @inline(always)
    var nextSource: ShoeSource? {
        _read { yield core.pointee.nextSource }
        _modify { yield &core.pointee.nextSource }
    }
}
