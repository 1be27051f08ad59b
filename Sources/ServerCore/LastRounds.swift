import Fairness
import Records
import Rules
import TableEngine
import TableModel
import Wire

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

/// A ring of a player's last round results, sent after a lost connection. Allocates nothing once it is full.
struct RecentResults: ~Copyable {
    private struct Record {
        /// The table and the revision that show the result.
        var epoch: String
        var revision: Int
        var result: RoundResult
    }

    private var records: [Record] = []
    /// Index of the next record; the oldest once the ring is full.
    private var next = 0

    /// Records the result of a seat whose round has ended.
    /// - Parameters:
    ///   - chips: the player's chips after the round.
    ///   - revision: the revision that will show it.
    /// - Returns: chips won, insurance included; nil without a settled hand.
    mutating func note(_ table: borrowing Table, seat: Int, chips: Int, at revision: Int, _ epoch: String) -> Int? {
        if records.count < WireLimits.results {
            let empty = RoundResult(round: 0, seat: seat, hands: [], chips: 0)
            records.append(Record(epoch: epoch, revision: revision, result: empty))
            next = records.count - 1
        }
        records[next].epoch = epoch
        records[next].revision = revision
        records[next].result.round = table.round
        records[next].result.seat = seat
        records[next].result.chips = chips
        records[next].result.insurance = table.settledInsurance(seat: seat).map { .init(bet: $0.stake, net: $0.paid - $0.stake) }
        records[next].result.hands.removeAll(keepingCapacity: true)
        for hand in 0..<table.handCount(seat: seat) {
            guard let (stake, settlement) = table.settledHand(HandID(seat: seat, hand: hand)) else { continue }
            let result = HandResult(outcome: settlement.outcome, net: settlement.paid - stake)
            records[next].result.hands.append(.init(bet: stake, result: result))
        }
        let result = records[next].result
        next = (next + 1) % WireLimits.results
        return result.hands.isEmpty ? nil : result.hands.reduce(result.insurance?.net ?? 0) { $0 &+ $1.result.net }
    }

    /// A table's results after a revision, oldest first.
    func since(_ revision: Int, ofEpoch epoch: String) -> [RoundResult] {
        let ordered = records.count < WireLimits.results ? records[...] : records[next...] + records[..<next]
        return ordered.filter { $0.epoch == epoch && $0.revision > revision }.map(\.result)
    }
}

/// The result of a search for a proof.
public enum ProofFinding: Equatable, Sendable {
    case found(ShoeProof)
    /// The shoe is one of 32 of a ceremony: its proof is that of the first of them, which has this number.
    case inProof(ofShoe: Int)
    /// The table is there; the shoe's secret was not revealed in the history that is kept.
    case noProof
    /// No table of this name is in the history that is kept.
    case noTable
}

extension DataSnapshot {
    /// Makes the proof of a shoe at a table again from the journal.
    /// - Parameters:
    ///   - shoe: its number, with continuous shuffling that of the first of 32.
    ///   - name: of the table. Of several tables with this name, the last one that had this shoe.
    public func proof(ofShoe shoe: Int, at name: String) throws(RecoveryError) -> ProofFinding {
        var state = beginning ?? SavedState(house: state.house)
        var finding = ProofFinding.noTable
        func look() {
            guard let table = state.tables[name]?.table else { return }
            if let proof = table.proof(ofShoe: shoe) {
                finding = .found(proof)
            } else if let first = table.proofs.last(where: { $0.proof.shoe < shoe })?.proof.shoe, table.rules.continuousShuffle,
                shoe < first + ShoeRules.roundsOfCeremony
            {
                if case .found = finding { return }
                finding = .inProof(ofShoe: first)
            } else if finding == .noTable {
                finding = .noProof
            }
        }
        // Of tables that closed before the history that is kept.
        if let former = state.formerProofs.last(where: { $0.table == name }) {
            finding = former.proofs.last { $0.proof.shoe == shoe }.map { .found($0.proof) } ?? .noProof
        }
        look()
        try lines { line, place throws(RecoveryError) in
            do throws(ReplayError) {
                try state.apply(line: line, at: place)
            } catch {
                throw .replay(error)
            }
            // Most lines are other tables', or of rounds: a look at the last 8 proofs is all that they cost.
            look()
        }
        return finding
    }
}
