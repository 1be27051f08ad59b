import Fairness
import Foundation

/// The members of a proof file that are not the server's.
struct Members: Codable {
    var seen: Seen?
    var fault: String?
}

/// The names of an object's members.
struct MemberNames: Decodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let names: Set<String>

    init(from decoder: any Decoder) throws {
        names = Set(try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue))
    }
}

/// ``WatchedShoe`` as JSON: digests in base64url as on the wire, cards as `KD`, `--` for those not seen.
struct Seen: Codable {
    struct Order: Codable {
        var shoe: Int
        var segment: Int
        var first: Int
        var count: Int
        var order: String
        var from: Int?
        var to: Int?
    }

    struct Cards: Codable {
        var shoe: Int
        var faces: [String]
    }

    struct Own: Codable {
        var name: String
        var contribution: String
        var commitment: String
        var list: String?
        var confirmed: Bool
    }

    var table: String
    var shoe: Int
    var commitment: String
    var rules: String?
    var list: String?
    var mixed: [Bool]?
    var orders: [Order]
    var cards: [Cards]
    var own: Own?
}

extension Seen {
    init(_ shoe: WatchedShoe) {
        table = shoe.table
        self.shoe = shoe.shoe
        commitment = shoe.commitment.base64
        rules = shoe.rules?.base64
        list = shoe.list?.base64
        mixed = shoe.mixed
        orders = shoe.orders.map {
            Order(
                shoe: $0.shoe, segment: $0.segment, first: $0.first, count: $0.count, order: $0.digest.base64,
                from: $0.discards?.lowerBound, to: $0.discards?.upperBound)
        }
        cards = shoe.faces.sorted { $0.key < $1.key }.map { number, faces in
            Cards(shoe: number, faces: faces.map { $0.map(CardText.text) ?? "--" })
        }
        own = shoe.own.map {
            Own(
                name: $0.name, contribution: $0.contribution.base64, commitment: $0.commitment.base64, list: $0.list?.base64,
                confirmed: $0.isConfirmed)
        }
    }

    /// - Parameter proof: of this shoe. It says how many cards the shoe has, if its rules are those that the viewer was shown.
    func watched(with proof: ShoeProof?) throws -> WatchedShoe {
        let isOfTheseRules = proof.map { SHA256.hash($0.rules.utf8).base64 == rules } ?? false
        try validate(with: isOfTheseRules ? proof.flatMap { ShoeRules(text: $0.rules) } : nil)
        var result = WatchedShoe(table: table, shoe: shoe, rules: try rules.map(digest), commitment: try digest(commitment))
        result.list = try list.map(digest)
        result.mixed = mixed
        result.orders = try orders.map { order in
            var discards: Range<Int>?
            if let from = order.from, let to = order.to { discards = from..<to }
            return .init(
                shoe: order.shoe, segment: order.segment, first: order.first, count: order.count,
                digest: try digest(order.order), discards: discards)
        }
        for cards in cards {
            for (place, face) in cards.faces.enumerated() where face != "--" {
                guard let code = CardText.code(face) else {
                    throw ProofFile.Unreadable(description: "no card: '\(face.prefix(60))'")
                }
                result.note(code, at: place, ofShoe: cards.shoe)
            }
        }
        result.own = try own.map { own in
            guard let secret = ShoeSecret(base64: Array(own.contribution.utf8)) else {
                throw ProofFile.Unreadable(description: "no contribution: '\(own.contribution.prefix(60))'")
            }
            return .init(
                name: own.name, contribution: secret, commitment: try digest(own.commitment),
                list: try own.list.map(digest), isConfirmed: own.confirmed)
        }
        return result
    }

    private func digest(_ text: String) throws -> Digest {
        guard let digest = Digest(base64: Array(text.utf8)) else {
            throw ProofFile.Unreadable(description: "no digest: '\(text.prefix(60))'")
        }
        return digest
    }
}

extension Seen {
    /// Numbers on the wire are below 2^53.
    private static let numbers = 0..<1 << 53

    /// Refuses everything that no client writes. A client notes a range as the server announced it, also one that no shoe has: that is
    /// evidence, and judged.
    private func validate(with rules: ShoeRules?) throws(ProofFile.Unreadable) {
        guard Self.numbers.contains(shoe) else { throw damaged("'shoe' is \(shoe), and has to be 0 or more") }
        let shoes = shoe...shoe + (rules?.isContinuous == false ? 1 : ShoeRules.roundsOfCeremony) - 1
        var last: [Int: Order] = [:]
        for (index, order) in orders.enumerated() {
            let name = "orders[\(index)]"
            guard shoes.contains(order.shoe) else { throw damaged("\(name).shoe is \(order.shoe), which is of another ceremony") }
            try validate(order, name, after: last[order.shoe], rules)
            last[order.shoe] = order
        }
        var known: Set<Int> = []
        for (index, cards) in cards.enumerated() {
            let name = "cards[\(index)]"
            guard shoes.contains(cards.shoe) else { throw damaged("\(name).shoe is \(cards.shoe), which is of another ceremony") }
            guard known.insert(cards.shoe).inserted else {
                throw damaged("\(name).shoe is \(cards.shoe), which is there already")
            }
            guard cards.faces.count <= WatchedShoe.mostCards else {
                throw damaged("\(name) has \(cards.faces.count) faces, and may have \(WatchedShoe.mostCards)")
            }
        }
    }

    /// - Parameter last: the order before of the same shoe. A client notes each number once, in ascending order.
    private func validate(
        _ order: Order, _ name: String, after last: Order?, _ rules: ShoeRules?
    ) throws(ProofFile.Unreadable) {
        let full = rules.map { $0.decks * 52 }
        guard order.segment >= 0 else { throw damaged("\(name).segment is \(order.segment), and has to be 0 or more") }
        guard order.segment > last?.segment ?? -1 else { throw damaged("\(name).segment is \(order.segment), out of order") }
        guard order.segment > 0 else {
            guard order.first == 0, order.count > 0, order.count <= 8 * 52, order.count.isMultiple(of: 52),
                order.count == full ?? order.count
            else {
                throw damaged("\(name) has to have 'first' 0 and 'count' \(full.map { "\($0)" } ?? "52 for each deck")")
            }
            guard order.from == nil, order.to == nil else {
                throw damaged("\(name) is of no discards: it can't have 'from' and 'to'")
            }
            return
        }
        guard (0...WatchedShoe.mostCards).contains(order.first) else {
            throw damaged("\(name).first is \(order.first), and has to be 0 to \(WatchedShoe.mostCards)")
        }
        guard (1...WatchedShoe.mostCards).contains(order.count) else {
            throw damaged("\(name).count is \(order.count), and has to be 1 or more")
        }
        guard (order.from == nil) == (order.to == nil) else {
            throw damaged("\(name) has to have both 'from' and 'to', or neither")
        }
        guard let from = order.from, let to = order.to else { return }
        guard 0 <= from, from <= to, to <= order.first else {
            throw damaged("\(name) has 'from' \(from) and 'to' \(to), which is not within the \(order.first) cards before it")
        }
        guard order.count == (from == to ? full ?? order.count : to - from) else {
            throw damaged("\(name).count is \(order.count), and its discards are \(to - from)")
        }
    }

    private func damaged(_ fault: String) -> ProofFile.Unreadable { .init(description: "'seen' is damaged: \(fault)") }
}
