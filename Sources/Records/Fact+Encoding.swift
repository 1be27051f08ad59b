import Rules
import TableEngine
import TableModel
import Wire

extension Record {
    /// Appends ``facts(table:time:_:)`` as a line without making a record: no allocation in the steady state.
    public static func encodeFacts(table: String, time: Int64, facts: borrowing [Fact], into bytes: inout [UInt8]) {
        let facts = copy facts
        JSONWriter.append(to: &bytes) { writer in
            writer.beginObject()
            writer.member("type", "facts")
            writer.member("table", table)
            writer.member("time", time)
            writer.key("facts")
            writer.beginArray()
            for index in facts.indices { writer.write(facts[index]) }
            writer.endArray()
            writer.endObject()
            writer.newline()
        }
    }
}

/// Facts are written piece by piece, each with room made once: `bjbench records` has the figures.
extension JSONWriter {
    /// The longest fact without text: a name of 16 bytes, keys, and five numbers of 20 digits, or eight words of legal actions.
    private static let factBytes = 256

    mutating func write(_ fact: Fact) {
        room(Self.factBytes)
        separate()
        switch fact {
        case .dealt(let id, let card, let seat, let hand):
            put("{\"fact\":\"dealt\"")
            put(id, card)
            put(seat, hand)
        case .dealtToDealer(let id, let card):
            put("{\"fact\":\"dealtToDealer\"")
            put(id, card)
        case .turnStarted(let seat, let hand, let legal, let closes):
            put("{\"fact\":\"turnStarted\"")
            put(seat, hand)
            put(legal)
            put(",\"closes\":", closes)
        case .hit(let seat, let hand):
            put("{\"fact\":\"hit\"")
            put(seat, hand)
        case .stood(let seat, let hand, let reason):
            put("{\"fact\":\"stood\"")
            put(seat, hand)
            put(",\"reason\":", word: reason.key)
        case .betPlaced(let seat, let amount):
            put("{\"fact\":\"betPlaced\"")
            put(",\"seat\":", seat)
            put(",\"amount\":", amount)
        case .settled(let seat, let hand, let outcome, let stake, let paid):
            put("{\"fact\":\"settled\"")
            put(seat, hand)
            put(",\"outcome\":", word: outcome.key)
            put(",\"stake\":", stake)
            put(",\"paid\":", paid)
        default: putRound(fact)
        }
        put(UInt8(ascii: "}"))
    }

    private mutating func putRound(_ fact: Fact) {
        switch fact {
        case .shoeSupplied(let source):
            put("{\"fact\":\"shoeSupplied\"")
            put(source)
        case .shuffled(let shoe, let source):
            put("{\"fact\":\"shuffled\"")
            put(",\"shoe\":", shoe)
            put(source)
        case .burned(let id):
            put("{\"fact\":\"burned\"")
            put(",\"card\":", Int(id.rawValue))
        case .reshuffled(let cards):
            put("{\"fact\":\"reshuffled\"")
            put(",\"cards\":", cards)
        case .bettingOpened(let closes):
            put("{\"fact\":\"bettingOpened\"")
            put(",\"closes\":", closes)
        case .bettingAbandoned: put("{\"fact\":\"bettingAbandoned\"")
        case .roundStarted(let round):
            put("{\"fact\":\"roundStarted\"")
            put(",\"round\":", round)
        case .holeDealt(let id):
            put("{\"fact\":\"holeDealt\"")
            put(",\"card\":", Int(id.rawValue))
        case .holeRevealed(let id, let card):
            put("{\"fact\":\"holeRevealed\"")
            put(id, card)
        case .roundEnded(let until):
            put("{\"fact\":\"roundEnded\"")
            put(",\"until\":", until)
        case .cleared: put("{\"fact\":\"cleared\"")
        case .closed: put("{\"fact\":\"closed\"")
        case .postponed(let milliseconds):
            put("{\"fact\":\"postponed\"")
            put(",\"milliseconds\":", milliseconds)
        case .closing(let notice):
            put("{\"fact\":\"closing\"")
            put(",\"cause\":", word: notice.cause.key)
            if let deadline = notice.deadline { put(",\"deadline\":", Int(deadline)) }
            put(",\"reason\":")
            put(text: notice.reason)
        default: putDecision(fact)
        }
    }

