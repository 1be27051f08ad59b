import Fairness
import Rules
import TableEngine
import TableModel
import Wire

/// Each fact is declared once, in `visited(by:)`, and has an example among the blanks, into which it is read.
extension Fact: FieldForm {
    /// The fact as the visitor has it, field by field in the order in which they are written.
    @inline(__always)
    func visited<V: FieldVisitor>(by visitor: inout V) throws(V.Failure) -> Fact {
        switch self {
        case .dealt(let id, let card, let seat, let hand):
            visitor.tag("fact", "dealt")
            return try .dealt(
                visitor.card(id), visitor.required("face", card), seat: visitor.seat(seat), hand: visitor.hand(hand))
        case .dealtToDealer(let id, let card):
            visitor.tag("fact", "dealtToDealer")
            return try .dealtToDealer(visitor.card(id), visitor.required("face", card))
        case .turnStarted(let seat, let hand, let legal, let closes):
            visitor.tag("fact", "turnStarted")
            return try .turnStarted(
                seat: visitor.seat(seat), hand: visitor.hand(hand), legal: visitor.required("legal", legal),
                closes: visitor.required("closes", closes))
        case .hit(let seat, let hand):
            visitor.tag("fact", "hit")
            return try .hit(seat: visitor.seat(seat), hand: visitor.hand(hand))
        case .stood(let seat, let hand, let reason):
            visitor.tag("fact", "stood")
            return try .stood(seat: visitor.seat(seat), hand: visitor.hand(hand), visitor.required("reason", reason))
        case .betPlaced(let seat, let amount):
            visitor.tag("fact", "betPlaced")
            return try .betPlaced(seat: visitor.seat(seat), amount: visitor.count("amount", amount))
        case .settled(let seat, let hand, let outcome, let stake, let paid):
            visitor.tag("fact", "settled")
            return try .settled(
                seat: visitor.seat(seat), hand: visitor.hand(hand), visitor.required("outcome", outcome),
                stake: visitor.count("stake", stake), paid: visitor.count("paid", paid))
        default: return try roundVisited(by: &visitor)
        }
    }

    private func roundVisited<V: FieldVisitor>(by visitor: inout V) throws(V.Failure) -> Fact {
        switch self {
        case .shoeSupplied(let source):
            visitor.tag("fact", "shoeSupplied")
            return try .shoeSupplied(visitor.source(source))
        case .shuffled(let shoe, let source):
            visitor.tag("fact", "shuffled")
            return try .shuffled(shoe: visitor.count("shoe", shoe), source: visitor.source(source))
        case .burned(let id):
            visitor.tag("fact", "burned")
            return try .burned(visitor.card(id))
        case .reshuffled(let cards):
            visitor.tag("fact", "reshuffled")
            return try .reshuffled(cards: visitor.count("cards", cards))
        case .bettingOpened(let closes):
            visitor.tag("fact", "bettingOpened")
            return try .bettingOpened(closes: visitor.required("closes", closes))
        case .bettingAbandoned:
            visitor.tag("fact", "bettingAbandoned")
            return .bettingAbandoned
        case .roundStarted(let round):
            visitor.tag("fact", "roundStarted")
            return try .roundStarted(round: visitor.count("round", round))
        case .holeDealt(let id):
            visitor.tag("fact", "holeDealt")
            return try .holeDealt(visitor.card(id))
        case .holeRevealed(let id, let card):
            visitor.tag("fact", "holeRevealed")
            return try .holeRevealed(visitor.card(id), visitor.required("face", card))
        case .roundEnded(let until):
            visitor.tag("fact", "roundEnded")
            return try .roundEnded(until: visitor.required("until", until))
        case .cleared:
            visitor.tag("fact", "cleared")
            return .cleared
        case .closed:
            visitor.tag("fact", "closed")
            return .closed
        case .postponed(let milliseconds):
            visitor.tag("fact", "postponed")
            return try .postponed(milliseconds: visitor.required("milliseconds", milliseconds, as: Milliseconds.self))
        case .closing(var notice):
            visitor.tag("fact", "closing")
            try notice.visit(&visitor)
            return .closing(notice)
        default: return try decisionVisited(by: &visitor)
        }
    }

