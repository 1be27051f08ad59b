/// Where to look for values, by their hashes: open addressing with linear probing.
///
/// The table holds no values, so it is the same for all types and copying it is copying plain memory. Several values may have
/// the same hash; whoever uses the table compares the values themselves. No result ever depends on the order of the slots,
/// which is another one in every process.
@usableFromInline
struct SlotTable: Sendable {
    /// One entry: a hash, and two numbers that say where the value is.
    @usableFromInline
    struct Slot: Sendable {
        @usableFromInline var hash: UInt32
        /// Which list the value is in; `UInt32.max` if the slot is free.
        @usableFromInline var token: UInt32
        /// At which position of the list it was.
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

    /// An empty table with room for so many values; it grows when there are more.
    @inlinable
    init(minimumCapacity: Int) {
        var size = 8
        while size < minimumCapacity * 2 { size *= 2 }
        slots = [Slot](repeating: .free, count: size)
    }

    @inlinable
    static func hash(_ value: some Hashable) -> UInt32 { UInt32(truncatingIfNeeded: value.hashValue) }

    /// The slot where the search for a hash begins.
    @inlinable
    func first(_ hash: UInt32) -> Int { Int(hash) & (slots.count - 1) }

    /// The slot to look at after another.
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

    /// Frees a slot, and moves up those that would not be found any more.
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
