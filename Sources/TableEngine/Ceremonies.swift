import Fairness
import Rules
import TableModel

/// The ceremonies of a table's shoes: that of the coming shoe, that of the shoe in play, and the proofs of the last ones. The
/// steps are those of bj1 (`Sources/Wire/Wire.docc/Shuffle.md`).
///
/// An attempt: the server commits to a secret; players commit to contributions; the list of commitments closes; the listed
/// players reveal; the key is the hash of the secret and all revealed contributions. Since every commitment is fixed before
/// any contribution is revealed, no single party can choose the order.
///
/// If a player withholds the reveal, the attempt is void, and the next one excludes that player. So each player can void at
/// most one attempt per shoe, and the fourth and last attempt mixes only what is revealed. A secret is revealed only when no
/// card of its shoe will be dealt.
package struct Ceremonies: Equatable, Sendable {
    /// Proofs kept.
    static let proofs = 8
    /// Shoes of one ceremony with continuous shuffling.
    static let shoesOfContinuousShuffle = 32
    /// Milliseconds for which a list that is due waits for commitments.
    static let commitMilliseconds = 1000
    /// Milliseconds to reveal, for the first shoe and for later ones.
    static let revealMilliseconds = (withoutShoe: 1000, withShoe: 2000)

    package var table: String
    /// The digest of the table's rules.
    var rules: Digest
    /// The ceremony of the coming shoe; nil: a secret is needed.
    package var next: Attempt?
    /// Void attempts for the coming shoe, 0…3.
    package var voidAttempts = 0
    /// Names of players who did not reveal in a void attempt, each once.
    package var withheld: [String] = []
    /// Players who did not reveal in a void attempt. Excluded from later lists for this shoe, so each can void one attempt at most.
    package var excluded: [PlayerID] = []
    /// The shoe in play; nil before the first.
    var played: PlayedShoe?
    /// The last shoes whose secret is revealed, oldest first.
    package var proofs: [ProvenShoe] = []

    package init(table: String, rules: HouseRules) {
        self.table = table
        self.rules = rules.digest
    }

    /// Whether the attempt is the last: it mixes what is revealed.
    var isLastAttempt: Bool { voidAttempts + 1 == NextShoe.attempts }
}

/// The proof of a shoe, and who contributed to it: a name can be another player's later, an id cannot.
package struct ProvenShoe: Equatable, Sendable {
    package var proof: ShoeProof
    package var contributors: [PlayerID]

    package init(proof: ShoeProof, contributors: [PlayerID]) { (self.proof, self.contributors) = (proof, contributors) }
}

/// One attempt to make the order of a shoe.
package struct Attempt: Hashable, Sendable {
    package enum Stage: Hashable, Sendable {
        /// Players commit.
        case open
        /// The list with this digest is closed; its players reveal.
        case revealing(list: Digest)
        case mixed(list: Digest, key: ShoeKey, order: Digest)
    }

    package struct Contribution: Hashable, Sendable {
        package static let blank = Self(player: PlayerID(0), name: "", commitment: SHA256.hash([]))

        package var player: PlayerID
        /// The name in the reply to the player's login.
        package var name: String
        package var commitment: Digest
        package var reveal: ShoeSecret?
    }

    /// Its number; with continuous shuffling that of the first of 32.
    package var shoe: Int
    package var secret: ShoeSecret
    let commitment: Digest
    /// In order of arrival, and of seats once the list is closed: at most one per player.
    package var contributions: [Contribution] = []
    package var stage = Stage.open

    package init(shoe: Int, secret: ShoeSecret, of ceremonies: Ceremonies) {
        self.shoe = shoe
        self.secret = secret
        commitment = secret.serverCommitment(table: ceremonies.table, shoe: shoe, rules: ceremonies.rules)
    }

    package var isOpen: Bool { stage == .open }

    package var isMixed: Bool { if case .mixed = stage { true } else { false } }

    /// The digest of the closed list; nil while it is open.
    var list: Digest? {
        switch stage {
        case .open: nil
        case .revealing(let list), .mixed(let list, _, _): list
        }
    }

    /// The key that the closed list and what is revealed so far give; nil while the list is open.
    var key: ShoeKey? {
        list.map { ShoeKey(secret: secret, mix: $0.mix(contributions.lazy.map(\.reveal))) }
    }

    var contributors: [Contributor] { contributions.map { Contributor(name: $0.name, commitment: $0.commitment) } }

    var mixed: MixedContributions { MixedContributions(contributions.map { $0.reveal != nil }) }

    func index(of player: PlayerID) -> Int? { contributions.firstIndex { $0.player == player } }

    /// Whether these bytes are what a contributor committed to.
    func isCommitted(_ reveal: ShoeSecret, by index: Int, at table: String) -> Bool {
        let contribution = contributions[index]
        return reveal.contribution(table: table, shoe: shoe, player: contribution.name, to: commitment) == contribution.commitment
    }
}

