import Rules
import TableModel

/// Items and their contents in diffs and snapshots.
extension JSONWriter {
    /// Room for `[item,content]` and `[item,section,index,content]`; content over 64 bytes makes its own room.
    static let elementBytes = 3 * identifierBytes + 64

    /// `[item,content]`; makes its own room.
    @inline(__always)
    mutating func putPair(_ entries: UnsafeBufferPointer<TableEntry>, _ index: Int) {
        room(Self.elementBytes)
        put(UInt8(ascii: "["))
        put(entries[index].item)
        put(UInt8(ascii: ","))
        putContent(of: entries, index)
        room(2)
        put(UInt8(ascii: "]"))
    }

    /// The content of an item, for which there must be room for 64 bytes.
    ///
    /// Reads the entry in place. A case with two patterns, or a visit, copies it first: 95 instructions, 7 % of a small diff.
    @inline(__always)
    mutating func putContent(of entries: UnsafeBufferPointer<TableEntry>, _ index: Int) {
        switch entries[index] {
        case .card(_, let card): put(card)
        case .total(_, let total): put(total)
        case .dealerTotal(let total): put(total)
        case .round(let number): put(number)
        case .cardsLeft(let number): put(number)
        case .insurance(_, let chips): put(chips)
        case .bet(_, let chips): put(chips)
        case .clock(let clock): put(Int(clock.deadline))
        case .phase(let phase): putValue(phase)
        case .player(_, let player): putValue(player)
        case .choice(_, let choice): putValue(choice)
        case .result(_, let result): putValue(result)
        default: putRareContent(of: entries[index])
        }
    }

    /// A content that has no shortcut, as its type declares it.
    private mutating func putValue<Value: WireValue>(_ value: Value) {
        comesFirst()
        value.write(to: &self)
    }

    @inline(never)
    private mutating func putRareContent(of entry: TableEntry) {
        var entry = entry
        comesFirst()
        entry.visitContent(&self)
    }

    @inline(__always)
    package mutating func put(_ card: Card?) {
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
}
