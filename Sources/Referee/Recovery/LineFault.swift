import Wire

/// A line of the server's that says more than its message, or that names a card outside a table: ways in which a hidden card could get out.
package enum LineFault: Error, Equatable, CustomStringConvertible, Sendable {
    /// The line differs from the one that its message is written as: another order, spelling or member.
    case moreThanItsMessage
    /// A card's face in a message that shows no table, shoe or past round.
    case card(String)

    package var description: String {
        switch self {
        case .moreThanItsMessage: "a line that its message is not written as"
        case .card(let face): "the card \(face) in a message without cards"
        }
    }

    /// Judges a line without its end, and the message that it was read as.
    package init?(_ line: UnsafeBufferPointer<UInt8>, _ message: ServerMessage) {
        let written = message.encoded()
        guard written.count == line.count + 1, written.dropLast().elementsEqual(line) else {
            self = .moreThanItsMessage
            return
        }
        switch message {
        // Their cards are judged as cards.
        case .snapshot, .diff, .history, .ok(_, .proof): return nil
        default: break
        }
        guard let face = Self.face(in: line) else { return nil }
        self = .card(face)
    }

    /// The first rank and suit that stand alone, such as `10H`, `TH` or `KS`.
    private static func face(in line: UnsafeBufferPointer<UInt8>) -> String? {
        let (ranks, suits) = (Array("A23456789TJQK0".utf8), Array("CDHS".utf8))
        for place in line.indices.dropLast() where suits.contains(line[place + 1]) && ranks.contains(line[place]) {
            let isTen = line[place] == UInt8(ascii: "0")
            let start = isTen ? place - 1 : place
            guard !isTen || start >= 0 && line[start] == UInt8(ascii: "1") else { continue }
            let isFree = (start == 0 || !line[start - 1].isWordByte) && (place + 2 >= line.count || !line[place + 2].isWordByte)
            if isFree { return String(decoding: line[start...place + 1], as: UTF8.self) }
        }
        return nil
    }
}

extension UInt8 {
    /// A letter, a digit, or a sign of Base64.
    fileprivate var isWordByte: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
