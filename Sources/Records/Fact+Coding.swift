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

// MARK: - Decoding

extension Fact {
    /// Reads a fact by its name; nil for a name that this version does not know.
    init?(_ name: String, _ object: JSONObject) throws(JSONError) {
        // The frequent ones first: names are compared one after another.
        switch name {
        case "dealt":
            self = .dealt(try object.card(), try object.face(), seat: try object.seat(), hand: try object.hand())
        case "turnStarted":
            self = .turnStarted(
                seat: try object.seat(), hand: try object.hand(), legal: try object.actions("legal"),
                closes: try object.moment("closes"))
        case "settled":
            self = .settled(
                seat: try object.seat(), hand: try object.hand(), try object.word("outcome", \Outcome.name),
                stake: try object.integer("stake"), paid: try object.integer("paid"))
        case "hit": self = .hit(seat: try object.seat(), hand: try object.hand())
        case "stood":
            self = .stood(
                seat: try object.seat(), hand: try object.hand(), try object.word("reason", \StandReason.key.description))
        case "betPlaced": self = .betPlaced(seat: try object.seat(), amount: try object.integer("amount"))
        case "dealtToDealer": self = .dealtToDealer(try object.card(), try object.face())
        default:
            guard let fact = try Fact.round(name, object) else { return nil }
            self = fact
        }
    }

    private static func round(_ name: String, _ object: JSONObject) throws(JSONError) -> Fact? {
        switch name {
        case "shoeSupplied": .shoeSupplied(try object.shoeSource())
        case "shuffled": .shuffled(shoe: try object.integer("shoe"), source: try object.shoeSource())
        case "burned": .burned(try object.card())
        case "reshuffled": .reshuffled(cards: try object.integer("cards"))
        case "bettingOpened": .bettingOpened(closes: try object.moment("closes"))
        case "bettingAbandoned": .bettingAbandoned
        case "roundStarted": .roundStarted(round: try object.integer("round"))
        case "holeDealt": .holeDealt(try object.card())
        case "holeRevealed": .holeRevealed(try object.card(), try object.face())
        case "roundEnded": .roundEnded(until: try object.moment("until"))
        case "cleared": .cleared
        case "closed": .closed
        case "postponed": .postponed(milliseconds: try object.integer("milliseconds", in: 0...1 << 53))
        case "closing":
            .closing(
                ClosingNotice(
                    try object.word("cause", \.rawValue), deadline: try object.optionalTime("deadline"),
                    reason: try object.text("reason")))
        default: try decision(name, object)
        }
    }

    private static func decision(_ name: String, _ object: JSONObject) throws(JSONError) -> Fact? {
        switch name {
        case "earlySurrenderOffered": .earlySurrenderOffered(closes: try object.moment("closes"))
        case "insuranceOffered": .insuranceOffered(closes: try object.moment("closes"))
        case "insured": .insured(seat: try object.seat(), amount: try object.integer("amount"))
        case "evenMoneyTaken": .evenMoneyTaken(seat: try object.seat())
        case "declined": .declined(seat: try object.seat(), timedOut: try object.flag("timedOut"))
        case "peeked": .peeked
        case "insuranceSettled":
            .insuranceSettled(seat: try object.seat(), stake: try object.integer("stake"), paid: try object.integer("paid"))
        case "doubled":
            .doubled(seat: try object.seat(), hand: try object.hand(), added: try object.integer("added"))
        case "split": .split(seat: try object.seat(), hand: try object.hand(), newHand: try object.hand("newHand"))
        case "surrendered": .surrendered(seat: try object.seat())
        default: try player(name, object)
        }
    }

