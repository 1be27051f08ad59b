import Rules
import TableModel

extension LineCursor {
    /// The content of an item, written as we write it.
    @inline(__always)
    mutating func entry(_ item: TableItem) throws(Detour) -> TableEntry {
        switch item {
        case .card(let id): return .card(id, try card())
        case .total(let hand): return .total(hand, try total())
        case .cardsLeft: return .cardsLeft(try integer(in: WireRange.cardsInShoe))
        case .bet(let hand): return .bet(hand, try integer(in: WireRange.chips))
        default: return try rareEntry(item)
        }
    }

    @inline(never)
    private mutating func rareEntry(_ item: TableItem) throws(Detour) -> TableEntry {
        switch item {
        case .round: return .round(try integer(in: WireRange.count))
        case .phase: return .phase(try phase())
        case .clock: return .clock(Clock(deadline: Int64(try integer(in: WireRange.time))))
        case .shoe: return .shoe(try shoe())
        case .dealerTotal: return .dealerTotal(try total())
        case .player(let seat): return .player(seat, try player())
        case .choice(let seat): return .choice(seat, try choice())
        case .insurance(let seat): return .insurance(seat, try integer(in: WireRange.chips))
        case .result(let hand): return .result(hand, try result())
        // Rare kinds.
        default: throw Detour()
        }
    }

    /// `"KH"`, or `"??"` for a card that lies face down.
    @inline(__always)
    private mutating func card() throws(Detour) -> Card? {
        let name = word & 0xFFFF_FFFF
        guard name & 0xFF00_00FF == 0x2200_0022 else { throw Detour() }
        skip(4)
        let (first, second) = (UInt8(truncatingIfNeeded: name >> 8), UInt8(truncatingIfNeeded: name >> 16))
        if first == UInt8(ascii: "?"), second == UInt8(ascii: "?") { return nil }
        let rank: UInt8
        switch first {
        case UInt8(ascii: "A"): rank = 0
        case UInt8(ascii: "2")...UInt8(ascii: "9"): rank = first &- UInt8(ascii: "1")
        case UInt8(ascii: "T"): rank = 9
        case UInt8(ascii: "J"): rank = 10
        case UInt8(ascii: "Q"): rank = 11
        case UInt8(ascii: "K"): rank = 12
        default: throw Detour()
        }
        switch second {
        case UInt8(ascii: "S"): return Card(code: rank)
        case UInt8(ascii: "H"): return Card(code: 13 &+ rank)
        case UInt8(ascii: "D"): return Card(code: 26 &+ rank)
        case UInt8(ascii: "C"): return Card(code: 39 &+ rank)
        default: throw Detour()
        }
    }

    /// `"20"`, `"soft 17"`, `"bust 24"`, `"blackjack"`.
    @inline(__always)
    private mutating func total() throws(Detour) -> Total {
        if take("\"soft ") { return .soft(try points(in: 11...21)) }
        if take("\"bust ") { return .hard(try points(in: 22...31)) }
        if take("\"blackjack\"") { return .blackjack }
        try expect(UInt8(ascii: "\""))
        return .hard(try points(in: 0...21))
    }

    @inline(__always)
    private mutating func points(in range: ClosedRange<Int>) throws(Detour) -> Int {
        // A sign would be taken for part of a number elsewhere; here it is none.
        guard byte != UInt8(ascii: "-") else { throw Detour() }
        let points = try integer(in: range)
        try expect(UInt8(ascii: "\""))
        return points
    }

    private mutating func phase() throws(Detour) -> RoundPhase {
        try expect(UInt8(ascii: "\""))
        for phase in RoundPhase.allCases where take(phase.key) {
            try expect(UInt8(ascii: "\""))
            return phase
        }
        throw Detour()
    }

    private mutating func shoe() throws(Detour) -> ShoeStatus {
        try expect("{\"behindCut\":")
        let behindCut = try integer(in: WireRange.cardsInShoe)
        try expect(",\"decks\":")
        let decks = try integer(in: WireRange.decks)
        try expect(",\"number\":")
        let number = try integer(in: WireRange.count)
        try expect(UInt8(ascii: "}"))
        return ShoeStatus(number: number, decks: decks, behindCutCard: behindCut)
    }

    private mutating func player() throws(Detour) -> Player {
        try expect(UInt8(ascii: "{"))
        let isBot = take("\"bot\":true,")
        try expect("\"chips\":")
        let chips = try integer(in: WireRange.bankroll)
        try expect(",\"name\":\"")
        let name = try string(maximum: 256)
        var presence = Player.Presence.here
        if take(",\"presence\":\"") {
            presence = try self.presence()
            try expect(UInt8(ascii: "\""))
        }
        try expect(UInt8(ascii: "}"))
        return Player(name: name, chips: chips, presence: presence, isBot: isBot)
    }

    private mutating func presence() throws(Detour) -> Player.Presence {
        for presence in Player.Presence.allCases where take(presence.key) { return presence }
        throw Detour()
    }

    private mutating func choice() throws(Detour) -> Choice {
        try expect("{\"actions\":{")
        var costs = InlineArray<8, Int>(repeating: -1)
        var count = 0
        if !take(UInt8(ascii: "}")) {
            repeat {
                let action = try actionKey()
                let cost = try integer(in: WireRange.chips)
                guard costs[Int(action.rawValue)] < 0 else { throw Detour() }
                costs[Int(action.rawValue)] = cost
                count += 1
            } while take(UInt8(ascii: ","))
            try expect(UInt8(ascii: "}"))
        }
        try expect(",\"hand\":")
        let hand = try integer(in: WireRange.hand)
        try expect(",\"turn\":")
        let turn = try integer(in: WireRange.revision)
        try expect(UInt8(ascii: "}"))
        var options: [Choice.Option] = []
        options.reserveCapacity(count)
        for action in Action.allCases where costs[Int(action.rawValue)] >= 0 {
            options.append(Choice.Option(action: action, cost: costs[Int(action.rawValue)]))
        }
        return Choice(hand: hand, turn: turn, options: options)
    }

    private mutating func actionKey() throws(Detour) -> Action {
        try expect(UInt8(ascii: "\""))
        for action in Action.allCases where take(action.key) {
            try expect("\":")
            return action
        }
        throw Detour()
    }

    private mutating func result() throws(Detour) -> HandResult {
        try expect("{\"net\":")
        let net = try integer(in: WireRange.net)
        try expect(",\"outcome\":\"")
        for outcome in Outcome.allCases where take(outcome.key) {
            try expect("\"}")
            return HandResult(outcome: outcome, net: net)
        }
        throw Detour()
    }
}
