import Rules
import TableModel

/// Items and their contents in diffs and snapshots.
extension JSONWriter {
    /// Room for `[item,content]` and `[item,section,index,content]`; content over 64 bytes makes its own room.
    static let elementBytes = 3 * identifierBytes + 64

    /// `[item,content]`; makes its own room.
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

    /// The content of an item, for which there must be room for 64 bytes. By hand for frequent kinds: see `bjbench wire`.
    @inline(__always)
    mutating func putContent(of entry: TableEntry) {
        switch entry {
        case .card(_, let card): put(card)
        case .total(_, let total), .dealerTotal(let total): put(total)
        case .round(let number), .cardsLeft(let number), .insurance(_, let number), .bet(_, let number): put(number)
        case .clock(let clock): put(Int(clock.deadline))
        default: putRareContent(of: entry)
        }
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
