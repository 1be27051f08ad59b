import Fairness
import Rules
import TableEngine
import TableModel
import Wire

/// Saved tables as JSON. Seats and hands count from 0, as in the table.
extension Table.Saved {
    /// The fields besides rules and pace.
    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.word("stage", &stage, absent: nil, Self.name)
        try coder.number("actingSeat", &actingSeat)
        try coder.number("actingHand", &actingHand)
        try coder.moment("due", &due)
        try coder.number("round", &round)
        try coder.number("turn", &turn)
        try coder.number("houseNet", &houseNet)
        try coder.number("broughtIn", &broughtIn)
        try coder.number("takenOut", &takenOut)
        try coder.flag("isClosing", &isClosing)
        var notices = closing.map { [SavedNotice(notice: $0)] } ?? []
        try coder.list("closing", &notices)
        closing = notices.first?.notice
        var actions = Int(turnActions.rawValue)
        try coder.number("turnActions", &actions)
        turnActions = ActionSet(rawValue: UInt8(truncatingIfNeeded: actions))
        try coder.number("idle", &idle)
        try coder.number("naturals", &naturals)
        try coder.number("liveHands", &liveHands)
        try coder.numbers("dealer", &dealer)
        try coder.flag("holeIsHidden", &holeIsHidden)
        try coder.object("shoe", &shoe)
        try coder.source("nextSource", &nextSource)
        var all = ceremonies.map { [$0] } ?? []
        try coder.list("ceremonies", &all)
        ceremonies = all.first
        try coder.moment("freeUntil", &freeUntil)
        try coder.list("debts", &debts)
        try coder.list("players", &players)
        try coder.list("seats", &seats)
    }

    private static func name(_ stage: Stage) -> String {
        switch stage {
        case .waiting: "waiting"
        case .betting: "betting"
        case .dealing: "dealing"
        case .earlySurrender: "earlySurrender"
        case .insurance: "insurance"
        case .playing: "playing"
        case .dealer: "dealer"
        case .settled: "settled"
        case .closed: "closed"
        }
    }
}

private struct SavedNotice: Coded {
    static var blank: Self { Self(notice: ClosingNotice()) }
    var notice: ClosingNotice

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.word("cause", &notice.cause, absent: nil, \.rawValue)
        try coder.optionalTime("deadline", &notice.deadline)
        try coder.text("reason", &notice.reason)
    }
}

extension Table.SavedShoe: Coded {
    static var blank: Self { Self() }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.number("number", &number)
        try coder.source("source", &source)
        var text = CardText.text(order)
        try coder.text("order", &text)
        order = CardText.cards(text)
        try coder.number("position", &position)
        try coder.number("segment", &segment)
        try coder.number("roundStart", &roundStart)
        try coder.number("discardsStart", &discardsStart)
    }
}

/// Cards as one string of two letters each: `KHTD`.
enum CardText {
    static func text(_ cards: [Card]) -> String {
        var text = ""
        text.reserveCapacity(2 * cards.count)
        for card in cards {
            text.append(card.rank.letter)
            text.append(card.suit.letter)
        }
        return text
    }

    /// Stops at the first letters that are no card: restoring then finds the shoe incomplete.
    static func cards(_ text: String) -> [Card] {
        var text = text
        return text.withUTF8 { letters in
            var cards: [Card] = []
            cards.reserveCapacity(letters.count / 2)
            for index in stride(from: 0, to: letters.count - 1, by: 2) {
                guard let rank = Rank(byte: letters[index]), let suit = Suit(byte: letters[index + 1]) else { break }
                cards.append(Card(rank, suit))
            }
            return cards
        }
    }
}

extension Table.SavedPlayer: Coded {
    static var blank: Self { Self() }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.number("slot", &slot)
        try coder.player("account", &id)
        try coder.text("name", &name)
        try coder.flag("bot", &isBot)
        try coder.flag("fair", &contributes)
        try coder.number("chips", &chips)
        try coder.moment("grace", &grace)
        try coder.flag("isAway", &isAway)
        try coder.flag("isSittingOut", &isSittingOut)
        try coder.flag("isLeaving", &isLeaving)
        try coder.flag("isReleased", &isReleased)
        try coder.number("missedRounds", &missedRounds)
        try coder.number("timeOuts", &timeOuts)
        try coder.moment("seatUntil", &seatUntil)
        try coder.number("spent", &spent)
        try coder.moment("since", &since)
    }
}

extension Table.SavedDebt: Coded {
    static var blank: Self { Self() }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.player("account", &player)
        try coder.number("spent", &spent)
    }
}

extension Table.SavedSeat: Coded {
    static var blank: Self { Self() }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.required("seat", &seat)
        try coder.number("slot", &slot, absent: -1)
        try coder.number("bet", &bet)
        try coder.number("shoe", &shoe)
        try coder.player("owner", &owner)
        try coder.number("original", &original)
        try coder.word("question", &question, absent: .notAsked) { question in
            switch question {
            case .notAsked: "notAsked"
            case .open: "open"
            case .answered: "answered"
            }
        }
        try coder.number("insurance", &insurance)
        try coder.number("insurancePaid", &insurancePaid)
        try coder.flag("insuranceIsSettled", &insuranceIsSettled)
        try coder.list("hands", &hands)
    }
}

