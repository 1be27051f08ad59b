import Rules

/// What may be done with a hand, looked up instead of worked out: one answer for every hand of a player who can pay for everything.
///
/// Each entry is what `HouseRules.legalActions(for:)` says, asked once when a table is made; so there is one rule, and a table that
/// plays a million rounds does not work it out a million times. A class, because the copies of a table share it.
final class LegalityTable {
    private static let kinds = 4
    private static let half = 2 * kinds * HandValue.tableSize

    /// By surrender offered or not, pair that may be split or not, kind of hand, value.
    let entries: UnsafeMutablePointer<ActionSet>
    /// A bit for each rank of the up card under which a turn begins with the offer to surrender.
    let surrenderRanks: UInt16

    init(_ rules: HouseRules) {
        entries = .allocate(capacity: 2 * Self.half)
        entries.initialize(repeating: [], count: 2 * Self.half)
        let surrender = Rank.allCases.filter { rules.surrenderIsOfferedInTurn(upCard: $0) }
        surrenderRanks = surrender.reduce(0) { $0 | 1 << UInt16($1.rawValue) }
        for up in [Rank.allCases.first { !surrender.contains($0) }, surrender.first].compactMap({ $0 }) {
            for kind in 0..<Self.kinds { fill(rules, up, kind) }
        }
    }

    deinit { entries.deallocate() }

    private func fill(_ rules: HouseRules, _ up: Rank, _ kind: Int) {
        let count: UInt8 = kind == 3 ? 3 : 2
        let origin = HandSituation.Origin(rawValue: UInt8(kind == 3 ? 0 : kind)) ?? .dealt
        for hard in UInt8(0)..<32 {
            for hasAce in [false, true] {
                for splits in [false, true] {
                    let hand = HandSituation(
                        value: HandValue(hard: hard, count: count, hasAce: hasAce), isPair: splits, origin: origin,
                        handsAtSeat: splits ? 1 : rules.maxHands, upCard: up, bet: 1, bankroll: 1)
                    entries[index(hand.value, kind, splits: splits, up)] = rules.legalActions(for: hand)
                }
            }
        }
    }

    @inline(__always)
    private func index(_ value: HandValue, _ kind: Int, splits: Bool, _ up: Rank) -> Int {
        let surrender = Int(truncatingIfNeeded: surrenderRanks >> UInt16(up.rawValue) & 1)
        let row = (surrender &* 2 &+ (splits ? 1 : 0)) &* Self.kinds &+ kind
        return row &* HandValue.tableSize | value.tableIndex
    }

    /// What may be done with an open hand. `splits`: it is a pair, and its seat has room for another hand.
    @inline(__always)
    func actions(_ value: HandValue, _ origin: HandSituation.Origin, splits: Bool, up: Rank) -> ActionSet {
        entries[index(value, value.count > 2 ? 3 : Int(origin.rawValue), splits: splits, up)]
    }
}
