import Fairness
import TableModel

extension Table {
    package struct SavedCeremonies: Equatable, Sendable {
        package var table = ""
        /// When the stage ends by itself; nil: not by itself.
        package var due: Moment?
        package var voidAttempts = 0
        package var withheld: [String] = []
        /// Players on no later list for this shoe.
        package var excluded: [Int] = []
        package var next: SavedAttempt?
        package var played: SavedAttempt?
        /// Cards of the shoe in play that were reshuffled in mid-round.
        package var segments: [ShoeProof.Segment] = []
        /// Whether the secret of the shoe in play is revealed.
        package var isRevealed = false
        package var proofs: [ProvenShoe] = []

        package init() {}
    }

    package struct SavedAttempt: Equatable, Sendable {
        package enum Stage: UInt8, CaseIterable, Sendable { case open, revealing, mixed }

        package var shoe = 0
        package var secret: ShoeSecret
        package var stage = Stage.open
        package var contributions: [SavedContribution] = []

        package init(secret: ShoeSecret) { self.secret = secret }
    }

    package struct SavedContribution: Equatable, Sendable {
        package var player = PlayerID(0)
        package var name = ""
        package var commitment: Digest
        package var reveal: ShoeSecret?

        package init(commitment: Digest) { self.commitment = commitment }
    }
}

extension Attempt {
    fileprivate var saved: Table.SavedAttempt {
        var saved = Table.SavedAttempt(secret: secret)
        saved.shoe = shoe
        saved.stage =
            switch stage {
            case .open: .open
            case .revealing: .revealing
            case .mixed: .mixed
            }
        saved.contributions = contributions.map { contribution in
            var saved = Table.SavedContribution(commitment: contribution.commitment)
            (saved.player, saved.name, saved.reveal) = (contribution.player, contribution.name, contribution.reveal)
            return saved
        }
        return saved
    }
}

extension TableState {
    var savedCeremonies: Table.SavedCeremonies? {
        guard let ceremonies else { return nil }
        var saved = Table.SavedCeremonies()
        saved.table = ceremonies.table
        saved.due = core.ceremonyDue.orNil
        saved.voidAttempts = ceremonies.voidAttempts
        saved.withheld = ceremonies.withheld
        saved.excluded = ceremonies.excluded.map { Int(truncatingIfNeeded: $0.rawValue) }
        saved.next = ceremonies.next?.saved
        saved.played = ceremonies.played?.attempt.saved
        saved.segments = ceremonies.played?.segments ?? []
        saved.isRevealed = ceremonies.played?.isRevealed ?? false
        saved.proofs = ceremonies.proofs
        return saved
    }

    /// Digests and keys are made again from secrets and lists: a damaged file cannot contradict itself.
    func restoreCeremonies(_ saved: Table.SavedCeremonies?) throws(SavedMisfit) {
        guard let saved else { return }
        let most = NextShoe.attempts - 1
        try require((0...most).contains(saved.voidAttempts) && saved.proofs.count <= Ceremonies.proofs, "ceremonies")
        for count in [saved.withheld.count, saved.excluded.count] {
            try require(count <= most * MixedContributions.mostContributors, "ceremonies")
        }
        core.hasCeremonies = true
        core.ceremonyDue = try moment(saved.due)
        var ceremonies = Ceremonies(table: saved.table, rules: rules)
        ceremonies.voidAttempts = saved.voidAttempts
        ceremonies.withheld = saved.withheld
        ceremonies.excluded = saved.excluded.map { PlayerID(rawValue: UInt64(truncatingIfNeeded: $0)) }
        ceremonies.proofs = saved.proofs
        if let played = saved.played { ceremonies.played = try restorePlayed(played, saved, ceremonies) }
        self.ceremonies = ceremonies
        guard let next = saved.next else { return }
        ceremonies.next = try restoreNext(next, ceremonies)
        self.ceremonies = ceremonies
    }

    private func restoreAttempt(_ saved: Table.SavedAttempt, _ ceremonies: Ceremonies) throws(SavedMisfit) -> Attempt {
        try require(saved.contributions.count <= MixedContributions.mostContributors, "ceremonies")
        try require(Set(saved.contributions.map(\.player)).count == saved.contributions.count, "ceremonies")
        var attempt = Attempt(shoe: saved.shoe, secret: saved.secret, of: ceremonies)
        attempt.contributions = saved.contributions.map {
            Attempt.Contribution(player: $0.player, name: $0.name, commitment: $0.commitment, reveal: $0.reveal)
        }
        for index in attempt.contributions.indices {
            guard let reveal = attempt.contributions[index].reveal else { continue }
            let isHere = saved.stage != .open && attempt.isCommitted(reveal, by: index, at: ceremonies.table)
            try require(isHere, "ceremonies")
        }
        if saved.stage != .open {
            attempt.stage = .revealing(list: attempt.contributors.listDigest(server: attempt.commitment))
        }
        return attempt
    }

    private func restoreNext(_ saved: Table.SavedAttempt, _ ceremonies: Ceremonies) throws(SavedMisfit) -> Attempt {
        var next = try restoreAttempt(saved, ceremonies)
        try require(saved.shoe == comingShoe, "ceremonies")
        // Each stage that ends by itself has its time, and no other; at a closed table none ends.
        let isTimed = core.ceremonyDue != .never
        try require(saved.stage == .open || (saved.stage == .revealing && core.stage != .closed) == isTimed, "ceremonies")
        guard saved.stage == .mixed, let list = next.list, let key = next.key else { return next }
        let first = rules.continuousShuffle ? key.round(0) : key
        try require(core.nextSource == .keyed(first), "ceremonies")
        next.stage = .mixed(list: list, key: key, order: core.shoe.prepare(first))
        return next
    }

    /// - Precondition: the shoe is restored.
    private func restorePlayed(
        _ saved: Table.SavedAttempt, _ all: Table.SavedCeremonies, _ ceremonies: Ceremonies
    ) throws(SavedMisfit) -> PlayedShoe {
        var attempt = try restoreAttempt(saved, ceremonies)
        let most = rules.continuousShuffle ? Ceremonies.shoesOfContinuousShuffle : 1
        let round = core.shoe.number &- saved.shoe
        try require(saved.stage == .mixed && (0..<most).contains(round), "ceremonies")
        guard let list = attempt.list, let key = attempt.key else { throw SavedMisfit("ceremonies") }
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
        guard var played = PlayedShoe(attempt) else { throw SavedMisfit("ceremonies") }
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
