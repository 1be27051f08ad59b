import Fairness
import Rules
import TableModel

/// The judgement on a shoe.
enum ShoeVerdict: Equatable, Sendable {
    /// - Parameter isIncluded: whether the player's contribution is in the order.
    case verified(isIncluded: Bool)
    case notVerified(UnverifiedCause)
    case contradicted(ShoeFault)
}

/// Judges records: pure functions. A fault is a contradiction between two things that the server showed or said, which no lost message can
/// bring about; everything that has an innocent cause is none.
enum ShoeVerifier {
    /// - Parameter secrets: those revealed before.
    static func verdict(on record: ShoeRecord, proof: ShoeProof?, secrets: [UsedSecret] = []) -> ShoeVerdict {
        if let fault = record.fault { return .contradicted(fault) }
        guard let proof, let rules = record.watched.rules else { return .notVerified(record.cause) }
        do throws(ShoeFault) {
            let isIncluded = try proof.check(against: record.watched, rules)
            // A secret used twice would make the second shoe known. The same proof may come twice.
            let used = UsedSecret(proof)
            if secrets.contains(where: { $0.digest == used.digest && $0.commitment != used.commitment }) { throw .secretReused }
            return .verified(isIncluded: isIncluded)
        } catch {
            return .contradicted(error)
        }
    }

    // MARK: The table

    /// Numbers go up; a round takes a revision at least, and a shoe a round.
    static func checkCounters(_ step: Step) throws(ShoeFault) {
        let new = step.new
        guard step.isGap, let old = step.old else { return }
        let revisions = step.isRestart ? Int.max : new.revision - old.revision
        guard revisions >= 0 else { throw .wentBack }
        guard let before = old.round, let round = new.round else { return }
        let (rounds, shoes) = (round - before, (new.shoe?.number ?? 0) - (old.shoe?.number ?? 0))
        if rounds < 0 || shoes < 0 { throw .wentBack }
        if shoes > rounds || rounds > revisions { throw .shoesWithoutRounds }
    }

    /// The same revision once more: nothing in it can differ.
    static func checkRepeated(_ coming: ComingShoe?, _ step: Step) throws(ShoeFault) {
        if step.isRepeated, let next = step.new.next, next != coming?.next { throw .contradiction }
    }

    /// Without an item that each table with ceremonies, cards or a round has nothing of a shoe can be compared.
    static func checkItems(_ table: ShoeView) throws(ShoeFault) {
        guard table.fair != nil || table.next != nil || table.isInPlay else { return }
        let items: [(String, Bool)] = [
            ("shoe", table.shoe == nil), ("left", table.left == nil), ("rules", table.rules.flatMap(ShoeRules.init) == nil),
            ("round", table.round == nil),
            ("phase", table.phase == nil),
        ]
        if let missing = items.first(where: { $0.1 }) { throw .itemMissing(missing.0) }
    }

    // MARK: The coming shoe

    /// Checks the ceremony that a table shows.
    /// - Parameters:
    ///   - own: the player's contribution to an attempt.
    ///   - commitments: those seen before.
    static func checkCeremony(
        of table: TableRecord, _ next: NextShoe, in step: Step, player: String?, own: (Digest) -> ShoeContributor.Contribution?,
        commitments: [UsedCommitment]
    ) throws(ShoeFault) {
        let before = table.coming
        let isSame = before?.next.isSameAttempt(as: next) ?? false
        if !isSame { try checkCommitment(of: next, after: before?.next, table, in: step, commitments: commitments) }
        if let before = before?.next, before.shoe == next.shoe, let player {
            let names = next.withheld.filter { !before.withheld.contains($0) }
            if names.contains(player), isWronglyNamed(next, after: before, in: step, own: own(before.commitment)) {
                throw .namedAsWithholder
            }
        }
        try checkStage(of: next, after: isSame ? before : nil, in: step, hadView: before != nil)
        if case .mixed(let list, let mixed, _) = next.stage { try checkMix(mixed, of: list, own: own(next.commitment)) }
    }

