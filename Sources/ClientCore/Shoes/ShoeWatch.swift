import Fairness
import Rules
import TableModel
import Wire

/// Takes part in the ceremonies of a table's shoes, and verifies each shoe. Input: table changes, answers, time. Output: requests and
/// findings. Memory is bounded: commitments, secrets and shoes kept have limits that no server can move.
public struct ShoeWatch: Sendable {
    public enum Action: Equatable, Sendable {
        /// Ask the server, and hand the answer to ``take(_:to:at:)``.
        case request(ClientMessage)
        case found(ShoeFinding)
    }

    /// Shoes without a proof that are kept: as many proofs as a server keeps.
    static let mostUnproven = 8
    /// Commitments and secrets of the server that are remembered.
    static let mostRemembered = 256
    /// Milliseconds after which an unanswered request for a proof is made again, and an unanswered commitment is said.
    static let patience: Int64 = 10_000
    /// Orders that a server can reject after a reveal, with a cause that the client cannot see, before the client warns: as many as it has
    /// attempts to spare for a shoe.
    static let mostRejected = NextShoe.attempts - 1

    /// Whether it commits and reveals, or only verifies.
    public let contributes: Bool
    public var tally: ShoeTally {
        var tally = judged
        tally.open = finished.count + (isShoeOpen ? 1 : 0)
        return tally
    }
    /// Without those that are open.
    private var judged = ShoeTally()

    // MARK: The table

    var table: String?
    var epoch = ""
    var revision = 0
    var player: String?
    var isSeated = false
    var hasSaidNone = false
    /// Whether the next change is followed although no shoe is concerned, as behind a lost connection.
    private var hasSatDown = false
    /// Whether the connection was lost and nothing of the table was shown since.
    var wasCut = false
    var lastRound: LastRound?
    /// Milliseconds of the shortest shoe that was watched from its begin to its end at this table; nil for none.
    var shortestSeen: Int64?
    /// When a connection last showed the table, in milliseconds.
    var shownAt: Int64 = 0
    /// Tables that were shown before, the last one shown last.
    var kept: [KeptTable] = []
    /// Milliseconds; the time of the last call.
    var now: Int64 = 0

    // MARK: Shoes

    var shoe: ShoeInPlay?
    var ceremony: Ceremony?
    /// Newest last.
    var contributions: [Contribution] = []
    /// Over, without a proof so far; oldest first.
    var finished: [FinishedShoe] = []
    /// Played or lost while changes were missed, after the player's reveal; oldest first.
    var missed: [MissedShoe] = []
    var commitments: [UsedCommitment] = []
    /// Revealed secrets, newest last.
    var secrets: [UsedSecret] = []
    /// Orders given up after the player's reveal, for a cause that could not be seen.
    package private(set) var rejectedOrders = 0
    /// The last shoe for which a connection was said to be too slow.
    var slowShoe: Int?
    /// Requests behind a reveal that are unanswered, oldest first.
    var witnesses: [RevealWitness] = []
    var actions: [Action] = []

    /// - Parameter contributes: whether the login declared it.
    public init(contributes: Bool) { self.contributes = contributes }