    private mutating func putDecision(_ fact: Fact) {
        switch fact {
        case .earlySurrenderOffered(let closes):
            put("{\"fact\":\"earlySurrenderOffered\"")
            put(",\"closes\":", closes)
        case .insuranceOffered(let closes):
            put("{\"fact\":\"insuranceOffered\"")
            put(",\"closes\":", closes)
        case .insured(let seat, let amount):
            put("{\"fact\":\"insured\"")
            put(",\"seat\":", seat)
            put(",\"amount\":", amount)
        case .evenMoneyTaken(let seat):
            put("{\"fact\":\"evenMoneyTaken\"")
            put(",\"seat\":", seat)
        case .declined(let seat, let timedOut):
            put("{\"fact\":\"declined\"")
            put(",\"seat\":", seat)
            if timedOut { put(",\"timedOut\":true") }
        case .peeked: put("{\"fact\":\"peeked\"")
        case .insuranceSettled(let seat, let stake, let paid):
            put("{\"fact\":\"insuranceSettled\"")
            put(",\"seat\":", seat)
            put(",\"stake\":", stake)
            put(",\"paid\":", paid)
        case .doubled(let seat, let hand, let added):
            put("{\"fact\":\"doubled\"")
            put(seat, hand)
            put(",\"added\":", added)
        case .split(let seat, let hand, let newHand):
            put("{\"fact\":\"split\"")
            put(seat, hand)
            put(",\"newHand\":", newHand + 1)
        case .surrendered(let seat):
            put("{\"fact\":\"surrendered\"")
            put(",\"seat\":", seat)
        default: putPlayer(fact)
        }
    }

    private mutating func putPlayer(_ fact: Fact) {
        switch fact {
        case .sat(let id, let profile, let seat, let chips):
            put("{\"fact\":\"sat\"", id)
            put(",\"seat\":", seat)
            put(",\"chips\":", chips)
            if profile.isBot { put(",\"bot\":true") }
            if profile.contributes { put(",\"fair\":true") }
            put(",\"name\":")
            put(text: profile.name)
        case .left(let id, let chips):
            put("{\"fact\":\"left\"", id)
            put(",\"chips\":", chips)
        case .leaving(let id): put("{\"fact\":\"leaving\"", id)
        case .satOut(let id, let until):
            put("{\"fact\":\"satOut\"", id)
            put(",\"until\":", until)
        case .satIn(let id): put("{\"fact\":\"satIn\"", id)
        case .disconnected(let id, let grace):
            put("{\"fact\":\"disconnected\"", id)
            put(",\"grace\":", grace)
        case .away(let id): put("{\"fact\":\"away\"", id)
        case .reconnected(let id): put("{\"fact\":\"reconnected\"", id)
        case .released(let id): put("{\"fact\":\"released\"", id)
        case .idling(let until):
            put("{\"fact\":\"idling\"")
            put(",\"until\":", until)
        case .charged(let id, let milliseconds, let from):
            put("{\"fact\":\"charged\"", id)
            put(",\"milliseconds\":", milliseconds)
            put(",\"from\":", from)
        default: putCeremony(fact)
        }
    }

    private mutating func putCeremony(_ fact: Fact) {
        switch fact {
        case .declared(let id, let contributes):
            put("{\"fact\":\"declared\"", id)
            if contributes { put(",\"fair\":true") }
        case .ceremoniesBegan(let table):
            put("{\"fact\":\"ceremoniesBegan\",\"name\":")
            put(text: table)
        case .ceremonyOpened(let shoe, let secret):
            put("{\"fact\":\"ceremonyOpened\"")
            put(",\"shoe\":", shoe)
            put(",\"serverSecret\":", hex: secret.bytes)
        case .contributed(let id, let name, let commitment):
            put("{\"fact\":\"contributed\"", id)
            put(",\"commitment\":", hex: commitment.bytes)
            put(",\"name\":")
            put(text: name)
        case .listDue(let until):
            put("{\"fact\":\"listDue\"")
            if let until { put(",\"until\":", until) }
        case .listClosed(let until):
            put("{\"fact\":\"listClosed\"")
            put(",\"until\":", until)
        case .revealed(let id, let contribution):
            put("{\"fact\":\"revealed\"", id)
            put(",\"contribution\":", hex: contribution.bytes)
        case .attemptVoided(let timedOut):
            put("{\"fact\":\"attemptVoided\"")
            if timedOut { put(",\"timedOut\":true") }
        case .secretRevealed(let shoe):
            put("{\"fact\":\"secretRevealed\"")
            put(",\"shoe\":", shoe)
        default: preconditionFailure("every fact is written")
        }
    }
}

