/// A section of a table snapshot.
public enum TableSection: Hashable, Sendable {
    /// Round, clock, shoe, rules.
    case table
    /// The dealer's cards and total.
    case dealer
    /// A seat, 1…7: its player and the question to that player.
    case seat(Int)
    /// A hand: its cards, bet, total and result.
    case hand(HandIdentifier)

    /// Its index among all sections that a table may have.
    var row: Int {
        switch self {
        case .table: 0
        case .dealer: 1
        case .seat(let seat): TableRows.row(ofSeat: seat)
        case .hand(let hand): TableRows.row(ofSeat: hand.seat) + hand.number
        }
    }
}

/// A hand by seat and number. The first hand is number 1; each split adds the next, and numbers never change.
///
/// The playing order of hands is the order of their sections.
public struct HandIdentifier: Hashable, Sendable {
    /// 1…7.
    public let seat: Int
    /// 1…4.
    public let number: Int

    public init(seat: Int, number: Int) {
        self.seat = seat
        self.number = number
    }
}

/// The name of an item of a kind unknown to this version. Two words, so that an identifier allocates nothing.
public struct OtherName: Hashable, Comparable, Sendable {
    /// The longest name, in bytes.
    public static let maximumBytes = 16

    /// The bytes in order, the first in the lowest eight bits; zero after the last.
    private let first: UInt64
    private let second: UInt64

    /// - Parameter name: ASCII: two lower-case letters, then letters, digits and dots. A letter followed by a number is a known
    ///   kind.
    public init?(_ name: some Collection<UInt8>) {
        guard (2...Self.maximumBytes).contains(name.count) else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for (index, byte) in name.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): break
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
                guard index > 1 else { return nil }
            default: return nil
            }
            if index < 8 {
                words.0 |= UInt64(byte) << UInt64(8 * index)
            } else {
                words.1 |= UInt64(byte) << UInt64(8 * index - 64)
            }
        }
        (first, second) = words
    }

    /// By their letters.
    public static func < (one: OtherName, other: OtherName) -> Bool {
        (one.first.byteSwapped, one.second.byteSwapped) < (other.first.byteSwapped, other.second.byteSwapped)
    }

    /// In ASCII.
    public var bytes: [UInt8] {
        withUnsafeBytes(of: (first.littleEndian, second.littleEndian)) { bytes in bytes.filter { $0 != 0 } }
    }
}
