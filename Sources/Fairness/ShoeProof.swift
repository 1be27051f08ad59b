/// All that made the order of a shoe, beside the rules of its table: what anybody needs to compute it again.
public struct ShoeProof: Hashable, Sendable {
    /// A contributor of the list, in its order.
    public struct Contribution: Hashable, Sendable {
        public var name: String
        public var commitment: Digest
        /// nil: withheld, so it is not in the mix.
        public var reveal: ShoeSecret?

        public init(name: String, commitment: Digest, reveal: ShoeSecret?) {
            self.name = name
            self.commitment = commitment
            self.reveal = reveal
        }
    }

    /// Cards reshuffled in mid-round.
    public struct Segment: Hashable, Sendable {
        /// 1, 2, …
        public var number: Int
        /// The id of its first card.
        public var first: Int
        /// The ids of the discards it is made of, first to last; empty for a full set of packs.
        public var discards: Range<Int>
        /// With continuous shuffling, in which of the 32 shoes it is, from 0; otherwise 0.
        public var round: Int

        public init(number: Int, first: Int, discards: Range<Int>, round: Int = 0) {
            self.number = number
            self.first = first
            self.discards = discards
            self.round = round
        }
    }

    public var table: String
    /// The number of the shoe, or of the first of the 32 shoes of one ceremony with continuous shuffling.
    public var shoe: Int
    /// The server's commitment to `secret`.
    public var commitment: Digest
    public var secret: ShoeSecret
    public var contributions: [Contribution]
    public var segments: [Segment]

    public init(
        table: String, shoe: Int, commitment: Digest, secret: ShoeSecret, contributions: [Contribution],
        segments: [Segment] = []
    ) {
        self.table = table
        self.shoe = shoe
        self.commitment = commitment
        self.secret = secret
        self.contributions = contributions
        self.segments = segments
    }

    /// The digest of the list of contributors.
    public var list: Digest {
        contributions.map { Contributor(name: $0.name, commitment: $0.commitment) }.listDigest(server: commitment)
    }

    /// The key of the shoe, or of the 32 shoes.
    public var key: ShoeKey { ShoeKey(secret: secret, mix: list.mix(contributions.map(\.reveal))) }
}

// MARK: - Verifying

/// The rules of a shoe, as its table shows them.
public struct ShoeRules: Hashable, Sendable, Codable {
    /// Packs of 52.
    public var decks: Int
    /// Whether each of 32 rounds has a shoe of its own.
    public var isContinuous: Bool
    /// Of all rules, also of those that make no card.
    public var digest: Digest

    public init(decks: Int, isContinuous: Bool = false, digest: Digest) {
        (self.decks, self.isContinuous, self.digest) = (decks, isContinuous, digest)
    }

    /// Rounds that one ceremony serves with continuous shuffling.
    public static let roundsOfCeremony = 32
}

extension ShoeKey {
    /// A full shoe in this key's order: codes of cards, suit · 13 + rank.
    public func order(decks: Int) -> [UInt8] { shuffled(Self.fullShoe(decks: decks)) }

    /// Cards in this key's order.
    public func shuffled(_ codes: [UInt8]) -> [UInt8] {
        var codes = codes
        var stream = ShoeStream(self)
        stream.shuffle(&codes)
        return codes
    }

    static func fullShoe(decks: Int) -> [UInt8] { (0..<decks * 52).map { UInt8($0 % 52) } }
}

extension ShoeProof {
    /// Checks the proof in itself: the server's commitment, and each contribution.
    private func check(_ rules: ShoeRules) throws(ShoeFault) {
        guard secret.serverCommitment(table: table, shoe: shoe, rules: rules.digest) == commitment else { throw .secret }
        for entry in contributions {
            guard let reveal = entry.reveal else { continue }
            let made = reveal.contribution(table: table, shoe: shoe, player: entry.name, to: commitment)
            guard made == entry.commitment else { throw .contribution(entry.name) }
        }
    }

    /// Checks the proof in itself, and against everything that a viewer saw of the shoe.
    /// - Parameter form: the table's.
    /// - Throws: the first fault.
    /// - Returns: whether the viewer's own contribution is in the order.
    @discardableResult public func check(against seen: WatchedShoe, _ form: ShoeRules) throws(ShoeFault) -> Bool {
        guard table == seen.table, shoe == seen.shoe, commitment == seen.commitment else { throw .anotherShoe }
        try check(form)
        if let shown = seen.list, shown != list { throw .list }
        if let shown = seen.mixed, shown != contributions.map({ $0.reveal != nil }) { throw .mixed }
        let isIncluded = try checkOwn(seen.own)
        let shoes = Set(seen.orders.map(\.shoe)).union(seen.faces.keys).union(form.isContinuous ? [] : [shoe])
        for number in shoes.sorted() {
            let codes = try order(ofShoe: number, seen, form)
            for (place, face) in (seen.faces[number] ?? []).enumerated() {
                guard let face else { continue }
                let expected = place < codes.count ? codes[place] : nil
                guard face == expected else { throw .card(shoe: number, place: place, expected: expected, seen: face) }
            }
        }
        return isIncluded
    }

    private func checkOwn(_ own: WatchedShoe.Own?) throws(ShoeFault) -> Bool {
        guard let own else { return false }
        // One list only for each commitment: a second one would let the server choose among mixes.
        if let revealed = own.list, revealed != list { throw .list }
        guard let entry = contributions.first(where: { $0.name == own.name }) else {
            throw own.isConfirmed ? .ownContribution : .leftOut
        }
        guard entry.commitment == own.commitment, entry.reveal ?? own.contribution == own.contribution else {
            throw .ownContribution
        }
        if entry.reveal == nil, own.isConfirmed { throw .ownContribution }
        return entry.reveal != nil
    }