/// Members of a fact, for which room was made.
extension JSONWriter {
    @inline(__always)
    private mutating func put(_ key: StaticString, _ value: Int) {
        put(key)
        put(value)
    }

    @inline(__always)
    private mutating func put(_ key: StaticString, _ moment: Moment) { put(key, Int(moment.milliseconds)) }

    @inline(__always)
    private mutating func put(_ key: StaticString, word: StaticString) {
        put(key)
        put(UInt8(ascii: "\""))
        put(word)
        put(UInt8(ascii: "\""))
    }

    private mutating func put(_ start: StaticString, _ player: PlayerID) {
        put(start)
        put(",\"account\":", Int(truncatingIfNeeded: player.rawValue))
    }

    /// Hands count from 1, as on the wire.
    @inline(__always)
    private mutating func put(_ seat: Int, _ hand: Int) {
        put(",\"seat\":", seat)
        put(",\"hand\":", hand &+ 1)
    }

    @inline(__always)
    private mutating func put(_ id: CardID, _ card: Card) {
        put(",\"card\":", Int(id.rawValue))
        put(",\"face\":")
        put(card)
    }

    private mutating func put(_ legal: ActionSet) {
        put(",\"legal\":[")
        var rest = legal.rawValue
        while rest != 0 {
            guard let action = Action(rawValue: UInt8(truncatingIfNeeded: rest.trailingZeroBitCount)) else { break }
            if rest != legal.rawValue { put(UInt8(ascii: ",")) }
            rest &= rest &- 1
            put(UInt8(ascii: "\""))
            put(action.key)
            put(UInt8(ascii: "\""))
        }
        put(UInt8(ascii: "]"))
    }

    /// The only member of an object.
    mutating func member(_ source: ShoeSource) {
        room(96)
        put(UInt8(ascii: "\""))
        putMember(source)
        comesFirst(false)
    }

    private mutating func put(_ source: ShoeSource) {
        put(",\"")
        putMember(source)
    }

    private mutating func putMember(_ source: ShoeSource) {
        switch source {
        case .keyed(let key):
            put("key\":\"")
            for byte in key.bytes { put(hex: byte) }
        case .seeded(let seed):
            put("seed\":\"")
            for shift in stride(from: 56, through: 0, by: -8) { put(hex: UInt8(truncatingIfNeeded: seed >> UInt64(shift))) }
        }
        put(UInt8(ascii: "\""))
    }

    private mutating func put(_ key: StaticString, hex bytes: [UInt8]) {
        put(key)
        put(UInt8(ascii: "\""))
        for byte in bytes { put(hex: byte) }
        put(UInt8(ascii: "\""))
    }

    private mutating func put(hex byte: UInt8) {
        put(Self.hexDigit(byte >> 4))
        put(Self.hexDigit(byte & 15))
    }

    private static func hexDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") &+ nibble : UInt8(ascii: "a") &+ nibble &- 10
    }

    /// Text of any length; afterwards there is room for one byte.
    private mutating func put(text: String) {
        put(UInt8(ascii: "\""))
        append(escaping: text)
        room(2)
        put(UInt8(ascii: "\""))
    }
}

extension StandReason {
    var key: StaticString {
        switch self {
        case .chosen: "chosen"
        case .automatic: "automatic"
        case .timedOut: "timedOut"
        case .absent: "absent"
        }
    }
}