/// The shoe in play, or with continuous shuffling the 32 of which one is.
struct PlayedShoe: Hashable, Sendable {
    /// Mixed.
    let attempt: Attempt
    let list: Digest
    let key: ShoeKey
    /// The digest of the order of the segment in play.
    var order: Digest
    /// The segment in play; nil for the shoe itself.
    var segment: FairShoe.Segment?
    var segments: [ShoeProof.Segment] = []
    /// Whether the secret is revealed: no card of the shoe may be dealt.
    var isRevealed = false

    /// nil unless the attempt is mixed.
    init?(_ attempt: Attempt) {
        guard case .mixed(let list, let key, let order) = attempt.stage else { return nil }
        self.attempt = attempt
        self.list = list
        self.key = key
        self.order = order
    }

    var shown: FairShoe {
        FairShoe(
            shoe: attempt.shoe, commitment: attempt.commitment, list: list, mixed: attempt.mixed, order: order, segment: segment)
    }
}

extension Ceremonies {
    /// The proof of the shoe in play. Secret until it is over.
    var proofOfPlayed: ProvenShoe? { played.map { proof(of: $0.attempt, $0.segments) } }

    /// The proof of the coming shoe, with the contributions revealed so far; nil while its list is open. Secret unless the table is closed.
    var proofOfNext: ProvenShoe? { next.flatMap { $0.isOpen ? nil : proof(of: $0, []) } }

    private func proof(of attempt: Attempt, _ segments: [ShoeProof.Segment]) -> ProvenShoe {
        ProvenShoe(
            proof: ShoeProof(
                table: table, shoe: attempt.shoe, commitment: attempt.commitment, secret: attempt.secret,
                contributions: attempt.contributions.map {
                    ShoeProof.Contribution(name: $0.name, commitment: $0.commitment, reveal: $0.reveal)
                }, segments: segments), contributors: attempt.contributions.map(\.player))
    }

    /// - Parameter due: the stage's deadline; nil for none.
    func shownNext(until due: Timestamp?) -> NextShoe? {
        guard let next else { return nil }
        let stage: NextShoe.Stage =
            switch next.stage {
            case .open: .open
            case .revealing: .revealing(next.contributors)
            case .mixed(let list, _, let order): .mixed(list: list, next.mixed, order: order)
            }
        return NextShoe(
            shoe: next.shoe, attempt: voidAttempts + 1, commitment: next.commitment, withheld: withheld, stage: stage,
            until: due?.milliseconds)
    }
}

extension Table {
    package struct SavedCeremonies: Equatable, Sendable {
        package static let blank = Self(due: .never, all: Ceremonies(table: "", rules: HouseRules()))
        /// The stage's deadline.
        package var due: Timestamp
        /// Without the shoe in play.
        package var all: Ceremonies
        /// The ceremony of the shoe in play.
        package var played: Attempt?
        /// Cards of the shoe in play that were reshuffled in mid-round.
        package var segments: [ShoeProof.Segment] = []
        /// Whether the secret of the shoe in play is revealed.
        package var isRevealed = false
    }
}

extension TableState {
    var savedCeremonies: Table.SavedCeremonies? {
        guard var all = ceremonies else { return nil }
        let played = all.played
        all.played = nil
        return Table.SavedCeremonies(
            due: core.ceremonyDue, all: all, played: played?.attempt, segments: played?.segments ?? [],
            isRevealed: played?.isRevealed ?? false)
    }

