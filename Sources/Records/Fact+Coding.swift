import Fairness
import Rules
import TableEngine
import TableModel
import Wire

/// Each fact is declared once, in `visited(by:)`, and has a blank, into which it is read.
extension Fact: FieldForm {
    /// The fact as the visitor has it, field by field in the order in which they are written.
    @inline(__always)
    func visited<V: RecordVisitor>(by visitor: inout V) throws(V.Failure) -> Fact {
        switch self {
        case .dealt(let id, let card, let seat, let hand):
            visitor.tag(Kind.dealt)
            return try .dealt(
                visitor.card(id), visitor.required("face", card), seat: visitor.seat(seat), hand: visitor.hand(hand))
        case .dealtToDealer(let id, let card):
            visitor.tag(Kind.dealtToDealer)
            return try .dealtToDealer(visitor.card(id), visitor.required("face", card))
        case .turnStarted(let seat, let hand, let legal, let closes):
            visitor.tag(Kind.turnStarted)
            return try .turnStarted(
                seat: visitor.seat(seat), hand: visitor.hand(hand), legal: visitor.required("legal", legal),
                closes: visitor.required("closes", closes))
        case .hit(let seat, let hand):
            visitor.tag(Kind.hit)
            return try .hit(seat: visitor.seat(seat), hand: visitor.hand(hand))
        case .stood(let seat, let hand, let reason):
            visitor.tag(Kind.stood)
            return try .stood(seat: visitor.seat(seat), hand: visitor.hand(hand), visitor.required("reason", reason))
        case .betPlaced(let seat, let amount):
            visitor.tag(Kind.betPlaced)
            return try .betPlaced(seat: visitor.seat(seat), amount: visitor.count("amount", amount))
        case .settled(let seat, let hand, let outcome, let stake, let paid):
            visitor.tag(Kind.settled)
            return try .settled(
                seat: visitor.seat(seat), hand: visitor.hand(hand), visitor.required("outcome", outcome),
                stake: visitor.count("stake", stake), paid: visitor.count("paid", paid))
        case .shoeSupplied(let source):
            visitor.tag(Kind.shoeSupplied)
            return try .shoeSupplied(visitor.source(source))
        case .shuffled(let shoe, let source):
            visitor.tag(Kind.shuffled)
            return try .shuffled(shoe: visitor.count("shoe", shoe), source: visitor.source(source))
        case .burned(let id):
            visitor.tag(Kind.burned)
            return try .burned(visitor.card(id))
        case .reshuffled(let cards):
            visitor.tag(Kind.reshuffled)
            return try .reshuffled(cards: visitor.count("cards", cards))
        case .bettingOpened(let closes):
            visitor.tag(Kind.bettingOpened)
            return try .bettingOpened(closes: visitor.required("closes", closes))
        case .bettingAbandoned:
            visitor.tag(Kind.bettingAbandoned)
            return .bettingAbandoned
        case .roundStarted(let round):
            visitor.tag(Kind.roundStarted)
            return try .roundStarted(round: visitor.count("round", round))
        case .holeDealt(let id):
            visitor.tag(Kind.holeDealt)
            return try .holeDealt(visitor.card(id))
        case .holeRevealed(let id, let card):
            visitor.tag(Kind.holeRevealed)
            return try .holeRevealed(visitor.card(id), visitor.required("face", card))
        case .roundEnded(let until):
            visitor.tag(Kind.roundEnded)
            return try .roundEnded(until: visitor.required("until", until))
        case .cleared:
            visitor.tag(Kind.cleared)
            return .cleared
        case .closed:
            visitor.tag(Kind.closed)
            return .closed
        case .postponed(let milliseconds):
            visitor.tag(Kind.postponed)
            return try .postponed(milliseconds: visitor.required("milliseconds", milliseconds, as: Milliseconds.self))
        case .closing(var notice):
            visitor.tag(Kind.closing)
            try notice.visit(&visitor)
            return .closing(notice)
        case .earlySurrenderOffered(let closes):
            visitor.tag(Kind.earlySurrenderOffered)
            return try .earlySurrenderOffered(closes: visitor.required("closes", closes))
        case .insuranceOffered(let closes):
            visitor.tag(Kind.insuranceOffered)
            return try .insuranceOffered(closes: visitor.required("closes", closes))
        case .insured(let seat, let amount):
            visitor.tag(Kind.insured)
            return try .insured(seat: visitor.seat(seat), amount: visitor.count("amount", amount))
        case .evenMoneyTaken(let seat):
            visitor.tag(Kind.evenMoneyTaken)
            return try .evenMoneyTaken(seat: visitor.seat(seat))
        case .declined(let seat, let timedOut):
            visitor.tag(Kind.declined)
            return try .declined(seat: visitor.seat(seat), timedOut: visitor.flag("timedOut", timedOut))
        case .peeked:
            visitor.tag(Kind.peeked)
            return .peeked
        case .insuranceSettled(let seat, let stake, let paid):
            visitor.tag(Kind.insuranceSettled)
            return try .insuranceSettled(
                seat: visitor.seat(seat), stake: visitor.count("stake", stake), paid: visitor.count("paid", paid))
        case .doubled(let seat, let hand, let added):
            visitor.tag(Kind.doubled)
            return try .doubled(seat: visitor.seat(seat), hand: visitor.hand(hand), added: visitor.count("added", added))
        case .split(let seat, let hand, let newHand):
            visitor.tag(Kind.split)
            return try .split(
                seat: visitor.seat(seat), hand: visitor.hand(hand),
                newHand: visitor.required("newHand", newHand, as: HandNumber.self))
        case .surrendered(let seat):
            visitor.tag(Kind.surrendered)
            return try .surrendered(seat: visitor.seat(seat))
        case .sat(let id, let profile, let seat, let chips):
            visitor.tag(Kind.sat)
            let (id, seat, chips) = try (visitor.player(id), visitor.seat(seat), visitor.count("chips", chips))
            let (isBot, contributes) = try (visitor.flag("bot", profile.isBot), visitor.flag("fair", profile.contributes))
            let name = try visitor.required("name", profile.name)
            return .sat(
                player: id, profile: PlayerProfile(name: name, isBot: isBot, contributes: contributes), seat: seat, chips: chips)
        case .left(let id, let chips):
            visitor.tag(Kind.left)
            return try .left(player: visitor.player(id), chips: visitor.count("chips", chips))
        case .leaving(let id):
            visitor.tag(Kind.leaving)
            return try .leaving(player: visitor.player(id))
        case .satOut(let id, let until):
            visitor.tag(Kind.satOut)
            return try .satOut(player: visitor.player(id), until: visitor.required("until", until))
        case .satIn(let id):
            visitor.tag(Kind.satIn)
            return try .satIn(player: visitor.player(id))
        case .disconnected(let id, let grace):
            visitor.tag(Kind.disconnected)
            return try .disconnected(player: visitor.player(id), grace: visitor.required("grace", grace))
        case .away(let id):
            visitor.tag(Kind.away)
            return try .away(player: visitor.player(id))
        case .reconnected(let id):
            visitor.tag(Kind.reconnected)
            return try .reconnected(player: visitor.player(id))
        case .released(let id):
            visitor.tag(Kind.released)
            return try .released(player: visitor.player(id))
        case .idling(let until):
            visitor.tag(Kind.idling)
            return try .idling(until: visitor.required("until", until))
        case .charged(let id, let milliseconds, let from):
            visitor.tag(Kind.charged)
            return try .charged(
                player: visitor.player(id), milliseconds: visitor.required("milliseconds", milliseconds, as: Milliseconds.self),
                from: visitor.required("from", from))
        case .declared(let id, let contributes):
            visitor.tag(Kind.declared)
            return try .declared(player: visitor.player(id), contributes: visitor.flag("fair", contributes))
        case .ceremoniesBegan(let table):
            visitor.tag(Kind.ceremoniesBegan)
            return try .ceremoniesBegan(table: visitor.required("name", table))
        case .ceremonyOpened(let shoe, let secret):
            visitor.tag(Kind.ceremonyOpened)
            return try .ceremonyOpened(shoe: visitor.count("shoe", shoe), secret: visitor.required("serverSecret", secret))
        case .contributed(let id, let name, let commitment):
            visitor.tag(Kind.contributed)
            let (id, commitment) = try (visitor.player(id), visitor.required("commitment", commitment))
            return try .contributed(player: id, name: visitor.required("name", name), commitment: commitment)
        case .listDue(let until):
            visitor.tag(Kind.listDue)
            return try .listDue(until: visitor.optional("until", until))
        case .listClosed(let until):
            visitor.tag(Kind.listClosed)
            return try .listClosed(until: visitor.required("until", until))
        case .revealed(let id, let contribution):
            visitor.tag(Kind.revealed)
            return try .revealed(player: visitor.player(id), contribution: visitor.required("contribution", contribution))
        case .attemptVoided(let timedOut):
            visitor.tag(Kind.attemptVoided)
            return try .attemptVoided(timedOut: visitor.flag("timedOut", timedOut))
        case .secretRevealed(let shoe):
            visitor.tag(Kind.secretRevealed)
            return try .secretRevealed(shoe: visitor.count("shoe", shoe))
        }
    }

