import ClientCore
import Fairness
import Rules
import TableModel
import TestKit
import Wire

/// A server's ceremonies and cards, without a game: one deck, ann (the client) and bob, three cards a round. Honest, or with one trick.
struct ShoeHouse {
    enum Trick: Sendable {
        case cardSwapped, orderOfCardsChanged, secretReused, contributionChanged, lateCommitment, otherDigest, wrongSegment
        case otherListAfterReveal, otherListInPlay, repeatedCommitment, omittedContributor, skippedCard
        case cardsOutOfOrder, neverReveals, revealDropped, cutCardMoved
        case faceChanged, otherRules, otherContributor, segmentMoved
    }

    let trick: Trick?
    let rules: HouseRules
    var session: ShoeSession
    private(set) var findings: [ShoeFinding] = []
    /// Every request that the session made, in order.
    private(set) var requests: [ClientMessage] = []
    /// The code with which commits are refused.
    var commitCode: String?
    /// Types of requests that are neither answered nor lost.
    var unanswered: Set<String> = []
    /// Whether answers arrive.
    var answers = true
    /// Whether ann sees what happens.
    var isShown = true {
        didSet { if isShown { publish(every: false) } }
    }
    var epoch = "e1"
    var annSits = true
    var annPresence = Player.Presence.here
    /// The name shown in the second seat.
    var bob = "bob"
    /// Items that the table is shown without.
    var omitted: Set<TableItem> = []

    // MARK: The shoe in play and the coming one

    private(set) var proof: ShoeProof?
    var codes: [UInt8] = []
    var fair: FairShoe?
    var next: NextShoe?
    private var secret: ShoeSecret
    var contributors: [Contributor] = []
    private var bobs: ShoeSecret
    var commits: [String: Digest] = [:]
    var reveals: [String: ShoeSecret] = [:]
    var proofs: [Int: ShoeProof] = [:]
    private var mixedProof: ShoeProof?
    /// Changes each proof that is shown.
    var alters: (@Sendable (inout ShoeProof) -> Void)?
    /// Of tables that were closed.
    private var formerProofs: [Digest: ShoeProof] = [:]

    // MARK: The table

    var revision = 0
    var shoe = 0
    var drawn = 0
    var round = 0
    private var roundStart = 0
    private var discardsStart = 0
    var phase = RoundPhase.waiting
    var cards: [(Int, Card?)] = []
    var closing: ClosingNotice?
    /// Whether a bet for the next round lies in place of a hand.
    var hasNewBet = false
    var shown: TableSnapshot?
    var generator = SeededGenerator(seed: 7)
    var contributions = SeededGenerator(seed: 8)
    var now: Int64 = 0
    private var restarts = 0

    /// How far the first shoe is when a test begins.
    enum Beginning: Sendable {
        /// Its ceremony is open, its list is closed, its order is made.
        case open, closed, mixed
        /// Its first round is dealt, or over: the next card is at place 4.
        case dealt, started
        /// The cut card is out.
        case playedOut
    }

    init(
        _ trick: Trick? = nil, at beginning: Beginning = .open, contributes: Bool = true, publishes: Bool = true,
        rules changes: [(String, RuleValue)] = []
    ) throws {
        self.trick = trick
        rules = try HouseRules().with(
            [("decks", .integer(1)), ("penetration", .number(0.5)), ("seats", .integer(2))] + changes)
        session = ShoeSession(contributes: contributes)
        secret = ShoeSecret(using: &generator)
        bobs = secret
        open(1, attempt: 1, publishes: publishes)
        if beginning != .open { close() }
        if ![.open, .closed].contains(beginning) { mix() }
        if [.dealt, .started, .playedOut].contains(beginning) { shuffle() }
        if [.started, .playedOut].contains(beginning) { settle() }
        if beginning == .playedOut { play(until: 27) }
    }

    // MARK: Ceremony

    /// Publishes a commitment for a shoe.
    mutating func open(_ number: Int, attempt: Int, withheld: [String] = [], publishes: Bool = true) {
        if !(trick == .secretReused && number == 2) { secret = ShoeSecret(using: &generator) }
        bobs = ShoeSecret(using: &generator)
        (commits, reveals, mixedProof) = ([:], [:], nil)
        var commitment = server(number)
        if trick == .repeatedCommitment, number == 2, let proof { commitment = proof.commitment }
        next = NextShoe(shoe: number, attempt: attempt, commitment: commitment, withheld: withheld)
        commits["bob"] = bobs.contribution(table: "main", shoe: number, player: "bob", to: commitment)
        if publishes { publish() }
    }

