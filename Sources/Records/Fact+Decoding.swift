import Rules
import TableEngine
import TableModel
import Wire

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
