/// One computation of a difference between two snapshots.
///
/// 1. Match sections by identifier.
/// 2. Walk each pair of sections side by side, looking a few items ahead where they differ. Needs no hashing.
/// 3. Match the rest (``Loose``) across all sections, by hashing above ``scanLimit``.
/// 4. Within a section, keep a longest increasing subsequence in place and move the others.
@usableFromInline
struct DifferenceComputation<Section: Hashable & Sendable, Item: Hashable & Sendable> {
    @usableFromInline typealias Row = Snapshot<Section, Item>.Row
    @usableFromInline typealias Difference = SnapshotDifference<Section, Item>

    /// An item that the walk has not matched. `partner` of a new item: the index of its loose old one; of an old item: ≥ 0 if matched; else -1.
    @usableFromInline typealias Loose = (section: Int, offset: Int, partner: Int)

    /// The part of a new section that differs from the old one: its start, its range of ``origins`` (empty if no item of it can have stayed)
    /// and its range of ``looseNew``.
    @usableFromInline typealias Region = (section: Int, start: Int, origins: Range<Int>, loose: Range<Int>)

    @usableFromInline let old: [Row]
    @usableFromInline let new: [Row]
    @usableFromInline var looseOld: [Loose] = []
    @usableFromInline var looseNew: [Loose] = []
    @usableFromInline var regions: [Region] = []
    /// For each item of a region its offset in the old section; -1 if absent.
    @usableFromInline var origins: [Int] = []

    @inlinable
    init(from old: Snapshot<Section, Item>, to new: Snapshot<Section, Item>) {
        self.old = old.rows
        self.new = new.rows
    }

    @inlinable
    mutating func run() -> Difference {
        var difference = Difference()
        let matching = SectionMatching(old, new)
        if let matching { listSections(matching, in: &difference) }
        for section in new.indices {
            let partner = matching?.newToOld[section] ?? section
            if partner >= 0 {
                walk(from: partner, to: section)
            } else if !new[section].items.isEmpty {
                let start = looseNew.count
                Self.add(section, 0..<new[section].items.count, to: &looseNew)
                regions.append((section, 0, 0..<0, start..<looseNew.count))
            }
        }
        if let matching {
            for section in old.indices where matching.oldToNew[section] < 0 {
                Self.add(section, old[section].items.indices, to: &looseOld)
            }
        }
        guard !regions.isEmpty || !looseOld.isEmpty else { return difference }
        matchLoose()
        listItems(matching, in: &difference)
        return difference
    }

    @inlinable
    func listSections(_ matching: SectionMatching, in difference: inout Difference) {
        for section in old.indices where matching.oldToNew[section] < 0 {
            difference.deletedSections.append(old[section].section)
        }
        let stays = LongestIncreasingSubsequence.members(of: matching.newToOld[...])
        for section in new.indices where !stays[section] {
            let placement = Difference.SectionPlacement(section: new[section].section, index: section)
            if matching.newToOld[section] < 0 {
                difference.insertedSections.append(placement)
            } else {
                difference.movedSections.append(placement)
            }
        }
    }

    @inlinable
    static func add(_ section: Int, _ offsets: Range<Int>, to loose: inout [Loose]) {
        for offset in offsets { loose.append((section, offset, -1)) }
    }

    /// Records the operations on items, by new section.
    @inlinable
    mutating func listItems(_ matching: SectionMatching?, in difference: inout Difference) {
        for loose in looseOld where loose.partner < 0 && (matching?.oldToNew[loose.section] ?? loose.section) >= 0 {
            difference.deletedItems.append(old[loose.section].items[loose.offset])
        }
        for region in regions {
            let returns = noteOrigins(of: region, matching)
            if returns {
                listReordered(region, in: &difference)
            } else {
                for loose in looseNew[region.loose] { list(loose, in: &difference) }
            }
        }
    }

    /// Adds loose items that returned to their own section; returns whether there are any.
    @inlinable
    mutating func noteOrigins(of region: Region, _ matching: SectionMatching?) -> Bool {
        guard !region.origins.isEmpty else { return false }
        let partnerSection = matching?.newToOld[region.section] ?? region.section
        var returns = false
        for loose in looseNew[region.loose] where loose.partner >= 0 {
            let source = looseOld[loose.partner]
            guard source.section == partnerSection else { continue }
            origins[region.origins.lowerBound + loose.offset - region.start] = source.offset
            returns = true
        }
        return returns
    }

    /// Records a region with reordered items, with the fewest moves.
    @inlinable
    func listReordered(_ region: Region, in difference: inout Difference) {
        let stays = LongestIncreasingSubsequence.members(of: origins[region.origins])
        var next = region.loose.lowerBound
        for position in stays.indices {
            let offset = region.start + position
            if next < region.loose.upperBound, looseNew[next].offset == offset {
                if !stays[position] { list(looseNew[next], in: &difference) }
                next += 1
            } else if !stays[position] {
                difference.movedItems.append(placement(region.section, offset))
            }
        }
    }

