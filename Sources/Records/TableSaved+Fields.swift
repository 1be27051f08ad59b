import Fairness
import Rules
import TableEngine
import TableModel
import Wire

/// Saved tables as JSON. Seats and hands count from 0, as in the table.
extension Table.Saved {
    /// The fields besides rules and pace.
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("stage", &stage)
        try visitor.number("actingSeat", &actingSeat)
        try visitor.number("actingHand", &actingHand)
        try visitor.optional("due", &due)
        try visitor.number("round", &round)
        try visitor.number("turn", &turn)
        try visitor.number("houseNet", &houseNet)
        try visitor.number("broughtIn", &broughtIn)
        try visitor.number("takenOut", &takenOut)
        try visitor.flag("isClosing", &isClosing)
        try visitor.list("closing", &closing)
        var actions = Int(turnActions.rawValue)
        try visitor.number("turnActions", &actions)
        turnActions = ActionSet(rawValue: UInt8(truncatingIfNeeded: actions))
        try visitor.number("idle", &idle)
        try visitor.number("naturals", &naturals)
        try visitor.number("liveHands", &liveHands)
        try visitor.list("dealer", &dealer)
        try visitor.flag("holeIsHidden", &holeIsHidden)
        try visitor.required("shoe", &shoe)
        try visitor.optional("nextSource", &nextSource)
        try visitor.list("ceremonies", &ceremonies)
        try visitor.optional("freeUntil", &freeUntil)
        try visitor.list("debts", &debts)
        try visitor.list("players", &players)
        try visitor.list("seats", &seats)
    }
}

extension Table.SavedShoe: FieldObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.number("number", &number)
        try visitor.optional("source", &source)
        order = try visitor.required("order", order, as: CardText.self)
        try visitor.number("position", &position)
        try visitor.number("segment", &segment)
        try visitor.number("roundStart", &roundStart)
        try visitor.number("discardsStart", &discardsStart)
    }
}

extension Table.SavedPlayer: FieldObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.number("slot", &slot)
        try visitor.optional("account", &id, absent: PlayerID(0))
        try visitor.required("name", &name)
        try visitor.flag("bot", &isBot)
        try visitor.flag("fair", &contributes)
        try visitor.number("chips", &chips)
        try visitor.optional("grace", &grace)
        try visitor.flag("isAway", &isAway)
        try visitor.flag("isSittingOut", &isSittingOut)
        try visitor.flag("isLeaving", &isLeaving)
        try visitor.flag("isReleased", &isReleased)
        try visitor.number("missedRounds", &missedRounds)
        try visitor.number("timeOuts", &timeOuts)
        try visitor.optional("seatUntil", &seatUntil)
        try visitor.number("spent", &spent)
        try visitor.optional("since", &since)
    }
}

extension Table.SavedDebt: FieldObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional("account", &player, absent: PlayerID(0))
        try visitor.number("spent", &spent)
    }
}

extension Table.SavedSeat: FieldObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("seat", &seat)
        try visitor.optional("slot", &state.player, absent: -1)
        try visitor.number("bet", &state.bet)
        try visitor.number("shoe", &state.shoe)
        try visitor.optional("owner", &state.owner, absent: PlayerID(0))
        try visitor.number("original", &state.original)
        try visitor.optional("question", &state.question, absent: .notAsked)
        try visitor.number("insurance", &state.insurance)
        try visitor.number("insurancePaid", &state.insurancePaid)
        try visitor.flag("insuranceIsSettled", &state.insuranceIsSettled)
        try visitor.list("hands", &hands)
    }
}

extension Table.SavedHand: FieldObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.list("cards", &cards)
        try visitor.number("stake", &stake)
        try visitor.optional("origin", &origin, absent: .dealt)
        try visitor.flag("isDoubled", &isDoubled)
        try visitor.optional("state", &state, absent: .open)
        try visitor.optional("end", &end, absent: .stood)
        guard state == .settled else { return }
        try visitor.required("outcome", &outcome)
        try visitor.number("paid", &paid)
    }
}

/// Saved ceremonies as JSON. Digests that follow from others are left out.
extension Table.SavedCeremonies: FieldObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("table", &table)
        try visitor.optional("due", &due)
        try visitor.number("voidAttempts", &voidAttempts)
        var names = withheld.map(SavedName.init)
        try visitor.list("withheld", &names)
        withheld = names.map(\.name)
        try visitor.list("excluded", &excluded)
        try visitor.list("next", &next)
        try visitor.list("played", &played)
        try visitor.list("segments", &segments)
        try visitor.flag("isRevealed", &isRevealed)
        try visitor.list("proofs", &proofs)
    }
}

private struct SavedName: FieldObject {
    static var blank: Self { Self(name: "") }
    var name: String

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) { try visitor.required("name", &name) }
}

extension Table.SavedAttempt: FieldObject {
    static var blank: Self { Self(secret: .blank) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.number("shoe", &shoe)
        try visitor.required("serverSecret", &secret)
        try visitor.optional("stage", &stage, absent: .open)
        try visitor.list("contributions", &contributions)
    }
}

extension Table.SavedContribution: FieldObject {
    static var blank: Self { Self(commitment: .blank) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional("account", &player, absent: PlayerID(0))
        try visitor.required("name", &name)
        try visitor.required("commitment", &commitment)
        try visitor.optional("contribution", &reveal)
    }
}

extension ShoeProof.Segment: FieldObject {
    static var blank: Self { Self(number: 1, first: 0, discards: 0..<0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        var (from, to) = (discards.lowerBound, discards.upperBound)
        try visitor.number("number", &number)
        try visitor.number("first", &first)
        try visitor.number("from", &from)
        try visitor.number("to", &to)
        try visitor.number("round", &round)
        discards = from..<max(from, to)
    }
}

extension ShoeProof: FieldObject {
    static var blank: Self {
        Self(table: "", shoe: 0, rules: "", commitment: .blank, secret: .blank, contributions: [])
    }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("table", &table)
        try visitor.number("shoe", &shoe)
        try visitor.required("rules", &rules)
        try visitor.required("commitment", &commitment)
        try visitor.required("serverSecret", &secret)
        try visitor.list("contributions", &contributions)
        try visitor.list("segments", &segments)
    }
}

/// The fields of the proof, and its contributors.
extension ProvenShoe: FieldObject {
    static var blank: Self { Self(proof: .blank, contributors: []) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try proof.visit(&visitor)
        var players = contributors.map(SavedPlayer.init)
        try visitor.list("contributors", &players)
        contributors = players.map(\.id)
    }
}

private struct SavedPlayer: FieldObject {
    static var blank: Self { Self(id: PlayerID(0)) }
    var id: PlayerID

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional("account", &id, absent: PlayerID(0))
    }
}

extension ShoeProof.Contribution: FieldObject {
    static var blank: Self { Self(name: "", commitment: .blank, reveal: nil) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("name", &name)
        try visitor.required("commitment", &commitment)
        try visitor.optional("contribution", &reveal)
    }
}
