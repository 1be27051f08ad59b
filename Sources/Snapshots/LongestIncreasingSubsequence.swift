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
