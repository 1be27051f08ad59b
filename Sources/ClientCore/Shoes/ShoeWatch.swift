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
