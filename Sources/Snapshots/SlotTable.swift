/// A hash table of locations: open addressing, linear probing.
///
/// Holds no values, so it is one type with trivial copies; callers compare values. Slot order never affects a result.
@usableFromInline
struct SlotTable: Sendable {
    /// An entry: a hash, and the location of the value.
    @usableFromInline
    struct Slot: Sendable {
        @usableFromInline var hash: UInt32
        /// The list that contains the value; `UInt32.max` if the slot is free.
        @usableFromInline var token: UInt32
        /// The value's position in the list when added.
        @usableFromInline var hint: UInt32

        @inlinable static var free: Slot { Slot(hash: 0, token: .max, hint: 0) }

        @inlinable
        init(hash: UInt32, token: UInt32, hint: UInt32) {
            self.hash = hash
            self.token = token
            self.hint = hint
        }

        @inlinable var isFree: Bool { token == .max }
    }

    @usableFromInline var slots: [Slot]
    @usableFromInline var count = 0

    /// An empty table with capacity for `count` values; it grows on demand.
    @inlinable
    init(minimumCapacity: Int) {
        var size = 8
        while size < minimumCapacity * 2 { size *= 2 }
        slots = [Slot](repeating: .free, count: size)
    }

    @inlinable
    static func hash(_ value: some Hashable) -> UInt32 { UInt32(truncatingIfNeeded: value.hashValue) }

    /// The first slot to probe for a hash.
    @inlinable
    func first(_ hash: UInt32) -> Int { Int(hash) & (slots.count - 1) }

    /// The next slot to probe.
    @inlinable
    func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    @inlinable
    mutating func insert(hash: UInt32, token: UInt32, hint: Int) {
        if (count + 1) * 2 > slots.count { grow() }
        place(Slot(hash: hash, token: token, hint: UInt32(truncatingIfNeeded: hint)))
        count += 1
    }

    @inlinable
    mutating func place(_ entry: Slot) {
        var slot = first(entry.hash)
        while !slots[slot].isFree { slot = next(slot) }
        slots[slot] = entry
    }

    @usableFromInline
    mutating func grow() {
        let old = slots
        slots = [Slot](repeating: .free, count: old.count * 2)
        for entry in old where !entry.isFree { place(entry) }
    }

    /// Frees a slot and moves up entries that would become unreachable.
    @usableFromInline
    mutating func remove(at slot: Int) {
        var hole = slot
        var candidate = next(slot)
        while !slots[candidate].isFree {
            let distance = (candidate - first(slots[candidate].hash)) & (slots.count - 1)
            if distance >= (candidate - hole) & (slots.count - 1) {
                slots[hole] = slots[candidate]
                hole = candidate
            }
            candidate = next(candidate)
        }
        slots[hole] = .free
        count -= 1
    }
}