    /// The table changed, or is shown for the first time.
    /// - Parameters:
    ///   - epoch: the table's.
    ///   - player: the name in the reply to the login; nil for none.
    ///   - now: milliseconds on any clock.
    ///   - generator: the source of contributions; for real tables a cryptographically secure one.
    public mutating func take(
        _ change: TableChange, epoch: String, player: String?, at now: Int64,
        using generator: inout some RandomNumberGenerator
    ) -> [Action] {
        self.now = now
        if table != change.table { changeTable(to: change.table) }
        let (isSame, before) = (epoch == self.epoch, revision)
        let step = Step(
            change, isSingle: isSame && change.revision == revision + 1, isRepeated: isSame && change.revision == revision,
            isCut: wasCut)
        // The same ceremony goes on after a restart with a journal. Without one another may be there: no fraud.
        let isRestart = !self.epoch.isEmpty && !isSame
        // The shoe in play survived, so the server has its journal, and has to go on with the same ceremony.
        let played = change.new.fairShoe?.commitment
        let hasSurvived = played != nil && (shoe?.fair.commitment == played || ceremony?.next.commitment == played)
        if isRestart, !hasSurvived { lastRound = nil }
        (self.epoch, revision, self.player) = (epoch, change.revision, player)
        wasCut = false
        defer { shownAt = now }
        if step.concernsShoes || hasSatDown || step.isCut {
            hasSatDown = false
            if step.isRepeated { checkRepeated(step) }
            checkCounters(step, revisions: isSame ? change.revision - before : nil)
            checkItemsOfShoe(step)
            follow(step, isRestart: isRestart, at: now)
            followCeremony(step, isRestart: isRestart && !hasSurvived, using: &generator)
            checkItems(step)
            noteRound(step.new)
        }
        return finish(at: now)
    }

    /// The player took a seat. The server may have forgotten commitments to lists that are not closed: the next table has each sent again.
    public mutating func satDown() {
        hasSatDown = true
        loseSeat()
    }

    /// The player asked to leave the table, and has left it: commitments to lists that are not closed are void.
    public mutating func left(at now: Int64) -> [Action] {
        isSeated = false
        ceremony?.hasLeft = true
        if let shoe, isShoeOpen {
            found(.leftOpen(ShoeReport(watched: shoe.watched, gaps: shoe.gaps)))
        }
        for index in contributions.indices where contributions[index].list == nil {
            (contributions[index].commit, contributions[index].hasLostSeat) = (.unsent, false)
        }
        leaveShoe(at: now)
        return finish(at: now)
    }

    /// The server answered the login of a connection: it names the table at which it has a seat for the player.
    /// - Parameter isMoving: whether the player has asked to leave the table or to sit down elsewhere, and has no answer: the server may
    ///   have done so.
    public mutating func loggedIn(_ login: LoginReply, isMoving: Bool, at now: Int64) -> [Action] {
        self.now = now
        guard let table, isSeated, login.table != table || login.seats.isEmpty else { return [] }
        isSeated = false
        loseSeat()
        if isMoving { return finish(at: now) }
        found(.seatLost(table: table))
        return finish(at: now)
    }

    /// Whether cards of the shoe in play were seen, and nothing is known of it yet.
    private var isShoeOpen: Bool {
        shoe.map { !$0.isProved && !$0.isFinished && $0.fault == nil && !$0.dealt.isEmpty } ?? false
    }

    /// By the server's word, which alone makes no commitment void: each is sent again, and an absent one is said.
    mutating func loseSeat() {
        for index in contributions.indices where contributions[index].list == nil {
            switch contributions[index].commit {
            case .confirmed, .doubtful: (contributions[index].commit, contributions[index].hasLostSeat) = (.doubtful, true)
            case .asked, .refused: contributions[index].commit = .unsent
            case .unsent: break
            }
        }
    }

    /// The connection is lost. The player can log in on another device until the next table is shown here.
    public mutating func connectionLost() {
        wasCut = true
        for index in kept.indices { kept[index].wasCut = true }
        for index in contributions.indices { contributions[index].connectionLost() }
    }

    /// After a reconnect that changed nothing: makes requests whose answers were lost again.
    public mutating func resume(at now: Int64) -> [Action] {
        self.now = now
        if let next = ceremony?.next { contribute(to: next) }
        return finish(at: now)
    }

    /// Time has passed: makes unanswered requests again, and says that one stays unanswered. A call every ten seconds is enough.
    public mutating func tick(at now: Int64) -> [Action] { finish(at: now) }

