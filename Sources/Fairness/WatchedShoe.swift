/// A viewer's record of the shoe of one ceremony, or of its 32 shoes with continuous shuffling. A proof is checked against it.
public struct WatchedShoe: Hashable, Sendable, Codable {
    /// The order of a shoe or a segment, as announced before its first card.
    public struct Order: Hashable, Sendable, Codable {
        public var shoe: Int
        /// 0 for the shoe itself; 1, 2, … for cards reshuffled in mid-round.
        public var segment: Int
        /// The place of its first card.
        public var first: Int
        public var count: Int
        public var digest: Digest
        /// The places of the discards in it, where the viewer saw the rounds before; empty for a full set of packs.
        public var discards: Range<Int>?

        public init(shoe: Int, segment: Int, first: Int, count: Int, digest: Digest, discards: Range<Int>? = nil) {
            self.shoe = shoe
            self.segment = segment
            self.first = first
            self.count = count
            self.digest = digest
            self.discards = discards
        }
    }

    /// The viewer's own contribution, whose commitment the server has confirmed: it has to be in the list.
    public struct Own: Hashable, Sendable, Codable {
        public var name: String
        public var contribution: ShoeSecret
        public var commitment: Digest
        /// The digest of the list under which it was revealed; nil: it was not.
        public var list: Digest?
        /// Whether the server confirmed the reveal: then it has to be in the mix.
        public var isConfirmed: Bool

        public init(
            name: String, contribution: ShoeSecret, commitment: Digest, list: Digest? = nil, isConfirmed: Bool = false
        ) {
            self.name = name
            self.contribution = contribution
            self.commitment = commitment
            self.list = list
            self.isConfirmed = isConfirmed
        }
    }

    public var table: String
    /// As in ``ShoeProof/shoe``.
    public var shoe: Int
    /// nil: the table did not show them.
    public var rules: ShoeRules?
    /// The server's commitment.
    public var commitment: Digest
    public var list: Digest?
    /// For each contributor, whether the contribution is in the mix.
    public var mixed: [Bool]?
    public var orders: [Order] = []
    /// The faces seen, by the number of the shoe and by place.
    public private(set) var faces: [Int: [UInt8?]] = [:]
    public var own: Own?
    /// All rules as the table showed them, and as the server stated them to other effect or a later item shows them: compact JSON.
    public var statedRules: [String]?

    public init(table: String, shoe: Int, rules: ShoeRules?, commitment: Digest) {
        self.table = table
        self.shoe = shoe
        self.rules = rules
        self.commitment = commitment
    }

    /// The number of faces seen.
    public var seen: Int { faces.values.reduce(0) { $0 + $1.count { $0 != nil } } }

    /// The number of cards in the orders announced.
    public var total: Int { orders.reduce(0) { $0 + $1.count } }

    /// Notes a face.
    /// - Parameters:
    ///   - code: 0…51.
    ///   - place: the card's number, from 0; at most 2^16.
    /// - Returns: the face that was seen there before, if it was another one.
    @discardableResult public mutating func note(_ code: UInt8, at place: Int, ofShoe shoe: Int) -> UInt8? {
        guard (0..<Self.mostCards).contains(place) else { return nil }
        let known = faces[shoe]?.count ?? 0
        if known <= place {
            faces[shoe, default: []].append(contentsOf: repeatElement(nil, count: place + 1 - known))
        }
        if let before = faces[shoe]?[place], before != code { return before }
        faces[shoe]?[place] = code
        return nil
    }

    /// Bounds the memory that a server can make a viewer use for a shoe.
    public static let mostCards = 1 << 16
}
