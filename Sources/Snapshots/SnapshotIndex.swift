import Synchronization

/// The places of sections and items of a large snapshot, in dictionaries made on first use. Copies share them.
@usableFromInline
final class SnapshotIndex<Section: Hashable & Sendable, Item: Hashable & Sendable>: Sendable {
    @usableFromInline typealias Row = Snapshot<Section, Item>.Row
    @usableFromInline typealias Place = Snapshot<Section, Item>.Place

    @usableFromInline
    struct Places: Sendable {
        @usableFromInline var sections: [Section: Int]
        @usableFromInline var items: [Item: Place]

        /// - Throws: for a duplicate.
        @inlinable
        init(_ rows: [Row]) throws(SnapshotError) {
            sections = Dictionary(minimumCapacity: rows.count)
            items = Dictionary(minimumCapacity: rows.reduce(0) { $0 + $1.items.count })
            for (position, row) in rows.enumerated() {
                guard sections.updateValue(position, forKey: row.section) == nil else {
                    throw .duplicateSection(String(describing: row.section))
                }
                for (offset, item) in row.items.enumerated() {
                    guard items.updateValue((position, offset), forKey: item) == nil else {
                        throw .duplicateItem(String(describing: item))
                    }
                }
            }
        }
    }

    @usableFromInline let places: Mutex<Places?>

    @inlinable
    init(_ places: Places? = nil) { self.places = Mutex(places) }

    @inlinable
    func position(of section: Section, in rows: [Row]) -> Int? {
        places.withLock { places in
            // Rows have no duplicates.
            if places == nil { places = try? Places(rows) }
            return places?.sections[section]
        }
    }

    @inlinable
    func place(of item: Item, in rows: [Row]) -> Place? {
        places.withLock { places in
            if places == nil { places = try? Places(rows) }
            return places?.items[item]
        }
    }

    /// Notes new sections at the end.
    @inlinable
    func addSections(of rows: [Row], from first: Int) {
        places.withLock { places in
            for position in first..<rows.count { places?.sections[rows[position].section] = position }
        }
    }

    /// Notes new items at the end of a section.
    @inlinable
    func addItems(_ items: [Item], at first: Place) {
        places.withLock { places in
            for (distance, item) in items.enumerated() {
                places?.items[item] = (first.section, first.offset + distance)
            }
        }
    }
}

/// The first of `count` values that repeats an earlier one. Up to 24 values, comparing all is cheaper than hashing one.
@inlinable
func firstDuplicate<Value: Hashable>(count: Int, _ value: (Int) -> Value) -> Value? {
    guard count > 24 else {
        for position in 1..<max(1, count) {
            let candidate = value(position)
            for earlier in 0..<position where value(earlier) == candidate { return candidate }
        }
        return nil
    }
    var seen = Set<Value>(minimumCapacity: count)
    for position in 0..<count where !seen.insert(value(position)).inserted { return value(position) }
    return nil
}
