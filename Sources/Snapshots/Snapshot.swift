// Inlinable throughout, so that other modules specialize it: without, a table's difference takes 10 times as long (bjbench table).

/// The state of a list: ordered sections of ordered items, each identifier at most once. Copies share storage by section.
///
/// API as Apple's diffable data sources, but misuse throws a ``SnapshotError`` and has no effect.
public struct Snapshot<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable>: Sendable {
    /// A section: its identifier and its items, in an array of their own, so that copies share it.
    @usableFromInline
    struct Row: Sendable {
        @usableFromInline var identifier: SectionIdentifier
        @usableFromInline var items: [ItemIdentifier]

        @inlinable
        init(identifier: SectionIdentifier, items: [ItemIdentifier]) {
            self.identifier = identifier
            self.items = items
        }
    }

    /// The position of an item: its section's, and its own in that section.
    @usableFromInline
    struct Place: Sendable, Comparable {
        @usableFromInline var section: Int
        @usableFromInline var offset: Int

        @inlinable
        init(section: Int, offset: Int) {
            self.section = section
            self.offset = offset
        }

        @inlinable
        static func < (lhs: Place, rhs: Place) -> Bool {
            lhs.section != rhs.section ? lhs.section < rhs.section : lhs.offset < rhs.offset
        }
    }

    @usableFromInline var rows: [Row]
    @usableFromInline var itemCount: Int
    /// Present when the snapshot is large enough for hashing to pay.
    @usableFromInline var index: SnapshotIndex<SectionIdentifier, ItemIdentifier>?
    /// Reload marks; `nil` when there are none, the usual case.
    @usableFromInline var marks: Boxed<SnapshotMarks<SectionIdentifier, ItemIdentifier>>?

    /// An empty snapshot.
    @inlinable
    public init() {
        rows = []
        itemCount = 0
    }
}

// MARK: - Contents

extension Snapshot {
    /// A snapshot of these sections and items, in order.
    ///
    /// - Throws: ``SnapshotError/duplicateSection(_:)``, ``SnapshotError/duplicateItem(_:)``.
    @inlinable
    public init(
        _ contents: some Sequence<(section: SectionIdentifier, items: [ItemIdentifier])>
    ) throws(SnapshotError) {
        self.init()
        rows.reserveCapacity(contents.underestimatedCount)
        for (section, items) in contents {
            rows.append(Row(identifier: section, items: items))
            itemCount += items.count
        }
        if itemCount > UniqueList<ItemIdentifier>.scanLimit || rows.count > UniqueList<SectionIdentifier>.scanLimit {
            let places = try SnapshotIndex.Places(rows)
            if isLarge { index = SnapshotIndex(places) }
        } else {
            try checkUniqueness()
        }
    }

    /// The sections with their items, in order: the argument of ``init(_:)``.
    @inlinable
    public var contents: [(section: SectionIdentifier, items: [ItemIdentifier])] {
        rows.map { (section: $0.identifier, items: $0.items) }
    }

    /// Replaces the items of a section. Items of other sections move here; own items that are not listed are removed.
    ///
    /// Examines only the range between the first and the last difference.
    ///
    /// - Throws: ``SnapshotError/unknownSection(_:)``, ``SnapshotError/duplicateItem(_:)`` for an item listed twice.
    @inlinable
    public mutating func setItems(
        _ items: [ItemIdentifier], inSection section: SectionIdentifier
    ) throws(SnapshotError) {
        let position = try position(of: section)
        let present = rows[position].items
        let (old, new) = Self.changedPart(of: present, to: items)
        guard !old.isEmpty || !new.isEmpty else { return }
        let twice = UniqueList.firstDuplicate(count: new.count) { items[new.lowerBound + $0] }
        if let twice { throw .duplicateItem(String(describing: twice)) }
        var elsewhere: [Place] = []
        for offset in new {
            guard let place = place(of: items[offset]) else { continue }
            if place.section != position {
                elsewhere.append(place)
            } else if !old.contains(place.offset) {
                throw .duplicateItem(String(describing: items[offset]))
            }
        }
        if !elsewhere.isEmpty {
            elsewhere.sort()
            remove(elsewhere)
        }
        replace(old, at: position, with: items, new)
        settleIndex()
        if !old.isEmpty { dropStaleMarks() }
    }

    /// Both ranges without their common prefix and suffix.
    @inlinable
    static func changedPart(of old: [ItemIdentifier], to new: [ItemIdentifier]) -> (old: Range<Int>, new: Range<Int>) {
        let shared = min(old.count, new.count)
        if old.sharesStorage(with: new) { return (shared..<shared, shared..<shared) }
        var start = 0
        while start < shared, old[start] == new[start] { start += 1 }
        var oldEnd = old.count
        var newEnd = new.count
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        return (start..<oldEnd, start..<newEnd)
    }

