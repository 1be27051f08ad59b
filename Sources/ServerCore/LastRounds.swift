import Records

/// The last rounds of a journal, read from its end: from the newest checkpoint on, then from the one before it, until there are enough.
extension DataSnapshot {
    /// A round as far as it is known. One that was in play at the checkpoint lacks its earlier moves until the frames before are read.
    private struct Found {
        var round: PlayedRound
        var isWhole: Bool
    }

    /// The last rounds, in the order of their ends; then those in play, by table.
    /// - Parameters:
    ///   - count: of rounds at most.
    ///   - isWanted: whether a round counts.
    public func lastRounds(_ count: Int, where isWanted: (PlayedRound) -> Bool) throws(RecoveryError) -> [PlayedRound] {
        let checkpoints: [UInt64]
        do { checkpoints = try folder.checkpoints() } catch { throw RecoveryError(error) }
        var found: [Found] = []
        var end = last
        for begin in ([start] + checkpoints.filter { $0 > start && $0 < last }).reversed() {
            // They were in play at the end of the frames that are read now, which have them whole.
            found.removeAll { !$0.isWhole }
            found += try rounds(after: begin, upTo: end).filter { found in
                // A player who has left is not named by a checkpoint.
                isWanted(found.round) || !found.isWhole && found.round.seats.contains { $0.name == PlayedSeat.unknownName }
            }
            found.sort(by: Self.isBefore)
            let newest = found.suffix(count)
            if newest.count == count, newest.allSatisfy(\.isWhole) { break }
            end = begin
        }
        return found.suffix(count).map(\.round)
    }

    private static func isBefore(_ first: Found, _ second: Found) -> Bool {
        guard first.round.ended != nil, second.round.ended != nil else {
            return first.round.ended != nil || second.round.ended == nil && first.round.table < second.round.table
        }
        return (first.round.place.sequence, first.round.place.line) < (second.round.place.sequence, second.round.place.line)
    }

    /// The rounds that ended in some frames, and those that were in play at the end of these frames. All are whole but those that were in
    /// play before the first frame.
    private func rounds(after begin: UInt64, upTo end: UInt64) throws(RecoveryError) -> [Found] {
        let state: SavedState?
        do { state = begin > 0 ? try SavedState.checkpoint(at: begin, in: folder) : nil } catch { throw RecoveryError(error) }
        var history = RoundHistory(state)
        // Of the oldest frames that are kept, nothing earlier will be read.
        var partial = begin == start ? [] : Set(history.unfinished.map(\.table))
        // Tables whose round was in play at the end of the frames, and goes on; nil before that end.
        var open: Set<String>?
        var found: [Found] = []
        func take(_ round: PlayedRound) {
            let isPartial = partial.remove(round.table) != nil
            if open != nil, open?.remove(round.table) == nil { return }
            found.append(Found(round: round, isWhole: !isPartial))
        }
        try frames(after: begin) { frame in
            if frame.sequence > end, open == nil { open = Set(history.unfinished.map(\.table)) }
            if open?.isEmpty == true { return false }
            for (place, line) in frame.records { history.add(try line.record(at: place), at: place, take) }
            return true
        }
        for round in history.unfinished where open?.contains(round.table) ?? true { take(round) }
        return found
    }
}
