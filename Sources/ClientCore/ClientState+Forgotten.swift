import ClientSession

extension ClientState {
    /// The sentence for a player whose server has come back without its data, as another house: chips and bets of before are gone.
    /// - Parameter old: the state before the update that greets.
    /// - Returns: nil where the house is the same, or nobody was logged in.
    public func forgotten(since old: ClientState) -> String? {
        guard let login = old.login, let before = old.hello?.house, let now = session.hello?.house, before != now else {
            return nil
        }
        let start = "The server has started again without its data"
        guard let table = old.table, let snapshot = old.snapshot, let seat = snapshot.seats(of: login.name).first,
            let chips = snapshot.player(seat)?.chips
        else { return "\(start): your chips there are gone." }
        let bet = snapshot.hands.filter { $0.seat == seat && snapshot.result($0) == nil }.compactMap { snapshot.bet($0) }.reduce(
            0, +)
        return "\(start): your \(chips) chips \(bet > 0 ? "and your bet of \(bet) " : "")at \(table) are gone."
    }
}