    private static func checkCommitment(
        of next: NextShoe, after before: NextShoe?, _ table: TableRecord, in step: Step, commitments: [UsedCommitment]
    ) throws(ShoeFault) {
        for used in commitments {
            let isSameAttempt = used.table == table.name && used.shoe == next.shoe && used.attempt == next.attempt
            if used.commitment == next.commitment, !isSameAttempt { throw .commitmentRepeated }
            // Within an epoch an attempt has one commitment, whatever was shown in between.
            if used.commitment != next.commitment, isSameAttempt, used.epoch == step.new.epoch { throw .commitmentChanged }
        }
        guard isInTurn(next, table, step.new) else { throw .commitmentChanged }
        guard let before else { return }
        guard before.shoe == next.shoe else {
            if before.shoe > next.shoe { throw .wentBack }
            // Another number without the shoe before in play would let the server try other shoes.
            let played = step.new.fair?.commitment
            if step.isNext, played != before.commitment, played == step.old?.fair?.commitment { throw .commitmentChanged }
            return
        }
        guard before.attempt < next.attempt else { throw .commitmentChanged }
        // No attempt is void once its order is made.
        if case .mixed = before.stage { throw .voidedWithoutCause }
        guard step.isNext else {
            // The names of the next attempt are from this list.
            let names = next.withheld.filter { !before.withheld.contains($0) }
            guard next.attempt == before.attempt + 1, case .revealing(let contributors) = before.stage else { return }
            if !Set(names).isSubset(of: contributors.map(\.name)) { throw .voidedWithoutCause }
            return
        }
        // An attempt without a reason to be void would let the server try other shoes.
        guard next.attempt == before.attempt + 1, cause(of: next, after: before, step) != nil else { throw .voidedWithoutCause }
    }

    /// Whether the coming shoe's number follows that of the shoe in play.
    private static func isInTurn(_ next: NextShoe, _ table: TableRecord, _ new: ShoeView) -> Bool {
        guard let number = new.shoe?.number else { return true }
        guard let fair = new.fair else { return next.shoe == number + 1 }
        guard let shoe = table.inPlay, shoe.watched.commitment == fair.commitment, let rules = shoe.rules else { return true }
        return next.shoe == (rules.continuousShuffle ? fair.shoe + ShoeRules.roundsOfCeremony : number + 1)
    }

    /// Why the attempt before is void, where nothing was missed; nil: for nothing that an honest server has.
    static func cause(of next: NextShoe, after before: NextShoe, _ step: Step) -> GivenUpCause? {
        let named = next.withheld.filter { !before.withheld.contains($0) }
        switch before.stage {
        case .mixed: return nil
        case .open:
            // The list was closed and given up in one change, so nothing was revealed under it.
            // A contributor may have got up before, with a hand in play.
            let gone = Set(step.old?.players.values.map(\.name) ?? []).subtracting(step.new.staying)
            return named.isEmpty && !gone.isEmpty ? .gotUp(gone.sorted()) : nil
        case .revealing(let contributors):
            let names = contributors.map(\.name)
            if !named.isEmpty { return named.allSatisfy(names.contains) ? .withheld(named) : nil }
            let gone = names.filter { !step.new.staying.contains($0) }
            if !gone.isEmpty { return .gotUp(gone) }
            // The server names each once.
            let again = names.filter(before.withheld.contains)
            return again.isEmpty ? nil : .withheld(again)
        }
    }

    /// Whether the player cannot have withheld in any attempt that became void. On a connection that was not lost no other device has
    /// taken part, so that an attempt to which nothing was committed here had no contribution of the player's.
    private static func isWronglyNamed(
        _ next: NextShoe, after before: NextShoe, in step: Step, own: ShoeContributor.Contribution?
    ) -> Bool {
        // Names come with void attempts.
        guard next.attempt > before.attempt else { return true }
        if step.isCut, next.attempt > before.attempt + 1 { return false }
        // An earlier run may have committed to the attempt that was shown first.
        return own?.isGiven == true
    }

    private static func checkStage(of next: NextShoe, after same: ComingShoe?, in step: Step, hadView: Bool) throws(ShoeFault) {
        if let known = same?.list, known != next.list { throw .listChanged }
        guard case .mixed(_, let mixed, let order) = next.stage else {
            if case .mixed = same?.next.stage { throw .listChanged }
            return
        }
        // A list is closed, and shown, before anybody on it can reveal.
        if step.isNext, hadView, same?.next.stage ?? .open == .open, !mixed.flags.isEmpty { throw .listChanged }
        if case .mixed(_, mixed, order) = same?.next.stage { return }
        if case .mixed = same?.next.stage { throw .orderChanged }
        // Only the last attempt goes on without a contribution.
        if next.attempt < NextShoe.attempts, mixed.flags.contains(false) { throw .mixed }
    }

    /// The player's contribution is in the mix of the list under which it was revealed, if the server is known to have it.
    static func checkMix(
        _ mixed: MixedContributions, of list: Digest, own: ShoeContributor.Contribution?
    ) throws(ShoeFault) {
        if let own, own.isGiven, own.isMissing(in: mixed, list) { throw .namedAsWithholder }
    }

    // MARK: The shoe in play

