/// The difference between two snapshots, in identifiers and final positions only. Any value can be made: applying checks it.
///
/// ``Snapshot/applying(_:)`` performs these steps:
///
/// 1. remove moved items;
/// 2. delete items, then sections with their remaining items;
/// 3. remove moved sections with their items;
/// 4. insert moved and new sections at their final positions, ascending;
/// 5. by section, insert moved and new items at their final positions, ascending.
public struct SnapshotDifference<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable>:
    Hashable, Sendable
{
    /// A section and its final position among all sections, from 0.
    public struct SectionPlacement: Hashable, Sendable {
        /// Which section.
        public var section: SectionIdentifier
        /// Its final position among all sections, from 0.
        public var index: Int

        /// A section with its final position.
        @inlinable
        public init(section: SectionIdentifier, index: Int) {
            self.section = section
            self.index = index
        }
    }

    /// An item, its final section, and its final position there, from 0.
    public struct ItemPlacement: Hashable, Sendable {
        /// Which item.
        public var item: ItemIdentifier
        /// Its final section.
        public var section: SectionIdentifier
        /// Its final position in that section, from 0.
        public var index: Int

        /// An item with its final position in `section`.
        @inlinable
        public init(item: ItemIdentifier, section: SectionIdentifier, index: Int) {
            self.item = item
            self.section = section
            self.index = index
        }
    }

    /// Deleted sections, with every item that is not moved out of them.
    public var deletedSections: [SectionIdentifier]
    /// New sections, ascending by position. They start empty: their items are inserted or moved.
    public var insertedSections: [SectionPlacement]
    /// Sections that change their relative order, with their items, ascending by position.
    public var movedSections: [SectionPlacement]
    /// Deleted items of remaining sections.
    public var deletedItems: [ItemIdentifier]
    /// New items, ascending by final section and position.
    public var insertedItems: [ItemPlacement]
    /// Items that change their section or their relative order in it, ascending by final section and position.
    public var movedItems: [ItemPlacement]
    /// Items whose cells are to be updated.
    public var reconfiguredItems: [ItemIdentifier]

    /// A difference of these parts, all empty by default.
    @inlinable
    public init(
        deletedSections: [SectionIdentifier] = [], insertedSections: [SectionPlacement] = [],
        movedSections: [SectionPlacement] = [], deletedItems: [ItemIdentifier] = [], insertedItems: [ItemPlacement] = [],
        movedItems: [ItemPlacement] = [], reconfiguredItems: [ItemIdentifier] = []
    ) {
        (self.deletedSections, self.insertedSections, self.movedSections) = (deletedSections, insertedSections, movedSections)
        (self.deletedItems, self.insertedItems, self.movedItems) = (deletedItems, insertedItems, movedItems)
        self.reconfiguredItems = reconfiguredItems
    }

    /// The number of deletions, insertions, moves and updates.
    @inlinable
    public var operationCount: Int { structuralOperationCount + reconfiguredItems.count }

    /// The number of deletions, insertions and moves.
    @inlinable
    public var structuralOperationCount: Int {
        deletedSections.count + insertedSections.count + movedSections.count + deletedItems.count + insertedItems.count
            + movedItems.count
    }

    /// Whether there are no operations.
    @inlinable
    public var isEmpty: Bool { operationCount == 0 }
}

// MARK: - Applying

extension Snapshot {
    /// The snapshot after a difference. Its marks are those of the difference.
    ///
    /// Sections without an operation keep sharing their storage. O(snapshot + difference), for every difference.
    ///
    /// - Throws: a ``SnapshotError`` if the difference does not fit this snapshot. No difference traps, whatever its source.
    @inlinable
    public func applying(
        _ difference: SnapshotDifference<SectionIdentifier, ItemIdentifier>
    ) throws(SnapshotError) -> Snapshot {
        var result = self
        result.marks = nil
        if difference.structuralOperationCount > 0 {
            try result.takeOutItems(of: difference, foundIn: self)
            try result.rearrangeSections(of: difference, foundIn: self)
            try result.putItems(of: difference, unlessIn: self)
            result.settleIndex()
        }
        try result.reconfigureItems(difference.reconfiguredItems)
        return result
    }

    /// Removes moved and deleted items.
    @inlinable
    mutating func takeOutItems(
        of difference: SnapshotDifference<SectionIdentifier, ItemIdentifier>, foundIn base: Snapshot
    ) throws(SnapshotError) {
        let count = difference.movedItems.count + difference.deletedItems.count
        guard count > 0 else { return }
        var places: [Place] = []
        places.reserveCapacity(count)
        for placement in difference.movedItems { places.append(try base.knownPlace(of: placement.item)) }
        for item in difference.deletedItems { places.append(try base.knownPlace(of: item)) }
        if count > 1 {
            places.sort(by: <)
            for next in 1..<count where places[next] == places[next - 1] {
                throw .duplicateItem(String(describing: rows[places[next].section].items[places[next].offset]))
            }
        }
        remove(places)
    }