    private func decisionVisited<V: FieldVisitor>(by visitor: inout V) throws(V.Failure) -> Fact {
        switch self {
        case .earlySurrenderOffered(let closes):
            visitor.tag("fact", "earlySurrenderOffered")
            return try .earlySurrenderOffered(closes: visitor.required("closes", closes))
        case .insuranceOffered(let closes):
            visitor.tag("fact", "insuranceOffered")
            return try .insuranceOffered(closes: visitor.required("closes", closes))
        case .insured(let seat, let amount):
            visitor.tag("fact", "insured")
            return try .insured(seat: visitor.seat(seat), amount: visitor.count("amount", amount))
        case .evenMoneyTaken(let seat):
            visitor.tag("fact", "evenMoneyTaken")
            return try .evenMoneyTaken(seat: visitor.seat(seat))
        case .declined(let seat, let timedOut):
            visitor.tag("fact", "declined")
            return try .declined(seat: visitor.seat(seat), timedOut: visitor.flag("timedOut", timedOut))
        case .peeked:
            visitor.tag("fact", "peeked")
            return .peeked
        case .insuranceSettled(let seat, let stake, let paid):
            visitor.tag("fact", "insuranceSettled")
            return try .insuranceSettled(
                seat: visitor.seat(seat), stake: visitor.count("stake", stake), paid: visitor.count("paid", paid))
        case .doubled(let seat, let hand, let added):
            visitor.tag("fact", "doubled")
            return try .doubled(seat: visitor.seat(seat), hand: visitor.hand(hand), added: visitor.count("added", added))
        case .split(let seat, let hand, let newHand):
            visitor.tag("fact", "split")
            return try .split(
                seat: visitor.seat(seat), hand: visitor.hand(hand),
                newHand: visitor.required("newHand", newHand, as: HandNumber.self))
        case .surrendered(let seat):
            visitor.tag("fact", "surrendered")
            return try .surrendered(seat: visitor.seat(seat))
        default: return try playerVisited(by: &visitor)
        }
    }

    private func playerVisited<V: FieldVisitor>(by visitor: inout V) throws(V.Failure) -> Fact {
        switch self {
        case .sat(let id, let profile, let seat, let chips):
            visitor.tag("fact", "sat")
            let (id, seat, chips) = try (visitor.player(id), visitor.seat(seat), visitor.count("chips", chips))
            let (isBot, contributes) = try (visitor.flag("bot", profile.isBot), visitor.flag("fair", profile.contributes))
            let name = try visitor.required("name", profile.name)
            return .sat(
                player: id, profile: PlayerProfile(name: name, isBot: isBot, contributes: contributes), seat: seat, chips: chips)
        case .left(let id, let chips):
            visitor.tag("fact", "left")
            return try .left(player: visitor.player(id), chips: visitor.count("chips", chips))
        case .leaving(let id):
            visitor.tag("fact", "leaving")
            return try .leaving(player: visitor.player(id))
        case .satOut(let id, let until):
            visitor.tag("fact", "satOut")
            return try .satOut(player: visitor.player(id), until: visitor.required("until", until))
        case .satIn(let id):
            visitor.tag("fact", "satIn")
            return try .satIn(player: visitor.player(id))
        case .disconnected(let id, let grace):
            visitor.tag("fact", "disconnected")
            return try .disconnected(player: visitor.player(id), grace: visitor.required("grace", grace))
        case .away(let id):
            visitor.tag("fact", "away")
            return try .away(player: visitor.player(id))
        case .reconnected(let id):
            visitor.tag("fact", "reconnected")
            return try .reconnected(player: visitor.player(id))
        case .released(let id):
            visitor.tag("fact", "released")
            return try .released(player: visitor.player(id))
        case .idling(let until):
            visitor.tag("fact", "idling")
            return try .idling(until: visitor.required("until", until))
        case .charged(let id, let milliseconds, let from):
            visitor.tag("fact", "charged")
            return try .charged(
                player: visitor.player(id), milliseconds: visitor.required("milliseconds", milliseconds, as: Milliseconds.self),
                from: visitor.required("from", from))
        default: return try ceremonyVisited(by: &visitor)
        }
    }

