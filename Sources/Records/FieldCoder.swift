import Fairness
import Rules
import TableEngine
import Wire

/// Visits the fields of a saved object in order: one declaration reads and writes it. A field that is `absent` is not written.
protocol FieldCoder {
    /// `Never` for the writer.
    associatedtype Failure: Error

    mutating func number(_ key: StaticString, _ value: inout Int, absent: Int?) throws(Failure)
    mutating func flag(_ key: StaticString, _ value: inout Bool) throws(Failure)
    mutating func text(_ key: StaticString, _ value: inout String) throws(Failure)
    mutating func optionalText(_ key: StaticString, _ value: inout String?) throws(Failure)
    mutating func optionalTime(_ key: StaticString, _ value: inout Int64?) throws(Failure)
    mutating func numbers(_ key: StaticString, _ value: inout [Int]) throws(Failure)
    mutating func optionalDigest(_ key: StaticString, _ value: inout Digest?) throws(Failure)
    mutating func digest(_ key: StaticString, _ value: inout Digest) throws(Failure)
    mutating func optionalSecret(_ key: StaticString, _ value: inout ShoeSecret?) throws(Failure)
    /// One of a list of words. `absent` nil: always written.
    mutating func word<Word: CaseIterable & Equatable>(
        _ key: StaticString, _ value: inout Word, absent: Word?, _ text: (Word) -> String
    ) throws(Failure)
    mutating func source(_ key: StaticString, _ value: inout ShoeSource?) throws(Failure)
    mutating func pace(_ key: StaticString, _ value: inout Pace) throws(Failure)
    mutating func rules(_ key: StaticString, _ value: inout HouseRules) throws(Failure)
    mutating func object<Value: Coded>(_ key: StaticString, _ value: inout Value) throws(Failure)
    mutating func list<Value: Coded>(_ key: StaticString, _ value: inout [Value]) throws(Failure)
}

/// An object whose fields are coded.
protocol Coded: Equatable {
    /// A value to read into; list elements that equal it are still written.
    static var blank: Self { get }
    mutating func code<C: FieldCoder>(_ coder: inout C) throws(C.Failure)
}

extension FieldCoder {
    mutating func number(_ key: StaticString, _ value: inout Int) throws(Failure) { try number(key, &value, absent: 0) }

    /// A field that must be present.
    mutating func required(_ key: StaticString, _ value: inout Int) throws(Failure) { try number(key, &value, absent: nil) }

    mutating func player(_ key: StaticString, _ value: inout PlayerID) throws(Failure) {
        var number = Int(truncatingIfNeeded: value.rawValue)
        try self.number(key, &number, absent: 0)
        value = PlayerID(rawValue: UInt64(truncatingIfNeeded: number))
    }

    mutating func optionalPlayer(_ key: StaticString, _ value: inout PlayerID?) throws(Failure) {
        var number = value.map { Int(truncatingIfNeeded: $0.rawValue) } ?? -1
        try self.number(key, &number, absent: -1)
        value = number < 0 ? nil : PlayerID(number)
    }

    mutating func time(_ key: StaticString, _ value: inout Int64) throws(Failure) {
        var number = Int(value)
        try self.number(key, &number, absent: 0)
        value = Int64(number)
    }

    mutating func moment(_ key: StaticString, _ value: inout Moment?) throws(Failure) {
        var time = value?.milliseconds
        try optionalTime(key, &time)
        value = time.map { Moment(milliseconds: $0) }
    }
}

extension JSONWriter: FieldCoder {
    typealias Failure = Never

    mutating func number(_ key: StaticString, _ value: inout Int, absent: Int?) {
        if value != absent { member(key, value) }
    }

    mutating func flag(_ key: StaticString, _ value: inout Bool) {
        if value { member(key, true) }
    }

    mutating func text(_ key: StaticString, _ value: inout String) { member(key, value) }

    mutating func optionalText(_ key: StaticString, _ value: inout String?) { optionalMember(key, value) }

    mutating func optionalTime(_ key: StaticString, _ value: inout Int64?) {
        if let value { member(key, value) }
    }

    mutating func numbers(_ key: StaticString, _ value: inout [Int]) {
        guard !value.isEmpty else { return }
        self.key(key)
        beginArray()
        for number in value { integer(number) }
        endArray()
    }