    @inlinable
    func list(_ loose: Loose, in difference: inout Difference) {
        if loose.partner < 0 {
            difference.insertedItems.append(placement(loose.section, loose.offset))
        } else {
            difference.movedItems.append(placement(loose.section, loose.offset))
        }
    }

    @inlinable
    func placement(_ section: Int, _ offset: Int) -> Difference.ItemPlacement {
        Difference.ItemPlacement(item: new[section].items[offset], section: new[section].section, index: offset)
    }

    // MARK: Matching

    /// Up to this many pairs of loose items are compared directly.
    @inlinable static var scanLimit: Int { 128 }

    /// Matches loose new items with loose old ones.
    @inlinable
    mutating func matchLoose() {
        guard !looseOld.isEmpty, !looseNew.isEmpty else { return }
        if looseOld.count * looseNew.count <= Self.scanLimit {
            for to in looseNew.indices {
                let item = newItem(to)
                for from in looseOld.indices where looseOld[from].partner < 0 && oldItem(from) == item {
                    link(from, to)
                    break
                }
            }
        } else {
            matchByHashing()
        }
    }

    /// A hash table of the loose old items with open addressing. Its order never affects a result.
    @inlinable
    mutating func matchByHashing() {
        var bits = 4
        while 1 << bits < looseOld.count * 2 { bits += 1 }
        let mask = 1 << bits - 1
        var table = [Int](repeating: -1, count: 1 << bits)
        for from in looseOld.indices {
            var slot = oldItem(from).hashValue & mask
            while table[slot] >= 0 { slot = (slot + 1) & mask }
            table[slot] = from
        }
        for to in looseNew.indices {
            let item = newItem(to)
            var slot = item.hashValue & mask
            while table[slot] >= 0 {
                if oldItem(table[slot]) == item {
                    link(table[slot], to)
                    break
                }
                slot = (slot + 1) & mask
            }
        }
    }

    @inlinable
    func oldItem(_ loose: Int) -> Item { old[looseOld[loose].section].items[looseOld[loose].offset] }

    @inlinable
    func newItem(_ loose: Int) -> Item { new[looseNew[loose].section].items[looseNew[loose].offset] }

    @inlinable
    mutating func link(_ from: Int, _ to: Int) {
        looseOld[from].partner = to
        looseNew[to].partner = from
    }

    // MARK: Walk

    /// How far ahead the walk searches for the next match.
    @inlinable static var window: Int { 8 }
    /// The most credit of the walk: a failed look-ahead costs credit, a match earns one.
    @inlinable static var maximalCredit: Int { 64 }
    /// The cost of a failed look-ahead. Stops looking ahead early where nearly everything changed.
    @inlinable static var failureCost: Int { 4 }

    /// Compares an old section with its new version.
    @inlinable
    mutating func walk(from oldSection: Int, to newSection: Int) {
        let before = old[oldSection].items
        let after = new[newSection].items
        guard !before.sharesStorage(with: after) else { return }
        before.withUnsafeBufferPointer { before in
            after.withUnsafeBufferPointer { after in
                walk(before, oldSection, after, newSection)
            }
        }
    }