    /// The answer to a request of an action.
    public mutating func take(_ answer: Result<Reply, Refusal>, to request: ClientMessage, at now: Int64) -> [Action] {
        self.now = now
        switch request {
        case .commit(let server, _): committed(answer, to: server)
        case .reveal(let list, _): revealed(answer, under: list)
        case .proof(let table?, let shoe?, let commitment):
            proved(answer, RequestedProof(table: table, shoe: shoe, commitment: commitment), at: now)
        case .ping: witnessed(answer)
        default: break
        }
        defer { actions.removeAll() }
        return actions
    }

    private mutating func finish(at now: Int64) -> [Action] {
        self.now = now
        sayUnanswered()
        sayNamedUnanswered()
        askAgain(at: now)
        askForMissed(at: now)
        defer { actions.removeAll() }
        return actions
    }

    mutating func found(_ finding: ShoeFinding) {
        switch finding {
        case .verified: judged.verified += 1
        case .failed: judged.failed += 1
        case .unproven: judged.unproven += 1
        case .noCeremonies, .voided, .notIncluded, .seatLost, .namedUnanswered, .namedAfterRefusal, .revealTooSlow, .leftOpen,
            .rejectedOften, .evidence:
            break
        }
        actions.append(.found(finding))
    }

    /// Says once that the shoe in play has no ceremony: one may be announced for the next.
    mutating func sayNone(at table: TableSnapshot) {
        guard !hasSaidNone, let name = self.table, table.fairShoe == nil, table.phase != .closed else { return }
        // A table without ceremonies may leave out its shoe.
        guard table.shoe?.number ?? 0 > 0 || table.nextShoe == nil && table.isInPlay else { return }
        hasSaidNone = true
        found(.noCeremonies(table: name))
    }

    mutating func stand(_ standing: ShoeTally.Standing) { judged.standing = standing }

    /// A verified shoe was made without the player's contribution, though the player was there to contribute.
    mutating func countWithoutPlayer() { judged.withoutPlayer += 1 }

    /// Counts an order that was given up after the player's reveal, for a cause that could not be seen: the server may have rejected it.
    mutating func countRejected() {
        rejectedOrders += 1
        if rejectedOrders >= Self.mostRejected { found(.rejectedOften(times: rejectedOrders)) }
    }

    // MARK: Items

    // The items that a table always has. Without one of them nothing of a shoe can be compared.

    /// Accuses the shoe in play of items left out, so that it cannot end without a fault where its item is missing.
    mutating func checkItemsOfShoe(_ step: Step) {
        if let item = step.new.missingItem { accuseShoe(.itemMissing(item)) }
    }

    /// Accuses the shoe in play, or the coming one where none is, of items left out.
    mutating func checkItems(_ step: Step) {
        let table = step.new
        if let item = table.missingItem {
            if shoe == nil { accuse(.itemMissing(item)) } else { accuseShoe(.itemMissing(item)) }
        } else if table.fairShoe == nil, table.shoe?.number ?? 0 == 0, table.isInPlay {
            accuse(.unannounced)
        }
    }
}

/// A change of a table, as far as shoes are concerned.
struct Step {
    let change: TableChange
    /// Whether it leads from one revision to the next: nothing was missed.
    let isSingle: Bool
    /// Whether changes were missed. The same revision once more misses none.
    let isGap: Bool
    /// Whether it shows the revision that was shown last.
    let isRepeated: Bool
    /// Whether the connection was lost before it.
    let isCut: Bool
    /// nil for a table shown for the first time.
    private let difference: TableDifference?

    init(_ change: TableChange, isSingle: Bool, isRepeated: Bool, isCut: Bool) {
        self.change = change
        (self.isRepeated, self.isCut) = (isRepeated, isCut)
        isGap = !isSingle && !isRepeated
        if case .changed(_, let difference) = change.origin {
            self.difference = difference
            self.isSingle = isSingle
        } else {
            difference = nil
            self.isSingle = false
        }
    }

    var old: TableSnapshot? { change.old }
    var new: TableSnapshot { change.new }

