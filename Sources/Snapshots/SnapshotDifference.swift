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
        let (deleted, moved, inserted) = (difference.deletedSections, difference.movedSections, difference.insertedSections)
        guard deleted.count + moved.count + inserted.count > 0 else { return }
        var isStaying = [Bool](repeating: true, count: rows.count)
        for section in deleted + moved.map(\.section) {
            let position = try base.position(of: section)
            guard isStaying[position] else { throw .duplicateSection(String(describing: section)) }
            isStaying[position] = false
        }
        let twice = firstDuplicate(count: inserted.count) { inserted[$0].section }
        let known = twice ?? inserted.first { base.contains(section: $0.section) }?.section
        if let known { throw .duplicateSection(String(describing: known)) }
        let former = rows
        let staying = zip(former, isStaying).compactMap { $1 ? $0 : nil }
        rows = try Self.merge(
            staying, moved[...], inserted[...], at: { $0.index },
            { placement in (placement.section, base.indexOfSection(placement.section).map { former[$0].items } ?? []) },
            named: { String(describing: $0.section) })
        itemCount = rows.reduce(0) { $0 + $1.items.count }
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
        let known = twice ?? inserted.first { base.contains($0.item) }?.item
        if let known { throw .duplicateItem(String(describing: known)) }
        var nextMoved = 0
        var nextInserted = 0
        for position in rows.indices {
            let firstMoved = nextMoved
            let firstInserted = nextInserted
            while nextMoved < moved.count, moved[nextMoved].section == rows[position].section { nextMoved += 1 }
            while nextInserted < inserted.count, inserted[nextInserted].section == rows[position].section { nextInserted += 1 }
            let count = nextMoved - firstMoved + nextInserted - firstInserted
            guard count > 0 else { continue }
            rows[position].items = try Self.merge(
                rows[position].items, moved[firstMoved..<nextMoved], inserted[firstInserted..<nextInserted], at: { $0.index },
                { $0.item }, named: { String(describing: $0.item) })
            itemCount += count
        }
        if nextMoved < moved.count { throw .misplaced(String(describing: moved[nextMoved].item)) }
        if nextInserted < inserted.count { throw .misplaced(String(describing: inserted[nextInserted].item)) }
    }

    /// The remaining sections, or items of a section, with others inserted at their final positions.
    @inlinable
    static func merge<Element, Placement>(
        _ staying: [Element], _ moved: ArraySlice<Placement>, _ inserted: ArraySlice<Placement>, at index: (Placement) -> Int,
        _ element: (Placement) -> Element, named name: (Placement) -> String
    ) throws(SnapshotError) -> [Element] {
        let count = staying.count + moved.count + inserted.count
        var result: [Element] = []
        result.reserveCapacity(count)
        var stays = 0
        var nextMoved = moved.startIndex
        var nextInserted = inserted.startIndex
        while nextMoved < moved.endIndex || nextInserted < inserted.endIndex {
            let placement: Placement
            if nextInserted == inserted.endIndex
                || (nextMoved < moved.endIndex && index(moved[nextMoved]) < index(inserted[nextInserted]))
            {
                placement = moved[nextMoved]
                nextMoved += 1
            } else {
                placement = inserted[nextInserted]
                nextInserted += 1
            }
            let position = index(placement)
            guard position >= 0, position < count else { throw .indexOutOfRange(index: position, count: count) }
            guard position >= result.count else { throw .misplaced(name(placement)) }
            let gap = position - result.count
            guard gap <= staying.count - stays else { throw .indexOutOfRange(index: position, count: count) }
            if gap > 0 {
                result.append(contentsOf: staying[stays..<stays + gap])
                stays += gap
            }
            result.append(element(placement))
        }
        result.append(contentsOf: staying[stays...])
        return result
    }
}
