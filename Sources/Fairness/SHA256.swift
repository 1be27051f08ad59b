/// SHA-256 by NIST FIPS 180-4, incremental.
public struct SHA256: Sendable {
    static let blockLength = 64

    private var state: InlineArray<8, UInt32> = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// The incomplete block, as big-endian words.
    private var block = InlineArray<16, UInt32>(repeating: 0)
    /// The number of bytes in `block`.
    private var buffered = 0
    private var length: UInt64 = 0

    public init() {}

    public mutating func update(_ bytes: some Sequence<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ update(buffer: $0) }) == nil { for byte in bytes { update(byte) } }
    }

    private mutating func update(buffer bytes: UnsafeBufferPointer<UInt8>) {
        var next = 0
        while next < bytes.count {
            if buffered & 3 == 0, bytes.count - next >= 4 {
                let high = UInt32(bytes[next]) &<< 24 | UInt32(bytes[next + 1]) &<< 16
                update(word: high | UInt32(bytes[next + 2]) &<< 8 | UInt32(bytes[next + 3]))
                next += 4
            } else {
                update(bytes[next])
                next += 1
            }
        }
    }

    mutating func update(_ byte: UInt8) {
        block[buffered >> 2] = block[buffered >> 2] << 8 | UInt32(byte)
        added(1)
    }

    /// Appends the bytes of a word, most significant first.
    mutating func update(word: UInt32) {
        guard buffered & 3 == 0 else {
            for shift in stride(from: 24, through: 0, by: -8) { update(UInt8(truncatingIfNeeded: word >> UInt32(shift))) }
            return
        }
        block[buffered >> 2] = word
        added(4)
    }

    private mutating func added(_ count: Int) {
        buffered += count
        length &+= UInt64(count)
        if buffered == Self.blockLength {
            compress()
            buffered = 0
        }
    }

    /// Appends the bytes of a digest.
    mutating func update(_ digest: Digest) {
        for i in 0..<8 { update(word: digest.words[i]) }
    }

    /// The digest of all appended bytes.
    public consuming func finish() -> Digest {
        let bits = length &* 8
        update(0x80)
        while buffered & 3 != 0 { update(0) }
        while buffered != 56 { update(word: 0) }
        update(word: UInt32(truncatingIfNeeded: bits >> 32))
        update(word: UInt32(truncatingIfNeeded: bits))
        return Digest(words: state)
    }

    public static func hash(_ bytes: some Sequence<UInt8>) -> Digest {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    private mutating func compress() {
        var schedule = InlineArray<64, UInt32>(repeating: 0)
        for i in 0..<16 { schedule[i] = block[i] }
        for i in 16..<64 {
            let (w15, w2) = (schedule[i - 15], schedule[i - 2])
            let s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 &>> 3)
            let s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 &>> 10)
            schedule[i] = schedule[i - 16] &+ s0 &+ schedule[i - 7] &+ s1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for i in 0..<64 {
            let s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
            let choice = (e & f) ^ (~e & g)
            let t1 = h &+ s1 &+ choice &+ Self.constants[i] &+ schedule[i]
            let s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ s0 &+ majority)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    /// By 1 to 31 bits. Masking shifts: the others test the amount, which took half the time of a block in a debug build.
    private func rotate(_ word: UInt32, _ by: UInt32) -> UInt32 { word &>> by | word &<< (32 &- by) }

    private static let constants: InlineArray<64, UInt32> = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

/// HMAC-SHA256 by RFC 2104.
package struct HMAC: Sendable {
    private var inner = SHA256()
    private var outer = SHA256()

    package init(key: some Collection<UInt8>) {
        let long = key.count > SHA256.blockLength
        let short = long ? SHA256.hash(key).bytes : Array(key)
        let padded = short + Array(repeating: 0, count: SHA256.blockLength - short.count)
        inner.update(padded.map { $0 ^ 0x36 })
        outer.update(padded.map { $0 ^ 0x5c })
    }

    package mutating func update(_ bytes: some Sequence<UInt8>) { inner.update(bytes) }

    mutating func update(word: UInt32) { inner.update(word: word) }

    package consuming func finish() -> Digest {
        let digest = inner.finish()
        outer.update(digest)
        return outer.finish()
    }

    package static func authenticate(_ message: some Sequence<UInt8>, key: some Collection<UInt8>) -> Digest {
        var code = HMAC(key: key)
        code.update(message)
        return code.finish()
    }
}

/// The 32 bytes of a SHA-256 or HMAC-SHA256.
public struct Digest: Sendable, BitwiseCopyable {
    /// Eight big-endian words.
    let words: InlineArray<8, UInt32>

    init(words: InlineArray<8, UInt32>) { self.words = words }

    /// A digest of exactly 32 bytes; nil for any other number.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words = InlineArray<8, UInt32>(repeating: 0)
        for (i, byte) in bytes.enumerated() { words[i / 4] = words[i / 4] << 8 | UInt32(byte) }
        self.words = words
    }

    public var bytes: [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: words[$0 / 4] >> UInt32(24 - 8 * ($0 % 4))) }
    }

    /// 64 lower-case hexadecimal digits.
    public var hex: String { bytes.hex }

    /// - Parameter hex: nil unless 64 lower-case hexadecimal digits.
    public init?(hex: String) {
        guard let bytes = hex.utf8.bytesFromHex else { return nil }
        self.init(bytes: bytes)
    }
}

extension Digest: Hashable {
    public static func == (a: Digest, b: Digest) -> Bool {
        for i in 0..<8 where a.words[i] != b.words[i] { return false }
        return true
    }

    public func hash(into hasher: inout Hasher) {
        for i in 0..<8 { hasher.combine(words[i]) }
    }
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits per byte.
    public var hex: String {
        let digits = Array("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

extension Collection<UInt8> {
    /// The bytes of two lower-case hexadecimal digits each; nil for anything else.
    @inlinable
    package var bytesFromHex: [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count / 2)
        var high: UInt8?
        for digit in self {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            default: return nil
            }
            if let first = high.take() { bytes.append(first << 4 | value) } else { high = value }
        }
        return high == nil ? bytes : nil
    }
}
