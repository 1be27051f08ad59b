/// The most likely correction: a candidate with this prefix, else the one with the smallest edit distance, at most a third of
/// the characters. nil when none is near.
func nearest(to word: String, among candidates: [String]) -> String? {
    let word = String(word.prefix(40))
    let bare = word.drop { $0 == "-" }
    if bare.count > 1, let longer = candidates.first(where: { $0.hasPrefix(word) }) { return longer }
    let ranked = candidates.map { (name: $0, slips: slips(from: Array(bare), to: Array($0.drop { $0 == "-" }))) }
    guard let best = ranked.min(by: { $0.slips < $1.slips }), best.slips <= max(1, bare.count / 3) else { return nil }
    return best.slips < bare.count ? best.name : nil
}

/// The candidate that a word is probably a misspelling of: most of it, or a few slips away. Stricter than ``nearest(to:among:)``: the word
/// may be meant as it is.
func typo(of word: String, among candidates: [String]) -> String? {
    if let longer = candidates.first(where: { $0.hasPrefix(word) && word.count * 2 > $0.count }) { return longer }
    guard word.count > 3, word.count <= 40 else { return nil }
    return candidates.first { slips(from: Array(word), to: Array($0)) <= max(1, $0.count / 4) }
}

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
private func slips(from source: [Character], to target: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...target.count)
    for row in source.indices {
        var current = [row + 1]
        for column in target.indices {
            let replaced = last[column] + (source[row] == target[column] ? 0 : 1)
            var best = min(replaced, last[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, source[row] == target[column - 1], source[row - 1] == target[column] {
                best = min(best, beforeLast[column - 1] + 1)
            }
            current.append(best)
        }
        (beforeLast, last) = (last, current)
    }
    return last[target.count]
}
