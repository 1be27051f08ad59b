/// All that made the order of a shoe: what anybody needs to compute it again.
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
    /// All rules as compact JSON with sorted keys.
    public var rules: String
    /// The server's commitment to `secret`.
    public var commitment: Digest
    public var secret: ShoeSecret
    public var contributions: [Contribution]
    public var segments: [Segment]

    public init(
        table: String, shoe: Int, rules: String, commitment: Digest, secret: ShoeSecret, contributions: [Contribution],
        segments: [Segment] = []
    ) {
        self.table = table
        self.shoe = shoe
        self.rules = rules
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