    private static let names = Kind.allCases.map(\.name)
    private static let blanks = Kind.allCases.map(\.blank)

    /// The name of its kind, and its secrets.
    var form: FormVisitor {
        var form = FormVisitor()
        _ = visited(by: &form)
        return form
    }

    /// Reads a fact by its name; nil for a name that this version does not know.
    static func read(_ name: String, _ object: JSONObject) throws(JSONError) -> Fact? {
        var object = object
        return try names.firstIndex(of: name).map { index throws(JSONError) in try blanks[index].visited(by: &object) }
    }

    static func read(_ value: JSONValue) throws(JSONError) -> Fact {
        let object = try value.object()
        guard let fact = try read(object.text("fact"), object) else { throw value.mismatch("facts of this version") }
        return fact
    }

    static func write(_ value: Fact, to writer: inout JSONWriter) {
        writer.beginObject()
        _ = value.visited(by: &writer)
        writer.endObject()
    }
}

extension Fact {
    /// The frequent ones first: names are compared one after another.
    enum Kind: ConstantText, ObjectKind {
        static let key: StaticString = "fact"

        case dealt, dealtToDealer, hit, stood, turnStarted, betPlaced, settled, shoeSupplied, shuffled, burned, reshuffled
        case bettingOpened, bettingAbandoned, roundStarted, holeDealt, holeRevealed, roundEnded, cleared, closed, postponed
        case closing, earlySurrenderOffered, insuranceOffered, insured, evenMoneyTaken, declined, peeked, insuranceSettled
        case doubled, split, surrendered, sat, left, leaving, satOut, satIn, disconnected, away, reconnected, released, idling
        case charged, declared, ceremoniesBegan, ceremonyOpened, contributed, listDue, listClosed, revealed, attemptVoided
        case secretRevealed

