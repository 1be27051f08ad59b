import TableModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A table as shown to the bots of one loop, which get the same bytes: the first reader of a line decodes and judges it, the others compare
/// bytes, and a difference means that somebody is shown another table. Confined to its loop.
final class TableMirror {
    /// One line that led from one revision to the next.
    struct Step {
        var from: Int
        var line: [UInt8]
        var after: ShownTable

        func matches(_ other: UnsafeRawBufferPointer) -> Bool {
            // The one thing that is done for every line of every bot.
            line.withUnsafeBytes { lines in
                guard lines.count == other.count, let own = lines.baseAddress, let bytes = other.baseAddress else { return false }
                return memcmp(own, bytes, lines.count) == 0
            }
        }

        /// Compares this line and its end with the start of some bytes.
        /// - Returns: the bytes it takes; nil for another line, or less than a line.
        func opens(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
            let end = start + line.count
            guard bytes.count > end, bytes[end] == UInt8(ascii: "\n"),
                matches(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            else { return nil }
            return line.count + 1
        }
    }

    /// Steps kept: by more revisions no bot of a loop lags behind the others for long.
    private static let depth = 16

    private(set) var latest: ShownTable?
    private(set) var firstRound: Int?
    private var referee = TableReferee()
    private var steps: [Step?] = Array(repeating: nil, count: depth)

    /// Rounds that were begun since the first look.
    var rounds: Int { (latest?.facts.round ?? 0) - (firstRound ?? 0) }

    /// The line that leads on from a revision, if still kept.
    func step(from revision: Int) -> Step? {
        guard let step = steps[revision & (Self.depth - 1)], step.from == revision else { return nil }
        return step
    }

    /// The table at a revision, if still kept.
    func shown(at revision: Int) -> ShownTable? {
        if let latest, latest.revision == revision { return latest }
        return step(from: revision - 1)?.after
    }

    /// Takes the next revision; nil for any other.
    /// - Returns: the table and the laws it breaks.
    func take(
        _ line: [UInt8], from: Int, to: Int, _ snapshot: TableSnapshot
    ) -> (ShownTable, [TableReferee.Finding])? {
        guard let latest, latest.revision == from else { return nil }
        // Several revisions in one: the ones between are unknown.
        if to != from + 1 { referee.lookAway() }
        let (shown, findings) = show(snapshot, name: latest.name, epoch: latest.epoch, revision: to, after: latest)
        if to == from + 1 { steps[from & (Self.depth - 1)] = Step(from: from, line: line, after: shown) }
        return (shown, findings)
    }

    /// Takes a whole table: the first look, or one after a gap that no bot of this loop has filled.
    func begin(_ snapshot: TableSnapshot, name: String, epoch: String, revision: Int) -> (ShownTable, [TableReferee.Finding]) {
        referee.lookAway()
        steps = Array(repeating: nil, count: Self.depth)
        let (rounds, isOther) = (rounds, latest?.epoch != epoch)
        let result = show(snapshot, name: name, epoch: epoch, revision: revision, after: nil)
        if firstRound == nil || isOther { firstRound = result.0.facts.round - max(0, rounds) }
        return result
    }

    private func show(
        _ snapshot: TableSnapshot, name: String, epoch: String, revision: Int, after old: ShownTable?
    ) -> (ShownTable, [TableReferee.Finding]) {
        let facts = TableFacts(snapshot)
        let findings = referee.judge(facts)
        let shown = ShownTable(
            name: name, epoch: epoch, revision: revision, snapshot: snapshot, facts: facts, after: old)
        latest = shown
        return (shown, findings)
    }
}