    /// The cards of a shoe by place, its segments included. Each order announced has to have its digest.
    private func order(ofShoe number: Int, _ seen: WatchedShoe, _ form: ShoeRules) throws(ShoeFault) -> [UInt8] {
        let round = number - shoe
        guard round == 0 || form.isContinuous && (0..<ShoeRules.roundsOfCeremony).contains(round) else { throw .anotherShoe }
        let key = form.isContinuous ? key.round(round) : key
        let announced = seen.orders.filter { $0.shoe == number }
        var codes = key.order(decks: form.decks)
        for order in announced where order.segment == 0 {
            let isWhole = order.first == 0 && order.count == codes.count
            guard isWhole, order.digest == key.orderDigest(segment: 0, first: 0, codes: codes) else {
                throw .order(shoe: number, segment: 0)
            }
        }
        let segments = segments.filter { $0.round == round }
        for (index, segment) in segments.enumerated() {
            let fault = ShoeFault.segment(shoe: number, number: index + 1)
            let from = index == 0 ? 0 : segments[index - 1].discards.upperBound
            guard segment.number == index + 1, segment.first == codes.count, segment.discards.lowerBound == from,
                segment.discards.upperBound <= codes.count, codes.count <= WatchedShoe.mostCards
            else { throw fault }
            let segmentKey = key.segment(segment.number)
            let discards = segment.discards.isEmpty ? ShoeKey.fullShoe(decks: form.decks) : Array(codes[segment.discards])
            let order = segmentKey.shuffled(discards)
            for shown in announced where shown.segment == segment.number {
                let isAsSeen = shown.discards.map { $0 == segment.discards || $0.isEmpty && segment.discards.isEmpty } ?? true
                guard shown.first == segment.first else {
                    throw .segmentStart(shoe: number, number: segment.number, expected: segment.first, seen: shown.first)
                }
                guard shown.count == order.count, isAsSeen else { throw fault }
                let digest = segmentKey.orderDigest(segment: segment.number, first: segment.first, codes: order)
                guard shown.digest == digest else { throw .order(shoe: number, segment: segment.number) }
            }
            codes += order
        }
        if let last = announced.map(\.segment).max(), last > segments.count { throw .segment(shoe: number, number: last) }
        return codes
    }
}

/// Evidence that a shoe is not the one committed to. Places are numbers of cards, from 0; faces are codes, suit · 13 + rank.
public enum ShoeFault: Error, Hashable, Sendable {
    // In a proof.

    /// The proof is of another table, shoe or commitment than was shown.
    case anotherShoe
    /// The secret does not give the server's commitment, with these rules.
    case secret
    /// A contribution does not give its commitment.
    case contribution(String)
    /// The list is not the one shown, or not the one under which the viewer revealed.
    case list
    /// Other contributions are in the mix than was shown.
    case mixed
    /// The viewer's own contribution was changed, or is not in the mix although the server confirmed it.
    case ownContribution
    /// The order has another digest than the one announced.
    case order(shoe: Int, segment: Int)
    /// A segment's number, range or size is wrong, or it is not in the proof.
    case segment(shoe: Int, number: Int)
    /// A segment begins at another place than behind the cards before it.
    case segmentStart(shoe: Int, number: Int, expected: Int, seen: Int)
    /// A card is not the one at its place; `expected` is nil where the shoe has no such place.
    case card(shoe: Int, place: Int, expected: UInt8?, seen: UInt8)
    /// The server used the secret before.
    case secretReused

    // While the shoe is made and played.

    /// The commitment was used before, for another shoe or attempt.
    case commitmentRepeated
    /// The server changed its commitment within an attempt, or plays a shoe of another one.
    case commitmentChanged
    /// A closed list changed.
    case listChanged
    /// An announced order or mix changed.
    case orderChanged
    /// The viewer is not in the list, although the server confirmed the commitment.
    case leftOut
    /// The viewer is named as withholder, or is missing in the mix, although the server had got the reveal.
    case namedAsWithholder
    /// One revision of a table was shown with two contents.
    case contradiction
    /// An attempt was abandoned although no contributor withheld or left, or after its order was made.
    case voidedWithoutCause
    /// A revision, round or shoe has a lower number than one seen before.
    case wentBack
    /// More rounds passed than revisions, or more shoes than rounds.
    case shoesWithoutRounds
    /// A shoe came into play without the announcement of its order, though its ceremony was shown.
    case unannounced
    /// A card changed its face.
    case face(shoe: Int, place: Int, before: UInt8, seen: UInt8)
    /// Cards were skipped or dealt out of order: `seen` instead of `place`, nil for none.
    case gap(shoe: Int, place: Int, seen: Int?)
    /// The cut card is not where the rules have it.
    case cutCard(expected: Int, seen: Int)
    /// The shoe was shuffled before the cut card, with cards enough.
    case shuffledEarly
    /// The cut card was out and the next order made, and the shoe was played on.
    case shuffledLate
    /// A table omits an item that each table has, by its name on the wire: nothing can be compared without it.
    case itemMissing(String)
    /// A card of a shoe whose secret was revealed already.
    case dealtAfterReveal

    // In the table's rules, which each commitment binds.

    /// The rules that the server states do not give their digest.
    case rulesDigest
    /// The table shows other rules, or another digest, than the server states.
    case rulesDiffer
    /// The table shows other rules than before.
    case rulesChanged
    /// A settled hand won other chips than its outcome gives by the rules; negative for a loss.
    case payment(seat: Int, due: Int, seen: Int)
    /// The dealer drew a card, or none, against the rules.
    case dealerPlay
}
