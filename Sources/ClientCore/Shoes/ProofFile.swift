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
