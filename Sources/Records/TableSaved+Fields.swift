import Fairness
import Rules
import TableEngine
import TableModel
import Wire

/// Saved tables as JSON. Seats and hands count from 0, as in the table.
extension Table.Saved {
    /// The fields besides rules and pace.
    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("stage", &core.stage)
        try visitor.number("actingSeat", &core.actingSeat)
        try visitor.number("actingHand", &core.actingHand)
        try visitor.timestamp("due", &core.due)
        try visitor.number("round", &core.round)
        try visitor.number("turn", &core.turn)
        try visitor.number("houseNet", &core.houseNet)
        try visitor.number("broughtIn", &core.broughtIn)
        try visitor.number("takenOut", &core.takenOut)
        try visitor.flag("isClosing", &core.isClosing)
        try visitor.list("closing", &core.closing)
        var actions = core.turnActions.rawValue
        try visitor.number("turnActions", &actions)
        core.turnActions = ActionSet(rawValue: actions)
        try visitor.number("idle", &core.idle.bits)
        try visitor.number("naturals", &core.naturals)
        try visitor.number("liveHands", &core.liveHands)
        try visitor.cards("dealer", &core.dealer.ids)
        try visitor.flag("holeIsHidden", &core.dealer.holeIsHidden)
        try visitor.required("shoe", &core.shoe)
        try visitor.optional("seen", &core.seen, absent: SeenCards())
        try visitor.optional("nextSource", &core.nextSource)
        try visitor.list("ceremonies", &ceremonies)
        try visitor.timestamp("freeUntil", &core.freeUntil)
        try visitor.list("debts", &debts)
        try visitor.list("players", &players)
        try visitor.list("seats", &seats)
    }
}

extension Shoe: FieldObject {
    static let blank = Table.Saved.blank.core.shoe

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
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
    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.number("slot", &slot)
        try visitor.optional("account", &state.id, absent: PlayerID(0))
        try visitor.required("name", &state.profile.name)
        try visitor.flag("bot", &state.profile.isBot)
        try visitor.flag("fair", &state.profile.contributes)
        try visitor.number("chips", &state.chips)
        var (grace, isAway): (Timestamp?, Bool) = (nil, state.presence == .away)
        if case .cut(let until) = state.presence { grace = until }
        try visitor.optional("grace", &grace)
        try visitor.flag("isAway", &isAway)
        state.presence = grace.map(Presence.cut) ?? (isAway ? .away : .connected)
        try visitor.flag("isSittingOut", &state.isSittingOut)
        try visitor.flag("isLeaving", &state.isLeaving)
        try visitor.flag("isReleased", &state.isReleased)
        try visitor.number("missedRounds", &state.missedRounds)
        try visitor.number("timeOuts", &state.timeOuts)
        try visitor.timestamp("seatUntil", &state.seatUntil)
        try visitor.number("spent", &state.spent)
        try visitor.optional("since", &state.since, absent: Timestamp(milliseconds: 0))
    }
}

extension Debt: FieldObject {
    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional("account", &player, absent: PlayerID(0))
        try visitor.number("spent", &spent)
    }
}

extension Table.SavedSeat: FieldObject {
    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
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

extension Hand: FieldObject {
    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.cards("cards", &ids)
        try visitor.number("stake", &stake)
        try visitor.optional("origin", &origin, absent: .dealt)
        try visitor.flag("isDoubled", &isDoubled)
        try visitor.optional("state", &state, absent: .open)
        try visitor.optional("end", &end, absent: .stood)
        guard state == .settled else { return }
        try visitor.required("outcome", &settlement.outcome)
        try visitor.number("paid", &settlement.paid)
    }
}

/// Saved ceremonies as JSON. Digests and keys that follow from others are left out.
extension Table.SavedCeremonies: FieldObject {
    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("table", &all.table)
        try visitor.timestamp("due", &due)
        try visitor.number("voidAttempts", &all.voidAttempts)
        var names = all.withheld.map(SavedName.init)
        try visitor.list("withheld", &names)
        all.withheld = names.map(\.name)
        try visitor.list("excluded", &all.excluded)
        try visitor.list("next", &all.next)
        try visitor.list("played", &played)
        try visitor.list("segments", &segments)
        try visitor.flag("isRevealed", &isRevealed)
        try visitor.list("proofs", &all.proofs)
    }
}

private struct SavedName: FieldObject {
    static var blank: Self { Self(name: "") }
    var name: String

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) { try visitor.required("name", &name) }
}

extension Attempt: FieldObject {
    static let blank = Self(shoe: 0, secret: .blank, of: Table.SavedCeremonies.blank.all)

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.number("shoe", &shoe)
        try visitor.required("serverSecret", &secret)
        var word: StageWord = isOpen ? .open : isMixed ? .mixed : .revealing
        try visitor.optional("stage", &word, absent: .open)
        stage =
            switch word {
            case .open: .open
            case .revealing: .revealing(list: .blank)
            case .mixed: .mixed(list: .blank, key: .blank, order: .blank)
            }
        try visitor.list("contributions", &contributions)
    }

    private enum StageWord: UInt8, ListedWord {
        case open, revealing, mixed
        static let keys: [StaticString] = ["open", "revealing", "mixed"]
    }
}

extension Attempt.Contribution: FieldObject {
    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional("account", &player, absent: PlayerID(0))
        try visitor.required("name", &name)
        try visitor.required("commitment", &commitment)
        try visitor.optional("contribution", &reveal)
    }
}

extension ShoeProof.Segment: FieldObject {
    static var blank: Self { Self(number: 1, first: 0, discards: 0..<0) }

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
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
        Self(table: "", shoe: 0, commitment: .blank, secret: .blank, contributions: [])
    }

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("table", &table)
        try visitor.number("shoe", &shoe)
        try visitor.required("commitment", &commitment)
        try visitor.required("serverSecret", &secret)
        try visitor.list("contributions", &contributions)
        try visitor.list("segments", &segments)
    }
}

/// The fields of the proof, and its contributors.
extension ProvenShoe: FieldObject {
    static var blank: Self { Self(proof: .blank, contributors: []) }

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try proof.visit(&visitor)
        var players = contributors.map(Contributing.init)
        try visitor.list("contributors", &players)
        contributors = players.map(\.id)
    }
}

private struct Contributing: FieldObject {
    static var blank: Self { Self(id: PlayerID(0)) }
    var id: PlayerID

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional("account", &id, absent: PlayerID(0))
    }
}

extension ShoeProof.Contribution: FieldObject {
    static var blank: Self { Self(name: "", commitment: .blank, reveal: nil) }

    mutating func visit<V: RecordVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("name", &name)
        try visitor.required("commitment", &commitment)
        try visitor.optional("contribution", &reveal)
    }
}
