/// Maps the sections of two snapshots to each other, by position; -1 for sections in only one.
@usableFromInline
struct SectionMatching: Sendable {
    @usableFromInline var oldToNew: [Int]
    @usableFromInline var newToOld: [Int]

    /// Up to this many pairs of sections are compared directly.
    @inlinable static var scanLimit: Int { 256 }

    /// `nil` if both have the same sections at the same positions.
    @inlinable
    init?<Section, Item>(
        _ old: [Snapshot<Section, Item>.Row], _ new: [Snapshot<Section, Item>.Row], reborn: [Section]
    ) {
        let shared = min(old.count, new.count)
        var same = 0
        while same < shared, old[same].identifier == new[same].identifier { same += 1 }
        if reborn.isEmpty, same == old.count, same == new.count { return nil }
        oldToNew = [Int](repeating: -1, count: old.count)
        newToOld = [Int](repeating: -1, count: new.count)
        for position in 0..<same { link(position, position) }
        if (old.count - same) * (new.count - same) <= Self.scanLimit {
            for from in same..<old.count {
                for to in same..<new.count where new[to].identifier == old[from].identifier {
                    link(from, to)
                    break
                }
            }
        } else {
            var positions = [Section: Int](minimumCapacity: new.count - same)
            for to in same..<new.count { positions[new[to].identifier] = to }
            for from in same..<old.count {
                if let to = positions[old[from].identifier] { link(from, to) }
            }
        }
        guard !reborn.isEmpty else { return }
        let apart = Set(reborn)
        for from in old.indices where apart.contains(old[from].identifier) && oldToNew[from] >= 0 {
            newToOld[oldToNew[from]] = -1
            oldToNew[from] = -1
        }
    }

    @inlinable
    mutating func link(_ from: Int, _ to: Int) {
        oldToNew[from] = to
        newToOld[to] = from
    }
}