    /// Whether anything in it concerns a shoe: most chat, presence and clock changes do not.
    var concernsShoes: Bool {
        guard let difference, isSingle else { return true }
        return difference.insertions.contains(where: \.concernsShoes) || difference.updates.contains(where: \.concernsShoes)
            || difference.structure.deletedItems.contains(where: \.concernsShoes)
    }

    /// Cards that are new or turned; every card where something was missed.
    func cards(all: Bool) -> [(place: Int, face: Card?)] {
        var cards: [(place: Int, face: Card?)] = []
        func take(_ entries: [TableEntry]) {
            for case .card(let place, let face) in entries { cards.append((place, face)) }
        }
        if !all, let difference {
            take(difference.insertions)
            take(difference.updates)
        } else {
            for section in new.structure.sectionIdentifiers { take(new.entries(in: section)) }
        }
        return cards
    }
}

extension TableItem {
    /// Whether it is missed where it is deleted.
    fileprivate var concernsShoes: Bool {
        switch self {
        case .shoe, .cardsLeft, .fairShoe, .nextShoe, .phase, .round, .rules: true
        default: false
        }
    }
}

extension TableEntry {
    fileprivate var concernsShoes: Bool {
        switch self {
        case .card, .shoe, .cardsLeft, .fairShoe, .nextShoe, .phase, .round, .player: true
        default: false
        }
    }
}

extension TableSnapshot {
    /// The first missing item of those that each table with ceremonies, cards or a round has; nil for none.
    fileprivate var missingItem: String? {
        guard fairShoe != nil || nextShoe != nil || isInPlay else { return nil }
        if shoe == nil { return "shoe" }
        if cardsLeft == nil { return "left" }
        if rules == nil { return "rules" }
        if self[.round] == nil { return "round" }
        return phase == nil ? "phase" : nil
    }

    /// Whether cards are on the table, or hands are played.
    var isInPlay: Bool {
        switch phase {
        case .surrender, .insurance, .playing, .settled: true
        case .waiting, .betting, .closed, nil: firstPlace != nil
        }
    }

    /// The lowest place of a card on the table; nil for none.
    var firstPlace: Int? {
        var first: Int?
        for section in structure.sectionIdentifiers {
            for case .card(let place, _) in entries(in: section) { first = min(first ?? place, place) }
        }
        return first
    }
}

// MARK: - Tables

/// A table that another one replaced, for its return: within an epoch its ceremony goes on.
struct KeptTable: Sendable {
    let table: String
    var epoch: String
    var revision: Int
    var ceremony: Ceremony?
    var lastRound: LastRound?
    var hasSaidNone: Bool
    var shownAt: Int64
    /// As in ``ShoeWatch/wasCut``.
    var wasCut: Bool
    /// As in ``ShoeWatch/shortestSeen``.
    var shortestSeen: Int64?
}

/// The last round that a table showed, with the number of its shoe.
struct LastRound: Equatable, Sendable {
    let number: Int
    let shoe: Int?
}

/// Several tables, and what can pass at one of them between two views.
extension ShoeWatch {
    /// Tables that are remembered besides the one shown.
    static let mostTables = 8

    mutating func changeTable(to name: String) {
        leaveShoe(at: now)
        if let table {
            if kept.count == Self.mostTables { kept.removeFirst() }
            kept.append(
                KeptTable(
                    table: table, epoch: epoch, revision: revision, ceremony: ceremony, lastRound: lastRound,
                    hasSaidNone: hasSaidNone, shownAt: shownAt, wasCut: wasCut, shortestSeen: shortestSeen))
        }
        table = name
        (isSeated, shortestSeen) = (false, nil)
        guard let index = kept.firstIndex(where: { $0.table == name }) else {
            (epoch, revision, ceremony, lastRound, hasSaidNone) = ("", 0, nil, nil, false)
            return
        }
        let before = kept.remove(at: index)
        (epoch, revision, ceremony) = (before.epoch, before.revision, before.ceremony)
        (lastRound, hasSaidNone, shownAt, wasCut) = (before.lastRound, before.hasSaidNone, before.shownAt, before.wasCut)
        shortestSeen = before.shortestSeen
    }

