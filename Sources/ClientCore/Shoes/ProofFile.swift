import Fairness
import Foundation
import Rules
import Wire

/// A proof as a file: the server's `proof` reply, with a member `seen` for what the viewer saw.
public struct ProofFile: Equatable, Sendable {
    /// Bytes. No reply is longer, nor anything that a viewer keeps of 32 shoes.
    public static let byteLimit = 4 << 20

    /// The text is no proof file.
    public struct Unreadable: Error, CustomStringConvertible {
        public let description: String
    }

    /// nil: a fault was found before the secret was revealed.
    public var proof: ShoeProof?
    public var watched: WatchedShoe?
    /// The fault that was found, as a sentence.
    public var fault: String?

    public init(_ report: ShoeReport, _ fault: ShoeFault?) {
        proof = report.proof
        watched = report.watched
        self.fault = fault?.description
    }

    /// Reads a file, with or without the `type` and `to` of the reply.
    public init(text: String) throws(Unreadable) {
        guard let names = try? JSONDecoder().decode(MemberNames.self, from: Data(text.utf8)).names else {
            throw Unreadable(description: "this is no JSON object")
        }
        let isProof = ["commitment", "contributors", "secret", "table"].contains(where: names.contains)
        guard !isProof || names.contains("secret") else { throw Unreadable(description: "the proof has no 'secret'") }
        if isProof { proof = try Self.proof(text, lacking: ["type", "to"].filter { !names.contains($0) }) }
        do {
            let members = try JSONDecoder().decode(Members.self, from: Data(text.utf8))
            watched = try members.seen?.watched()
            fault = members.fault
        } catch let error as Unreadable {
            throw error
        } catch DecodingError.keyNotFound(let key, _) {
            throw Unreadable(description: "'seen' is damaged: '\(key.stringValue)' is missing")
        } catch {
            throw Unreadable(description: "'seen' is damaged")
        }
        guard proof == nil || watched?.rules != nil else {
            throw Unreadable(description: "'seen' has no 'rules' of the table: without them no proof can be checked")
        }
        guard proof != nil || watched != nil else { throw Unreadable(description: "this is no proof file") }
    }

    private static func proof(_ text: String, lacking names: [String]) throws(Unreadable) -> ShoeProof {
        let added = names.map { $0 == "type" ? "\"type\":\"ok\"," : "\"to\":\"proof\"," }.joined()
        let line = "{" + added + text.drop { $0 != "{" }.dropFirst()
        do {
            let message = try Array(line.utf8).withUnsafeBufferPointer { bytes throws(ProtocolError) in
                try ServerMessage(line: bytes)
            }
            guard case .ok(_, .proof(let proof)) = message else { throw Unreadable(description: "this is no reply to 'proof'") }
            return proof
        } catch let error as ProtocolError {
            throw Unreadable(description: error.message)
        } catch {
            throw Unreadable(description: "this is no reply to 'proof'")
        }
    }

    /// The file's text: one JSON object in one line.
    public var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let members = Members(seen: watched.map(Seen.init), fault: fault)
        guard let own = try? encoder.encode(members) else { preconditionFailure("numbers and strings can be encoded") }
        guard let proof else { return String(decoding: own, as: UTF8.self) + "\n" }
        let reply = String(decoding: ServerMessage.ok(id: nil, .proof(proof)).encoded(), as: UTF8.self)
        // Both are objects: the members of one are appended to those of the other.
        guard own.count > 2 else { return reply }
        guard let end = reply.lastIndex(of: "}") else { preconditionFailure("a reply is an object") }
        return reply[..<end] + "," + String(decoding: own, as: UTF8.self).dropFirst() + "\n"
    }
}