    /// Digests and keys are recomputed from secrets and lists, so a damaged file cannot be inconsistent in them.
    func restoreCeremonies(_ saved: Table.SavedCeremonies?) throws(SavedTableError) {
        guard let saved else { return }
        let most = NextShoe.attempts - 1
        try require((0...most).contains(saved.all.voidAttempts) && saved.all.proofs.count <= Ceremonies.proofs, "ceremonies")
        for count in [saved.all.withheld.count, saved.all.excluded.count] {
            try require(count <= most * MixedContributions.mostContributors, "ceremonies")
        }
        try require(saved.due)
        (core.hasCeremonies, core.ceremonyDue) = (true, saved.due)
        var ceremonies = saved.all
        (ceremonies.rules, ceremonies.next) = (rules.digest, nil)
        if let played = saved.played { ceremonies.played = try restorePlayed(played, saved, ceremonies) }
        self.ceremonies = ceremonies
        guard let next = saved.all.next else { return }
        ceremonies.next = try restoreNext(next, ceremonies)
        self.ceremonies = ceremonies
    }

    private func restoreAttempt(_ saved: Attempt, _ ceremonies: Ceremonies) throws(SavedTableError) -> Attempt {
        try require(saved.contributions.count <= MixedContributions.mostContributors, "ceremonies")
        try require(Set(saved.contributions.map(\.player)).count == saved.contributions.count, "ceremonies")
        var attempt = Attempt(shoe: saved.shoe, secret: saved.secret, of: ceremonies)
        attempt.contributions = saved.contributions
        for (index, contribution) in attempt.contributions.enumerated() {
            guard let reveal = contribution.reveal else { continue }
            try require(!saved.isOpen && attempt.isCommitted(reveal, by: index, at: ceremonies.table), "ceremonies")
        }
        if !saved.isOpen { attempt.stage = .revealing(list: attempt.contributors.listDigest(server: attempt.commitment)) }
        return attempt
    }

    private func restoreNext(_ saved: Attempt, _ ceremonies: Ceremonies) throws(SavedTableError) -> Attempt {
        var next = try restoreAttempt(saved, ceremonies)
        try require(saved.shoe == comingShoe, "ceremonies")
        // An open list may have a deadline, a revealing stage has one unless the table is closed, a mixed stage has none.
        let isTimed = core.ceremonyDue != .never
        try require(saved.isOpen || (!saved.isMixed && core.stage != .closed) == isTimed, "ceremonies")
        guard saved.isMixed, let list = next.list, let key = next.key else { return next }
        let first = rules.continuousShuffle ? key.round(0) : key
        try require(core.nextSource == .keyed(first), "ceremonies")
        next.stage = .mixed(list: list, key: key, order: core.shoe.prepare(first))
        return next
    }

    /// - Precondition: the shoe is restored.
    private func restorePlayed(
        _ saved: Attempt, _ all: Table.SavedCeremonies, _ ceremonies: Ceremonies
    ) throws(SavedTableError) -> PlayedShoe {
        var attempt = try restoreAttempt(saved, ceremonies)
        let most = rules.continuousShuffle ? Ceremonies.shoesOfContinuousShuffle : 1
        let round = core.shoe.number &- saved.shoe
        try require(saved.isMixed && (0..<most).contains(round), "ceremonies")
        guard let list = attempt.list, let key = attempt.key else { throw SavedTableError("ceremonies") }
        let own = rules.continuousShuffle ? key.round(round) : key
        try require(core.shoe.source == .keyed(own), "ceremonies")
        let here = all.segments.filter { $0.round == round }
        try require(here.count == core.shoe.segment, "ceremonies")
        let last = here.last
        let first = last?.first ?? 0
        try require((0...core.shoe.order.count).contains(first), "ceremonies")
        let source = last == nil ? own : own.segment(core.shoe.segment)
        // Before the shoe's first reshuffle the digest is that of its own cards.
        attempt.stage = .mixed(list: list, key: key, order: firstOrder(key))
        guard var played = PlayedShoe(attempt) else { throw SavedTableError("ceremonies") }
        played.order = core.shoe.orderDigest(source, from: first)
        played.segment = last.map { segment in
            FairShoe.Segment(number: segment.number, first: first, count: core.shoe.order.count - first)
        }
        played.segments = all.segments
        played.isRevealed = all.isRevealed
        return played
    }

    /// The digest of the first order of a ceremony.
    private func firstOrder(_ key: ShoeKey) -> Digest {
        var shoe = Shoe(rules)
        return shoe.prepare(rules.continuousShuffle ? key.round(0) : key)
    }
}
