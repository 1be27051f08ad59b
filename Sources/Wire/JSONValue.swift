/// A value in a validated line, read in place: only reading a string copies.
package struct JSONValue {
    let line: JSONLine
    let token: Int
    /// Its key, for error messages.
    let name: StaticString

    fileprivate init(_ line: JSONLine, _ token: Int, _ name: StaticString) {
        self.line = line
        self.token = token
        self.name = name
    }

    /// Runs `body` with the value of a whole line, valid during the call only.
    /// - Parameter members: the most members of an object.
    /// - Throws: when the line is not one JSON value, or what `body` throws.
    package static func read<Result>(
        _ line: UnsafeBufferPointer<UInt8>, members: Int = WireLimits.members,
        _ body: (JSONValue) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        // `withUnsafeTemporaryAllocation` has no typed throws, so the error is returned as a value.
        let result = withUnsafeTemporaryAllocation(of: JSONToken.self, capacity: JSONValidator.capacity(for: line)) {
            tokens -> Swift.Result<Result, JSONError> in
            do throws(JSONError) {
                try JSONValidator.validate(line, into: tokens, members: members)
                return .success(try body(JSONValue(JSONLine(bytes: line, tokens: UnsafeBufferPointer(tokens)), 0, "the message")))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private var first: UInt8 { line.first(token) }

    package var isNull: Bool { first == UInt8(ascii: "n") }
    package var isString: Bool { first == UInt8(ascii: "\"") }

    /// Its type with an article.
    package var kind: String {
        switch first {
        case UInt8(ascii: "{"): "an object"
        case UInt8(ascii: "["): "a list"
        case UInt8(ascii: "\""): "a string"
        case UInt8(ascii: "n"): "null"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): "true or false"
        default: "a number that is too large"
        }
    }

    package func object() throws(JSONError) -> JSONObject {
        guard first == UInt8(ascii: "{") else { throw mismatch("an object") }
        return try JSONObject(self)
    }

    package func array() throws(JSONError) -> JSONArray {
        guard first == UInt8(ascii: "[") else { throw mismatch("an array") }
        return JSONArray(self)
    }

    package func bool() throws(JSONError) -> Bool {
        switch first {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: throw mismatch("true or false")
        }
    }

    /// A whole number, written without fraction or exponent.
    package func integer() throws(JSONError) -> Int {
        let digits = line.raw(token)
        let isNegative = first == UInt8(ascii: "-")
        // Accumulates a negative number: `Int.min` has no positive counterpart.
        var result = 0
        for byte in digits[(isNegative ? 1 : 0)...] {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { throw mismatch("a whole number") }
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.subtractingReportingOverflow(Int(digit))
            guard !overflow, !carry else { throw mismatch("a whole number of at most 64 bits") }
            result = sum
        }
        guard !isNegative else { return result }
        guard result != Int.min else { throw mismatch("a whole number of at most 64 bits") }
        return -result
    }

    package func integer(in range: ClosedRange<Int>) throws(JSONError) -> Int {
        guard let value = try? integer(), range.contains(value) else {
            throw mismatch("a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// A number, fraction and exponent included.
    package func double() throws(JSONError) -> Double {
        guard let value = Double(String(decoding: line.raw(token), as: UTF8.self)), value.isFinite else {
            throw mismatch("a number")
        }
        return value
    }

    /// A string of at most so many bytes of UTF-8.
    package func string(maximum: Int = .max) throws(JSONError) -> String {
        guard isString else { throw mismatch("a string") }
        let text = line.text(token)
        guard text.utf8.count <= maximum else { throw mismatch("a string of at most \(maximum) bytes") }
        return text
    }

    /// Converts a string by `read`, which gets its UTF-8 and returns nil for an unknown one.
    package func string<Result>(
        expecting expected: @autoclosure () -> String, _ read: (UnsafeBufferPointer<UInt8>) -> Result?
    ) throws(JSONError) -> Result {
        guard let result = try withText(read) else { throw mismatch(expected()) }
        return result
    }

    /// Runs `body` with the UTF-8 of a string.
    func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) throws(JSONError) -> Result {
        guard isString else { throw mismatch("a string") }
        return line.withText(token, body)
    }

    package func mismatch(_ expected: String) -> JSONError { .mismatch(name.description, expected: expected) }

    // MARK: Compact

    /// The value as it is part of a check value: no spaces, the keys of each object in alphabetical order, numbers as they were written.
    var compactText: String {
        get throws(JSONError) {
            var bytes: [UInt8] = []
            try appendCompact(to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private func appendCompact(to bytes: inout [UInt8]) throws(JSONError) {
        switch line.first(token) {
        case UInt8(ascii: "{"): try appendObject(to: &bytes)
        case UInt8(ascii: "["):
            var elements = try array()
            bytes.append(UInt8(ascii: "["))
            var isFirst = true
            while let element = elements.next() {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                try element.appendCompact(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case UInt8(ascii: "\""): JSONWriter.append(to: &bytes) { $0.string(line.text(token)) }
        default: bytes += line.raw(token)
        }
    }

    private func appendObject(to bytes: inout [UInt8]) throws(JSONError) {
        var members: [(key: String, text: [UInt8])] = []
        try object().eachMember { key, value throws(JSONError) in
            var text: [UInt8] = []
            try value.appendCompact(to: &text)
            members.append((try key.string(), text))
        }
        members.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONWriter.append(to: &bytes) { $0.string(member.key) }
            bytes.append(UInt8(ascii: ":"))
            bytes += member.text
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

/// The elements of an array, one after the other.
package struct JSONArray {
    private let value: JSONValue
    private var position: Int
    private let end: Int

    fileprivate init(_ value: JSONValue) {
        self.value = value
        position = value.token + 1
        end = value.line.next(value.token)
    }

    /// The next element; nil after the last.
    package mutating func next() -> JSONValue? {
        guard position < end else { return nil }
        defer { position = value.line.next(position) }
        return JSONValue(value.line, position, value.name)
    }

    /// The next element, which must be there.
    package mutating func required() throws(JSONError) -> JSONValue {
        guard let element = next() else { throw value.mismatch("an array with more elements") }
        return element
    }

    /// Maps each element; at most `maximum` of them.
    package mutating func map<Result>(
        maximum: Int = .max, _ body: (JSONValue) throws(JSONError) -> Result
    ) throws(JSONError) -> [Result] {
        var results: [Result] = []
        while let element = next() {
            guard results.count < maximum else { throw value.mismatch("an array of at most \(maximum) elements") }
            results.append(try body(element))
        }
        return results
    }
}

/// The members of an object. Each is found by its key; members that nobody asks for are skipped by structure.
package struct JSONObject {
    private let value: JSONValue
    private let end: Int
    /// ``keyBit(_:)`` of each key: absent ones are not searched for.
    private var keys: UInt64 = 0

    /// - Throws: when two members have the same key.
    fileprivate init(_ value: JSONValue) throws(JSONError) {
        self.value = value
        end = value.line.next(value.token)
        var key = value.token + 1
        while key < end {
            let bit = value.line.bit(of: key)
            guard keys & bit == 0 || bit == .max || keys == .max || isFirst(key) else {
                throw .duplicateKey(value.line.text(key))
            }
            keys |= bit
            key = value.line.next(key + 1)
        }
        if keys == .max { try checkKeys() }
    }

    /// Compares keys of which some have escapes: each is resolved once, since to compare all with each other would take a millisecond.
    @inline(never)
    private func checkKeys() throws(JSONError) {
        var known: Set<[UInt8]> = []
        try eachMember { key, _ throws(JSONError) in
            let text = try key.withText { Array($0) }
            guard known.insert(text).inserted else { throw .duplicateKey(String(decoding: text, as: UTF8.self)) }
        }
    }

    /// The number of members.
    var count: Int {
        var count = 0
        var key = value.token + 1
        while key < end {
            count += 1
            key = value.line.next(key + 1)
        }
        return count
    }

    private func isFirst(_ key: Int) -> Bool {
        var other = value.token + 1
        while other < key {
            if value.line.isSameText(other, key) { return false }
            other = value.line.next(other + 1)
        }
        return true
    }

    /// The member of that key, unless it is absent or null.
    package func find(_ key: StaticString) -> JSONValue? { token(of: key).map { JSONValue(value.line, $0, key) } }

    private func token(of key: StaticString) -> Int? {
        guard keys & keyBit(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)) != 0 else { return nil }
        var member = value.token + 1
        while member < end {
            if value.line.isText(member, key) {
                return value.line.first(member + 1) == UInt8(ascii: "n") ? nil : member + 1
            }
            member = value.line.next(member + 1)
        }
        return nil
    }

    /// The member of that key, which must be there.
    package func required(_ key: StaticString) throws(JSONError) -> JSONValue {
        guard let found = find(key) else { throw .missing(key.description) }
        return found
    }

    /// Every member in the order of the line.
    package func eachMember(_ body: (_ key: JSONValue, JSONValue) throws(JSONError) -> Void) throws(JSONError) {
        var member = value.token + 1
        while member < end {
            try body(JSONValue(value.line, member, value.name), JSONValue(value.line, member + 1, value.name))
            member = value.line.next(member + 1)
        }
    }
}