// MARK: - Seen

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
        var shoe, segment, first, count: Int
        var order: String
        var from, to: Int?
    }

    struct Cards: Codable {
        var shoe: Int
        var faces: [String]
    }

    struct Own: Codable {
        var name, contribution, commitment: String
        var list: String?
        var confirmed: Bool
    }

    struct Rules: Codable {
        var decks: Int
        var continuous: Bool
        var digest: String
    }

    var table: String
    var shoe: Int
    var commitment: String
    var rules: Rules?
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
        rules = shoe.rules.map { Rules(decks: $0.decks, continuous: $0.isContinuous, digest: $0.digest.base64) }
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

    func watched() throws -> WatchedShoe {
        try validate()
        let form = try rules.map { ShoeRules(decks: $0.decks, isContinuous: $0.continuous, digest: try digest($0.digest)) }
        var result = WatchedShoe(table: table, shoe: shoe, rules: form, commitment: try digest(commitment))
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
    private func validate() throws(ProofFile.Unreadable) {
        guard Self.numbers.contains(shoe) else { throw damaged("shoe") }
        guard (1...8).contains(rules?.decks ?? 1) else { throw damaged("rules") }
        let shoes = shoe...shoe + (rules?.continuous == false ? 1 : ShoeRules.roundsOfCeremony) - 1
        var last: [Int: Int] = [:]
        for (index, order) in orders.enumerated() {
            // Each segment of a shoe is noted once, in ascending order.
            guard shoes.contains(order.shoe), order.segment > last[order.shoe] ?? -1,
                order.isPossible(cards: rules.map { $0.decks * 52 })
            else { throw damaged("orders[\(index)]") }
            last[order.shoe] = order.segment
        }
        var known: Set<Int> = []
        for (index, cards) in cards.enumerated() {
            guard shoes.contains(cards.shoe), known.insert(cards.shoe).inserted, cards.faces.count <= WatchedShoe.mostCards
            else { throw damaged("cards[\(index)]") }
        }
    }

    private func damaged(_ place: String) -> ProofFile.Unreadable {
        .init(description: "'seen' is damaged: no client notes such '\(place)'")
    }
}

extension Seen.Order {
    /// - Parameter cards: of the shoe; nil where unknown.
    fileprivate func isPossible(cards: Int?) -> Bool {
        guard segment > 0 else {
            let isWhole = (52...8 * 52).contains(count) && count.isMultiple(of: 52) && count == cards ?? count
            return first == 0 && isWhole && from == nil && to == nil
        }
        let (places, isPair) = (0...WatchedShoe.mostCards, (from == nil) == (to == nil))
        guard places.contains(first), places.contains(count), count > 0, isPair else { return false }
        guard let from, let to else { return true }
        return 0 <= from && from <= to && to <= first && count == (from == to ? cards ?? count : to - from)
    }
}

/// The folder of proof files: readable by the user alone, and bounded.
public struct ProofFolder: Sendable {
    /// The oldest files beyond it are removed.
    public static let limit = 64

    /// The reason in one sentence, with the path.
    public typealias Failure = PrivateFile.Failure

    public let path: String

    public init(path: String) { self.path = path }

    /// `bjclient/proofs` in the user's folder for state, by the XDG base directory specification; nil without a home.
    public init?(environment: [String: String]) {
        // A relative path is invalid, by the specification.
        if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
            path = folder + "/bjclient/proofs"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            path = home + "/.local/state/bjclient/proofs"
        } else {
            return nil
        }
    }

    /// Writes the evidence of a shoe. A second file of the same shoe replaces the first.
    /// - Returns: its path.
    public func store(_ report: ShoeReport, _ fault: ShoeFault?) throws(Failure) -> String {
        let table = String(report.table.unicodeScalars.prefix(32).map { Self.isPlain($0) ? Character($0) : "_" })
        // The commitment tells apart what has the same table and shoe: another server, or another start.
        let name = "\(table)-\(report.shoe)-\(report.watched.commitment.hex.prefix(8))"
        let file = PrivateFile(folder: path, name: name, byteLimit: ProofFile.byteLimit)
        try file.makeFolder()
        try file.write(ProofFile(report, fault).text)
        prune(keeping: file.path)
        return file.path
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "-")
    }

    private func prune(keeping kept: String) {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let proofs = files.filter { $0.hasSuffix(".json") }.map { "\(path)/\($0)" }
        guard proofs.count > Self.limit else { return }
        func age(_ file: String) -> Date {
            (try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date) ?? .distantPast
        }
        let oldest = proofs.filter { $0 != kept }.map { ($0, age($0)) }.sorted { $0.1 < $1.1 }
        for (file, _) in oldest.prefix(proofs.count - Self.limit) { unlink(file) }
    }
}

/// Numbers that follow from a seed: contributions in practice, where the player is the host, and in tests; the secrets of bots. Never for people at
/// real tables.
package struct SeededEntropy: RandomNumberGenerator, Sendable {
    private var stream: ShoeStream

    package init(seed: UInt64) {
        let digest = SHA256.hash(Array("contributions \(seed)".utf8))
        guard let key = ShoeKey(digest.bytes) else { preconditionFailure("a digest has as many bytes as a key") }
        stream = ShoeStream(key)
    }

    package mutating func next() -> UInt64 { UInt64(stream.next()) << 32 | UInt64(stream.next()) }
}

/// Cards by their codes, in the words of the wire: `KD`.
enum CardText {
    static func text(_ code: UInt8) -> String { code < 52 ? Card(code: code).description : "no card" }

    static func code(_ text: String) -> UInt8? { Card(text)?.code }
}
