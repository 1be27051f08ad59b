import ClientCore
import Fairness
import Rules
import TableModel
import TestKit
import Wire

@testable import TableEngine

/// A real table that is led by facts, and a session at it: one deck, ann (the client) and bob, three cards a round. It is shown as it is, or
/// with a lie.
struct ShoeHouse {
    static let (ann, bob) = (PlayerID(1), PlayerID(2))
    typealias Lie = @Sendable (inout ShownTable) -> Void

    private let rules: HouseRules
    private(set) var table: Table
    /// Change what is shown of the table, in order.
    var lies: [Lie]
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
    /// Whether secrets are revealed.
    var proves = true
    /// The reply to `rules`; nil for an honest one.
    var statedRules: AllRules?
    /// Changes each proof that is given.
    var alters: (@Sendable (inout ShoeProof) -> Void)?
    /// Whether ann sees what happens.
    var isShown = true {
        didSet { if isShown { publish(every: false) } }
    }
    var epoch = "e1"
    private var revision = 0
    private var shown: TableSnapshot?
    private var restarts = 0
    /// Of tables that were closed.
    private var formerProofs: [ShoeProof] = []
    private var generator = SeededGenerator(seed: 7)
    private var bobs: ShoeSecret
    var now: Int64 = 0

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
        at beginning: Beginning = .open, contributes: Bool = true, publishes: Bool = true, proves: Bool = true,
        rules changes: [(String, RuleValue)] = [], lies: [Lie] = []
    ) throws {
        rules = try HouseRules().with(
            [("decks", .integer(1)), ("penetration", .number(0.5)), ("seats", .integer(2))] + changes)
        session = ShoeSession(contributes: contributes, generator: SeededGenerator(seed: 8))
        bobs = ShoeSecret(using: &generator)
        (table, self.lies, self.proves) = (Self.table(rules), lies, proves)
        open(publishes: publishes)
        if beginning != .open { close() }
        if ![.open, .closed].contains(beginning) { mix() }
        if [.dealt, .started, .playedOut].contains(beginning) { shuffle() }
        if [.started, .playedOut].contains(beginning) { settle() }
        if beginning == .playedOut { play(until: 27) }
    }

    private static func table(_ rules: HouseRules, hasCeremonies: Bool = true) -> Table {
        var table = Table(rules: rules)
        for (player, name) in [(ann, "ann"), (bob, "bob")] {
            let profile = PlayerProfile(name: name, contributes: true)
            table.apply(.sat(player: player, profile: profile, seat: Int(player.rawValue), chips: 100_000))
        }
        if hasCeremonies { table.apply(.ceremoniesBegan(table: "main")) }
        return table
    }

    private mutating func apply(_ facts: Fact...) { for fact in facts { table.apply(fact) } }

    /// Changes the table beside its facts.
    private mutating func change(_ body: (TableState) -> Void) {
        table.own()
        body(table.state)
    }

    // MARK: Ceremony

    var next: NextShoe? { table.nextShoe }

    /// Opens an attempt for the coming shoe, or another one, and has bob commit.
    mutating func open(_ number: Int? = nil, secret: ShoeSecret? = nil, publishes: Bool = true) {
        bobs = ShoeSecret(using: &generator)
        let number = number ?? table.state.comingShoe
        apply(.ceremonyOpened(shoe: number, secret: secret ?? ShoeSecret(using: &generator)))
        let server = table.state.ceremonies!.next!.commitment
        let commitment = bobs.contribution(table: "main", shoe: number, player: "bob", to: server)
        apply(.contributed(player: Self.bob, name: "bob", commitment: commitment))
        if publishes { publish() }
    }

    /// Closes the list; bob reveals.
    mutating func close() {
        apply(.listClosed(until: .never), .revealed(player: Self.bob, contribution: bobs))
        publish()
    }

    mutating func mix() {
        guard let key = table.state.ceremonies?.next?.key else { return }
        apply(.shoeSupplied(.keyed(key)))
        publish()
    }

    /// Mixes with a list that nobody was shown: of bob alone, or of nobody.
    mutating func mixUnlisted(ofNobody: Bool = false) {
        commit(nil)
        if ofNobody { change { $0.forgetCommitment(of: Self.bob) } }
        apply(.listClosed(until: .never), .revealed(player: Self.bob, contribution: bobs))
        mix()
    }

    /// Open, close, mix.
    mutating func ceremony() {
        close()
        mix()
    }

    /// Open, close, and either void or mix, as an honest server does: the fourth attempt takes what has come.
    mutating func honestCeremony() {
        while true {
            close()
            resume()
            let isWithheld = table.state.ceremonies?.next?.contributions.contains { $0.reveal == nil } == true
            guard isWithheld, next?.attempt ?? 4 < NextShoe.attempts else { return mix() }
            apply(.attemptVoided(timedOut: true))
            open()
        }
    }

    /// An attempt is void.
    mutating func void(withheld: [String]) {
        apply(.attemptVoided(timedOut: false))
        change { state in
            let known = state.ceremonies?.withheld ?? []
            state.ceremonies?.withheld += withheld.filter { !known.contains($0) }
        }
        open()
    }

    /// The commitment that the server has of ann; nil: none.
    mutating func commit(_ commitment: Digest?) {
        guard let commitment else { return change { $0.forgetCommitment(of: Self.ann) } }
        apply(.contributed(player: Self.ann, name: "ann", commitment: commitment))
    }

    /// A player reveals something, or has revealed nothing.
    mutating func reveal(_ player: PlayerID, _ secret: ShoeSecret?) {
        change { state in
            guard let index = state.ceremonies?.next?.index(of: player) else { return }
            state.ceremonies?.next?.contributions[index].reveal = secret
        }
    }

    // MARK: Play

    var codes: [UInt8] { table.state.core.shoe.order.map(\.code) }
    var drawn: Int { table.cardsDrawn }

    /// Starts a round with a shuffle.
    /// - Parameter reusingSecret: whether the next shoe has the secret of this one.
    mutating func shuffle(reusingSecret: Bool = false, deals: Bool = true) {
        guard let source = table.state.core.nextSource, let coming = next else { return }
        let secret = reusingSecret ? table.state.ceremonies?.next?.secret : nil
        reveal()
        apply(.shuffled(shoe: coming.shoe, source: source), .burned(CardID(0)))
        open(secret: secret, publishes: false)
        if deals { deal() }
    }

    private var card: (CardID, Card) { (CardID(drawn), table.state.core.shoe.next) }

    /// Deals a round: cards to bob, one to the dealer, and a hidden one.
    mutating func deal(_ count: Int = 3, burning: Int = 0) {
        for _ in 0..<burning { apply(.burned(CardID(drawn))) }
        apply(.betPlaced(seat: 2, amount: 10), .roundStarted(round: table.round + 1))
        for _ in 0..<count - 2 { apply(.dealt(card.0, card.1, seat: 2, hand: 0)) }
        apply(.dealtToDealer(card.0, card.1))
        apply(.holeDealt(CardID(drawn)), .turnStarted(seat: 2, hand: 0, legal: [], closes: .never))
        publish()
    }

    /// A card to a hand.
    mutating func hit() {
        apply(.dealt(card.0, card.1, seat: 2, hand: 0))
        publish()
    }

    /// Turns the hidden card and settles.
    mutating func settle() {
        apply(.holeRevealed(CardID(0), Card(code: 0)), .roundEnded(until: .never))
        publish()
    }

    /// The shoe has run out in mid-round: the discards come back.
    mutating func reshuffle() { apply(.reshuffled(cards: table.state.core.shoe.reshuffleCount)) }

    /// Rounds until the shoe has that many cards drawn.
    mutating func play(until count: Int) {
        while drawn < count {
            deal()
            settle()
        }
    }

    /// Reveals the secret of the shoe in play: it is over.
    mutating func reveal() {
        change {
            var facts = NoFacts()
            $0.revealSecret(&facts)
        }
    }

    /// As after a restart without a journal, or as if there had been one: an honest server is not started again within a connection.
    mutating func loseEverything(isCut: Bool = true) {
        if isCut { session.connectionLost() }
        restart()
        table = Self.table(rules)
        open()
    }

    /// A table whose shoes have no ceremonies.
    /// - Parameter announced: shown as the coming shoe all the same, while no shoe is in play.
    mutating func endCeremonies(keeping announced: NextShoe? = nil) {
        table = Self.table(rules, hasCeremonies: false)
        apply(.shuffled(shoe: 1, source: .seeded(1)))
        if let announced { lies = [{ ($0.next, $0.shoe.number) = (announced, 0) }] }
    }

    /// As after a stop of a server that keeps the proofs of its closed table.
    mutating func stopInOrder() {
        formerProofs += table.proofsLeft.map(\.proof)
        loseEverything()
    }

    /// As after a restart with one: another epoch, the same table.
    mutating func recover() {
        restart()
        publish()
    }

    mutating func restart() {
        restarts += 1
        (epoch, revision, shown) = ("r\(restarts)", -1, nil)
    }

    // MARK: The table shown

    /// Shows the table with one more lie.
    mutating func lie(every: Bool = true, _ lie: @escaping Lie) {
        lies.append(lie)
        publish(every: every)
    }

    /// - Parameter every: whether the change is from one revision to the next; otherwise several were missed.
    mutating func publish(every: Bool = true) {
        revision += every ? 1 : 2
        guard isShown else { return }
        var view = ShownTable(TableSnapshot(table))
        for lie in lies { lie(&view) }
        let change = TableChange(table: "main", revision: revision, old: shown, new: view.snapshot)
        shown = change.new
        perform(session.take(change, epoch: epoch, player: "ann", at: now))
    }

    mutating func resume() { perform(session.tick(at: now)) }

    mutating func perform(_ actions: [ShoeSession.Action]) {
        for action in actions {
            switch action {
            case .found(let finding): findings.append(finding)
            case .request(let message):
                if message.type != "rules" { requests.append(message) }
                if unanswered.contains(message.type) { continue }
                let lost = Refusal(type: message.type, .rule, code: "not_connected", message: "")
                perform(session.take(answers ? answer(message) : .failure(lost), to: message, at: now))
            }
        }
    }

    private mutating func answer(_ message: ClientMessage) -> Result<Reply, Refusal> {
        let refusal = Refusal(id: nil, type: message.type, .init(.noCeremony, "No."))
        switch message {
        case .commit where commitCode != nil:
            return .failure(Refusal(type: "commit", .rule, code: commitCode ?? "", message: "No."))
        case .commit(let server, let contribution):
            let command = Command.commit(player: Self.ann, name: "ann", server: server, contribution: contribution)
            guard (try? table.validate(command, at: Timestamp(milliseconds: 0))) != nil else { return .failure(refusal) }
            commit(contribution)
            return .success(.done("commit"))
        case .reveal(let list, let contribution):
            let command = Command.reveal(player: Self.ann, list: list, contribution: contribution)
            guard (try? table.validate(command, at: Timestamp(milliseconds: 0))) != nil else { return .failure(refusal) }
            reveal(Self.ann, contribution)
            return .success(.done("reveal"))
        case .rules:
            let shown = TableSnapshot(table).tableRules!
            return .success(.rules(table: "main", statedRules ?? AllRules(shown)))
        case .proof(_, _, let commitment?):
            let proofs = formerProofs + table.proofsLeft.map(\.proof)
            guard proves, var proof = proofs.last(where: { $0.commitment == commitment }) else {
                return .failure(Refusal(id: nil, type: "proof", .init(.notFound, "Not yet.")))
            }
            alters?(&proof)
            return .success(.proof(proof))
        default: return .failure(refusal)
        }
    }
}

