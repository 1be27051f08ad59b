extension Snapshot {
    /// The sorted, distinct positions of the items present in the snapshot.
    @inlinable
    func places(of items: [ItemIdentifier]) -> [Place] {
        guard itemCount > 0 else { return [] }
        var places: [Place] = []
        for item in items {
            if let place = place(of: item) { places.append(place) }
        }
        guard places.count > 1 else { return places }
        places.sort()
        var count = 1
        for next in 1..<places.count where places[next] != places[count - 1] {
            places[count] = places[next]
            count += 1
        }
        places.removeLast(places.count - count)
        return places
    }

    /// Removes the items at ascending positions and updates the index. Call ``settleIndex(_:)`` afterwards.
    @inlinable
    mutating func remove(_ places: [Place]) {
        let isTold = index?.value.removeItems(at: places, of: rows) ?? true
        itemCount -= places.count
        var next = 0
        while next < places.count {
            let section = places[next].section
            var end = next + 1
            while end < places.count, places[end].section == section { end += 1 }
            if places[next].offset + end - next < rows[section].items.count { index?.value.shift(at: section, by: end - next) }
            if end - next == 1 {
                rows[section].items.remove(at: places[next].offset)
            } else {
                rows[section].items = Self.removing(places[next..<end], from: rows[section].items)
            }
            next = end
        }
        if !isTold { self.index = nil }
    }

    @inlinable
    static func removing(_ places: ArraySlice<Place>, from items: [ItemIdentifier]) -> [ItemIdentifier] {
        var kept: [ItemIdentifier] = []
        kept.reserveCapacity(items.count - places.count)
        var start = 0
        for place in places {
            kept.append(contentsOf: items[start..<place.offset])
            start = place.offset + 1
        }
        kept.append(contentsOf: items[start...])
        return kept
    }

    /// Inserts items, old and new, as one run at `target`.
    @inlinable
    mutating func put(_ items: [ItemIdentifier], at target: Place) throws(SnapshotError) {
        let twice = UniqueList.firstDuplicate(count: items.count) { items[$0] }
        if let twice { throw .duplicateItem(String(describing: twice)) }
        guard !items.isEmpty else { return }
        var target = target
        let old = places(of: items)
        if !old.isEmpty {
            target.offset -= old.count { $0.section == target.section && $0.offset < target.offset }
            remove(old)
        }
        let isAtEnd = target.offset == rows[target.section].items.count
        rows[target.section].items.insert(contentsOf: items, at: target.offset)
        itemCount += items.count
        let run = target.offset..<target.offset + items.count
        index?.value.addItems(rows[target.section].items[run], at: target.section)
        if !isAtEnd { index?.value.shift(at: target.section, by: items.count) }
        settleIndex(target.section..<target.section + 1)
        for place in old { settleIndex(place.section..<place.section + 1) }
    }
}
