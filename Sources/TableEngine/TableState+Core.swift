import Rules

/// The core's fields by their own names. Plain memory behind a `let`, so that the hot path pays for no check of exclusive access: a
/// table is changed by one call at a time, which `Table` sees to.
extension TableState {
    @inline(__always)
    var stage: Stage {
        _read { yield core.pointee.stage }
        _modify { yield &core.pointee.stage }
    }

    /// The hand whose turn it is, its seat from 0; of use while `stage` is `playing`.
    @inline(__always)
    var acting: (seat: Int, hand: Int) { (Int(core.pointee.actingSeat), Int(core.pointee.actingHand)) }

    @inline(__always)
    var due: Moment {
        _read { yield core.pointee.due }
        _modify { yield &core.pointee.due }
    }

    @inline(__always)
    var round: Int {
        _read { yield core.pointee.round }
        _modify { yield &core.pointee.round }
    }

    @inline(__always)
    var houseNet: Int {
        _read { yield core.pointee.houseNet }
        _modify { yield &core.pointee.houseNet }
    }

    @inline(__always)
    var broughtIn: Int {
        _read { yield core.pointee.broughtIn }
        _modify { yield &core.pointee.broughtIn }
    }

    @inline(__always)
    var takenOut: Int {
        _read { yield core.pointee.takenOut }
        _modify { yield &core.pointee.takenOut }
    }

    @inline(__always)
    var isClosing: Bool {
        _read { yield core.pointee.isClosing }
        _modify { yield &core.pointee.isClosing }
    }

    @inline(__always)
    var turnActions: ActionSet {
        _read { yield core.pointee.turnActions }
        _modify { yield &core.pointee.turnActions }
    }

    @inline(__always)
    var present: SeatMask {
        _read { yield core.pointee.present }
        _modify { yield &core.pointee.present }
    }

    @inline(__always)
    var taken: SeatMask {
        _read { yield core.pointee.taken }
        _modify { yield &core.pointee.taken }
    }

    @inline(__always)
    var idle: SeatMask {
        _read { yield core.pointee.idle }
        _modify { yield &core.pointee.idle }
    }

    @inline(__always)
    var leaving: SeatMask {
        _read { yield core.pointee.leaving }
        _modify { yield &core.pointee.leaving }
    }

    @inline(__always)
    var bets: SeatMask {
        _read { yield core.pointee.bets }
        _modify { yield &core.pointee.bets }
    }

    @inline(__always)
    var playing: SeatMask {
        _read { yield core.pointee.playing }
        _modify { yield &core.pointee.playing }
    }

    @inline(__always)
    var naturals: Int {
        _read { yield core.pointee.naturals }
        _modify { yield &core.pointee.naturals }
    }

    @inline(__always)
    var liveHands: Int {
        _read { yield core.pointee.liveHands }
        _modify { yield &core.pointee.liveHands }
    }

    @inline(__always)
    var insured: SeatMask {
        _read { yield core.pointee.insured }
        _modify { yield &core.pointee.insured }
    }

    @inline(__always)
    var dealer: Dealer {
        _read { yield core.pointee.dealer }
        _modify { yield &core.pointee.dealer }
    }

    @inline(__always)
    var shoe: Shoe {
        _read { yield core.pointee.shoe }
        _modify { yield &core.pointee.shoe }
    }

    @inline(__always)
    var nextSource: ShoeSource? {
        _read { yield core.pointee.nextSource }
        _modify { yield &core.pointee.nextSource }
    }
}