/// A table as it is shown, to lie about.
struct ShownTable {
    private var entries: [TableEntry]
    var cards: [(place: Int, section: TableSection, face: Card?)] = []
    var round = 0
    var phase = RoundPhase.waiting
    var shoe = ShoeStatus(number: 0, decks: 1, behindCutCard: 0)
    var left = 0
    var rules: TableRules
    var fair: FairShoe?
    var next: NextShoe?
    var players: [Int: Player] = [:]
    /// Items that are left out.
    var omitted: Set<TableItem> = []

    init(_ table: TableSnapshot) {
        (entries, rules) = ([], table.tableRules!)
        for entry in table.entries {
            switch entry {
            case .card(let place, let section, let face): cards.append((place, section, face))
            case .round(let number): round = number
            case .phase(let shown): phase = shown
            case .shoe(let status): shoe = status
            case .cardsLeft(let number): left = number
            case .fairShoe(let shown): fair = shown
            case .nextShoe(let shown): next = shown
            case .player(let seat, let player): players[seat] = player
            case .rules: continue
            default: entries.append(entry)
            }
        }
        cards.sort { $0.place < $1.place }
    }

    mutating func show(_ entry: TableEntry) { entries.append(entry) }

    var snapshot: TableSnapshot {
        var all = entries + [.round(round), .phase(phase), .shoe(shoe), .cardsLeft(left), .rules(rules)]
        if let fair { all.append(.fairShoe(fair)) }
        if let next { all.append(.nextShoe(next)) }
        all += players.map { .player($0, $1) } + cards.map { .card($0.place, $0.section, $0.face) }
        return TableSnapshot(all.filter { !omitted.contains($0.item) })
    }
}

