import Fairness
import Foundation
import Wire

/// A proof as a file: the server's `proof` reply, with a member `seen` for what the viewer saw. Without it, the bare reply.
public struct ProofFile: Equatable, Sendable {
    /// Bytes. No reply is longer, nor anything that a viewer keeps of 32 shoes.
    public static let byteLimit = 4 << 20

    /// The text is no proof file.
    public struct Unreadable: Error, CustomStringConvertible {
        public let description: String
    }

    /// nil: a fault was found before the secret was revealed.
    public var proof: ShoeProof?
    /// nil: the server's reply alone.
    public var watched: WatchedShoe?
    /// The fault that was found, as a sentence.
    public var fault: String?

    public init(_ report: ShoeReport, _ fault: ShoeFault?) {
        proof = report.proof
        watched = report.watched
        self.fault = fault?.description
    }

    /// Reads a file, or the bare reply of a server, with or without its `type` and `to`.
    public init(text: String) throws(Unreadable) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            throw Unreadable(description: "this is no JSON object")
        }
        if object["secret"] != nil { proof = try Self.proof(text, hasType: object["type"] != nil) }
        do {
            let members = try JSONDecoder().decode(Members.self, from: Data(text.utf8))
            watched = try members.seen?.watched
            fault = members.fault
        } catch let error as Unreadable {
            throw error
        } catch {
            throw Unreadable(description: "'seen' is damaged")
        }
        guard proof != nil || watched != nil else { throw Unreadable(description: "this is neither a proof nor a proof file") }
    }

    private static func proof(_ text: String, hasType: Bool) throws(Unreadable) -> ShoeProof {
        // The rules' text stays as it is: the commitment is made of it.
        let line = hasType ? text : "{\"type\":\"ok\",\"to\":\"proof\"," + text.drop { $0 != "{" }.dropFirst()
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

private struct Members: Codable {
    var seen: Seen?
    var fault: String?
}

/// ``WatchedShoe`` as JSON: digests in base64url as on the wire, cards as `KD`, `--` for those not seen.
private struct Seen: Codable {
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

    var watched: WatchedShoe {
        get throws {
            var result = WatchedShoe(
                table: table, shoe: shoe, rules: try rules.map(digest), commitment: try digest(commitment))
            result.list = try list.map(digest)
            result.mixed = mixed
            result.orders = try orders.map { order in
                var discards: Range<Int>?
                if let from = order.from, let to = order.to, from <= to { discards = from..<to }
                return .init(
                    shoe: order.shoe, segment: order.segment, first: order.first, count: order.count,
                    digest: try digest(order.order), discards: discards)
            }
            for cards in cards {
                for (place, face) in cards.faces.enumerated() where face != "--" {
                    guard let code = CardText.code(face) else { throw ProofFile.Unreadable(description: "no card: '\(face)'") }
                    result.note(code, at: place, ofShoe: cards.shoe)
                }
            }
            result.own = try own.map { own in
                guard let secret = ShoeSecret(base64: Array(own.contribution.utf8)) else {
                    throw ProofFile.Unreadable(description: "no contribution: '\(own.contribution)'")
                }
                return .init(
                    name: own.name, contribution: secret, commitment: try digest(own.commitment),
                    list: try own.list.map(digest), isConfirmed: own.confirmed)
            }
            return result
        }
    }

    private func digest(_ text: String) throws -> Digest {
        guard let digest = Digest(base64: Array(text.utf8)) else {
            throw ProofFile.Unreadable(description: "no digest: '\(text.prefix(60))'")
        }
        return digest
    }
}