    /// Sets the items of a section; `old` and `new` are the differing ranges.
    @inlinable
    mutating func replace(_ old: Range<Int>, at position: Int, with items: [ItemIdentifier], _ new: Range<Int>) {
        itemCount += items.count - rows[position].items.count
        rows[position].items = items
    }

    @inlinable
    func checkUniqueness() throws(SnapshotError) {
        let section = UniqueList.firstDuplicate(count: rows.count) { rows[$0].identifier }
        if let section { throw .duplicateSection(String(describing: section)) }
        var seen: [ItemIdentifier] = []
        seen.reserveCapacity(itemCount)
        for row in rows {
            for item in row.items {
                if seen.contains(item) { throw .duplicateItem(String(describing: item)) }
                seen.append(item)
            }
        }
    }

    // MARK: Difference

    /// The difference to another snapshot, with the fewest operations. Deterministic.
    ///
    /// - Sections and items in both keep their identity: they stay or move. A moved section takes its items along; an item that
    ///   changes its section is one move, even into a new section or out of a deleted one.
    /// - The longest increasing subsequence of old positions stays in place, so the number of moves is minimal.
    /// - Marked items and sections of `other` are reloaded if they are in this snapshot.
    ///
    /// O(n) expected, and O(m log m) for m items of a reordered section. Sections that share storage are skipped in O(1).
    @inlinable
    public func difference(to other: Snapshot) -> SnapshotDifference<SectionIdentifier, ItemIdentifier> {
        guard let marks = other.marks?.value else { return structuralDifference(to: other) }
        var difference = structuralDifference(to: other)
        difference.reloadedItems = marks.reloadedItems.elements.filter { contains($0) }
        difference.reconfiguredItems = marks.reconfiguredItems.elements.filter { contains($0) }
        difference.reloadedSections = marks.reloadedSections.elements.filter { contains(section: $0) }
        return difference
    }

    /// The difference without marks.
    @inlinable
    func structuralDifference(to other: Snapshot) -> SnapshotDifference<SectionIdentifier, ItemIdentifier> {
        // Small snapshots are often equal without sharing storage, and comparing them is cheap.
        if rows.sharesStorage(with: other.rows) || (!isLarge && self == other) { return SnapshotDifference() }
        var computation = DifferenceComputation(from: self, to: other)
        return computation.run()
    }

    // MARK: Indexing

    /// Whether the snapshot is large enough for hashing to pay.
    @inlinable
    var isLarge: Bool { itemCount > 96 || rows.count > 32 }

    /// Ends an edit: begins another index.
    @inlinable
    mutating func settleIndex() { index = isLarge ? SnapshotIndex() : nil }

    // MARK: Queries

    /// The number of items in all sections. O(1).
    @inlinable
    public var numberOfItems: Int { itemCount }

    /// The number of sections. O(1).
    @inlinable
    public var numberOfSections: Int { rows.count }

    /// The number of items in a section.
    ///
    /// - Throws: ``SnapshotError/unknownSection(_:)``.
    @inlinable
    public func numberOfItems(inSection section: SectionIdentifier) throws(SnapshotError) -> Int {
        rows[try position(of: section)].items.count
    }

    /// All items, section by section, in order.
    @inlinable
    public var itemIdentifiers: [ItemIdentifier] {
        var all: [ItemIdentifier] = []
        all.reserveCapacity(itemCount)
        for row in rows { all.append(contentsOf: row.items) }
        return all
    }

    /// All sections, in order.
    @inlinable
    public var sectionIdentifiers: [SectionIdentifier] {
        rows.map(\.identifier)
    }

    /// The items of a section, in order. The array shares the snapshot's storage: O(1) once the section is found.
    ///
    /// - Throws: ``SnapshotError/unknownSection(_:)``.
    @inlinable
    public func itemIdentifiers(inSection section: SectionIdentifier) throws(SnapshotError) -> [ItemIdentifier] {
        rows[try position(of: section)].items
    }

    /// The position of a section, from 0; `nil` if absent.
    @inlinable
    public func indexOfSection(_ section: SectionIdentifier) -> Int? {
        if let index { return index.position(of: section, in: rows) }
        for position in rows.indices where rows[position].identifier == section { return position }
        return nil
    }

    /// The section of an item; `nil` if the item is absent.
    @inlinable
    public func sectionIdentifier(containingItem item: ItemIdentifier) -> SectionIdentifier? {
        place(of: item).map { rows[$0.section].identifier }
    }

