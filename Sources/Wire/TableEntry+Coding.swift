import Rules
import TableModel

extension TableEntry {
    /// What an item shows; the item decides what is read.
    init(_ item: TableItem, _ value: JSONValue) throws(JSONError) {
        switch item {
        case .round:
            self = .round(try value.integer(in: WireRange.count))
        case .phase: self = .phase(try RoundPhase(named: value))
        case .clock: self = .clock(Clock(deadline: Int64(try value.integer(in: WireRange.time))))
        case .shoe:
            let object = try value.object()
            self = .shoe(
                ShoeStatus(
                    number: try object.required("number").integer(in: WireRange.count),
                    decks: try object.required("decks").integer(in: WireRange.decks),
                    behindCutCard: try object.required("behindCut").integer(in: WireRange.cardsInShoe)))
        case .cardsLeft: self = .cardsLeft(try value.integer(in: WireRange.cardsInShoe))
        case .closing: self = .closing(try ClosingNotice(value.object()))
        case .rules: self = .rules(try TableRules(value))
        case .dealerTotal: self = .dealerTotal(try Total(value))
        case .player(let seat): self = .player(seat, try Player(value.object()))
        case .choice(let seat): self = .choice(seat, try Choice(value.object()))
        case .insurance(let seat): self = .insurance(seat, try value.integer(in: WireRange.chips))
        case .bet(let hand): self = .bet(hand, try value.integer(in: WireRange.chips))
        case .total(let hand): self = .total(hand, try Total(value))
        case .result(let hand): self = .result(hand, try HandResult(value.object()))
        case .card(let id):
            self = .card(
                id, try value.string(expecting: "a card such as KH, or ?? face down") { text in Card?(wireName: text) })
        case .other(let name): self = .other(name, try value.compactText)
        }
    }
}

extension RoundPhase {
    init(named value: JSONValue) throws(JSONError) {
        guard let phase = RoundPhase(rawValue: try value.string()) else {
            throw value.mismatch("one of " + RoundPhase.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self = phase
    }
}

extension Total {
    fileprivate init(_ value: JSONValue) throws(JSONError) {
        self = try value.string(expecting: "a total such as 20 or soft 17") { Total(wireName: $0) }
    }

    /// Reads `20`, `soft 17`, `bust 24` and `blackjack`: what `text` gives.
    private init?(wireName text: UnsafeBufferPointer<UInt8>) {
        if text.count <= 2 {
            guard let points = decimal(text[...]), points <= 21 else { return nil }
            self = .hard(points)
        } else if text.count == 7, let points = decimal(text[5...]) {
            if (11...21).contains(points), isEqual(UnsafeBufferPointer(rebasing: text[..<5]), "soft ") {
                self = .soft(points)
            } else if (22...31).contains(points), isEqual(UnsafeBufferPointer(rebasing: text[..<5]), "bust ") {
                self = .hard(points)
            } else {
                return nil
            }
        } else if isEqual(text, "blackjack") {
            self = .blackjack
        } else {
            return nil
        }
    }
}

/// The letters of ranks and suits in the order of their raw values.
let rankLetters: StaticString = "A23456789TJQK"
let suitLetters: StaticString = "SHDC"

extension Card? {
    /// Reads `KH`, or `??` for a card that lies face down; the outer nil is for what is neither.
    fileprivate init?(wireName text: UnsafeBufferPointer<UInt8>) {
        guard text.count == 2 else { return nil }
        guard !isEqual(text, "??") else {
            self = .none
            return
        }
        guard let rank = Rank.allCases.first(where: { rankLetters.utf8Start[Int($0.rawValue)] == text[0] }),
            let suit = Suit.allCases.first(where: { suitLetters.utf8Start[Int($0.rawValue)] == text[1] })
        else { return nil }
        self = .some(Card(rank, suit))
    }
}

extension Player {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        let presence = try object.optional("presence") { value throws(JSONError) in
            guard let presence = Presence(rawValue: try value.string()) else {
                throw value.mismatch("one of " + Presence.allCases.map(\.rawValue).joined(separator: ", "))
            }
            return presence
        }
        self.init(
            name: try object.required("name").string(maximum: 256),
            chips: try object.required("chips").integer(in: WireRange.bankroll), presence: presence ?? .here,
            isBot: try object.optional("bot") { value throws(JSONError) in try value.bool() } ?? false)
    }
}

extension ClosingNotice {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        let name = try object.required("cause")
        guard let cause = Cause(rawValue: try name.string()) else {
            throw name.mismatch("one of " + Cause.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self.init(
            cause,
            deadline: try object.optional("deadline") { value throws(JSONError) in Int64(try value.integer(in: WireRange.time)) },
            reason: try object.string("reason", maximum: ChatText.maximumBytes) ?? "")
    }
}

extension Choice {
    fileprivate init(_ object: JSONObject) throws(JSONError) {
        var options: [Option] = []
        let actions = try object.required("actions").object()
        for action in Action.allCases {
            guard let cost = try actions.find(action.key)?.integer(in: WireRange.chips) else { continue }
            options.append(Option(action: action, cost: cost))
        }
        self.init(
            hand: try object.required("hand").integer(in: WireRange.hand),
            turn: try object.required("turn").integer(in: WireRange.revision), options: options)
    }
}

extension HandResult {
    init(_ object: JSONObject) throws(JSONError) {
        let name = try object.required("outcome")
        let text = try name.string()
        guard let outcome = Outcome.allCases.first(where: { $0.name == text }) else {
            throw name.mismatch("one of " + Outcome.allCases.map(\.name).joined(separator: ", "))
        }
        self.init(
            outcome: outcome, net: try object.required("net").integer(in: WireRange.net))
    }
}
