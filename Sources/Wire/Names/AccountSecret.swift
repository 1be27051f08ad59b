/// The secret that opens a player's account: 32 random bytes that the client makes. The server keeps a digest only.
public struct AccountSecret: Hashable, Sendable {
    /// Bytes of randomness.
    public static let byteCount = 32

    /// 64 lower-case hexadecimal digits.
    public let digits: String

    /// - Parameter digits: nil unless exactly 64 lower-case hexadecimal digits.
    public init?(_ digits: String) {
        guard digits.utf8.count == 2 * Self.byteCount, digits.utf8.allSatisfy({ Self.value(of: $0) != nil }) else { return nil }
        self.digits = digits
    }

    /// A secret from a generator; for real accounts a cryptographically secure one.
    public init(using generator: inout some RandomNumberGenerator) {
        let table = Array("0123456789abcdef".utf8)
        let digits = (0..<2 * Self.byteCount).map { _ in table[Int(generator.next() >> 60)] }
        self.digits = String(decoding: digits, as: UTF8.self)
    }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        let values = digits.utf8.map { Self.value(of: $0) ?? 0 }
        return (0..<Self.byteCount).map { values[2 * $0] << 4 | values[2 * $0 + 1] }
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

// Never shown in logs, errors or failed expectations, which use reflection.
extension AccountSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AccountSecret: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> AccountSecret {
        try value.string(expecting: "64 lower-case hexadecimal digits") { bytes in
            AccountSecret(String(decoding: bytes, as: UTF8.self))
        }
    }
    func write(to writer: inout JSONWriter) { writer.string(digits) }
    static func shape(_: NoBounds) -> Shape { .text(pattern: "^[0-9a-f]{64}$") }
}
