/// A syntax error: expectation and line.
struct JSONTreeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// From 1.
    var line: Int
    var expected: String
    var description: String { "line \(line): expected \(expected)" }
}

extension JSONTree {
    /// Reads a text that is one JSON value by RFC 8259, at most 64 values deep, no key twice in an object.
    init(parsing text: String) throws(JSONTreeError) {
        var parser = Parser(bytes: Array(text.utf8))
        parser.skipSpace()
        self = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.isAtEnd else { throw parser.expected("the end of the file") }
    }

    private struct Parser {
        let bytes: [UInt8]
        var position = 0
        var line = 1

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { position == bytes.count }
        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        func expected(_ what: String) -> JSONTreeError { JSONTreeError(line: line, expected: what) }

        mutating func skipSpace() {
            while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
                if byte == 0x0A { line += 1 }
                position += 1
            }
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func value(depth: Int) throws(JSONTreeError) -> JSONTree {
            guard depth < 64 else { throw expected("no more than 64 values inside each other") }
            switch next {
            case UInt8(ascii: "{"): return .object(try object(depth: depth))
            case UInt8(ascii: "["): return .array(try array(depth: depth))
            case UInt8(ascii: "\""): return .string(try string())
            case UInt8(ascii: "t") where word("true"): return .bool(true)
            case UInt8(ascii: "f") where word("false"): return .bool(false)
            case UInt8(ascii: "n") where word("null"): return .null
            default: return .number(try number())
            }
        }

        private mutating func word(_ text: String) -> Bool {
            guard bytes[position...].starts(with: text.utf8) else { return false }
            position += text.utf8.count
            return true
        }

        private mutating func array(depth: Int) throws(JSONTreeError) -> [JSONTree] {
            position += 1
            var elements: [JSONTree] = []
            skipSpace()
            if take("]") { return elements }
            while true {
                skipSpace()
                elements.append(try value(depth: depth + 1))
                skipSpace()
                if take("]") { return elements }
                guard take(",") else { throw expected("',' or ']'") }
            }
        }

        private mutating func object(depth: Int) throws(JSONTreeError) -> [Member] {
            position += 1
            var members: [Member] = []
            var keys: Set<String> = []
            skipSpace()
            if take("}") { return members }
            while true {
                skipSpace()
                guard next == UInt8(ascii: "\"") else { throw expected("a key in double quotes") }
                let (start, key) = (line, try string())
                guard keys.insert(key).inserted else { throw expected("the key \"\(key)\" only once") }
                skipSpace()
                guard take(":") else { throw expected("':'") }
                skipSpace()
                members.append(Member(key, try value(depth: depth + 1), line: start))
                skipSpace()
                if take("}") { return members }
                guard take(",") else { throw expected("',' or '}'") }
            }
        }

        private mutating func number() throws(JSONTreeError) -> Double {
            let start = position
            _ = take("-")
            let first = position
            while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
            let isWhole = position > first && (bytes[first] != 0x30 || position == first + 1)
            while let byte = next, "+-.eE0123456789".utf8.contains(byte) { position += 1 }
            let text = String(decoding: bytes[start..<position], as: UTF8.self)
            guard isWhole, let value = Double(text), !text.hasSuffix("."), text.firstRange(of: ".e") == nil,
                text.firstRange(of: ".E") == nil
            else {
                position = start
                throw expected("a value")
            }
            guard value.isFinite else { throw expected("a number that a 64-bit double can hold, not \(text.prefix(40))") }
            return value
        }

        private mutating func string() throws(JSONTreeError) -> String {
            position += 1
            var content: [UInt8] = []
            while let byte = next {
                position += 1
                switch byte {
                case UInt8(ascii: "\""):
                    guard let text = String(validating: content, as: UTF8.self) else { throw expected("UTF-8") }
                    return text
                case UInt8(ascii: "\\"): content += try escape()
                case ..<0x20: throw expected("no control character in a text")
                default: content.append(byte)
                }
            }
            throw expected("the end of a text")
        }

        private mutating func escape() throws(JSONTreeError) -> [UInt8] {
            guard let byte = next else { throw expected("the end of a text") }
            position += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
            case UInt8(ascii: "b"): return [0x08]
            case UInt8(ascii: "f"): return [0x0C]
            case UInt8(ascii: "n"): return [0x0A]
            case UInt8(ascii: "r"): return [0x0D]
            case UInt8(ascii: "t"): return [0x09]
            case UInt8(ascii: "u"):
                var units = [try unit()]
                if (0xD800..<0xDC00).contains(units[0]) {
                    guard take("\\"), take("u") else { throw expected("a low surrogate") }
                    units.append(try unit())
                }
                guard let text = String(validating: units, as: UTF16.self) else { throw expected("a pair of surrogates") }
                return Array(text.utf8)
            default: throw expected("an escape: one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")
            }
        }

        private mutating func unit() throws(JSONTreeError) -> UInt16 {
            let digits = bytes[position..<min(position + 4, bytes.count)]
            guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw expected("four hexadecimal digits") }
            position += 4
            return unit
        }
    }

}
