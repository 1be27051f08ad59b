import Fairness
import Foundation
import Rules
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
        guard let names = try? JSONDecoder().decode(MemberNames.self, from: Data(text.utf8)).names else {
            throw Unreadable(description: "this is no JSON object")
        }
        let isProof = ["commitment", "contributors", "rules", "secret", "table"].contains(where: names.contains)
        guard !isProof || names.contains("secret") else { throw Unreadable(description: "the proof has no 'secret'") }
        if isProof { proof = try Self.proof(text, lacking: ["type", "to"].filter { !names.contains($0) }) }
        do {
            let members = try JSONDecoder().decode(Members.self, from: Data(text.utf8))
            watched = try members.seen?.watched(with: proof)
            fault = members.fault
        } catch let error as Unreadable {
            throw error
        } catch DecodingError.keyNotFound(let key, _) {
            throw Unreadable(description: "'seen' is damaged: '\(key.stringValue)' is missing")
        } catch {
            throw Unreadable(description: "'seen' is damaged")
        }
        guard proof != nil || watched != nil else { throw Unreadable(description: "this is neither a proof nor a proof file") }
    }

    private static func proof(_ text: String, lacking names: [String]) throws(Unreadable) -> ShoeProof {
        // The rules' text stays as it is: the commitment is made of it.
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

/// The folder of proof files: readable by the user alone, and bounded.
public struct ProofFolder: Sendable {
    /// The oldest files beyond it are removed.
    public static let limit = 64

    /// The reason in one sentence, with the path.
    public struct Failure: Error, Equatable, CustomStringConvertible {
        public let description: String
    }

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
        let file = "\(path)/\(table)-\(report.shoe)-\(report.watched.commitment.hex.prefix(8)).json"
        do {
            let owner: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: owner)
        } catch {
            let reason = ((error as? CocoaError)?.underlying as? POSIXError).map { String(cString: strerror($0.code.rawValue)) }
            throw Failure(description: "cannot make \(path): \(reason ?? "\(error)")")
        }
        try write(ProofFile(report, fault).text, to: file)
        prune(keeping: file)
        return file
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "-")
    }

    private func write(_ text: String, to file: String) throws(Failure) {
        let new = file + ".new"
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(file) }
        defer { close(descriptor) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(file) }
            bytes = bytes.dropFirst(count)
        }
        guard fsync(descriptor) == 0, rename(new, file) == 0 else { throw failure(file) }
    }

    private func failure(_ file: String) -> Failure {
        Failure(description: "cannot write \(file): \(String(cString: strerror(errno)))")
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

/// Contributions that follow from a seed: for practice, where the player is the host, and for tests. Never for real tables.
package struct SeededContributions: RandomNumberGenerator, Sendable {
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
