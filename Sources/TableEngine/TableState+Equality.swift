extension TableState {
    func isEqual(to other: TableState) -> Bool {
        guard rules == other.rules, pace == other.pace, core == other.core else { return false }
        for i in 0..<rules.seats where players[i] != other.players[i] || seats[i] != other.seats[i] { return false }
        for i in 0..<rules.seats * Self.handsPerSeat where hands[i] != other.hands[i] { return false }
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