    /// Checks a view before which changes were missed. Numbers go up, a round takes a revision or more, and a shoe takes a round or more.
    /// - Parameter revisions: passed since the last view; nil: of another epoch.
    mutating func checkCounters(_ step: Step, revisions: Int?) {
        guard step.isGap, !step.isSingle else { return }
        if let revisions, revisions < 0 { return accuse(.wentBack) }
        guard let lastRound, let round = step.new.round?.number else { return }
        let rounds = round - lastRound.number
        let shoes = (step.new.shoe?.number ?? 0) - (lastRound.shoe ?? 0)
        if rounds < 0 || shoes < 0 { return accuse(.wentBack) }
        if shoes > rounds || rounds > revisions ?? .max { accuse(.shoesWithoutRounds) }
    }

    mutating func noteRound(_ table: TableSnapshot) {
        lastRound = table.round.map { LastRound(number: $0.number, shoe: table.shoe?.number) }
    }

    /// Notes who has played the shoe in play, seat by seat.
    mutating func notePlayers(_ step: Step, isFresh: Bool) {
        guard var players = shoe?.players, var satOut = shoe?.satOut, let phase = step.new.phase else { return }
        if step.isGap {
            (players, satOut) = ([:], Set(1...7))
        } else if step.old?.round != step.new.round {
            satOut = []
        }
        for seat in 1...7 where step.new.player(seat)?.presence == .sittingOut { satOut.insert(seat) }
        players = players.filter { step.new.player($0.key)?.name == $0.value && !satOut.contains($0.key) }
        // A hand stays after the settlement, while its seat can get another player.
        let isPlaying = [.surrender, .insurance, .playing].contains(phase) || isFresh && step.isSingle && phase == .settled
        if isPlaying {
            for hand in step.new.hands where !satOut.contains(hand.seat) { players[hand.seat] = step.new.player(hand.seat)?.name }
        }
        shoe?.players = players
        shoe?.satOut = satOut
    }

    /// Whether a table's round is the first with a shoe: the round before it was shown, and had another one.
    func isFirstRound(of shoe: Int, in table: TableSnapshot) -> Bool {
        guard let lastRound, let round = table.round else { return false }
        return round.number == lastRound.number + 1 && lastRound.shoe != shoe
    }

    // MARK: Places

    // The places of cards: none is skipped, and none comes twice.

    mutating func takeRound(_ step: Step, isRestart: Bool) {
        guard let known = shoe, let round = step.new.round?.number, round != known.round else { return }
        if !isRestart, isShuffleDue(known) { accuseShoe(.shuffledLate) }
        guard var shoe else { return }
        let isNext = round == shoe.round + 1
        if shoe.round >= 0 { shoe.roundStart = isNext && (step.isSingle || shoe.isRoundOver) ? shoe.drawn : nil }
        (shoe.round, shoe.isRoundOver) = (round, false)
        self.shoe = shoe
    }

    /// Whether the next round of a shoe cannot begin without a shuffle: the table showed the order that comes, and nothing waits for it.
    private func isShuffleDue(_ shoe: ShoeInPlay) -> Bool {
        guard let next = ceremony?.next, next.shoe > shoe.number, case .mixed = next.stage, shoe.round >= 0, !shoe.isProved else {
            return false
        }
        return !shoe.rules.continuousShuffle && shoe.drawn >= shoe.rules.cardsBeforeCut
    }

    /// Notes where the round began, from a whole view of it: its cards lie behind one another.
    mutating func takeStart(_ step: Step) {
        guard !step.isSingle, shoe?.roundStart == nil, let first = step.new.firstPlace else { return }
        switch step.new.phase {
        case .surrender, .insurance, .playing, .settled: shoe?.roundStart = first
        case .waiting, .betting, .closed, nil: break
        }
    }