    /// Whether the item is in the snapshot.
    @inlinable
    public func contains(_ item: ItemIdentifier) -> Bool {
        place(of: item) != nil
    }

    /// Whether the section is in the snapshot.
    @inlinable
    public func contains(section: SectionIdentifier) -> Bool {
        indexOfSection(section) != nil
    }

    /// The position of an item; `nil` if absent.
    @inlinable
    public func itemPath(of item: ItemIdentifier) -> ItemPath? {
        place(of: item).map { ItemPath(item: $0.offset, section: $0.section) }
    }

    /// The item at a position; `nil` outside the snapshot.
    @inlinable
    public func itemIdentifier(at path: ItemPath) -> ItemIdentifier? {
        guard rows.indices.contains(path.section), rows[path.section].items.indices.contains(path.item) else {
            return nil
        }
        return rows[path.section].items[path.item]
    }

    /// The section at a position; `nil` outside the snapshot.
    @inlinable
    public func sectionIdentifier(at index: Int) -> SectionIdentifier? {
        rows.indices.contains(index) ? rows[index].identifier : nil
    }

    /// The number of items in the section at a position; 0 outside the snapshot.
    @inlinable
    public func numberOfItems(at index: Int) -> Int {
        rows.indices.contains(index) ? rows[index].items.count : 0
    }

    @inlinable
    func place(of item: ItemIdentifier) -> Place? {
        if let index { return index.place(of: item, in: rows) }
        return rows.withUnsafeBufferPointer { rows in
            for section in rows.indices {
                let offset = rows[section].items.withUnsafeBufferPointer { items in
                    for offset in items.indices where items[offset] == item { return offset }
                    return -1
                }
                if offset >= 0 { return Place(section: section, offset: offset) }
            }
            return nil
        }
    }

    @inlinable
    func position(of section: SectionIdentifier) throws(SnapshotError) -> Int {
        guard let position = indexOfSection(section) else { throw .unknownSection(String(describing: section)) }
        return position
    }

    @inlinable
    func knownPlace(of item: ItemIdentifier) throws(SnapshotError) -> Place {
        guard let place = place(of: item) else { throw .unknownItem(String(describing: item)) }
        return place
    }
}

extension Array {
    /// Whether both share the same storage, as unchanged copies do.
    @inlinable
    func sharesStorage(with other: [Element]) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBufferPointer { mine in
            other.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress }
        }
    }
}

extension Snapshot: Equatable {
    /// Whether both have the same sections and items in the same order. Ignores marks.
    ///
    /// Sections that share storage are skipped in O(1).
    @inlinable
    public static func == (lhs: Snapshot, rhs: Snapshot) -> Bool {
        guard lhs.itemCount == rhs.itemCount, lhs.rows.count == rhs.rows.count else { return false }
        for position in lhs.rows.indices {
            guard lhs.rows[position].identifier == rhs.rows[position].identifier,
                lhs.rows[position].items == rhs.rows[position].items
            else { return false }
        }
        return true
    }
}

/// Reload marks of a snapshot, in call order.
///
/// An item is in at most one of the two item lists: reloading includes reconfiguring.
@usableFromInline
struct SnapshotMarks<Section: Hashable & Sendable, Item: Hashable & Sendable>: Sendable {
    @usableFromInline var reloadedItems = UniqueList<Item>()
    @usableFromInline var reconfiguredItems = UniqueList<Item>()
    @usableFromInline var reloadedSections = UniqueList<Section>()

    @inlinable
    init() {}

    /// Several changes in one access.
    @inlinable
    mutating func update(_ change: (inout SnapshotMarks) -> Void) { change(&self) }

    @inlinable
    var isEmpty: Bool {
        reloadedItems.elements.isEmpty && reconfiguredItems.elements.isEmpty && reloadedSections.elements.isEmpty
    }

    @inlinable
    mutating func reload(_ items: [Item]) {
        for item in items { reloadedItems.append(item) }
        if items.contains(where: { reconfiguredItems.contains($0) }) {
            let reloaded = reloadedItems
            reconfiguredItems.remove { reloaded.contains($0) }
        }
    }

    @inlinable
    mutating func reconfigure(_ items: [Item]) {
        for item in items where !reloadedItems.contains(item) { reconfiguredItems.append(item) }
    }
}

/// Copy-on-write storage of a large value behind one reference.
///
/// An array of one element, which the compiler optimizes well.
@usableFromInline
struct Boxed<Value: Sendable>: Sendable {
    @usableFromInline var storage: [Value]

    @inlinable
    init(_ value: Value) { storage = [value] }

    @inlinable
    var value: Value {
        _read { yield storage[0] }
        _modify { yield &storage[0] }
    }
}