    private func ceremonyVisited<V: FieldVisitor>(by visitor: inout V) throws(V.Failure) -> Fact {
        switch self {
        case .declared(let id, let contributes):
            visitor.tag("fact", "declared")
            return try .declared(player: visitor.player(id), contributes: visitor.flag("fair", contributes))
        case .ceremoniesBegan(let table):
            visitor.tag("fact", "ceremoniesBegan")
            return try .ceremoniesBegan(table: visitor.required("name", table))
        case .ceremonyOpened(let shoe, let secret):
            visitor.tag("fact", "ceremonyOpened")
            return try .ceremonyOpened(shoe: visitor.count("shoe", shoe), secret: visitor.required("serverSecret", secret))
        case .contributed(let id, let name, let commitment):
            visitor.tag("fact", "contributed")
            let (id, commitment) = try (visitor.player(id), visitor.required("commitment", commitment))
            return try .contributed(player: id, name: visitor.required("name", name), commitment: commitment)
        case .listDue(let until):
            visitor.tag("fact", "listDue")
            return try .listDue(until: visitor.optional("until", until))
        case .listClosed(let until):
            visitor.tag("fact", "listClosed")
            return try .listClosed(until: visitor.required("until", until))
        case .revealed(let id, let contribution):
            visitor.tag("fact", "revealed")
            return try .revealed(player: visitor.player(id), contribution: visitor.required("contribution", contribution))
        case .attemptVoided(let timedOut):
            visitor.tag("fact", "attemptVoided")
            return try .attemptVoided(timedOut: visitor.flag("timedOut", timedOut))
        case .secretRevealed(let shoe):
            visitor.tag("fact", "secretRevealed")
            return try .secretRevealed(shoe: visitor.count("shoe", shoe))
        default: preconditionFailure("every fact is visited")
        }
    }

    /// The frequent ones first: names are compared one after another.
    private static let blanks: [Fact] = {
        let (player, until, card, face) = (PlayerID(0), Timestamp(milliseconds: 0), CardID(rawValue: 0), Card(code: 0))
        return [
            .dealt(card, face, seat: 1, hand: 0), .dealtToDealer(card, face), .hit(seat: 1, hand: 0),
            .stood(seat: 1, hand: 0, .chosen),
            .turnStarted(seat: 1, hand: 0, legal: [], closes: until), .betPlaced(seat: 1, amount: 0),
            .settled(seat: 1, hand: 0, .push, stake: 0, paid: 0), .shoeSupplied(.blank), .shuffled(shoe: 1, source: .blank),
            .burned(card), .reshuffled(cards: 0), .bettingOpened(closes: until), .bettingAbandoned, .roundStarted(round: 1),
            .holeDealt(card), .holeRevealed(card, face), .roundEnded(until: until), .cleared, .closed,
            .postponed(milliseconds: 0),
            .closing(.blank), .earlySurrenderOffered(closes: until), .insuranceOffered(closes: until),
            .insured(seat: 1, amount: 0),
            .evenMoneyTaken(seat: 1), .declined(seat: 1, timedOut: false), .peeked, .insuranceSettled(seat: 1, stake: 0, paid: 0),
            .doubled(seat: 1, hand: 0, added: 0), .split(seat: 1, hand: 0, newHand: 1), .surrendered(seat: 1),
            .sat(player: player, profile: PlayerProfile(name: ""), seat: 1, chips: 0), .left(player: player, chips: 0),
            .leaving(player: player), .satOut(player: player, until: until), .satIn(player: player),
            .disconnected(player: player, grace: until), .away(player: player), .reconnected(player: player),
            .released(player: player), .idling(until: until), .charged(player: player, milliseconds: 0, from: until),
            .declared(player: player, contributes: false), .ceremoniesBegan(table: ""), .ceremonyOpened(shoe: 1, secret: .blank),
            .contributed(player: player, name: "", commitment: .blank), .listDue(until: nil), .listClosed(until: until),
            .revealed(player: player, contribution: .blank), .attemptVoided(timedOut: false), .secretRevealed(shoe: 1),
        ]
    }()
    private static let names = blanks.map(\.kind.name)

    /// Its name in a record, and whether it has a secret.
    var kind: KindVisitor {
        var kind = KindVisitor()
        _ = visited(by: &kind)
        return kind
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

extension FieldVisitor {
    @inline(__always)
    fileprivate mutating func card(_ id: CardID) throws(Failure) -> CardID { try required("card", id) }
}
