/// Values by key, of the keys used most recently, in O(1) and when full without allocating.
struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var key: Key
        var value: Value
        /// Links of the list; -1 for none.
        var newer: Int32 = -1
        var older: Int32 = -1
    }

    private let capacity: Int
    private let blank: Value
    private var entries: [Entry] = []
    private var slots: [Key: Int32] = [:]
    private var newest: Int32 = -1
    private var oldest: Int32 = -1

    /// - Parameter blank: the value of a new key.
    init(_ blank: Value, capacity: Int) {
        self.blank = blank
        self.capacity = max(1, capacity)
    }

    var count: Int { entries.count }

    subscript(slot: Int) -> Value {
        get { entries[slot].value }
        _modify { yield &entries[slot].value }
    }

    /// The slot of a key; does not count as a use.
    func find(_ key: Key) -> Int? { slots[key].map { Int($0) } }

    /// The slot of a key, which is the most recently used one then. A new key takes the slot of the least recently used one if all are taken.
    mutating func use(_ key: Key) -> Int {
        if let slot = slots[key] {
            guard slot != newest else { return Int(slot) }
            unlink(slot)
            link(slot)
            return Int(slot)
        }
        let slot: Int32
        if entries.count < capacity {
            slot = Int32(entries.count)
            entries.append(Entry(key: key, value: blank))
        } else {
            slot = oldest
            unlink(slot)
            slots[entries[Int(slot)].key] = nil
            entries[Int(slot)] = Entry(key: key, value: blank)
        }
        slots[key] = slot
        link(slot)
        return Int(slot)
    }

    private mutating func link(_ slot: Int32) {
        entries[Int(slot)].older = newest
        entries[Int(slot)].newer = -1
        if newest >= 0 { entries[Int(newest)].newer = slot } else { oldest = slot }
        newest = slot
    }

    private mutating func unlink(_ slot: Int32) {
        let (newer, older) = (entries[Int(slot)].newer, entries[Int(slot)].older)
        if newer >= 0 { entries[Int(newer)].older = older } else { newest = older }
        if older >= 0 { entries[Int(older)].newer = newer } else { oldest = newer }
    }
}
