import Fairness
import Rules
import TableModel

/// The ceremonies of a table's shoes: that of the coming shoe, that of the shoe in play, and the proofs of the last ones.
///
/// The steps are those of bj1; see Protocol.md, "A shuffle that you can verify".
struct Ceremonies: Hashable, Sendable {
    /// Proofs kept.
    static let proofs = 8
    /// Shoes of one ceremony with continuous shuffling.
    static let shoesOfContinuousShuffle = 32
    /// Milliseconds for which a list that is due waits for commitments.
    static let commitMilliseconds = 1000
    /// Milliseconds to reveal, before the first shoe and later.
    static let revealMilliseconds = (withoutShoe: 1000, withShoe: 2000)

    let table: String
    /// All rules as compact JSON with sorted keys.
    let rules: String
    /// The ceremony of the coming shoe; nil: a secret is needed.
    var next: Attempt?
    /// Void attempts for the coming shoe, 0…3.
    var voidAttempts = 0
    /// Names of players who did not reveal in a void attempt, each once.
    var withheld: [String] = []
    /// Players who did not reveal in a void attempt: on no later list for this shoe, so that each costs it one attempt at most.
    var excluded: [PlayerID] = []
    /// The shoe in play; nil before the first.
    var played: PlayedShoe?
    /// The last shoes whose secret is revealed, oldest first.
    var proofs: [ProvenShoe] = []

    /// - Parameter rules: of the table.
    init(table: String, rules: HouseRules) {
        self.table = table
        self.rules = rules.canonicalText
    }

    /// Whether the attempt is the last: it mixes what is revealed.
    var isLastAttempt: Bool { voidAttempts + 1 == NextShoe.attempts }
}

/// The proof of a shoe, and who contributed to it: a name can be another player's later, an id cannot.
package struct ProvenShoe: Hashable, Sendable {
    package var proof: ShoeProof
    /// Empty in what a version without ids has kept.
    package var contributors: [PlayerID]

    package init(proof: ShoeProof, contributors: [PlayerID]) { (self.proof, self.contributors) = (proof, contributors) }

    /// A replay gives ids also where an older checkpoint lacks them; they are the same state.
    package static func == (a: Self, b: Self) -> Bool {
        a.proof == b.proof && (a.contributors == b.contributors || a.contributors.isEmpty || b.contributors.isEmpty)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(proof) }
}

/// One attempt to make the order of a shoe.
struct Attempt: Hashable, Sendable {
    enum Stage: Hashable, Sendable {
        /// Players commit.
        case open
        /// The list with this digest is closed; its players reveal.
        case revealing(list: Digest)
        case mixed(list: Digest, key: ShoeKey, order: Digest)
    }

    struct Contribution: Hashable, Sendable {
        var player: PlayerID
        /// The name in the reply to the player's login.
        var name: String
        var commitment: Digest
        var reveal: ShoeSecret?
    }

    /// Its number; with continuous shuffling that of the first of 32.
    let shoe: Int
    let secret: ShoeSecret
    let commitment: Digest
    /// In order of arrival, and of seats once the list is closed: at most one per player.
    var contributions: [Contribution] = []
    var stage = Stage.open

    init(shoe: Int, secret: ShoeSecret, of ceremonies: Ceremonies) {
        self.shoe = shoe
        self.secret = secret
        commitment = secret.serverCommitment(table: ceremonies.table, shoe: shoe, rules: ceremonies.rules)
    }

    var isOpen: Bool { stage == .open }

    var isMixed: Bool { if case .mixed = stage { true } else { false } }

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
                table: table, shoe: attempt.shoe, rules: rules, commitment: attempt.commitment, secret: attempt.secret,
                contributions: attempt.contributions.map {
                    ShoeProof.Contribution(name: $0.name, commitment: $0.commitment, reveal: $0.reveal)
                }, segments: segments), contributors: attempt.contributions.map(\.player))
    }

    /// - Parameter due: when the stage ends by itself; nil: not by itself.
    func shownNext(until due: Moment?) -> NextShoe? {
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
