/// The rules that determine a shoe's cards.
public struct ShoeRules: Hashable, Sendable {
    /// Packs of 52.
    public var decks: Int
    /// Whether each of 32 rounds has a shoe of its own.
    public var isContinuous: Bool

    public init(decks: Int, isContinuous: Bool = false) {
        self.decks = decks
        self.isContinuous = isContinuous
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
    public func check() throws(ShoeFault) {
        guard secret.serverCommitment(table: table, shoe: shoe, rules: rules) == commitment else { throw .secret }
        for entry in contributions {
            guard let reveal = entry.reveal else { continue }
            let made = reveal.contribution(table: table, shoe: shoe, player: entry.name, to: commitment)
            guard made == entry.commitment else { throw .contribution(entry.name) }
        }
    }

    /// Checks the proof in itself, and against everything that a viewer saw of the shoe.
    /// - Throws: the first fault.
    /// - Returns: whether the viewer's own contribution is in the order.
    @discardableResult public func check(against seen: WatchedShoe, _ form: ShoeRules) throws(ShoeFault) -> Bool {
        guard table == seen.table, shoe == seen.shoe, commitment == seen.commitment else { throw .anotherShoe }
        if let digest = seen.rules, SHA256.hash(rules.utf8) != digest { throw .rules }
        try check()
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