    private static func player(_ name: String, _ object: JSONObject) throws(JSONError) -> Fact? {
        switch name {
        case "sat":
            .sat(
                player: try object.player(),
                profile: PlayerProfile(
                    name: try object.text("name"), isBot: try object.flag("bot"), contributes: try object.flag("fair")),
                seat: try object.seat(),
                chips: try object.integer("chips"))
        case "left": .left(player: try object.player(), chips: try object.integer("chips"))
        case "leaving": .leaving(player: try object.player())
        case "satOut": .satOut(player: try object.player(), until: try object.moment("until"))
        case "satIn": .satIn(player: try object.player())
        case "disconnected": .disconnected(player: try object.player(), grace: try object.moment("grace"))
        case "away": .away(player: try object.player())
        case "reconnected": .reconnected(player: try object.player())
        case "released": .released(player: try object.player())
        case "idling": .idling(until: try object.moment("until"))
        case "charged":
            .charged(
                player: try object.player(), milliseconds: try object.integer("milliseconds", in: 0...1 << 53),
                from: try object.moment("from"))
        default: try ceremony(name, object)
        }
    }

    private static func ceremony(_ name: String, _ object: JSONObject) throws(JSONError) -> Fact? {
        switch name {
        case "declared": .declared(player: try object.player(), contributes: try object.flag("fair"))
        case "ceremoniesBegan": .ceremoniesBegan(table: try object.text("name"))
        case "ceremonyOpened":
            .ceremonyOpened(shoe: try object.integer("shoe"), secret: try object.secret("serverSecret"))
        case "contributed":
            .contributed(
                player: try object.player(), name: try object.text("name"), commitment: try object.digest("commitment"))
        case "listDue": .listDue(until: try object.optionalTime("until").map { Moment(milliseconds: $0) })
        case "listClosed": .listClosed(until: try object.moment("until"))
        case "revealed": .revealed(player: try object.player(), contribution: try object.secret("contribution"))
        case "attemptVoided": .attemptVoided(timedOut: try object.flag("timedOut"))
        case "secretRevealed": .secretRevealed(shoe: try object.integer("shoe"))
        default: nil
        }
    }
}

extension JSONObject {
    fileprivate func seat() throws(JSONError) -> Int { try integer("seat", in: 1...7) }

    /// From 0; hands count from 1 in a record.
    fileprivate func hand(_ key: StaticString = "hand") throws(JSONError) -> Int { try integer(key, in: 1...4) - 1 }

    fileprivate func card() throws(JSONError) -> CardID {
        CardID(rawValue: UInt16(try integer("card", in: 0...Int(UInt16.max))))
    }

    fileprivate func face() throws(JSONError) -> Card {
        try required("face").string(expecting: "a card: KH, TD, …") { letters in
            guard letters.count == 2, let rank = Rank(byte: letters[0]), let suit = Suit(byte: letters[1]) else { return nil }
            return Card(rank, suit)
        }
    }

    fileprivate func actions(_ key: StaticString) throws(JSONError) -> ActionSet {
        var set: ActionSet = []
        var list = try required(key).array()
        while let value = list.next() { set.insert(ActionSet(try value.word(\Action.name))) }
        return set
    }
}

extension Rank {
    /// The rank of an upper-case letter.
    init?(byte: UInt8) {
        switch byte {
        case UInt8(ascii: "A"): self = .ace
        case UInt8(ascii: "2")...UInt8(ascii: "9"):
            guard let rank = Rank(rawValue: byte - UInt8(ascii: "1")) else { return nil }
            self = rank
        case UInt8(ascii: "T"): self = .ten
        case UInt8(ascii: "J"): self = .jack
        case UInt8(ascii: "Q"): self = .queen
        case UInt8(ascii: "K"): self = .king
        default: return nil
        }
    }
}

extension Suit {
    /// The suit of an upper-case letter.
    init?(byte: UInt8) {
        switch byte {
        case UInt8(ascii: "S"): self = .spades
        case UInt8(ascii: "H"): self = .hearts
        case UInt8(ascii: "D"): self = .diamonds
        case UInt8(ascii: "C"): self = .clubs
        default: return nil
        }
    }
}
