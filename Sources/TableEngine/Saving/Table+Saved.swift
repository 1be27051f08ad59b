import Rules
import TableModel

extension Table {
    /// Everything that the future of a table depends on, in plain values. Masks and totals that follow from others are left out.
    ///
    /// Seats, hands and slots count from 0. Taken between commands: no round is being dealt or settled.
    package struct Saved: Equatable, Sendable {
        /// The version of this form.
        package static let version = 1

        package var rules: HouseRules
        package var pace: Pace
        package var stage = Stage.waiting
        package var actingSeat = 0
        package var actingHand = 0
        /// nil: never.
        package var due: Moment?
        package var round = 0
        package var turn = 0
        package var houseNet = 0
        package var broughtIn = 0
        package var takenOut = 0
        package var isClosing = false
        package var closing: ClosingNotice?
        package var turnActions: ActionSet = []
        /// Until then this betting or decision costs no bank; nil without banks.
        package var freeUntil: Moment?
        /// Banks of players who left.
        package var debts: [SavedDebt] = []
        /// Slots of players that have missed a round or sat out, a bit each.
        package var idle = 0
        package var naturals = 0
        package var liveHands = 0
        package var dealer: [Int] = []
        package var holeIsHidden = false
        package var shoe = SavedShoe()
        package var nextSource: ShoeSource?
        /// nil: shoes are supplied.
        package var ceremonies: SavedCeremonies?
        package var players: [SavedPlayer] = []
        /// Seats with anything to save.
        package var seats: [SavedSeat] = []

        package init(rules: HouseRules, pace: Pace) {
            self.rules = rules
            self.pace = pace
        }
    }

    package struct SavedShoe: Equatable, Sendable {
        package var number = 0
        package var source: ShoeSource?
        package var order: [Card] = []
        package var position = 0
        package var segment = 0
        package var roundStart = 0
        package var discardsStart = 0

        package init() {}
    }

    package struct SavedPlayer: Equatable, Sendable {
        package var slot = 0
        package var id = PlayerID(0)
        package var name = ""
        package var isBot = false
        package var contributes = false
        package var chips = 0
        /// The end of the grace period; nil: connected or away.
        package var grace: Moment?
        package var isAway = false
        package var isSittingOut = false
        package var isLeaving = false
        package var isReleased = false
        package var missedRounds = 0
        package var timeOuts = 0
        /// nil: never.
        package var seatUntil: Moment?
        /// Milliseconds missing in the bank.
        package var spent = 0
        /// nil: nothing was charged.
        package var since: Moment?

        package init() {}
    }

    package struct SavedDebt: Equatable, Sendable {
        package var player = PlayerID(0)
        package var spent = 0

        package init() {}
    }

    package struct SavedSeat: Equatable, Sendable {
        package enum Question: UInt8, CaseIterable, Sendable { case notAsked, open, answered }

        package var seat = 0
        /// -1: the seat is free.
        package var slot = -1
        package var bet = 0
        package var shoe = 0
        package var owner = PlayerID(0)
        package var original = 0
        package var question = Question.notAsked
        package var insurance = 0
        package var insurancePaid = 0
        package var insuranceIsSettled = false
        package var hands: [SavedHand] = []

        package init() {}
    }

    package struct SavedHand: Equatable, Sendable {
        package enum State: UInt8, CaseIterable, Sendable { case open, ended, settled }

        package var cards: [Int] = []
        package var stake = 0
        package var origin = HandSituation.Origin.dealt
        package var isDoubled = false
        package var state = State.open
        package var end = HandEnd.stood
        /// Of a settled hand.
        package var outcome = Outcome.push
        package var paid = 0

        package init() {}
    }

    /// The state to save, between two commands.
    package var saved: Saved { state.saved }

    /// A table that plays on as the saved one would.
    /// - Throws: the field that no table can have.
    package init(_ saved: Saved) throws(SavedMisfit) {
        let state = TableState(rules: saved.rules, pace: saved.pace)
        try state.restore(saved)
        self.init(state)
    }
}

/// A saved value that no table can have.
package struct SavedMisfit: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the value.
    package let field: String

    init(_ field: String) { self.field = field }

    package var description: String { "no table can have these \(field)" }
}
