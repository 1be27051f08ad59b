import Rules

/// Legal actions by lookup: for each player's hand that can afford everything, and each dealer's hand.
///
/// Filled from `HouseRules` once per table, so the rules exist only once. A class, because copies of a table share it. TableState+Moves
/// says how many instructions it saves.
final class LegalityTable {
    private static let kinds = 4
    private static let half = 2 * kinds * HandValue.tableSize

    /// Indexed by surrender offered or not, pair that may be split or not, kind of hand, value.
    let entries: UnsafeMutablePointer<ActionSet>
    /// A bit for each rank of the up card with which a turn begins with an offer to surrender.
    let surrenderRanks: UInt16
    /// A bit for each dealer's hand that takes another card, at its `tableIndex`.
    let dealerDraws: UInt64

    init(_ rules: HouseRules) {
        entries = .allocate(capacity: 2 * Self.half)
        entries.initialize(repeating: [], count: 2 * Self.half)
        let surrender = Rank.allCases.filter { rules.surrenderIsOfferedInTurn(upCard: $0) }
        surrenderRanks = surrender.reduce(0) { $0 | 1 << UInt16($1.rawValue) }
        dealerDraws = (0..<HandValue.tableSize).reduce(0) { bits, index in
            let value = HandValue(hard: UInt8(index % 32), count: 2, hasAce: index >= 32)
            return rules.dealerDraws(to: value) ? bits | 1 << UInt64(index) : bits
        }
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

    private func index(_ value: HandValue, _ kind: Int, splits: Bool, _ up: Rank) -> Int {
        let surrender = Int(truncatingIfNeeded: surrenderRanks &>> UInt16(up.rawValue) & 1)
        let row = (surrender &* 2 &+ (splits ? 1 : 0)) &* Self.kinds &+ kind
        return row &* HandValue.tableSize | value.tableIndex
    }

    /// Whether the dealer draws another card, as `HouseRules.dealerDraws(to:)`.
    func dealerDraws(to value: HandValue) -> Bool { dealerDraws &>> UInt64(value.tableIndex) & 1 != 0 }

    /// The legal actions of an open hand. `splits`: it is a pair, and its seat has room for another hand.
    func actions(_ value: HandValue, _ origin: HandSituation.Origin, splits: Bool, up: Rank) -> ActionSet {
        entries[index(value, value.count > 2 ? 3 : Int(origin.rawValue), splits: splits, up)]
    }
}