    /// Checks a shoe that comes into play against its ceremony.
    static func checkStart(
        of fair: FairShoe, after coming: ComingShoe?, in step: Step, own: ShoeContributor.Contribution?
    ) throws(ShoeFault) {
        let isAttempt = coming?.next.commitment == fair.commitment
        guard let coming, coming.next.shoe == fair.shoe, isAttempt || !step.hasForgotten else {
            // A shoe that was never announced, though every change was seen.
            if step.isNext, coming != nil { throw .commitmentChanged }
            return
        }
        guard isAttempt else {
            // Another attempt made the shoe: an honest server has one where changes were missed.
            if step.isNext { throw .commitmentChanged }
            if case .mixed = coming.next.stage { throw .voidedWithoutCause }
            return
        }
        try checkMix(fair.mixed, of: fair.list, own: own)
        if let list = coming.list, list != fair.list { throw .listChanged }
        if case .mixed(_, let mixed, let order) = coming.next.stage {
            let isOrder = fair.segment != nil || step.new.rules?.rules.continuousShuffle == true || order == fair.order
            if mixed != fair.mixed || !isOrder { throw .orderChanged }
        } else if coming.next.attempt < NextShoe.attempts, fair.mixed.flags.contains(false) {
            throw .mixed
        }
    }

    /// Whether the shoe before was due to be shuffled: at the cut card, with too few cards for the round's hands, for a hand of a newcomer
    /// where the rules have it, or in every round.
    static func isExpectedShuffle(_ played: ShoeRecord, _ step: Step) -> Bool {
        guard let old = step.old, let rules = old.rules?.rules, let left = old.left, let shoe = old.shoe else { return false }
        let hasNewcomer = step.new.hands.contains { step.new.players[$0]?.name != played.players[$0] }
        return rules.continuousShuffle || !rules.midShoeEntry && hasNewcomer || left <= shoe.behindCutCard
            || left < 2 * (step.new.hands.count + 1) || old.fair?.segment != nil || old.phase == .closed
    }

    /// Checks a view against everything that was noted of the shoe before it.
    static func checkPlay(of shoe: ShoeRecord, before coming: ComingShoe?, in step: Step) throws(ShoeFault) {
        let new = step.new
        guard let fair = new.fair, let status = new.shoe, let rules = shoe.rules, let known = shoe.fair else { return }
        let isFresh = shoe.number != status.number
        if step.isRepeated, shoe.number >= 0, fair != known || isFresh || new.left != shoe.size - shoe.drawn {
            throw .contradiction
        }
        if fair.list != known.list { throw .listChanged }
        if fair.mixed != known.mixed { throw .orderChanged }
        if isFresh {
            let numbers = rules.continuousShuffle ? ShoeRules.roundsOfCeremony : 1
            guard (fair.shoe..<fair.shoe + numbers).contains(status.number) else { throw .commitmentChanged }
        } else if fair != known, fair.segment?.number ?? 0 <= known.segment?.number ?? 0 {
            throw .orderChanged
        }
        if let segment = fair.segment, isFresh || fair != known {
            try checkSegment(segment, of: shoe, in: step, isFresh: isFresh)
        }
        let behind = rules.cardsInShoe - rules.cardsBeforeCut
        if isFresh, status.behindCutCard != behind { throw .cutCard(expected: behind, seen: status.behindCutCard) }
        // Nothing waits for a shuffle once the next order was shown.
        if !isFresh, !step.isRestart, let round = new.round, round != shoe.round, shoe.round >= 0, shoe.proof == nil,
            let next = coming?.next, next.shoe > shoe.number, case .mixed = next.stage, !rules.continuousShuffle,
            shoe.drawn >= rules.cardsBeforeCut
        {
            throw .shuffledLate
        }
        try checkCards(of: shoe, in: step, isFresh: isFresh, size: fair.segment.map { $0.first + $0.count } ?? rules.cardsInShoe)
    }

    private static func checkSegment(
        _ segment: FairShoe.Segment, of shoe: ShoeRecord, in step: Step, isFresh: Bool
    ) throws(ShoeFault) {
        let number = step.new.shoe?.number ?? 0
        let fault = ShoeFault.segment(shoe: number, number: segment.number)
        guard segment.isPossible else { throw fault }
        // A viewer who missed announcements knows only that a segment lies behind the cards before it.
        let end = isFresh ? shoe.rules?.cardsInShoe ?? 0 : shoe.size
        let isNext = segment.number == (isFresh ? 0 : shoe.fair?.segment?.number ?? 0) + 1
        guard isNext ? segment.first == end : segment.first > end else {
            throw .segmentStart(shoe: number, number: segment.number, expected: end, seen: segment.first)
        }
        guard let (from, to) = shoe.discards(in: segment, of: step) else { return }
        guard 0 <= from, from <= to, segment.count == (from == to ? shoe.rules?.cardsInShoe : to - from) else { throw fault }
    }