/// Lost connections, other devices, other tables, and lies that need them.
extension ShoeHouse {
    /// The player watches another table.
    mutating func watchAnotherTable() {
        let other = TableChange(table: "other", revision: 0, old: nil, new: TableSnapshot())
        perform(session.take(other, epoch: "o", player: "ann", at: now))
        shown = nil
    }

    /// The player watches another table, and comes back.
    /// - Parameter sitsDown: after having got up before.
    mutating func visitAnotherTable(sitsDown: Bool = false) {
        if sitsDown { commit(nil) }
        watchAnotherTable()
        if sitsDown { session.satDown() }
        publish()
    }

    /// ann's connection is lost. On another device she gets up and sits down again, and commits otherwise or not at all; the list closes.
    mutating func useAnotherDevice(commits commitsThere: Bool) {
        guard let next else { return }
        let other = ShoeSecret(using: &generator)
        loseConnection()
        commit(commitsThere ? other.contribution(table: "main", shoe: next.shoe, player: "ann", to: next.commitment) : nil)
        close()
        reveal(Self.ann, other)
        isShown = true
    }

    /// While the connection is lost another device of ann's replaces her commitment.
    mutating func replaceCommitment() {
        guard next?.stage == .open, table.state.ceremonies?.next?.index(of: Self.ann) != nil else { return }
        session.connectionLost()
        commit(SHA256.hash([7]))
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
        if forgets { commit(nil) }
        session.satDown()
    }

