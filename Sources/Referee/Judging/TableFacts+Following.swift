import Rules
import TableModel

/// Facts that are brought up to date where a table has changed, and nowhere else.
extension TableFacts {
    /// Where a table has changed since the revision before.
    struct Changes: Sendable {
        /// Seats of which something has changed, their hands included: bit n for seat n.
        var seats: UInt8 = 0
        /// Seats with another player than before, or none.
        var occupants: UInt8 = 0
        var dealer = false
        /// Whether phase, rules or shoe changed: then every seat is judged again.
        var isWide = false

        /// Everything, for the first look.
        static let everything = Changes(seats: 0b1111_1110, occupants: 0b1111_1110, dealer: true, isWide: true)

        mutating func note(_ seat: Int) { seats |= 1 << UInt8(seat) }
    }

    /// Seats with another player than in another table, or none: bit n for seat n.
    func occupants(otherThanIn other: TableFacts) -> UInt8 {
        (1..<8).reduce(0) { $0 | (seats[$1].player?.name == other.seats[$1].player?.name ? 0 : 1 << UInt8($1)) }
    }

    /// Takes apart the sections that differ from the former snapshot.
    mutating func follow(_ snapshot: TableSnapshot, after old: TableSnapshot) -> Changes {
        var changes = Changes()
        let isSameList = snapshot.forEachSection(changedSince: old) { section, entries in
            switch section {
            case .hand(let hand):
                guard seats.indices.contains(hand.seat),
                    let place = seats[hand.seat].hands.firstIndex(where: { $0.id == hand })
                else { return }
                seats[hand.seat].hands[place] = Self.hand(hand, entries)
                changes.note(hand.seat)
            case .table, .dealer, .seat, .other: update(section, entries, &changes)
            }
        }
        if !isSameList { followSections(snapshot, after: old, &changes) }
        sumUp(changes.isWide ? .max : changes.seats)
        return changes
    }

    /// The same where sections have come, gone or moved, as with each bet.
    private mutating func followSections(_ snapshot: TableSnapshot, after old: TableSnapshot, _ changes: inout Changes) {
        let (sections, former) = (snapshot.structure.sectionIdentifiers, old.structure.sectionIdentifiers)
        var hands: UInt8 = 0
        var place = -1
        for section in former {
            if let now = sections.firstIndex(of: section) {
                guard now > place else {
                    // Something has changed its place, which no table of ours does.
                    let anew = TableFacts(snapshot)
                    changes = .everything
                    changes.occupants = anew.occupants(otherThanIn: self)
                    self = anew
                    return
                }
                place = now
            } else if case .hand(let hand) = section {
                hands |= Self.bit(hand.seat)
            } else {
                update(section, [], &changes)
            }
        }
        for section in sections {
            let (entries, before) = (snapshot.entries(in: section), old.entries(in: section))
            if Self.shareStorage(entries, before) { continue }
            if case .hand(let hand) = section { hands |= Self.bit(hand.seat) } else { update(section, entries, &changes) }
        }
        guard hands != 0 else { return }
        for seat in 1..<8 where hands & Self.bit(seat) != 0 {
            seats[seat].hands.removeAll(keepingCapacity: true)
            changes.note(seat)
        }
        for case .hand(let hand) in sections where hands & Self.bit(hand.seat) != 0 && seats.indices.contains(hand.seat) {
            seats[hand.seat].hands.append(Self.hand(hand, snapshot.entries(in: .hand(hand))))
        }
    }

    private static func bit(_ seat: Int) -> UInt8 { (1..<8).contains(seat) ? 1 << UInt8(seat) : 0 }

    private static func shareStorage(_ a: [TableEntry], _ b: [TableEntry]) -> Bool {
        a.count == b.count
            && a.withUnsafeBufferPointer { a in b.withUnsafeBufferPointer { a.count > 0 && $0.baseAddress == a.baseAddress } }
    }

    /// Reads a section other than a hand again.
    private mutating func update(_ section: TableSection, _ entries: [TableEntry], _ changes: inout Changes) {
        switch section {
        case .table:
            let before = (phase, shoe.number, round)
            let (none, rules) = (Self.none, rules)
            (round, phase, deadline, shoe, cardsLeft, self.rules) =
                (none.round, none.phase, none.deadline, none.shoe, none.cardsLeft, none.rules)
            read(section, entries)
            if before != (phase, shoe.number, round) || rules != self.rules { changes.isWide = true }
        case .dealer:
            dealerIDs.removeAll(keepingCapacity: true)
            dealer.removeAll(keepingCapacity: true)
            dealerTotal = nil
            read(section, entries)
            changes.dealer = true
        case .seat(let seat):
            guard seats.indices.contains(seat) else { return }
            let occupant = seats[seat].player?.name
            (seats[seat].player, seats[seat].choice, seats[seat].insurance) = (nil, nil, 0)
            read(section, entries)
            changes.note(seat)
            if seats[seat].player?.name != occupant { changes.occupants |= 1 << UInt8(seat) }
        case .hand, .other: break
        }
    }
}