    private func server(_ number: Int) -> Digest {
        let shown = SHA256.hash(rules.canonicalText.utf8)
        return secret.serverCommitment(table: "main", shoe: number, rules: trick == .otherRules ? SHA256.hash([]) : shown)
    }

    mutating func close() {
        guard var coming = next else { return }
        if trick == .lateCommitment {
            secret = ShoeSecret(using: &generator)
            coming.commitment = server(coming.shoe)
        }
        if trick == .contributionChanged { commits["ann"] = commits["ann"].map { SHA256.hash($0.bytes) } }
        if trick == .omittedContributor { commits["ann"] = nil }
        contributors = ["ann", "bob"].compactMap { name in commits[name].map { Contributor(name: name, commitment: $0) } }
        coming.stage = .revealing(contributors)
        next = coming
        reveals["bob"] = bobs
        publish()
        if trick == .otherListAfterReveal {
            contributors.reverse()
            next?.stage = .revealing(contributors)
            publish()
        }
    }

    mutating func mix() {
        guard var coming = next else { return }
        if trick == .revealDropped { reveals["ann"] = nil }
        if trick == .otherContributor {
            // bob reveals another contribution than he committed to.
            reveals["bob"] = ShoeSecret(using: &generator)
        }
        if trick == .otherListInPlay { contributors.removeLast() }
        let made = ShoeProof(
            table: "main", shoe: coming.shoe, commitment: coming.commitment, secret: secret,
            contributions: contributors.map { .init(name: $0.name, commitment: $0.commitment, reveal: reveals[$0.name]) })
        let order = made.key.orderDigest(segment: 0, first: 0, codes: made.key.order(decks: 1))
        coming.stage = .mixed(
            list: made.list, MixedContributions(made.contributions.map { $0.reveal != nil }),
            order: trick == .otherDigest ? SHA256.hash(order.bytes) : order)
        (next, mixedProof) = (coming, made)
        publish()
    }

    /// Mixes with a list that nobody was shown.
    mutating func mixUnlisted() {
        reveals["bob"] = bobs
        contributors = commits["bob"].map { [Contributor(name: "bob", commitment: $0)] } ?? []
        mix()
    }

    /// Open, close, mix.
    mutating func ceremony() {
        close()
        mix()
    }

    /// Open, close, and either void or mix, as an honest server does: the fourth attempt takes what has come.
    mutating func honestCeremony(withholdersAllowed: Bool) {
        while true {
            close()
            resume()
            let isWithheld = contributors.contains { reveals[$0.name] == nil }
            guard isWithheld, withholdersAllowed, (next?.attempt ?? 4) < NextShoe.attempts else { return mix() }
            void(withheld: ["ann"])
        }
    }

    /// An attempt is void.
    mutating func void(withheld: [String]) {
        guard let next else { return }
        open(next.shoe, attempt: next.attempt + 1, withheld: next.withheld + withheld.filter { !next.withheld.contains($0) })
    }

    // MARK: Play

    /// Starts a round with a shuffle.
    mutating func shuffle() {
        guard let coming = next, case .mixed(let list, let mixed, let order) = coming.stage, let made = mixedProof else { return }
        if let proof { proofs[proof.shoe] = proof }
        proof = made
        shoe = coming.shoe
        codes = made.key.order(decks: 1)
        if trick == .orderOfCardsChanged { codes.shuffle(using: &generator) }
        (drawn, discardsStart) = (1, 0)
        fair = FairShoe(shoe: shoe, commitment: coming.commitment, list: list, mixed: mixed, order: order)
        open(shoe + 1, attempt: 1, publishes: false)
        deal()
    }

    /// Deals a round: two cards face up, one face down.
    mutating func deal(_ count: Int = 3) {
        (round, phase, roundStart, cards) = (round + 1, .playing, drawn, [])
        if trick == .skippedCard, round == 3 { drawn += 1 }
        for index in 0..<count { draw(isHidden: index == count - 1) }
        if trick == .cardSwapped, round == 2, let card = cards[0].1 { cards[0].1 = Card(code: (card.code + 1) % 52) }
        if trick == .cardsOutOfOrder, round == 3 { cards = cards.map { ($0.0 == drawn - 1 ? drawn : $0.0, $0.1) } }
        publish()
    }

