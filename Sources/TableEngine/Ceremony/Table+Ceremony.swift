import Fairness
import TableModel

/// The public part of a table's ceremonies.
extension Table {
    /// Whether shoes are made in ceremonies; see ``Command/beginCeremonies(table:)``.
    public var hasCeremonies: Bool { state.core.hasCeremonies }

    /// Whether the table waits for ``Command/supplySecret(_:)``: there is no ceremony of the coming shoe.
    public var needsSecret: Bool {
        state.core.hasCeremonies && state.core.stage != .closed && state.ceremonies?.next == nil
    }

    /// The proof of a shoe whose secret is revealed, one of the last 8; nil for every other. A closed table proves its coming shoe too.
    /// - Parameter shoe: its number, with continuous shuffling that of the first of 32; nil: the last one that was played.
    public func proof(ofShoe shoe: Int?) -> ShoeProof? {
        proven(shoe: shoe)?.proof
    }

    /// As ``proof(ofShoe:)``, with its contributors.
    package func proven(shoe: Int?) -> ProvenShoe? {
        guard let shoe else { return state.ceremonies?.proofs.last }
        return proofsLeft.last { $0.proof.shoe == shoe }
    }

    /// The digest of the coming shoe's list once it is closed.
    package var closedList: Digest? { state.ceremonies?.next?.list }

    /// The proofs of the last shoes whose secret is revealed, oldest first.
    package var proofs: [ProvenShoe] { state.ceremonies?.proofs ?? [] }

    /// As ``proofs``; a closed table has that of its coming shoe before them: nobody will play it, and players have revealed to it.
    package var proofsLeft: [ProvenShoe] { (proofOfUnplayed.map { [$0] } ?? []) + proofs }

    private var proofOfUnplayed: ProvenShoe? { state.core.stage == .closed ? state.ceremonies?.proofOfNext : nil }

    /// The server's secrets and the ceremonies' keys that nobody may see: of the shoe in play and of the coming one.
    package var unrevealed: [[UInt8]] {
        guard let ceremonies = state.ceremonies else { return [] }
        var bytes: [[UInt8]] = []
        if let next = ceremonies.next, proofOfUnplayed == nil { bytes += [next.secret.bytes, next.key?.bytes ?? []] }
        if let played = ceremonies.played, !played.isRevealed { bytes += [played.attempt.secret.bytes, played.key.bytes] }
        return bytes
    }

    /// As shown by the table; nil before the first shoe of a ceremony.
    package var fairShoe: FairShoe? { state.ceremonies?.played?.shown }

    /// As shown by the table.
    package var nextShoe: NextShoe? {
        state.ceremonies?.shownNext(until: state.core.ceremonyDue == .never ? nil : state.core.ceremonyDue)
    }
}
