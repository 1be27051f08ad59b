extension TableState {
    func isEqual(to other: TableState) -> Bool {
        guard rules == other.rules, pace == other.pace, core == other.core, ceremonies == other.ceremonies, debts == other.debts
        else { return false }
        for i in 0..<rules.seats where players[i] != other.players[i] || seats[i] != other.seats[i] { return false }
        // Hands beyond a seat's count are left over from earlier rounds.
        for seat in 0..<rules.seats {
            for hand in 0..<seats[seat].handCount where self.hand(seat, hand).pointee != other.hand(seat, hand).pointee {
                return false
            }
        }
        return true
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(core)
        for i in 0..<rules.seats {
            hasher.combine(players[i])
            hasher.combine(seats[i])
        }
    }
}
