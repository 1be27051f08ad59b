import Fairness
import Rules
import TableEngine
import TableModel

/// Recomputes the keys of a table's shoes from the facts of their ceremonies: commitments, list, reveals, key.
///
/// Independent of the table's own ceremonies, so that an error of the engine is found, too. Facts fit the table already.
struct CeremonyCheck {
    private struct Contribution {
        var name: String
        var commitment: Digest
        var reveal: ShoeSecret?
    }

    private let rules: HouseRules
    /// nil: the table's shoes are supplied.
    private var table: String?
    /// Players by seat.
    private var seats: [Int: PlayerID] = [:]
    /// The ceremony of the coming shoe.
    private var shoe = 0
    private var secret: ShoeSecret?
    private var contributions: [PlayerID: Contribution] = [:]
    /// The closed list in the order of seats; nil while it is open.
    private var list: [PlayerID]?
    /// The key made for the coming shoe.
    private var key: ShoeKey?
    /// The shoe in play; with continuous shuffling the first of 32.
    private var played: (shoe: Int, key: ShoeKey)?
    private var isRevealed = false
    /// Secrets of this table, the last ones: none is used twice.
    private var used: [ShoeSecret] = []

    private static let secretsKept = 256

    init(_ rules: HouseRules) { self.rules = rules }

    /// Continues a saved table. Its own checks have compared keys and lists.
    init(_ saved: Table.Saved) {
        rules = saved.rules
        for seat in saved.seats {
            let player = saved.players.first { $0.slot == seat.state.player }
            if let player { seats[seat.seat + 1] = player.state.id }
        }
        guard let ceremonies = saved.ceremonies else { return }
        table = ceremonies.all.table
        isRevealed = ceremonies.isRevealed
        if let played = ceremonies.played, let key = Self.key(played, ceremonies.all.table, rules) {
            self.played = (played.shoe, key)
            used.append(played.secret)
        }
        guard let next = ceremonies.all.next else { return }
        (shoe, secret) = (next.shoe, next.secret)
        used.append(next.secret)
        for one in next.contributions {
            contributions[one.player] = Contribution(name: one.name, commitment: one.commitment, reveal: one.reveal)
        }
        if !next.isOpen { list = next.contributions.map(\.player) }
        if next.isMixed { key = Self.key(next, ceremonies.all.table, rules) }
    }

    private static func key(_ saved: Attempt, _ table: String, _ rules: HouseRules) -> ShoeKey? {
        let server = saved.secret.serverCommitment(table: table, shoe: saved.shoe, rules: rules.digest)
        let contributors = saved.contributions.map { Contributor(name: $0.name, commitment: $0.commitment) }
        return ShoeKey(secret: saved.secret, mix: contributors.listDigest(server: server).mix(saved.contributions.map(\.reveal)))
    }

    /// Whether the fact is a right step.
    mutating func isRight(_ fact: Fact) -> Bool {
        switch fact {
        case .sat(let id, _, let seat, _): seats[seat] = id
        case .left(let id, _):
            seats = seats.filter { $0.value != id }
            if list == nil { contributions[id] = nil }
        case .ceremoniesBegan(let name): table = name
        case .ceremonyOpened(let number, let bytes): return open(number, bytes)
        case .contributed(let id, let name, let commitment):
            guard list == nil, seats.values.contains(id) else { return false }
            contributions[id] = Contribution(name: name, commitment: commitment)
        case .listClosed:
            let order = seats.sorted { $0.key < $1.key }.map(\.value)
            // The first seat of each player.
            list = order.enumerated().filter { order.firstIndex(of: $0.element) == $0.offset && contributions[$0.element] != nil }
                .map(\.element)
        case .revealed(let id, let bytes): return reveal(id, bytes)
        case .attemptVoided: (secret, list, contributions) = (nil, nil, [:])
        case .shoeSupplied(let source): return table == nil || supply(source)
        case .shuffled(let number, let source): return table == nil || shuffle(number, source)
        case .secretRevealed(let number):
            isRevealed = true
            return number == played?.shoe
        case .roundStarted: return !isRevealed
        // No step of a ceremony.
        default: break
        }
        return true
    }

