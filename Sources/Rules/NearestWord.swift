/// The word that a misspelt one was probably meant to be.
package enum NearestWord {
    /// - Parameter slips: the largest number of characters inserted, deleted or replaced.
    package static func of(_ word: String, among words: [String], within slips: Int) -> String? {
        let scored = words.map { (word: $0, distance: editDistance($0.lowercased(), word.lowercased())) }
        guard let best = scored.min(by: { $0.distance < $1.distance }), best.distance <= slips else { return nil }
        return best.word
    }

    /// The Levenshtein distance. Words are short, so a plain matrix suffices.
    private static func editDistance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first.unicodeScalars.prefix(64)), Array(second.unicodeScalars.prefix(64)))
        var row = Array(0...b.count)
        for i in a.indices {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let substituted = diagonal + (a[i] == b[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, diagonal + 1, row[j] + 1)
            }
        }
        return row[b.count]
    }
}