extension Table.SavedHand: Coded {
    static var blank: Self { Self() }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.numbers("cards", &cards)
        try coder.number("stake", &stake)
        try coder.word("origin", &origin, absent: .dealt) { origin in
            switch origin {
            case .dealt: "dealt"
            case .split: "split"
            case .splitAces: "splitAces"
            }
        }
        try coder.flag("isDoubled", &isDoubled)
        try coder.word("state", &state, absent: .open) { state in
            switch state {
            case .open: "open"
            case .ended: "ended"
            case .settled: "settled"
            }
        }
        try coder.word("end", &end, absent: .stood, Self.name)
        guard state == .settled else { return }
        try coder.word("outcome", &outcome, absent: nil, \.name)
        try coder.number("paid", &paid)
    }

    private static func name(_ end: HandEnd) -> String {
        switch end {
        case .stood: "stood"
        case .blackjack: "blackjack"
        case .bust: "bust"
        case .surrendered: "surrendered"
        case .evenMoney: "evenMoney"
        case .charlie: "charlie"
        }
    }
}

// MARK: - Fields

/// Saved ceremonies as JSON. Digests that follow from others are left out.
extension Table.SavedCeremonies: Coded {
    static var blank: Self { Self() }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.text("table", &table)
        try coder.moment("due", &due)
        try coder.number("voidAttempts", &voidAttempts)
        var names = withheld.map(SavedName.init)
        try coder.list("withheld", &names)
        withheld = names.map(\.name)
        try coder.numbers("excluded", &excluded)
        var attempts = [next].compactMap(\.self)
        try coder.list("next", &attempts)
        next = attempts.first
        attempts = [played].compactMap(\.self)
        try coder.list("played", &attempts)
        played = attempts.first
        try coder.list("segments", &segments)
        try coder.flag("isRevealed", &isRevealed)
        try coder.list("proofs", &proofs)
    }
}

private struct SavedName: Coded {
    static var blank: Self { Self(name: "") }
    var name: String

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) { try coder.text("name", &name) }
}

extension ShoeSecret {
    /// A value to read into.
    fileprivate static let zero: ShoeSecret = {
        guard let zero = ShoeSecret(Array(repeating: 0, count: length)) else { preconditionFailure("these are so many bytes") }
        return zero
    }()
}

extension FieldCoder {
    /// A secret that must be present.
    fileprivate mutating func secret(_ key: StaticString, _ value: inout ShoeSecret) throws(Failure) {
        var found: ShoeSecret? = value
        try optionalSecret(key, &found)
        value = found ?? .zero
    }
}

extension Table.SavedAttempt: Coded {
    static var blank: Self { Self(secret: .zero) }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.number("shoe", &shoe)
        try coder.secret("serverSecret", &secret)
        try coder.word("stage", &stage, absent: .open) { stage in
            switch stage {
            case .open: "open"
            case .revealing: "revealing"
            case .mixed: "mixed"
            }
        }
        try coder.list("contributions", &contributions)
    }
}

extension Table.SavedContribution: Coded {
    static var blank: Self { Self(commitment: SHA256.hash([])) }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.player("account", &player)
        try coder.text("name", &name)
        try coder.digest("commitment", &commitment)
        try coder.optionalSecret("contribution", &reveal)
    }
}

extension ShoeProof.Segment: Coded {
    static var blank: Self { Self(number: 1, first: 0, discards: 0..<0) }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        var (from, to) = (discards.lowerBound, discards.upperBound)
        try coder.number("number", &number)
        try coder.number("first", &first)
        try coder.number("from", &from)
        try coder.number("to", &to)
        try coder.number("round", &round)
        discards = from..<max(from, to)
    }
}

extension ShoeProof: Coded {
    static var blank: Self {
        Self(table: "", shoe: 0, rules: "", commitment: SHA256.hash([]), secret: .zero, contributions: [])
    }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.text("table", &table)
        try coder.number("shoe", &shoe)
        try coder.text("rules", &rules)
        try coder.digest("commitment", &commitment)
        try coder.secret("serverSecret", &secret)
        try coder.list("contributions", &contributions)
        try coder.list("segments", &segments)
    }
}

/// The fields of the proof, and its contributors.
extension ProvenShoe: Coded {
    static var blank: Self { Self(proof: .blank, contributors: []) }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try proof.code(&coder)
        var players = contributors.map(SavedPlayer.init)
        try coder.list("contributors", &players)
        contributors = players.map(\.id)
    }
}

private struct SavedPlayer: Coded {
    static var blank: Self { Self(id: PlayerID(0)) }
    var id: PlayerID

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) { try coder.player("account", &id) }
}

extension ShoeProof.Contribution: Coded {
    static var blank: Self { Self(name: "", commitment: SHA256.hash([]), reveal: nil) }

    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure) {
        try coder.text("name", &name)
        try coder.digest("commitment", &commitment)
        try coder.optionalSecret("contribution", &reveal)
    }
}
