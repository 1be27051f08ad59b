/// A set of seats or player slots, 0…7, in one byte. Iteration visits members only.
struct SeatMask: Hashable, Sendable {
    var bits: UInt8 = 0

    var isEmpty: Bool { bits == 0 }

    var count: Int { bits.nonzeroBitCount }

    func contains(_ index: Int) -> Bool { bits & (1 &<< UInt8(truncatingIfNeeded: index)) != 0 }

    mutating func insert(_ index: Int) { bits |= 1 &<< UInt8(truncatingIfNeeded: index) }

    mutating func remove(_ index: Int) { bits &= ~(1 &<< UInt8(truncatingIfNeeded: index)) }

    /// The smallest member above `index`, which may be -1.
    func first(after index: Int) -> Int? {
        let later = bits & ~(UInt8(truncatingIfNeeded: 2 &<< index) &- 1)
        return index < 0 ? (bits == 0 ? nil : bits.trailingZeroBitCount) : later == 0 ? nil : later.trailingZeroBitCount
    }

    func isDisjoint(with other: SeatMask) -> Bool { bits & other.bits == 0 }

    func subtracting(_ other: SeatMask) -> SeatMask { SeatMask(bits: bits & ~other.bits) }
}

extension SeatMask: Sequence {
    struct Iterator: IteratorProtocol {
        var rest: UInt8

        mutating func next() -> Int? {
            guard rest != 0 else { return nil }
            defer { rest &= rest &- 1 }
            return rest.trailingZeroBitCount
        }
    }

    func makeIterator() -> Iterator { Iterator(rest: bits) }
}
