import CommandLineKit
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
    public var watched: WatchedShoe
    /// The fault that was found, as a sentence.
    public var fault: String?

    /// The members of a file that are read or written beside the server's.
    private struct Members: Codable {
        /// The reply's.
        var type: String?
        var seen: WatchedShoe
        var fault: String?
    }

    public init(_ report: ShoeReport, _ fault: ShoeFault?) {
        (proof, watched, self.fault) = (report.proof, report.watched, fault?.description)
    }

    /// Reads a file: a reply to `proof` with `seen`, or that alone.
    public init(text: String) throws(Unreadable) {
        do {
            let members = try JSONDecoder().decode(Members.self, from: Data(text.utf8))
            (watched, fault) = (members.seen, members.fault)
            try watched.validate()
            guard members.type != nil else { return }
            guard watched.rules != nil else {
                throw Unreadable(description: "'seen' has no 'rules' of the table: without them no proof can be checked")
            }
            let message = try Array(text.utf8).withUnsafeBufferPointer { try ServerMessage(line: $0) }
            guard case .ok(_, .proof(let proof)) = message else { throw Unreadable(description: "not a reply to 'proof'") }
            self.proof = proof
        } catch let error as Unreadable {
            throw error
        } catch let error as ProtocolError {
            throw Unreadable(description: error.message)
        } catch DecodingError.keyNotFound(let key, _) {
            throw Unreadable(description: "not a proof file: '\(key.stringValue)' is missing")
        } catch {
            throw Unreadable(description: "not a JSON object, or 'seen' is damaged")
        }
    }

    /// The file's text: one JSON object in one line.
    public var text: String {
        let own = Console.json(Members(seen: watched, fault: fault))
        guard let proof else { return own + "\n" }
        // Both are objects: the members of one are appended to those of the other.
        let reply = String(decoding: ServerMessage.ok(id: nil, .proof(proof)).encoded(), as: UTF8.self)
        guard let end = reply.lastIndex(of: "}") else { preconditionFailure("a reply is an object") }
        return reply[..<end] + "," + own.dropFirst() + "\n"
    }
}

extension WatchedShoe {
    /// Refuses everything that no client writes. A client notes a range as the server announced it, also one that no shoe has: that is
    /// evidence, and judged.
    fileprivate func validate() throws(ProofFile.Unreadable) {
        func damaged(_ place: String) -> ProofFile.Unreadable {
            .init(description: "'seen' is damaged: '\(place)' is invalid")
        }
        // Numbers on the wire are below 2^53.
        guard (0..<1 << 53).contains(shoe) else { throw damaged("shoe") }
        guard (1...8).contains(rules?.decks ?? 1) else { throw damaged("rules") }
        let shoes = shoe..<shoe + (rules?.isContinuous == false ? 1 : ShoeRules.roundsOfCeremony)
        var last: [Int: Int] = [:]
        for (index, order) in orders.enumerated() {
            // Each segment of a shoe is noted once, in ascending order.
            guard shoes.contains(order.shoe), order.segment > last[order.shoe] ?? -1,
                order.isPossible(cards: rules.map { $0.decks * 52 })
            else { throw damaged("orders[\(index)]") }
            last[order.shoe] = order.segment
        }
        for (shoe, faces) in faces {
            let isPossible = faces.count <= Self.mostCards && faces.allSatisfy { $0 ?? 0 < 52 }
            guard isPossible, shoes.contains(shoe) else { throw damaged("faces") }
        }
    }
}

extension WatchedShoe.Order {
    /// - Parameter cards: of the shoe; nil where unknown.
    fileprivate func isPossible(cards: Int?) -> Bool {
        guard segment > 0 else {
            let isWhole = (52...8 * 52).contains(count) && count.isMultiple(of: 52) && count == cards ?? count
            return first == 0 && isWhole && discards == nil
        }
        let places = 0...WatchedShoe.mostCards
        guard places.contains(first), places.contains(count), count > 0 else { return false }
        guard let discards else { return true }
        return 0 <= discards.lowerBound && discards.upperBound <= first
            && count == (discards.isEmpty ? cards ?? count : discards.count)
    }
}