    private mutating func draw(isHidden: Bool) {
        cards.append((drawn, isHidden ? nil : Card(code: codes[drawn])))
        drawn += 1
    }

    /// A card to a hand.
    mutating func hit() {
        draw(isHidden: false)
        publish()
    }

    /// Turns the hidden card and settles.
    mutating func settle() {
        cards = cards.map { ($0.0, $0.1 ?? Card(code: codes[$0.0])) }
        if trick == .faceChanged, round == 2 { cards[1].1 = cards[1].1.map { Card(code: ($0.code + 5) % 52) } }
        phase = .settled
        publish()
    }

    /// Deals a round of cards that are not those of the shoe.
    mutating func dealOthers() {
        deal()
        cards = cards.map { ($0.0, Card(code: (codes[$0.0] + 1) % 52)) }
    }

    /// The shoe has run out in mid-round: the discards come back.
    mutating func reshuffle() {
        guard var made = proof else { return }
        let number = made.segments.count + 1
        var range = discardsStart..<roundStart
        if trick == .wrongSegment { range = range.lowerBound..<range.upperBound - 1 }
        let key = made.key.segment(number)
        let order = key.shuffled(Array(codes[range]))
        let digest = key.orderDigest(segment: number, first: codes.count, codes: order)
        made.segments.append(.init(number: number, first: codes.count, discards: range))
        fair?.segment = .init(number: number, first: codes.count + (trick == .segmentMoved ? 1 : 0), count: order.count)
        fair?.order = digest
        discardsStart = roundStart
        codes += order
        proof = made
    }

    /// Rounds until the shoe has that many cards drawn.
    mutating func play(until count: Int) {
        while drawn < count {
            deal()
            settle()
        }
    }

    /// Reveals the secret of the shoe in play: it is over.
    mutating func reveal() { if let proof { proofs[proof.shoe] = proof } }

    /// As after a restart without a journal, or as if there had been one: an honest server is not started again within a connection.
    mutating func loseEverything(isCut: Bool = true) {
        if isCut { session.connectionLost() }
        restarts += 1
        (epoch, revision, shoe, round, drawn, phase) = ("l\(restarts)", -1, 0, 0, 0, .waiting)
        (fair, proof, cards, proofs, shown) = (nil, nil, [], [:], nil)
        open(1, attempt: 1)
    }

    /// As after a stop of a server that keeps the proofs of its closed table.
    mutating func stopInOrder() {
        for made in [proof, mixedProof].compactMap(\.self) where trick != .neverReveals { formerProofs[made.commitment] = made }
        closing = nil
        loseEverything()
    }

    /// As after a restart with one: another epoch, the same table.
    mutating func recover() {
        restarts += 1
        (epoch, revision, shown) = ("r\(restarts)", -1, nil)
        publish()
    }

    // MARK: The table shown

    var snapshot: TableSnapshot {
        let behind = rules.cardsInShoe - rules.cardsBeforeCut + (trick == .cutCardMoved ? 4 : 0)
        var table: [TableEntry] = [
            .round(round), .phase(phase), .shoe(ShoeStatus(number: shoe, decks: 1, behindCutCard: behind)),
            .cardsLeft(shoe == 0 ? 52 : codes.count - drawn),
        ]
        if let closing { table.append(.closing(closing)) }
        if let fair { table.append(.fairShoe(fair)) }
        if let next { table.append(.nextShoe(next)) }
        table.append(.rules(TableRules(rules, digest: SHA256.hash(rules.canonicalText.utf8).hex)))
        table.removeAll { omitted.contains($0.item) }
        if annSits { table.append(.player(1, Player(name: "ann", chips: 1, presence: annPresence))) }
        table.append(.player(2, Player(name: bob, chips: 1)))
        table += cards.map { .card($0.0, .hand(HandIdentifier(seat: 2, number: 1)), $0.1) }
        if hasNewBet { table.append(.bet(HandIdentifier(seat: 1, number: 1), 10)) }
        return TableSnapshot(table)
    }