    /// ann gets up and sits down again: a server has no commitment of hers then, unless its list is closed.
    mutating func sitAgain() {
        commit(nil)
        leave()
        session.satDown()
    }

    /// Whether ann is shown in her seat.
    var annSits: Bool {
        get { lies.isEmpty }
        set { lies = newValue ? [] : [{ $0.players[1] = nil }] }
    }

    /// The revision that was shown last comes again, after a lost connection.
    mutating func repeatRevision() {
        session.connectionLost()
        revision -= 1
        publish()
    }

    /// A whole view comes, with cards of the last round at these places behind the cards drawn before.
    mutating func showRound(at places: [Int], drawn count: Int, phase: RoundPhase = .playing, missesRounds: Bool = false) {
        let start = drawn
        isShown = false
        if missesRounds {
            deal(7)
            settle()
        }
        deal(count - (drawn - start))
        let hand = TableSection.hand(HandIdentifier(seat: 2, number: 1))
        let cards = places.map { ($0 + start, hand, Optional(Card(code: codes[$0 + start]))) }
        lies.append { ($0.phase, $0.cards) = (phase, cards) }
        isShown = true
    }

    /// A whole view comes, of a table that is some shoes and rounds further. Its shoe in play was made by the server alone.
    mutating func skip(shoes: Int, rounds: Int, isCut: Bool = false) {
        if isCut { loseConnection() }
        isShown = false
        open(table.state.core.shoe.number + shoes, publishes: false)
        mixUnlisted(ofNobody: true)
        shuffle(deals: false)
        change {
            $0.core.round += rounds
            $0.enter(.waiting)
        }
        revision += rounds
        isShown = true
    }

    /// The table closes; its last round is over.
    mutating func closeTable() {
        apply(.closing(ClosingNotice(.table, reason: "")))
        reveal()
        apply(.closed)
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
        start()
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
        guard let proof = table.state.ceremonies?.proofOfPlayed?.proof else { return }
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
