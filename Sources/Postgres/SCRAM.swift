import Fairness
import Foundation

/// The client's side of SCRAM-SHA-256 (RFC 5802, RFC 7677), without channel binding: each proves to the other that it knows the password, or
/// what is made of it, and neither sends it.
struct SCRAM: Sendable {
    static let mechanism = "SCRAM-SHA-256"

    /// The server cannot be trusted with the login.
    struct Refusal: Error, Hashable { var text: String }

    private let password: [UInt8]
    private let nonce: String
    private let clientFirst: String
    /// HMAC of the exchange by which the server proves itself; nil before ``response(to:)``.
    private var serverSignature: [UInt8]?

    /// A bound of the work that a server may ask for; PostgreSQL's standard is 4,096.
    private static let iterations = 4096...1_000_000

    /// - Parameters:
    ///   - password: as bytes; other characters than ASCII have to be in Unicode's form NFKC.
    ///   - nonce: random printable ASCII without commas.
    ///   - user: PostgreSQL ignores it, and takes the name of the session.
    init(password: [UInt8], nonce: String, user: String = "") {
        self.password = password
        self.nonce = nonce
        clientFirst = "n=\(user),r=\(nonce)"
    }

    /// The first message.
    var first: [UInt8] { Array("n,,\(clientFirst)".utf8) }

    /// The answer to the server's first message.
    mutating func response(to message: some Collection<UInt8>) throws(Refusal) -> [UInt8] {
        let text = String(decoding: message, as: UTF8.self)
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].hasPrefix("r="), parts[1].hasPrefix("s="), parts[2].hasPrefix("i="),
            let salt = Base64.decode(parts[1].dropFirst(2).utf8), let iterations = Int(parts[2].dropFirst(2))
        else { throw Refusal(text: "the server's login message violates RFC 5802") }
        let serverNonce = parts[0].dropFirst(2)
        guard serverNonce.hasPrefix(nonce), serverNonce.utf8.count > nonce.utf8.count else {
            throw Refusal(text: "the server replied to a different login")
        }
        guard Self.iterations.contains(iterations) else {
            throw Refusal(text: "the server asks for \(iterations) iterations; allowed are 4,096 to 1,000,000")
        }
        let salted = Self.saltedPassword(password, salt: salt, iterations: iterations)
        let clientKey = HMAC.authenticate("Client Key".utf8, key: salted).bytes
        let final = "c=biws,r=\(serverNonce)"
        let exchange = "\(clientFirst),\(text),\(final)"
        let signature = HMAC.authenticate(exchange.utf8, key: SHA256.hash(clientKey).bytes).bytes
        let proof = zip(clientKey, signature).map { $0 ^ $1 }
        let serverKey = HMAC.authenticate("Server Key".utf8, key: salted).bytes
        serverSignature = HMAC.authenticate(exchange.utf8, key: serverKey).bytes
        return Array("\(final),p=\(Base64.encode(proof))".utf8)
    }

    /// Checks the server's last message: it knows the password, too.
    func check(_ message: some Collection<UInt8>) throws(Refusal) {
        let text = String(decoding: message, as: UTF8.self)
        guard let serverSignature, text.hasPrefix("v="), Base64.decode(text.dropFirst(2).utf8) == serverSignature else {
            throw Refusal(text: "the server cannot prove that it knows the password: it may be the wrong server")
        }
    }

    /// PBKDF2 with HMAC-SHA-256, one block (RFC 8018).
    static func saltedPassword(_ password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
        // Both blocks of the key are hashed once.
        let keyed = HMAC(key: password)
        var code = keyed
        code.update(salt + [0, 0, 0, 1])
        var block = code.finish().bytes
        var result = block
        for _ in 1..<iterations {
            var code = keyed
            code.update(block)
            block = code.finish().bytes
            for index in result.indices { result[index] ^= block[index] }
        }
        return result
    }
}

/// Base64 by RFC 4648 §4, with padding.
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// nil for any other text: each value has one.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard let bytes = Data(base64Encoded: Data(text)), bytes.base64EncodedData().elementsEqual(text) else { return nil }
        return Array(bytes)
    }
}