    /// - Parameter every: whether the change is from one revision to the next; otherwise several were missed.
    mutating func publish(every: Bool = true) {
        revision += every ? 1 : 2
        guard isShown else { return }
        let new = snapshot
        let change = TableChange(table: "main", revision: revision, old: shown, new: new)
        shown = new
        perform(session.take(change, epoch: epoch, player: "ann", at: now, using: &contributions))
    }

    mutating func resume() { perform(session.tick(at: now)) }

    mutating func perform(_ actions: [ShoeSession.Action]) {
        for action in actions {
            switch action {
            case .found(let finding): findings.append(finding)
            case .request(let message):
                requests.append(message)
                if unanswered.contains(message.type) { continue }
                let answer = answers ? answer(message) : lost(message)
                perform(session.take(answer, to: message, at: now))
            }
        }
    }

    private func lost(_ message: ClientMessage) -> Result<Reply, Refusal> {
        .failure(Refusal(type: message.type, .rule, code: "not_connected", message: ""))
    }

    private mutating func answer(_ message: ClientMessage) -> Result<Reply, Refusal> {
        switch message {
        case .commit where commitCode != nil:
            return .failure(Refusal(type: "commit", .rule, code: commitCode ?? "", message: "No."))
        case .commit(let server, let contribution) where server == next?.commitment && next?.stage == .open:
            commits["ann"] = contribution
            return .success(.done("commit"))
        case .reveal(_, let contribution):
            reveals["ann"] = contribution
            return .success(.done("reveal"))
        case .proof("main", _, let commitment?) where formerProofs[commitment] != nil:
            return formerProofs[commitment].map { .success(.proof($0)) } ?? lost(message)
        case .proof("main", let number?, let commitment):
            if trick != .neverReveals, var proof = proofs[number], proof.commitment == commitment {
                alters?(&proof)
                return .success(.proof(proof))
            }
            return .failure(Refusal(id: nil, type: "proof", .init(.notFound, "Not yet.")))
        default: return .failure(Refusal(id: nil, type: message.type, .init(.noCeremony, "No.")))
        }
    }
}

/// Lost connections, other devices, other tables, and tricks that need them.
extension ShoeHouse {
    /// The player watches another table.
    mutating func watchAnotherTable() {
        let other = TableChange(table: "other", revision: 0, old: nil, new: TableSnapshot())
        perform(session.take(other, epoch: "o", player: "ann", at: now, using: &contributions))
        shown = nil
    }

    /// The player watches another table, and comes back.
    /// - Parameter sitsDown: after having got up before.
    mutating func visitAnotherTable(sitsDown: Bool = false) {
        if sitsDown { commits["ann"] = nil }
        watchAnotherTable()
        if sitsDown { session.satDown() }
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

    /// While the connection is lost another device of ann's replaces her commitment.
    mutating func replaceCommitment() {
        guard next?.stage == .open, commits["ann"] != nil else { return }
        session.connectionLost()
        commits["ann"] = SHA256.hash([7])
    }

    /// The connection is lost, and nothing is shown.
    mutating func loseConnection() {
        session.connectionLost()
        isShown = false
    }

    /// The connection is lost and found again.
    /// - Parameter missesChanges: whether the table comes as a whole; otherwise every change comes.
    mutating func reconnect(missesChanges: Bool) {
        session.connectionLost()
        publish(every: !missesChanges)
    }

    /// The server cuts the connection, and has no seat for ann after it.
    /// - Parameter forgets: whether it has lost her commitment too, as an honest server that let her seat go.
    mutating func loseSeatOnReconnect(forgets: Bool) {
        session.connectionLost()
        if forgets { commits["ann"] = nil }
        session.satDown()
    }

    /// ann gets up and sits down again: a server has no commitment of hers then, unless its list is closed.
    mutating func sitAgain() {
        if next?.stage == .open { commits["ann"] = nil }
        leave()
        session.satDown()
    }

    /// The revision that was shown last comes again, after a lost connection.
    mutating func repeatRevision() {
        session.connectionLost()
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
        let commitment = alone.serverCommitment(table: "main", shoe: shoe, rules: SHA256.hash(rules.canonicalText.utf8))
        let made = ShoeProof(table: "main", shoe: shoe, commitment: commitment, secret: alone, contributions: [])
        codes = made.key.order(decks: 1)
        fair = FairShoe(
            shoe: shoe, commitment: commitment, list: made.list, mixed: MixedContributions([]),
            order: made.key.orderDigest(segment: 0, first: 0, codes: codes))
        (drawn, proofs[shoe]) = (1, made)
        open(shoe + 1, attempt: 1)
        isShown = true
    }

    /// The table closes; its last round is over.
    mutating func closeTable() {
        (phase, closing) = (.closed, ClosingNotice(.table, reason: ""))
        publish()
    }

    mutating func leave() { perform(session.left(at: now)) }

    mutating func wait(_ milliseconds: Int64) {
        now += milliseconds
        perform(session.tick(at: now))
    }
}

// MARK: - Findings

extension ShoeHouse {
    var failures: [ShoeFault] { findings.compactMap { if case .contradicted(_, let fault) = $0 { fault } else { nil } } }

