/// A set of places 0…7 (seats, or players) in one byte; going through it costs only what is in it.
struct SeatMask: Hashable, Sendable {
    var bits: UInt8 = 0

    @inline(__always)
    var isEmpty: Bool { bits == 0 }

    @inline(__always)
    var count: Int { bits.nonzeroBitCount }

    @inline(__always)
    func contains(_ place: Int) -> Bool { bits & (1 &<< UInt8(truncatingIfNeeded: place)) != 0 }

    @inline(__always)
    mutating func insert(_ place: Int) { bits |= 1 &<< UInt8(truncatingIfNeeded: place) }

    @inline(__always)
    mutating func remove(_ place: Int) { bits &= ~(1 &<< UInt8(truncatingIfNeeded: place)) }

    /// The smallest place in the set that is larger than `place`, which may be -1.
    @inline(__always)
    func first(after place: Int) -> Int? {
        let later = bits & ~(UInt8(truncatingIfNeeded: 2 &<< place) &- 1)
        return place < 0 ? (bits == 0 ? nil : bits.trailingZeroBitCount) : later == 0 ? nil : later.trailingZeroBitCount
    }

    @inline(__always)
    func isDisjoint(with other: SeatMask) -> Bool { bits & other.bits == 0 }

    @inline(__always)
    func subtracting(_ other: SeatMask) -> SeatMask { SeatMask(bits: bits & ~other.bits) }
}

extension SeatMask: Sequence {
    struct Iterator: IteratorProtocol {
        var rest: UInt8

        @inline(__always)
        mutating func next() -> Int? {
            guard rest != 0 else { return nil }
            defer { rest &= rest &- 1 }
            return rest.trailingZeroBitCount
        }
    }

    @inline(__always)
    func makeIterator() -> Iterator { Iterator(rest: bits) }
}