/// The folder of proof files: readable by the user alone, and bounded. The first files stay, so that no server erases evidence, its own or
/// another's.
public struct ProofFolder: Sendable {
    /// Files in it.
    public static let limit = 256
    /// Files of a run of the client: what a server can add.
    public static let runLimit = 8

    /// The reason in one sentence, with the path.
    public typealias Failure = PrivateFile.Failure

    public let path: String
    /// Files of this run: the shoe, and whether its proof is in the file.
    private var kept: [(shoe: WatchedShoe, file: PrivateFile, isProved: Bool)] = []

    public init(path: String) { self.path = path }

    /// `bjclient/proofs` in the user's folder for state, by the XDG base directory specification; nil without a home.
    public init?(environment: [String: String]) {
        guard let folder = PrivateFile.stateFolder(environment) else { return nil }
        path = folder + "/proofs"
    }

    /// Writes the evidence of a shoe: one file of a table and shoe in a run, which the proof of the same shoe completes.
    /// - Returns: its path.
    public mutating func store(_ report: ShoeReport, _ fault: ShoeFault?) throws(Failure) -> String {
        let index = kept.firstIndex { ($0.shoe.table, $0.shoe.shoe) == (report.table, report.shoe) }
        if let index, kept[index].isProved || report.proof == nil || kept[index].shoe.commitment != report.watched.commitment {
            return kept[index].file.path
        }
        let file = if let index { kept[index].file } else { try newFile(for: report) }
        try file.write(ProofFile(report, fault).text)
        if let index { kept.remove(at: index) }
        kept.append((report.watched, file, report.proof != nil))
        return file.path
    }

    private func newFile(for report: ShoeReport) throws(Failure) -> PrivateFile {
        let table = Self.plain(report.table)
        // The commitment tells apart what has the same table and shoe: another server, or another start; a number, another run.
        let name = "\(table)-\(report.shoe)-\(report.watched.commitment.hex.prefix(8))"
        var file = PrivateFile(folder: path, name: name, byteLimit: ProofFile.byteLimit)
        try file.makeFolder()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        guard kept.count < Self.runLimit, names.count(where: { $0.hasSuffix(".json") }) < Self.limit else {
            throw Failure(description: "\(path) has \(Self.limit) files, or \(Self.runLimit) of this session")
        }
        var number = 1
        while PrivateFile.exists(file.path) {
            number += 1
            file = PrivateFile(folder: path, name: "\(name)-\(number)", byteLimit: ProofFile.byteLimit)
        }
        return file
    }

    private static func plain(_ table: String) -> String {
        let characters = table.unicodeScalars.prefix(32).map(Character.init)
        return String(characters.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_" })
    }

    /// The verdict on a shoe whose proof lies here as `TABLE-SHOE.json`; nil for none.
    func verdict(on table: String, shoe: Int) -> ShoeVerdict? {
        let bytes = try? RegularFile.read("\(path)/\(Self.plain(table))-\(shoe).json", upTo: ProofFile.byteLimit)
        return bytes.map { ShoeVerdict(String(decoding: $0, as: UTF8.self), table, shoe) }
    }
}

/// Numbers that follow from a seed: contributions in practice, where the player is the host, and in tests; the secrets of bots. Never for people at
/// real tables.
package struct SeededEntropy: RandomNumberGenerator, Sendable {
    private var stream: ShoeStream

    package init(seed: UInt64) {
        stream = ShoeStream(ShoeKey(SHA256.hash("contributions \(seed)".utf8)))
    }

    package mutating func next() -> UInt64 { UInt64(stream.next()) << 32 | UInt64(stream.next()) }
}