    /// Checks places and faces: no place is skipped, and none comes twice.
    private static func checkCards(of shoe: ShoeRecord, in step: Step, isFresh: Bool, size: Int) throws(ShoeFault) {
        let (new, number) = (step.new, step.new.shoe?.number ?? 0)
        func skipped(_ place: Int, _ seen: Int?) -> ShoeFault { .gap(shoe: number, place: place, seen: seen) }
        let isSeen = isFresh && step.isNext && new.fair?.segment == nil
        let before = isSeen ? shoe.rules?.burn ?? 0 : isFresh ? size - (new.left ?? 0) : shoe.drawn
        let faces = shoe.watched.faces[number] ?? []
        for (place, face) in new.cards {
            guard (0..<min(max(size, 0), WatchedShoe.mostCards)).contains(place) else { throw skipped(before, place) }
            guard let face, place < faces.count, let known = faces[place], known != face else { continue }
            throw .face(shoe: number, place: place, before: known, seen: face)
        }
        guard let left = new.left else { return }
        let drawn = size - left
        guard step.isNext else { return try checkWhole(shoe, in: step, isFresh: isFresh, before: before, drawn: drawn, skipped) }
        let places = isFresh ? [] : Set(step.old?.cards.map { $0.place } ?? [])
        let fresh = new.cards.map { $0.place }.filter { !places.contains($0) }
        if shoe.proof != nil, !shoe.isLeft, !fresh.isEmpty { throw .dealtAfterReveal }
        for (index, place) in fresh.enumerated() where place != before + index { throw skipped(before + index, place) }
        if drawn != before + fresh.count { throw skipped(before + fresh.count, nil) }
    }

    /// Checks the places of a view before which changes were missed: a round takes the cards of its shoe one after the other, up to the
    /// last one drawn.
    private static func checkWhole(
        _ shoe: ShoeRecord, in step: Step, isFresh: Bool, before: Int, drawn: Int, _ skipped: (Int, Int?) -> ShoeFault
    ) throws(ShoeFault) {
        let table = step.new
        // A slow viewer gets the proof before the end of its round, and a player who left before the rounds that followed.
        let isLate = shoe.isLeft || shoe.provedInRound == table.round && table.isRoundOver
        if shoe.proof != nil, drawn > before, !isLate { throw .dealtAfterReveal }
        if drawn < before { throw skipped(before, drawn) }
        if !isFresh, table.round == shoe.round, step.old?.isRoundOver == true, drawn > before { throw skipped(before, nil) }
        guard let first = table.cards.first?.place, let last = table.cards.last?.place else { return }
        guard last < drawn else { throw skipped(drawn, last) }
        let start = shoe.start(in: step)
        if let start, first < start { throw skipped(start, first) }
        // A bet for the next round takes the place of a hand.
        if table.hasNewBet { return }
        if let start, first > start { throw skipped(start, first) }
        for (index, card) in table.cards.enumerated() where card.place != first + index {
            throw skipped(first + index, card.place)
        }
        if last != drawn - 1 { throw skipped(last + 1, nil) }
    }
}

extension ShoeContributor.Contribution {
    /// Whether a mix of the list under which it was revealed lacks it.
    func isMissing(in mixed: MixedContributions, _ list: Digest) -> Bool {
        self.list == list && mixed.flags.indices.contains(row) && !mixed.flags[row]
    }
}

extension NextShoe {
    fileprivate func isSameAttempt(as other: NextShoe) -> Bool {
        (shoe, attempt, commitment) == (other.shoe, other.attempt, other.commitment)
    }
}

/// A commitment of the server that was seen.
struct UsedCommitment: Equatable, Sendable {
    let table: String
    let epoch: String
    let shoe: Int
    let attempt: Int
    let commitment: Digest
}

/// A revealed secret, by its digest, and the commitment that it gives.
struct UsedSecret: Equatable, Sendable {
    let digest: Digest
    let commitment: Digest

    init(_ proof: ShoeProof) { (digest, commitment) = (SHA256.hash(proof.secret.bytes), proof.commitment) }
}

extension ShoeRules {
    /// nil where the digest is none.
    init?(_ shown: TableRules) {
        guard let digest = Digest(hex: shown.digest) else { return nil }
        self.init(decks: shown.rules.decks, isContinuous: shown.rules.continuousShuffle, digest: digest)
    }
}
