/// Distinct values in insertion order.
///
/// Small lists are scanned; beyond ``scanLimit`` a set keeps insertion O(1).
@usableFromInline
struct UniqueList<Element: Hashable & Sendable>: Sendable {
    /// Up to this many values, comparing all is cheaper than hashing one.
    @inlinable static var scanLimit: Int { 24 }

    @usableFromInline var elements: [Element] = []
    @usableFromInline var members: Set<Element>?

    @inlinable
    init() {}

    @inlinable
    func contains(_ element: Element) -> Bool {
        members?.contains(element) ?? elements.contains(element)
    }

    /// Appends a value unless present; returns whether it was appended.
    @inlinable
    @discardableResult
    mutating func append(_ element: Element) -> Bool {
        if members != nil {
            guard members?.insert(element).inserted == true else { return false }
        } else {
            guard !elements.contains(element) else { return false }
        }
        elements.append(element)
        if members == nil, elements.count > Self.scanLimit { members = Set(elements) }
        return true
    }

    @inlinable
    mutating func remove(where isGone: (Element) -> Bool) {
        elements.removeAll(where: isGone)
        if members != nil { members = Set(elements) }
    }

    /// The first of `count` values that occurs among those before it.
    @inlinable
    static func firstDuplicate(count: Int, _ value: (Int) -> Element) -> Element? {
        guard count > 1 else { return nil }
        guard count > scanLimit else {
            for position in 1..<count {
                let candidate = value(position)
                for earlier in 0..<position where value(earlier) == candidate { return candidate }
            }
            return nil
        }
        var table = SlotTable(minimumCapacity: count)
        for position in 0..<count {
            let candidate = value(position)
            let hash = SlotTable.hash(candidate)
            var slot = table.first(hash)
            while !table.slots[slot].isFree {
                if table.slots[slot].hash == hash, value(Int(table.slots[slot].hint)) == candidate { return candidate }
                slot = table.next(slot)
            }
            table.insert(hash: hash, token: 0, hint: position)
        }
        return nil
    }
}