        /// A fact of the kind is read into it.
        var blank: Fact {
            let (player, until, card, face) = (PlayerID(0), Timestamp(milliseconds: 0), CardID(rawValue: 0), Card(code: 0))
            return switch self {
            case .dealt: .dealt(card, face, seat: 1, hand: 0)
            case .dealtToDealer: .dealtToDealer(card, face)
            case .hit: .hit(seat: 1, hand: 0)
            case .stood: .stood(seat: 1, hand: 0, .chosen)
            case .turnStarted: .turnStarted(seat: 1, hand: 0, legal: [], closes: until)
            case .betPlaced: .betPlaced(seat: 1, amount: 0)
            case .settled: .settled(seat: 1, hand: 0, .push, stake: 0, paid: 0)
            case .shoeSupplied: .shoeSupplied(.blank)
            case .shuffled: .shuffled(shoe: 1, source: .blank)
            case .burned: .burned(card)
            case .reshuffled: .reshuffled(cards: 0)
            case .bettingOpened: .bettingOpened(closes: until)
            case .bettingAbandoned: .bettingAbandoned
            case .roundStarted: .roundStarted(round: 1)
            case .holeDealt: .holeDealt(card)
            case .holeRevealed: .holeRevealed(card, face)
            case .roundEnded: .roundEnded(until: until)
            case .cleared: .cleared
            case .closed: .closed
            case .postponed: .postponed(milliseconds: 0)
            case .closing: .closing(.blank)
            case .earlySurrenderOffered: .earlySurrenderOffered(closes: until)
            case .insuranceOffered: .insuranceOffered(closes: until)
            case .insured: .insured(seat: 1, amount: 0)
            case .evenMoneyTaken: .evenMoneyTaken(seat: 1)
            case .declined: .declined(seat: 1, timedOut: false)
            case .peeked: .peeked
            case .insuranceSettled: .insuranceSettled(seat: 1, stake: 0, paid: 0)
            case .doubled: .doubled(seat: 1, hand: 0, added: 0)
            case .split: .split(seat: 1, hand: 0, newHand: 1)
            case .surrendered: .surrendered(seat: 1)
            case .sat: .sat(player: player, profile: PlayerProfile(name: ""), seat: 1, chips: 0)
            case .left: .left(player: player, chips: 0)
            case .leaving: .leaving(player: player)
            case .satOut: .satOut(player: player, until: until)
            case .satIn: .satIn(player: player)
            case .disconnected: .disconnected(player: player, grace: until)
            case .away: .away(player: player)
            case .reconnected: .reconnected(player: player)
            case .released: .released(player: player)
            case .idling: .idling(until: until)
            case .charged: .charged(player: player, milliseconds: 0, from: until)
            case .declared: .declared(player: player, contributes: false)
            case .ceremoniesBegan: .ceremoniesBegan(table: "")
            case .ceremonyOpened: .ceremonyOpened(shoe: 1, secret: .blank)
            case .contributed: .contributed(player: player, name: "", commitment: .blank)
            case .listDue: .listDue(until: nil)
            case .listClosed: .listClosed(until: until)
            case .revealed: .revealed(player: player, contribution: .blank)
            case .attemptVoided: .attemptVoided(timedOut: false)
            case .secretRevealed: .secretRevealed(shoe: 1)
            }
        }
    }
}

extension RecordVisitor {
    @inline(__always)
    fileprivate mutating func card(_ id: CardID) throws(Failure) -> CardID { try required("card", id) }
}
