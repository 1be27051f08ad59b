import TableEngine
import TableModel
import Wire

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
    mutating func note(_ table: borrowing Table, seat: Int, chips: Int, at revision: Int, _ epoch: String) {
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
        next = (next + 1) % WireLimits.results
    }

    /// A table's results after a revision, oldest first.
    func since(_ revision: Int, ofEpoch epoch: String) -> [RoundResult] {
        let ordered = records.count < WireLimits.results ? records[...] : records[next...] + records[..<next]
        return ordered.filter { $0.epoch == epoch && $0.revision > revision }.map(\.result)
    }
}
