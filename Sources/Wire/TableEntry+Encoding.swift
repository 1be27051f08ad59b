import Rules
import TableModel

/// What items show.
extension JSONWriter {
    /// Room enough for `[item,content]` and for `[item,section,index,content]`, where the content makes room for itself if it may be longer.
    static let elementBytes = 3 * identifierBytes + 64

    /// `[item,content]`, for which it makes room.
    @inline(__always)
    mutating func putPair(_ entry: TableEntry) {
        room(Self.elementBytes)
        put(UInt8(ascii: "["))
        put(entry.item)
        put(UInt8(ascii: ","))
        putContent(of: entry)
        room(2)
        put(UInt8(ascii: "]"))
    }

    /// There must be room for the shorter ones: 64 bytes.
    @inline(__always)
    mutating func putContent(of entry: TableEntry) {
        switch entry {
        case .card(_, let card): put(card)
        case .total(_, let total), .dealerTotal(let total): put(total)
        case .round(let number), .cardsLeft(let number), .insurance(_, let number), .bet(_, let number): put(number)
        case .result(_, let result): put(result)
        case .clock(let clock): put(Int(clock.deadline))
        case .phase(let phase):
            put(UInt8(ascii: "\""))
            put(word: phase.key)
            put(UInt8(ascii: "\""))
        case .player(_, let player): put(player)
        case .choice(_, let choice): put(choice)
        case .shoe(let shoe): put(shoe)
        case .closing(let notice): put(notice)
        case .rules(let rules):
            comesFirst()
            rules.write(to: &self)
        case .other(_, let text): put(json: text)
        }
    }

    @inline(never)
    private mutating func put(json text: String) {
        comesFirst()
        json(text)
    }

    /// A word of the protocol that is not known where it is written.
    @inline(never)
    private mutating func put(word: StaticString) { put(word) }

    @inline(__always)
    private mutating func put(_ card: Card?) {
        put(UInt8(ascii: "\""))
        if let card {
            put(rankLetters.utf8Start[Int(card.rank.rawValue)])
            put(suitLetters.utf8Start[Int(card.suit.rawValue)])
        } else {
            put("??")
        }
        put(UInt8(ascii: "\""))
    }

    @inline(__always)
    private mutating func put(_ total: Total) {
        switch total {
        case .hard(let points):
            if points > 21 { put("\"bust ") } else { put(UInt8(ascii: "\"")) }
            put(points)
            put(UInt8(ascii: "\""))
        case .soft(let points):
            put("\"soft ")
            put(points)
            put(UInt8(ascii: "\""))
        case .blackjack: put("\"blackjack\"")
        }
    }

    @inline(never)
    private mutating func put(_ notice: ClosingNotice) {
        comesFirst()
        beginObject()
        key("cause")
        string(notice.cause.rawValue)
        if let deadline = notice.deadline {
            key("deadline")
            integer(deadline)
        }
        if !notice.reason.isEmpty {
            key("reason")
            string(notice.reason)
        }
        endObject()
    }

    private mutating func put(_ result: HandResult) {
        put("{\"net\":")
        put(result.net)
        put(",\"outcome\":\"")
        put(word: result.outcome.key)
        put("\"}")
    }

    private mutating func put(_ shoe: ShoeStatus) {
        room(128)
        put("{\"behindCut\":")
        put(shoe.behindCutCard)
        put(",\"decks\":")
        put(shoe.decks)
        put(",\"number\":")
        put(shoe.number)
        put(UInt8(ascii: "}"))
    }

    private mutating func put(_ player: Player) {
        room(64)
        put(UInt8(ascii: "{"))
        if player.isBot { put("\"bot\":true,") }
        put("\"chips\":")
        put(player.chips)
        put(",\"name\":\"")
        append(escaping: player.name)
        room(48)
        if player.presence != .here {
            put("\",\"presence\":\"")
            put(word: player.presence.key)
        }
        put("\"}")
    }

    private mutating func put(_ choice: Choice) {
        room(512)
        put("{\"actions\":{")
        var isFirst = true
        for action in Action.byName {
            guard let option = choice.options.first(where: { $0.action == action }) else { continue }
            put(isFirst ? "\"" : ",\"")
            put(word: action.key)
            put("\":")
            put(option.cost)
            isFirst = false
        }
        put("},\"hand\":")
        put(choice.hand)
        put(",\"turn\":")
        put(choice.turn)
        put(UInt8(ascii: "}"))
    }
}
