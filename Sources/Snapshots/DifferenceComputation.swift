/// One computation of a difference between two snapshots.
///
/// 1. Match sections by identifier.
/// 2. Walk each pair of sections side by side, looking a few items ahead where they differ. Needs no hashing.
/// 3. Match the rest (``Loose``) across all sections, by hashing if it is much.
/// 4. Within a section, keep a longest increasing subsequence in place and move the others.
@usableFromInline
struct DifferenceComputation<Section: Hashable & Sendable, Item: Hashable & Sendable> {
    @usableFromInline typealias Row = Snapshot<Section, Item>.Row
    @usableFromInline typealias Difference = SnapshotDifference<Section, Item>

    /// An item that the walk has not matched.
    @usableFromInline
    struct Loose {
        @usableFromInline var section: Int
        @usableFromInline var offset: Int
        /// Of a new item: the index of its loose old one. Of an old item: ≥ 0 if matched. Otherwise -1.
        @usableFromInline var partner = -1

        @inlinable
        init(section: Int, offset: Int) {
            self.section = section
            self.offset = offset
        }
    }

    /// The part of a new section that differs from the old one.
    @usableFromInline
    struct Region {
        /// The position of the new section.
        @usableFromInline var section: Int
        /// The start of the part in the new section.
        @usableFromInline var start: Int
        /// Its range of ``origins``; empty if no item can have stayed in this part.
        @usableFromInline var origins: Range<Int>
        /// Its range of ``looseNew``.
        @usableFromInline var loose: Range<Int>

        @inlinable
        init(section: Int, start: Int, origins: Range<Int>, loose: Range<Int>) {
            self.section = section
            self.start = start
            self.origins = origins
            self.loose = loose
        }
    }

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
    mutating func run(reborn: [Section]) -> Difference {
        var difference = Difference()
        let matching = SectionMatching(old, new, reborn: reborn)
        if let matching { listSections(matching, in: &difference) }
        for section in new.indices {
            let partner = matching?.newToOld[section] ?? section
            if partner >= 0 {
                walk(from: partner, to: section)
            } else if !new[section].items.isEmpty {
                let start = looseNew.count
                addLoose(new: section, 0..<new[section].items.count)
                regions.append(Region(section: section, start: 0, origins: 0..<0, loose: start..<looseNew.count))
            }
        }
        if let matching {
            for section in old.indices where matching.oldToNew[section] < 0 {
                for offset in old[section].items.indices { looseOld.append(Loose(section: section, offset: offset)) }
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
            difference.deletedSections.append(old[section].identifier)
        }
        let stays = LongestIncreasingSubsequence.members(of: matching.newToOld[...])
        for section in new.indices where !stays[section] {
            let placement = Difference.SectionPlacement(section: new[section].identifier, index: section)
            if matching.newToOld[section] < 0 {
                difference.insertedSections.append(placement)
            } else {
                difference.movedSections.append(placement)
            }
        }
    }

    @inlinable
    mutating func addLoose(old section: Int, _ offsets: Range<Int>) {
        for offset in offsets { looseOld.append(Loose(section: section, offset: offset)) }
    }

    @inlinable
    mutating func addLoose(new section: Int, _ offsets: Range<Int>) {
        for offset in offsets { looseNew.append(Loose(section: section, offset: offset)) }
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
        Difference.ItemPlacement(item: new[section].items[offset], section: new[section].identifier, index: offset)
    }
}
