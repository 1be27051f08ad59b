import Fairness
import Rules
import TableEngine
import Wire

/// Reads the fields of records.
extension JSONObject {
    func integer(_ key: StaticString, in range: ClosedRange<Int> = 0...Int.max) throws(JSONError) -> Int {
        try required(key).integer(in: range)
    }

    func integer(_ key: StaticString, absent: Int, in range: ClosedRange<Int> = 0...Int.max) throws(JSONError) -> Int {
        try find(key)?.integer(in: range) ?? absent
    }

    func flag(_ key: StaticString) throws(JSONError) -> Bool { try find(key)?.bool() ?? false }

    func text(_ key: StaticString) throws(JSONError) -> String { try required(key).string() }

    func optionalText(_ key: StaticString) throws(JSONError) -> String? {
        // `map` has no typed throws here: a closure would need an annotation.
        guard let value = find(key) else { return nil }
        return try value.string()
    }

    /// Milliseconds since 1970, up to 2^53: a sum with any span of a server cannot overflow.
    func time(_ key: StaticString = "time") throws(JSONError) -> Int64 { Int64(try integer(key, in: 0...1 << 53)) }

    func optionalTime(_ key: StaticString) throws(JSONError) -> Int64? {
        guard let value = find(key) else { return nil }
        return Int64(try value.integer(in: 0...Int.max))
    }

    func moment(_ key: StaticString) throws(JSONError) -> Moment { Moment(milliseconds: Int64(try integer(key))) }

    func player(_ key: StaticString = "account") throws(JSONError) -> PlayerID { PlayerID(try integer(key)) }

    func optionalPlayer(_ key: StaticString) throws(JSONError) -> PlayerID? {
        guard let value = find(key) else { return nil }
        return PlayerID(try value.integer(in: 0...Int.max))
    }

    func digest(_ key: StaticString) throws(JSONError) -> Digest { try Digest(required(key)) }

    func optionalDigest(_ key: StaticString) throws(JSONError) -> Digest? {
        guard let value = find(key) else { return nil }
        return try Digest(value)
    }

    func secret(_ key: StaticString) throws(JSONError) -> ShoeSecret {
        let value = try required(key)
        guard let secret = ShoeSecret(try value.hexBytes(count: ShoeSecret.length)) else { throw value.mismatch("a secret") }
        return secret
    }

    /// One of the words of an enumeration.
    func word<Word: CaseIterable>(_ key: StaticString, _ text: (Word) -> String) throws(JSONError) -> Word {
        try required(key).word(text)
    }

    /// Members `key` or `seed`.
    func shoeSource() throws(JSONError) -> ShoeSource {
        if let seed = find("seed") {
            guard let bytes = try? seed.hexBytes(count: 8) else { throw seed.mismatch("16 hexadecimal digits") }
            return .seeded(bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }
        let value = try required("key")
        guard let key = ShoeKey(try value.hexBytes(count: ShoeKey.length)) else { throw value.mismatch("a shoe's key") }
        return .keyed(key)
    }

    func pace(_ key: StaticString) throws(JSONError) -> Pace {
        let object = try required(key).object()
        let milliseconds = 0...1 << 53
        return Pace(
            settledMilliseconds: try object.integer("settledMilliseconds", in: milliseconds),
            missedRounds: try object.integer("missedRounds"), timeOuts: try object.integer("timeOuts"),
            graceMilliseconds: try object.integer("graceMilliseconds", in: milliseconds),
            sitOutMilliseconds: try object.integer("sitOutMilliseconds", in: milliseconds),
            bankMilliseconds: try object.find("bankMilliseconds")?.integer(in: milliseconds))
    }
}

extension JSONValue {
    func word<Word: CaseIterable>(_ text: (Word) -> String) throws(JSONError) -> Word {
        let found = try string()
        guard let word = Word.allCases.first(where: { text($0) == found }) else {
            throw mismatch("one of " + Word.allCases.map(text).joined(separator: ", "))
        }
        return word
    }

    func hexBytes(count: Int) throws(JSONError) -> [UInt8] {
        try string(expecting: "\(2 * count) hexadecimal digits") { digits in
            guard digits.count == 2 * count else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count)
            for index in 0..<count {
                guard let high = Self.nibble(digits[2 * index]), let low = Self.nibble(digits[2 * index + 1]) else { return nil }
                bytes.append(high << 4 | low)
            }
            return bytes
        }
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension Digest {
    fileprivate init(_ value: JSONValue) throws(JSONError) {
        guard let digest = Digest(bytes: try value.hexBytes(count: 32)) else { throw value.mismatch("a SHA-256") }
        self = digest
    }
}
