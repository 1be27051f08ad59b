import ClientCore
import Fairness
import Rules
import TableModel
import Wire

/// Lost connections, other devices, other tables, and tricks that need them.
extension ShoeHouse {
    /// The item `next` is taken away.
    mutating func hideNext() {
        next = nil
        publish()
    }

    /// A restart that keeps the shoe in play and has another ceremony.
    mutating func recoverWithAnotherCeremony() {
        (epoch, revision, shown) = ("e2", -1, nil)
        open(shoe + 1, attempt: 1)
    }

    /// The player watches another table, and comes back.
    /// - Parameter sitsDown: after having got up before.
    mutating func visitAnotherTable(sitsDown: Bool = false) {
        if sitsDown { commits["ann"] = nil }
        let other = TableChange(table: "other", revision: 0, old: nil, new: TableSnapshot())
        perform(watch.take(other, epoch: "o", player: "ann", at: now, using: &contributions))
        if sitsDown { watch.satDown() }
        shown = nil
        publish()
    }

    /// Watches another table for so long that the proof of the shoe left in play is not asked for again.
    mutating func stayAwayUntilTheProofIsGivenUp() {
        let other = TableChange(table: "other", revision: 0, old: nil, new: TableSnapshot())
        perform(watch.take(other, epoch: "o", player: "ann", at: now, using: &contributions))
        for attempt in 0..<10 {
            now += 10_000 << attempt
            perform(watch.tick(at: now))
        }
        shown = nil
    }

    /// Shows a number that the table's shoe cannot have.
    mutating func jumpShoe() {
        shoe += 1
        publish()
    }

    /// ann gets up and sits down again: her commitment to an open ceremony is forgotten.
    mutating func sitAgain() {
        commits["ann"] = nil
        annSits = false
        publish()
        watch.satDown()
        annSits = true
        publish()
    }

    /// ann's connection is lost. On another device she gets up and sits down again, and commits otherwise or not at all; the list closes.
    mutating func useAnotherDevice(commits commitsThere: Bool) {
        guard let next else { return }
        let other = ShoeSecret(using: &generator)
        loseConnection()
        let commitment = other.contribution(table: "main", shoe: next.shoe, player: "ann", to: next.commitment)
        commits["ann"] = commitsThere ? commitment : nil
        close()
        reveals["ann"] = commitsThere ? other : nil
        isShown = true
    }

    /// The connection is lost, and nothing is shown.
    mutating func loseConnection() {
        watch.connectionLost()
        isShown = false
    }

    /// The connection is lost and found again.
    /// - Parameter missesChanges: whether the table comes as a whole; otherwise every change comes.
    mutating func reconnect(missesChanges: Bool) {
        watch.connectionLost()
        publish(every: !missesChanges)
    }

    /// The server cuts the connection, and has no seat for ann after it.
    /// - Parameters:
    ///   - forgets: whether it has lost her commitment too, as an honest server that let her seat go.
    ///   - isMoving: whether she had asked to leave.
    mutating func loseSeatOnReconnect(forgets: Bool, isMoving: Bool = false) {
        watch.connectionLost()
        if forgets { commits["ann"] = nil }
        perform(watch.loggedIn(LoginReply(name: "ann", chips: 1), isMoving: isMoving, at: now))
        watch.satDown()
    }

    /// ann's seat is taken, and given back after the list is closed without her.
    mutating func takeSeatWhileClosing() {
        commits["ann"] = nil
        annSits = false
        close()
        annSits = true
        publish()
    }

    /// The revision that was shown last comes again, after a lost connection.
    mutating func repeatRevision() {
        watch.connectionLost()
        revision -= 1
        publish()
    }

    /// A whole view comes, with a round of cards at these places behind the last card drawn.
    mutating func showRound(at places: [Int], drawn count: Int, phase: RoundPhase = .playing, missesRounds: Bool = false) {
        round += missesRounds ? 2 : 1
        let start = drawn
        (self.phase, cards) = (phase, places.map { (start + $0, Card(code: codes[start + $0])) })
        drawn += count
        publish(every: false)
    }

    /// A whole view comes, of a table that is some shoes and rounds further. Its shoe in play was made by the server alone.
    mutating func skip(shoes: Int, rounds: Int, isCut: Bool = false) {
        if isCut { loseConnection() }
        isShown = false
        (shoe, round, revision, phase, cards) = (shoe + shoes, round + rounds, revision + rounds, .waiting, [])
        let alone = ShoeSecret(using: &generator)
        let commitment = alone.serverCommitment(table: "main", shoe: shoe, rules: rules.canonicalText)
        let made = ShoeProof(
            table: "main", shoe: shoe, rules: rules.canonicalText, commitment: commitment, secret: alone, contributions: [])
        codes = made.key.order(decks: 1)
        fair = FairShoe(
            shoe: shoe, commitment: commitment, list: made.list, mixed: MixedContributions([]),
            order: made.key.orderDigest(segment: 0, first: 0, codes: codes))
        (drawn, proofs[shoe]) = (1, made)
        open(shoe + 1, attempt: 1)
        isShown = true
    }

    /// Mixes with a list of nobody.
    mutating func mixAlone() {
        contributors = []
        mix()
    }

    /// The table closes; its last round is over.
    mutating func closeTable() {
        (phase, closing) = (.closed, ClosingNotice(.table, reason: ""))
        publish()
    }

    mutating func leave() { perform(watch.left(at: now)) }

    mutating func wait(_ milliseconds: Int64) {
        now += milliseconds
        perform(watch.tick(at: now))
    }
}