    /// Notes each face at its place, and that no place was skipped. After a shuffle each card on the table is noted: the difference
    /// omits a card with the place and the face of the one that it replaces.
    mutating func takeCards(_ step: Step, all: Bool) {
        // Nothing is noted of a shoe that has failed: its memory is bounded, whatever the server shows.
        guard let shoe, shoe.fault == nil else { return }
        let number = shoe.number
        let cards = step.cards(all: all)
        var fresh: [Int] = []
        for (place, face) in cards {
            guard (0..<min(shoe.size, WatchedShoe.mostCards)).contains(place) else {
                return accuseShoe(.gap(shoe: number, place: shoe.drawn, seen: place))
            }
            if self.shoe?.dealt.insert(place).inserted == true { fresh.append(place) }
            if let face, let before = self.shoe?.watched.note(face.code, at: place, ofShoe: number) {
                accuseShoe(.face(shoe: number, place: place, before: before, seen: face.code))
            }
        }
        guard let left = step.new.cardsLeft else { return }
        let drawn = shoe.size - left
        self.shoe?.drawn = drawn
        self.shoe?.isRoundOver = step.new.isRoundOver
        if let proof = shoe.proof, !cards.isEmpty { check(proof) }
        guard step.isSingle else { return checkWhole(cards.map(\.place).sorted(), before: shoe, drawn: drawn, step.new) }
        if shoe.isProved, !fresh.isEmpty { return accuseShoe(.dealtAfterReveal) }
        fresh.sort()
        for (index, place) in fresh.enumerated() where place != shoe.drawn + index {
            return accuseShoe(.gap(shoe: number, place: shoe.drawn + index, seen: place))
        }
        if drawn != shoe.drawn + fresh.count {
            accuseShoe(.gap(shoe: number, place: shoe.drawn + fresh.count, seen: nil))
        }
    }

    /// Checks the places of a whole view: a round takes the cards of its shoe one after the other, up to the last one drawn.
    /// - Parameters:
    ///   - places: ascending.
    ///   - before: the shoe in play before this view, with the round of this view.
    private mutating func checkWhole(_ places: [Int], before: ShoeInPlay, drawn: Int, _ table: TableSnapshot) {
        let number = before.number
        func skipped(from place: Int, to seen: Int?) -> ShoeFault { .gap(shoe: number, place: place, seen: seen) }
        // A slow viewer gets the proof before the end of its round.
        let isLate = before.provedInRound == before.round && table.isRoundOver
        if before.isProved, drawn > before.drawn, !isLate { return accuseShoe(.dealtAfterReveal) }
        if drawn < before.drawn { return accuseShoe(skipped(from: before.drawn, to: drawn)) }
        if before.isRoundOver, drawn > before.drawn { return accuseShoe(skipped(from: before.drawn, to: nil)) }
        guard let first = places.first, let last = places.last else { return }
        guard last < drawn else { return accuseShoe(skipped(from: drawn, to: last)) }
        if let start = before.roundStart, first < start { return accuseShoe(skipped(from: start, to: first)) }
        // A bet for the next round takes the place of a hand.
        if table.hasBetsWithoutCards { return }
        if let start = before.roundStart, first > start { return accuseShoe(skipped(from: start, to: first)) }
        for (index, place) in places.enumerated() where place != first + index {
            return accuseShoe(skipped(from: first + index, to: place))
        }
        guard last == drawn - 1 else { return accuseShoe(skipped(from: last + 1, to: nil)) }
        shoe?.roundStart = first
    }
}

extension TableSnapshot {
    /// Whether no card is dealt before the next round starts.
    fileprivate var isRoundOver: Bool {
        switch phase {
        case .waiting, .betting, .settled, .closed: true
        default: false
        }
    }

    fileprivate var hasBetsWithoutCards: Bool {
        guard phase == .waiting || phase == .betting else { return false }
        return structure.sectionIdentifiers.contains { section in
            guard case .hand = section else { return false }
            return !entries(in: section).contains { if case .card = $0 { true } else { false } }
        }
    }
}
