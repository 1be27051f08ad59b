import Fairness
import Wire

/// The codes of a closed house. Each opens one new account. Keeps digests only, so a memory dump shows no code.
public struct InviteCodes: Sendable, Equatable {
    /// Bytes of a code.
    public static let length = 8...WireLimits.inviteBytes

    let digests: Set<Digest>

    /// - Parameter codes: others than of ``length`` bytes of visible ASCII never match.
    public init(_ codes: some Sequence<String>) { digests = Set(codes.map(Self.digest)) }

    public var count: Int { digests.count }

    static func digest(of code: String) -> Digest { SHA256.hash(code.utf8) }

    /// The line that is no code: its number, from 1. Its text may be a secret and is not shown.
    public struct Fault: Error, Equatable { public let line: Int }

    /// Reads a file's text: one code per line of 8…64 bytes of visible ASCII; `#` starts a comment.
    public static func parse(_ bytes: [UInt8]) throws(Fault) -> Self {
        var codes: [String] = []
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let text = String(decoding: line.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
            let words = text.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard let code = words.first else { continue }
            guard words.count == 1, length.contains(code.utf8.count), code.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw Fault(line: number)
            }
            codes.append(String(code))
        }
        return Self(codes)
    }
}
