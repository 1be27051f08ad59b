import Fairness

/// How the order of the shoe in play was made. See `Sources/Wire/Wire.docc/Shuffle.md`.
public struct FairShoe: Hashable, Sendable {
    /// Cards reshuffled in mid-round, behind the shoe's own.
    public struct Segment: Hashable, Sendable {
        /// 1, 2, …
        public var number: Int
        /// The id of its first card.
        public var first: Int
        /// Its cards.
        public var count: Int

        public init(number: Int, first: Int, count: Int) {
            self.number = number
            self.first = first
            self.count = count
        }
    }

    /// The number of the shoe, or of the first of the 32 shoes that a table with continuous shuffling makes of one ceremony.
    public var shoe: Int
    /// The server's commitment to its secret.
    public var commitment: Digest
    /// The digest of the list of contributors.
    public var list: Digest
    /// Which contributions are in the mix.
    public var mixed: MixedContributions
    /// The digest of the order of the segment in play.
    public var order: Digest
    /// The segment in play; nil for the shoe itself.
    public var segment: Segment?

    public init(
        shoe: Int, commitment: Digest, list: Digest, mixed: MixedContributions, order: Digest, segment: Segment? = nil
    ) {
        self.shoe = shoe
        self.commitment = commitment
        self.list = list
        self.mixed = mixed
        self.order = order
        self.segment = segment
    }
}

/// The ceremony of the coming shoe.
public struct NextShoe: Hashable, Sendable {
    public enum Stage: Hashable, Sendable {
        /// Players commit to their contributions.
        case open
        /// The list is closed: its players reveal.
        case revealing([Contributor])
        /// The order is made.
        case mixed(list: Digest, MixedContributions, order: Digest)
    }

    /// Attempts until the order is made of what has been revealed.
    public static let attempts = 4

    /// As in ``FairShoe/shoe``.
    public var shoe: Int
    /// 1…4.
    public var attempt: Int
    /// The server's commitment to its secret.
    public var commitment: Digest
    /// Names of players that withheld a reveal in former attempts, each once.
    public var withheld: [String]
    public var stage: Stage
    /// When the stage ends by itself, in milliseconds since 1970 on the server's clock; nil while the shoe before is in play.
    public var until: Int64?

    public init(
        shoe: Int, attempt: Int = 1, commitment: Digest, withheld: [String] = [], stage: Stage = .open, until: Int64? = nil
    ) {
        self.shoe = shoe
        self.attempt = attempt
        self.commitment = commitment
        self.withheld = withheld
        self.stage = stage
        self.until = until
    }
}

/// For each contributor of a list, in its order, whether the contribution is in the mix.
public struct MixedContributions: Hashable, Sendable {
    /// One for each seat at most.
    public static let mostContributors = 7

    public let flags: [Bool]

    /// - Precondition: seven at most.
    public init(_ flags: [Bool]) {
        precondition(flags.count <= Self.mostContributors, "a list has a contributor for each seat at most")
        self.flags = flags
    }

    /// `1011`: the second contributor withheld. Empty: nobody was on the list.
    public var text: String { String(flags.map { $0 ? "1" : "0" }) }

    /// Parses ``text``; nil for any other text.
    public init?(text: some Collection<UInt8>) {
        guard text.count <= Self.mostContributors, text.allSatisfy({ $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "1") })
        else { return nil }
        flags = text.map { $0 == UInt8(ascii: "1") }
    }
}