    var verified: [ShoeReport] { findings.compactMap { if case .verified(let report) = $0 { report } else { nil } } }

    var unverified: [UnverifiedCause] { findings.compactMap { if case .notVerified(_, let cause) = $0 { cause } else { nil } } }

    /// One ceremony, then a shoe played to its end, then the next one's first round.
    mutating func playAShoe() {
        ceremony()
        shuffle()
        playOn()
    }

    /// Plays the shoe to its end, then the next one's first round.
    mutating func playOn() {
        settle()
        finishShoe()
        settle()
    }

    /// The ceremony of the coming shoe, the proof of the one in play, and the shuffle.
    mutating func replaceShoe() {
        ceremony()
        reveal()
        shuffle()
    }

    /// Plays the shoe to its end, and replaces it.
    mutating func finishShoe() {
        play(until: 27)
        replaceShoe()
    }

    /// Something that ann misses.
    mutating func unseen(_ body: (inout ShoeHouse) -> Void) {
        isShown = false
        body(&self)
        isShown = true
    }

    /// One ceremony, and the first round of its shoe: the next card is at place 4.
    mutating func start() {
        ceremony()
        shuffle()
        settle()
    }

    /// A shoe that runs out in mid-round, and its end.
    mutating func playReshuffled() {
        ceremony()
        shuffle()
        play(until: 46)
        deal(6)
        reshuffle()
        hit()
        settle()
        replaceShoe()
    }

    /// A list is closed, and the reveal on its way is unanswered.
    mutating func revealUnanswered() {
        unanswered = ["reveal"]
        close()
        reveals["ann"] = nil
    }

    /// Answers the last request of a type.
    mutating func answer(_ type: String, _ answer: Result<Reply, Refusal>) {
        guard let request = requests.last(where: { $0.type == type }) else { return }
        perform(session.take(answer, to: request, at: now))
    }

    /// Three attempts of a shoe are void: bob withheld.
    mutating func reachTheLastAttempt() {
        for _ in 1..<NextShoe.attempts {
            close()
            void(withheld: next?.withheld == [] ? ["bob"] : [])
        }
    }

    /// The proof of a shoe comes in its second round; nothing is shown from then on.
    mutating func proveInMidRound() {
        ceremony()
        shuffle()
        deal()
        guard let proof else { return }
        let request = ClientMessage.proof(table: "main", shoe: proof.shoe, commitment: proof.commitment)
        perform(session.take(.success(.proof(proof)), to: request, at: now))
        isShown = false
    }

    /// A shoe runs out while nothing is shown.
    /// - Parameter first: whether its round was shown before.
    mutating func reshuffleUnseen(first: Bool) {
        ceremony()
        isShown = false
        shuffle()
        settle()
        play(until: 46)
        deal(6)
        if first { isShown = true }
        unseen {
            $0.reshuffle()
            $0.hit()
        }
    }

    /// Two views with changes missed between them.
    mutating func jump(shoes: Int, rounds: Int) {
        skip(shoes: 2, rounds: 4)
        close()
        revision += 8
        skip(shoes: shoes, rounds: rounds)
    }

    /// Two shoes and four rounds, and so many revisions.
    mutating func jump(revisions: Int) {
        skip(shoes: 1, rounds: 1)
        revision += 20
        publish(every: false)
        revision += revisions - 4
        skip(shoes: 2, rounds: 4)
    }
}