    @inlinable
    mutating func walk(
        _ before: UnsafeBufferPointer<Item>, _ oldSection: Int, _ after: UnsafeBufferPointer<Item>, _ newSection: Int
    ) {
        let shared = min(before.count, after.count)
        var start = 0
        while start < shared, before[start] == after[start] { start += 1 }
        if start == before.count, start == after.count { return }
        var oldEnd = before.count
        var newEnd = after.count
        while oldEnd > start, newEnd > start, before[oldEnd - 1] == after[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        guard newEnd > start else {
            Self.add(oldSection, start..<oldEnd, to: &looseOld)
            return
        }
        let firstOrigin = origins.count
        let firstLoose = looseNew.count
        if oldEnd == start {
            Self.add(newSection, start..<newEnd, to: &looseNew)
        } else {
            walkMiddle(before, start..<oldEnd, oldSection, after, start..<newEnd, newSection)
        }
        regions.append((newSection, start, firstOrigin..<origins.count, firstLoose..<looseNew.count))
    }

    /// Walks the differing parts side by side.
    @inlinable
    mutating func walkMiddle(
        _ before: UnsafeBufferPointer<Item>, _ oldRange: Range<Int>, _ oldSection: Int,
        _ after: UnsafeBufferPointer<Item>, _ newRange: Range<Int>, _ newSection: Int
    ) {
        var from = oldRange.lowerBound
        var to = newRange.lowerBound
        var credit = Self.maximalCredit
        while from < oldRange.upperBound, to < newRange.upperBound {
            if before[from] == after[to] {
                origins.append(from)
                from += 1
                to += 1
                credit = min(credit + 1, Self.maximalCredit)
                continue
            }
            var skippedOld = 1
            var skippedNew = 1
            if credit >= Self.failureCost {
                let ahead = Self.lookAhead(before, from..<oldRange.upperBound, after, to..<newRange.upperBound)
                if let ahead {
                    (skippedOld, skippedNew) = ahead
                } else {
                    credit -= Self.failureCost
                }
            }
            Self.add(oldSection, from..<from + skippedOld, to: &looseOld)
            Self.add(newSection, to..<to + skippedNew, to: &looseNew)
            for _ in 0..<skippedNew { origins.append(-1) }
            from += skippedOld
            to += skippedNew
        }
        Self.add(oldSection, from..<oldRange.upperBound, to: &looseOld)
        Self.add(newSection, to..<newRange.upperBound, to: &looseNew)
        for _ in to..<newRange.upperBound { origins.append(-1) }
    }

    /// The number of items to skip on one side to reach the next match; `nil` if none is near.
    @inlinable
    static func lookAhead(
        _ before: UnsafeBufferPointer<Item>, _ oldRange: Range<Int>, _ after: UnsafeBufferPointer<Item>, _ newRange: Range<Int>
    ) -> (old: Int, new: Int)? {
        let from = oldRange.lowerBound
        let to = newRange.lowerBound
        for distance in 1...window {
            if from + distance < oldRange.upperBound, before[from + distance] == after[to] { return (distance, 0) }
            if to + distance < newRange.upperBound, after[to + distance] == before[from] { return (0, distance) }
        }
        return nil
    }
}

/// Selects the elements of a sequence of distinct numbers to keep in place, so that the fewest others move.
@usableFromInline
enum LongestIncreasingSubsequence {
    /// For each number whether it belongs to a longest increasing subsequence; never for negative ones. Deterministic.
    ///
    /// Patience sorting with predecessor links: O(n log n), and O(n) for ascending numbers.
    @usableFromInline
    static func members(of numbers: ArraySlice<Int>) -> [Bool] {
        var isMember = [Bool](repeating: false, count: numbers.count)
        // tails[k]: the index of the smallest last number of an increasing subsequence of length k + 1.
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: numbers.count)
        let start = numbers.startIndex
        for position in 0..<numbers.count {
            let number = numbers[start + position]
            guard number >= 0 else { continue }
            guard let last = tails.last, number < numbers[start + last] else {
                previous[position] = tails.last ?? -1
                tails.append(position)
                continue
            }
            var low = 0
            var high = tails.count - 1
            while low < high {
                let middle = (low + high) / 2
                if numbers[start + tails[middle]] < number { low = middle + 1 } else { high = middle }
            }
            previous[position] = low > 0 ? tails[low - 1] : -1
            tails[low] = position
        }
        var position = tails.last ?? -1
        while position >= 0 {
            isMember[position] = true
            position = previous[position]
        }
        return isMember
    }
}

/// Maps the sections of two snapshots to each other, by position; -1 for sections in only one.
@usableFromInline
struct SectionMatching: Sendable {
    @usableFromInline var oldToNew: [Int]
    @usableFromInline var newToOld: [Int]

    /// Up to this many pairs of sections are compared directly.
    @inlinable static var scanLimit: Int { 256 }

    /// `nil` if both have the same sections at the same positions.
    @inlinable
    init?<Section, Item>(_ old: [Snapshot<Section, Item>.Row], _ new: [Snapshot<Section, Item>.Row]) {
        let shared = min(old.count, new.count)
        var same = 0
        while same < shared, old[same].section == new[same].section { same += 1 }
        if same == old.count, same == new.count { return nil }
        oldToNew = [Int](repeating: -1, count: old.count)
        newToOld = [Int](repeating: -1, count: new.count)
        for position in 0..<same { link(position, position) }
        if (old.count - same) * (new.count - same) <= Self.scanLimit {
            for from in same..<old.count {
                for to in same..<new.count where new[to].section == old[from].section {
                    link(from, to)
                    break
                }
            }
        } else {
            var positions = [Section: Int](minimumCapacity: new.count - same)
            for to in same..<new.count { positions[new[to].section] = to }
            for from in same..<old.count {
                if let to = positions[old[from].section] { link(from, to) }
            }
        }
    }

    @inlinable
    mutating func link(_ from: Int, _ to: Int) {
        oldToNew[from] = to
        newToOld[to] = from
    }
}
