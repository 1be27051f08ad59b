/// Names of the files of a journal's folder.
package enum FileName {
    package static let lock = "lock"
    package static let anchor = "anchor.json"
    /// Ends the name of a file that is being written; removed at the next opening.
    static let unfinished = ".tmp"
    /// Ends the name of a file that a repair has set aside.
    package static let setAside = ".damaged"

    package static func segment(_ number: UInt64) -> String { "segment-\(Text.padded(number, digits: 10)).log" }
    package static func checkpoint(_ sequence: UInt64) -> String { "checkpoint-\(Text.padded(sequence, digits: 20)).json" }

    package static func segmentNumber(_ name: String) -> UInt64? { number(in: name, from: "segment-", to: ".log") }
    package static func checkpointSequence(_ name: String) -> UInt64? { number(in: name, from: "checkpoint-", to: ".json") }

    /// Whether a file of this name is a journal's.
    static func isJournals(_ name: String) -> Bool {
        name == lock || name == anchor || name.hasSuffix(unfinished) || segmentNumber(name) != nil
            || checkpointSequence(name) != nil
    }

    private static func number(in name: String, from prefix: String, to suffix: String) -> UInt64? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix), name.utf8.count > prefix.utf8.count + suffix.utf8.count else {
            return nil
        }
        return UInt64(name.dropFirst(prefix.count).dropLast(suffix.count))
    }
}
