/// A JSON value as it is written: members in their order, numbers as their text.
indirect enum JSONNode: Equatable, Sendable {
    case object([Member])
    case array([JSONNode])
    case text(String)
    case number(String)
    case flag(Bool)
    case null

    struct Member: Equatable, Sendable {
        var key: String
        var value: JSONNode
    }

    struct Malformed: Error { let offset: Int }

    init(_ text: String) throws {
        var reader = Reader(bytes: Array(text.utf8))
        self = try reader.value()
        reader.skipSpace()
        guard reader.position == reader.bytes.count else { throw Malformed(offset: reader.position) }
    }

    subscript(_ key: String) -> JSONNode? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    var string: String? { if case .text(let text) = self { text } else { nil } }
    var whole: Int? { if case .number(let text) = self { Int(text) } else { nil } }
    var elements: [JSONNode] { if case .array(let elements) = self { elements } else { [] } }
    var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// The value as text, on one line, without spaces.
    var written: String {
        switch self {
        case .object(let members):
            "{" + members.map { JSONNode.text($0.key).written + ":" + $0.value.written }.joined(separator: ",") + "}"
        case .array(let elements): "[" + elements.map(\.written).joined(separator: ",") + "]"
        case .text(let text): Self.quoted(text)
        case .number(let text): text
        case .flag(let flag): flag ? "true" : "false"
        case .null: "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" {
                result += "\\" + String(scalar)
            } else if scalar.value < 0x20 {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        mutating func skipSpace() {
            while position < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[position]) { position += 1 }
        }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func value() throws -> JSONNode {
            if take("{") { return try object() }
            if take("[") { return try array() }
            if take("\"") { return .text(try text()) }
            skipSpace()
            let start = position
            while position < bytes.count, !",]}\n\r\t ".utf8.contains(bytes[position]) { position += 1 }
            let word = String(decoding: bytes[start..<position], as: UTF8.self)
            switch word {
            case "true": return .flag(true)
            case "false": return .flag(false)
            case "null": return .null
            default:
                guard Double(word) != nil else { throw Malformed(offset: start) }
                return .number(word)
            }
        }

        private mutating func object() throws -> JSONNode {
            var members: [Member] = []
            if take("}") { return .object([]) }
            repeat {
                guard take("\"") else { throw Malformed(offset: position) }
                let key = try text()
                guard take(":") else { throw Malformed(offset: position) }
                members.append(Member(key: key, value: try value()))
            } while take(",")
            guard take("}") else { throw Malformed(offset: position) }
            return .object(members)
        }

        private mutating func array() throws -> JSONNode {
            var elements: [JSONNode] = []
            if take("]") { return .array([]) }
            repeat { elements.append(try value()) } while take(",")
            guard take("]") else { throw Malformed(offset: position) }
            return .array(elements)
        }

        /// The rest of a string whose first quote was taken.
        private mutating func text() throws -> String {
            var units: [UInt16] = []
            var plain: [UInt8] = []
            func flush(_ units: inout [UInt16], _ plain: inout [UInt8]) {
                units += String(decoding: plain, as: UTF8.self).utf16
                plain.removeAll()
            }
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                if byte == UInt8(ascii: "\"") {
                    flush(&units, &plain)
                    return String(decoding: units, as: UTF16.self)
                }
                guard byte == UInt8(ascii: "\\") else {
                    plain.append(byte)
                    continue
                }
                guard position < bytes.count else { break }
                let escape = Unicode.Scalar(bytes[position])
                position += 1
                if escape == "u" {
                    guard position + 4 <= bytes.count,
                        let unit = UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
                    else { break }
                    flush(&units, &plain)
                    units.append(unit)
                    position += 4
                } else {
                    let plainOnes: [Unicode.Scalar: UInt8] = ["n": 10, "r": 13, "t": 9, "b": 8, "f": 12]
                    plain.append(plainOnes[escape] ?? UInt8(ascii: escape))
                }
            }
            throw Malformed(offset: position)
        }
    }
}
