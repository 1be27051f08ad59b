// Inlinable throughout, so that other modules specialize it: without, a table's difference takes 10 times as long (bjbench table).

/// The state of a list: ordered sections of ordered items, each identifier at most once. Copies share storage by section.
///
/// The API is that of Apple's diffable data sources, but misuse throws a ``SnapshotError`` and has no effect. There is no `reloadItems`:
/// reconfigure the item and let the provider make a new cell.
public struct Snapshot<SectionIdentifier: Hashable & Sendable, ItemIdentifier: Hashable & Sendable>: Sendable {
    /// A section with its items, in an array of their own, so that copies share it.
    @usableFromInline typealias Row = (section: SectionIdentifier, items: [ItemIdentifier])
    /// The position of an item: its section's, and its own in that section.
    @usableFromInline typealias Place = (section: Int, offset: Int)

    @usableFromInline var rows: [Row]
    @usableFromInline var itemCount: Int
    /// Present when the snapshot is large enough for hashing to pay.
    @usableFromInline var index: SnapshotIndex<SectionIdentifier, ItemIdentifier>?
    /// Items marked for update, possibly repeated. `nil`, the usual case, adds nothing to the cost of a copy.
    @usableFromInline var marks: [ItemIdentifier]?

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
        rows = Array(contents)
        itemCount = rows.reduce(0) { $0 + $1.items.count }
        if isLarge {
            index = SnapshotIndex(try SnapshotIndex.Places(rows))
        } else {
            try checkUniqueness()
        }
    }

    /// The sections with their items, in order: the argument of ``init(_:)``.
    @inlinable
    public var contents: [(section: SectionIdentifier, items: [ItemIdentifier])] { rows }

    @inlinable
    func checkUniqueness() throws(SnapshotError) {
        let section = firstDuplicate(count: rows.count) { rows[$0].section }
        if let section { throw .duplicateSection(String(describing: section)) }
        let items = itemIdentifiers
        if let item = firstDuplicate(count: items.count, { items[$0] }) { throw .duplicateItem(String(describing: item)) }
    }

    // MARK: Difference

    /// The difference to another snapshot, with the fewest operations. Deterministic.
    ///
    /// - Sections and items in both keep their identity: they stay or move. A moved section takes its items along; an item that
    ///   changes its section is one move, even into a new section or out of a deleted one.
    /// - The longest increasing subsequence of old positions stays in place, so the number of moves is minimal.
    /// - Marked items of `other` are reconfigured if they are in this snapshot.
    ///
    /// O(n) expected, and O(m log m) for m items of a reordered section. Sections that share storage are skipped in O(1).
    @inlinable
    public func difference(to other: Snapshot) -> SnapshotDifference<SectionIdentifier, ItemIdentifier> {
        var difference = SnapshotDifference<SectionIdentifier, ItemIdentifier>()
        // Small snapshots are often equal without sharing storage, and comparing them is cheap.
        if !rows.sharesStorage(with: other.rows), isLarge || self != other {
            var computation = DifferenceComputation(from: self, to: other)
            difference = computation.run()
        }
        if other.marks != nil { difference.reconfiguredItems = other.reconfiguredItemIdentifiers.filter { contains($0) } }
        return difference
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
        rows.map(\.section)
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
        for position in rows.indices where rows[position].section == section { return position }
        return nil
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

    @inlinable
    func place(of item: ItemIdentifier) -> Place? {
        if let index { return index.place(of: item, in: rows) }
        return rows.withUnsafeBufferPointer { rows in
            for section in rows.indices {
                let offset = rows[section].items.withUnsafeBufferPointer { items in
                    for offset in items.indices where items[offset] == item { return offset }
                    return -1
                }
                if offset >= 0 { return (section, offset) }
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
            guard lhs.rows[position].section == rhs.rows[position].section,
                lhs.rows[position].items == rhs.rows[position].items
            else { return false }
        }
        return true
    }
}