    mutating func optionalDigest(_ key: StaticString, _ value: inout Digest?) {
        if let value { member(key, value.hex) }
    }

    mutating func digest(_ key: StaticString, _ value: inout Digest) { member(key, value.hex) }

    mutating func optionalSecret(_ key: StaticString, _ value: inout ShoeSecret?) {
        if let value { member(key, value.bytes.hex) }
    }

    mutating func word<Word: CaseIterable & Equatable>(
        _ key: StaticString, _ value: inout Word, absent: Word?, _ text: (Word) -> String
    ) {
        if value != absent { member(key, text(value)) }
    }

    mutating func source(_ key: StaticString, _ value: inout ShoeSource?) {
        guard let value else { return }
        self.key(key)
        beginObject()
        member(value)
        endObject()
    }

    mutating func pace(_ key: StaticString, _ value: inout Pace) {
        self.key(key)
        write(value)
    }

    mutating func rules(_ key: StaticString, _ value: inout HouseRules) {
        self.key(key)
        write(value.fieldValues)
    }

    mutating func object<Value: Coded>(_ key: StaticString, _ value: inout Value) {
        self.key(key)
        beginObject()
        value.code(&self)
        endObject()
    }

    mutating func list<Value: Coded>(_ key: StaticString, _ value: inout [Value]) {
        guard !value.isEmpty else { return }
        self.key(key)
        beginArray()
        for var element in value {
            beginObject()
            element.code(&self)
            endObject()
        }
        endArray()
    }
}

extension JSONObject: FieldCoder {
    typealias Failure = JSONError

    private static var any: ClosedRange<Int> { -Int.max...Int.max }

    mutating func number(_ key: StaticString, _ value: inout Int, absent: Int?) throws(JSONError) {
        if let found = find(key) {
            value = try found.integer(in: Self.any)
        } else if let absent {
            value = absent
        } else {
            throw .missing(key.description)
        }
    }

    mutating func flag(_ key: StaticString, _ value: inout Bool) throws(JSONError) { value = try flag(key) }

    mutating func text(_ key: StaticString, _ value: inout String) throws(JSONError) { value = try text(key) }

    mutating func optionalText(_ key: StaticString, _ value: inout String?) throws(JSONError) { value = try optionalText(key) }

    mutating func optionalTime(_ key: StaticString, _ value: inout Int64?) throws(JSONError) { value = try optionalTime(key) }

    mutating func numbers(_ key: StaticString, _ value: inout [Int]) throws(JSONError) {
        value = []
        guard let found = find(key) else { return }
        var list = try found.array()
        while let element = list.next() { value.append(try element.integer(in: Self.any)) }
    }

    mutating func optionalDigest(_ key: StaticString, _ value: inout Digest?) throws(JSONError) {
        value = try optionalDigest(key)
    }

    mutating func digest(_ key: StaticString, _ value: inout Digest) throws(JSONError) { value = try digest(key) }

    mutating func optionalSecret(_ key: StaticString, _ value: inout ShoeSecret?) throws(JSONError) {
        value = find(key) == nil ? nil : try secret(key)
    }

    mutating func word<Word: CaseIterable & Equatable>(
        _ key: StaticString, _ value: inout Word, absent: Word?, _ text: (Word) -> String
    ) throws(JSONError) {
        guard let found = find(key) else {
            guard let absent else { throw .missing(key.description) }
            value = absent
            return
        }
        value = try found.word(text)
    }

    mutating func source(_ key: StaticString, _ value: inout ShoeSource?) throws(JSONError) {
        value = nil
        if let found = find(key) { value = try found.object().shoeSource() }
    }

    mutating func pace(_ key: StaticString, _ value: inout Pace) throws(JSONError) { value = try pace(key) }

    mutating func rules(_ key: StaticString, _ value: inout HouseRules) throws(JSONError) {
        value = try HouseRules(required(key))
    }

    mutating func object<Value: Coded>(_ key: StaticString, _ value: inout Value) throws(JSONError) {
        var object = try required(key).object()
        try value.code(&object)
    }

    mutating func list<Value: Coded>(_ key: StaticString, _ value: inout [Value]) throws(JSONError) {
        value = []
        guard let found = find(key) else { return }
        var list = try found.array()
        while let element = list.next() {
            var object = try element.object()
            var read = Value.blank
            try read.code(&object)
            value.append(read)
        }
    }
}

// MARK: - Fields

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
