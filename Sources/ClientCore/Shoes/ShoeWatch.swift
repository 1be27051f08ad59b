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
    /// Milliseconds after which an unanswered request for a proof is made again.
    static let patience: Int64 = 10_000

    /// Whether it commits and reveals, or only verifies.
    public let contributes: Bool
    public private(set) var tally = ShoeTally()

    // MARK: The table

    var table: String?
    var epoch = ""
    var revision = 0
    var player: String?
    var isSeated = false
    private var hasSaidNone = false
    /// Whether the next change is followed although no shoe is concerned.
    private var hasSatDown = false
    /// Whether the connection was lost and nothing of the table was shown since.
    private var wasCut = false

    // MARK: Shoes

    var shoe: ShoeInPlay?
    var ceremony: Ceremony?
    /// Newest last.
    var contributions: [Contribution] = []
    /// Over, without a proof so far; oldest first.
    var finished: [FinishedShoe] = []
    var commitments: [UsedCommitment] = []
    /// Revealed secrets, newest last.
    var secrets: [UsedSecret] = []
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
        let isSame = table == change.table && epoch == self.epoch
        let step = Step(
            change, isSingle: isSame && change.revision == revision + 1, isRepeated: isSame && change.revision == revision)
        if table != change.table { (shoe, ceremony, hasSaidNone) = (nil, nil, false) }
        // The same ceremony goes on after a restart with a journal. Without one another may be there: no fraud.
        let isRestart = table == change.table && epoch != self.epoch
        // The shoe in play survived, so the server has its journal, and has to go on with the same ceremony.
        let played = change.new.fairShoe?.commitment
        let hasSurvived = played != nil && (shoe?.fair.commitment == played || ceremony?.next.commitment == played)
        (table, self.epoch, revision, self.player) = (change.table, epoch, change.revision, player)
        // The player may have got up and sat down again on another device meanwhile.
        if wasCut, step.isGap { doubtCommitments() }
        wasCut = false
        if step.concernsShoes || hasSatDown {
            hasSatDown = false
            follow(step, isRestart: isRestart, at: now)
            followCeremony(step, isRestart: isRestart && !hasSurvived, using: &generator)
        }
        askAgain(at: now)
        return finish()
    }

    /// The player took a seat: the server has forgotten the commitment of a player who got up before the list was closed. The next table
    /// has it sent again.
    public mutating func satDown() {
        hasSatDown = true
        forgetCommitments()
    }

    /// The player gets up, or has: commitments to lists that are not closed are void, at whichever table.
    mutating func forgetCommitments() {
        for index in contributions.indices where contributions[index].list == nil { contributions[index].commit = .unsent }
    }

    /// The connection is lost. The player can log in on another device until the next table is shown here.
    public mutating func connectionLost() { wasCut = true }

    /// The server may have forgotten the commitments to lists that are not closed: each is sent again.
    private mutating func doubtCommitments() {
        for index in contributions.indices where contributions[index].list == nil && contributions[index].commit == .confirmed {
            contributions[index].commit = .doubtful
        }
    }

    /// After a reconnect that changed nothing: makes requests whose answers were lost again.
    public mutating func resume(at now: Int64) -> [Action] {
        if let next = ceremony?.next { contribute(to: next) }
        askAgain(at: now)
        return finish()
    }

    /// The answer to a request of an action.
    public mutating func take(_ answer: Result<Reply, Refusal>, to request: ClientMessage, at now: Int64) -> [Action] {
        switch request {
        case .commit(let server, _): committed(answer, to: server)
        case .reveal(let list, _): revealed(answer, under: list)
        case .proof(let table?, let shoe?): proved(answer, table, shoe, at: now)
        default: break
        }
        return finish()
    }

    private mutating func finish() -> [Action] {
        defer { actions.removeAll() }
        return actions
    }

    mutating func found(_ finding: ShoeFinding) {
        switch finding {
        case .verified: tally.verified += 1
        case .failed: tally.failed += 1
        case .unproven: tally.unproven += 1
        case .noCeremonies, .voided, .committedElsewhere, .notListed, .evidence: break
        }
        actions.append(.found(finding))
    }

    /// Says once that a table has no ceremonies. A table that has them has a commitment before the first shoe.
    mutating func sayNone(at table: TableSnapshot) {
        guard !hasSaidNone, let name = self.table, table.shoe?.number ?? 0 > 0, table.fairShoe == nil, table.nextShoe == nil
        else {
            return
        }
        hasSaidNone = true
        found(.noCeremonies(table: name))
    }

    mutating func stand(_ standing: ShoeTally.Standing) { tally.standing = standing }
}

/// A change of a table, as far as shoes are concerned.
struct Step {
    let change: TableChange
    /// Whether it leads from one revision to the next: nothing was missed.
    let isSingle: Bool
    /// Whether changes were missed. The same revision once more misses none.
    let isGap: Bool
    /// nil for a table shown for the first time.
    private let difference: TableDifference?

    init(_ change: TableChange, isSingle: Bool, isRepeated: Bool) {
        self.change = change
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
            || difference.structure.deletedItems.contains { $0 == .fairShoe || $0 == .nextShoe }
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

extension TableEntry {
    fileprivate var concernsShoes: Bool {
        switch self {
        case .card, .shoe, .cardsLeft, .fairShoe, .nextShoe, .phase, .round, .player: true
        default: false
        }
    }
}