    /// Removes deleted sections, and inserts moved and new ones. Positions refer to `base`, which has the same sections.
    @inlinable
    mutating func rearrangeSections(
        of difference: SnapshotDifference<SectionIdentifier, ItemIdentifier>, foundIn base: Snapshot
    ) throws(SnapshotError) {
        let deleted = difference.deletedSections
        let moved = difference.movedSections
        let inserted = difference.insertedSections
        guard deleted.count + moved.count + inserted.count > 0 else { return }
        var isTaken = [Bool](repeating: false, count: rows.count)
        for section in deleted {
            let position = try base.takeOut(section, &isTaken)
            itemCount -= rows[position].items.count
        }
        // The source of each: the position of a moved section, or -1 - n for the n-th inserted one.
        var placed: [(index: Int, source: Int)] = []
        placed.reserveCapacity(moved.count + inserted.count)
        for placement in moved { placed.append((placement.index, try base.takeOut(placement.section, &isTaken))) }
        try base.checkNew(inserted)
        for number in inserted.indices { placed.append((inserted[number].index, -1 - number)) }
        placed.sort { $0.index < $1.index }
        let sources = try Self.arranged(placed, isTaken, count: rows.count - deleted.count + inserted.count)
        rows = sources.map { $0 < 0 ? (inserted[-1 - $0].section, []) : rows[$0] }
    }

    /// The source of the section at each final position: the remaining ones keep their order around the placed ones.
    @inlinable
    static func arranged(
        _ placed: [(index: Int, source: Int)], _ isTaken: [Bool], count: Int
    ) throws(SnapshotError) -> [Int] {
        var sources: [Int] = []
        sources.reserveCapacity(count)
        var kept = 0
        for (index, source) in placed {
            guard index >= 0 else { throw .indexOutOfRange(index: index, count: count) }
            while sources.count < index {
                while kept < isTaken.count, isTaken[kept] { kept += 1 }
                guard kept < isTaken.count else { throw .indexOutOfRange(index: index, count: count) }
                sources.append(kept)
                kept += 1
            }
            guard index == sources.count else { throw .misplaced("a section at position \(index)") }
            sources.append(source)
        }
        for position in kept..<max(kept, isTaken.count) where !isTaken[position] { sources.append(position) }
        return sources
    }

    @inlinable
    func takeOut(_ section: SectionIdentifier, _ isTaken: inout [Bool]) throws(SnapshotError) -> Int {
        let position = try position(of: section)
        guard !isTaken[position] else { throw .duplicateSection(String(describing: section)) }
        isTaken[position] = true
        return position
    }

    @inlinable
    func checkNew(
        _ inserted: [SnapshotDifference<SectionIdentifier, ItemIdentifier>.SectionPlacement]
    ) throws(SnapshotError) {
        let twice = firstDuplicate(count: inserted.count) { inserted[$0].section }
        if let twice { throw .duplicateSection(String(describing: twice)) }
        for placement in inserted where contains(section: placement.section) {
            throw .duplicateSection(String(describing: placement.section))
        }
    }

    /// Inserts moved and new items. New ones must not be in `base`.
    @inlinable
    mutating func putItems(
        of difference: SnapshotDifference<SectionIdentifier, ItemIdentifier>, unlessIn base: Snapshot
    ) throws(SnapshotError) {
        let moved = difference.movedItems
        let inserted = difference.insertedItems
        guard moved.count + inserted.count > 0 else { return }
        let twice = firstDuplicate(count: inserted.count) { inserted[$0].item }
        if let twice { throw .duplicateItem(String(describing: twice)) }
        for placement in inserted where base.contains(placement.item) {
            throw .duplicateItem(String(describing: placement.item))
        }
        var nextMoved = 0
        var nextInserted = 0
        for position in rows.indices {
            let firstMoved = nextMoved
            let firstInserted = nextInserted
            while nextMoved < moved.count, moved[nextMoved].section == rows[position].section { nextMoved += 1 }
            while nextInserted < inserted.count, inserted[nextInserted].section == rows[position].section { nextInserted += 1 }
            let count = nextMoved - firstMoved + nextInserted - firstInserted
            guard count > 0 else { continue }
            let arriving = (moved: moved[firstMoved..<nextMoved], inserted: inserted[firstInserted..<nextInserted])
            rows[position].items = try SnapshotDifference.merge(rows[position].items, arriving.moved, arriving.inserted)
            itemCount += count
        }
        if nextMoved < moved.count { throw .misplaced(String(describing: moved[nextMoved].item)) }
        if nextInserted < inserted.count { throw .misplaced(String(describing: inserted[nextInserted].item)) }
    }
}

extension SnapshotDifference {
    /// The remaining items of a section, with others inserted at their final positions.
    @inlinable
    static func merge(
        _ staying: [ItemIdentifier], _ moved: ArraySlice<ItemPlacement>, _ inserted: ArraySlice<ItemPlacement>
    ) throws(SnapshotError) -> [ItemIdentifier] {
        let count = staying.count + moved.count + inserted.count
        var result: [ItemIdentifier] = []
        result.reserveCapacity(count)
        var stays = 0
        var nextMoved = moved.startIndex
        var nextInserted = inserted.startIndex
        while nextMoved < moved.endIndex || nextInserted < inserted.endIndex {
            let placement: ItemPlacement
            if nextInserted == inserted.endIndex
                || (nextMoved < moved.endIndex && moved[nextMoved].index < inserted[nextInserted].index)
            {
                placement = moved[nextMoved]
                nextMoved += 1
            } else {
                placement = inserted[nextInserted]
                nextInserted += 1
            }
            guard placement.index >= 0, placement.index < count else {
                throw .indexOutOfRange(index: placement.index, count: count)
            }
            guard placement.index >= result.count else { throw .misplaced(String(describing: placement.item)) }
            let gap = placement.index - result.count
            guard gap <= staying.count - stays else { throw .indexOutOfRange(index: placement.index, count: count) }
            if gap > 0 {
                result.append(contentsOf: staying[stays..<stays + gap])
                stays += gap
            }
            result.append(placement.item)
        }
        result.append(contentsOf: staying[stays...])
        return result
    }
}
