extension DifferenceComputation {
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
            addLoose(old: oldSection, start..<oldEnd)
            return
        }
        let firstOrigin = origins.count
        let firstLoose = looseNew.count
        if oldEnd == start {
            addLoose(new: newSection, start..<newEnd)
        } else {
            walkMiddle(before, start..<oldEnd, oldSection, after, start..<newEnd, newSection)
        }
        regions.append(
            Region(
                section: newSection, start: start, origins: firstOrigin..<origins.count, loose: firstLoose..<looseNew.count))
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
            addLoose(old: oldSection, from..<from + skippedOld)
            addLoose(new: newSection, to..<to + skippedNew)
            for _ in 0..<skippedNew { origins.append(-1) }
            from += skippedOld
            to += skippedNew
        }
        addLoose(old: oldSection, from..<oldRange.upperBound)
        addLoose(new: newSection, to..<newRange.upperBound)
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