    private mutating func open(_ number: Int, _ bytes: ShoeSecret) -> Bool {
        let isNew = secret == nil && !used.contains(bytes)
        if used.count == Self.secretsKept { used.removeFirst() }
        used.append(bytes)
        (shoe, secret, list, contributions, key) = (number, bytes, nil, [:], nil)
        return isNew
    }

    private func commitment(_ secret: ShoeSecret) -> Digest {
        secret.serverCommitment(table: table ?? "", shoe: shoe, rules: rules.digest)
    }

    private mutating func reveal(_ id: PlayerID, _ bytes: ShoeSecret) -> Bool {
        guard let secret, list?.contains(id) == true, let own = contributions[id], own.reveal == nil else { return false }
        contributions[id]?.reveal = bytes
        return own.commitment
            == bytes.contribution(table: table ?? "", shoe: shoe, player: own.name, to: commitment(secret))
    }

    private mutating func supply(_ source: ShoeSource) -> Bool {
        guard let secret, let list, case .keyed(let found) = source else { return false }
        let ordered = list.compactMap { contributions[$0] }
        let contributors = ordered.map { Contributor(name: $0.name, commitment: $0.commitment) }
        let digest = contributors.listDigest(server: commitment(secret))
        key = ShoeKey(secret: secret, mix: digest.mix(ordered.map(\.reveal)))
        return key == found
    }

    private mutating func shuffle(_ number: Int, _ source: ShoeSource) -> Bool {
        if let key {
            (played, isRevealed) = ((number, key), false)
            (self.key, secret, list, contributions) = (nil, nil, nil, [:])
        }
        guard let played, case .keyed(let found) = source else { return false }
        return found == (rules.continuousShuffle ? played.key.round(number - played.shoe) : played.key)
    }
}

/// The order of a shoe, recomputed from its key: what the audit compares cards with. Independent of the table's own shoe.
struct ShoeCheck {
    private let decks: Int
    private var source: ShoeSource?
    private var order: [Card] = []
    private(set) var drawn = 0
    private var segment = 0
    /// The first card of this round, and the first card not yet reshuffled.
    private var roundStart = 0
    private var discardsStart = 0

    init(decks: Int) { self.decks = decks }

    /// Continues a saved shoe.
    /// - Returns: nil if its order is not that of its key. Reshuffled cards, at the end, cannot be recomputed.
    init?(_ saved: Shoe, decks: Int) {
        self.init(decks: decks)
        guard let source = saved.source else { return }
        shuffle(source)
        guard saved.order.starts(with: order) else { return nil }
        order = saved.order
        drawn = Int(saved.position)
        segment = saved.segment
        roundStart = saved.roundStart
        discardsStart = saved.discardsStart
    }

    mutating func shuffle(_ source: ShoeSource) {
        self.source = source
        order = Self.shuffled(fresh, by: source)
        (drawn, segment, roundStart, discardsStart) = (0, 0, 0, 0)
    }

    /// False unless the shoe has run out, and so many cards are reshuffled.
    mutating func reshuffle(_ count: Int) -> Bool {
        guard let source, drawn == order.count else { return false }
        segment += 1
        let discards = roundStart > discardsStart ? Array(order[discardsStart..<roundStart]) : fresh
        guard count == discards.count else { return false }
        order += Self.shuffled(discards, by: source.segment(segment))
        discardsStart = roundStart
        return true
    }

    mutating func startRound() { roundStart = drawn }

    /// Draws the next card; nil if the shoe is over or the id is not the next one.
    mutating func draw(_ id: CardID) -> Card? {
        guard Int(id.rawValue) == drawn, drawn < order.count else { return nil }
        defer { drawn += 1 }
        return order[drawn]
    }

    private var fresh: [Card] { (0..<decks).flatMap { _ in Card.deck } }

    private static func shuffled(_ cards: [Card], by source: ShoeSource) -> [Card] {
        var cards = cards
        switch source {
        case .keyed(let key):
            var stream = ShoeStream(key)
            stream.shuffle(&cards)
        case .seeded:
            cards.withUnsafeMutableBufferPointer { source.shuffle($0) }
        }
        return cards
    }
}
