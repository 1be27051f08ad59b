import Wire

/// PostgreSQL's protocol, version 3 ("Frontend/Backend Protocol" in its manual): bytes in, messages out, and the reverse. No input or output.

/// A value for a statement, sent in binary form.
enum Parameter: Sendable {
    case int(Int64?)
    case text(String?)
    case bytes(ArraySlice<UInt8>?)

    /// Number of the type in `pg_type`.
    fileprivate var type: Int32 {
        switch self {
        case .int: 20
        case .text: 25
        case .bytes: 17
        }
    }
}

/// Messages to a server, one after the other.
struct MessageEncoder: Sendable {
    private(set) var bytes: [UInt8] = []

    /// Version 3.0.
    private static let version: Int32 = 3 << 16

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func startup(_ parameters: [(String, String)]) {
        message(nil) { encoder in
            encoder.append(Self.version)
            for (name, value) in parameters {
                encoder.append(name)
                encoder.append(value)
            }
            encoder.bytes.append(0)
        }
    }

    mutating func saslInitialResponse(mechanism: String, _ response: [UInt8]) {
        message(UInt8(ascii: "p")) { encoder in
            encoder.append(mechanism)
            encoder.append(Int32(response.count))
            encoder.bytes += response
        }
    }

    mutating func saslResponse(_ response: [UInt8]) { message(UInt8(ascii: "p")) { $0.bytes += response } }

    /// Statements without parameters, separated by semicolons: one transaction.
    mutating func query(_ sql: String) { message(UInt8(ascii: "Q")) { $0.append(sql) } }

    mutating func parse(_ name: String, _ sql: String, _ parameters: [Parameter]) {
        message(UInt8(ascii: "P")) { encoder in
            encoder.append(name)
            encoder.append(sql)
            encoder.append(Int16(parameters.count))
            for parameter in parameters { encoder.append(parameter.type) }
        }
    }

    /// Binds the parameters, runs the statement and ends its transaction.
    mutating func execute(_ name: String, _ parameters: [Parameter]) {
        message(UInt8(ascii: "B")) { encoder in
            encoder.append("")
            encoder.append(name)
            encoder.append(Int16(1))
            encoder.append(Int16(1))
            encoder.append(Int16(parameters.count))
            for parameter in parameters { encoder.append(parameter) }
            encoder.append(Int16(1))
            encoder.append(Int16(1))
        }
        message(UInt8(ascii: "E")) { encoder in
            encoder.append("")
            encoder.append(Int32(0))
        }
        message(UInt8(ascii: "S")) { _ in }
    }

    private mutating func message(_ type: UInt8?, _ body: (inout MessageEncoder) -> Void) {
        if let type { bytes.append(type) }
        let start = bytes.count
        append(Int32(0))
        body(&self)
        let length = UInt32(bytes.count - start)
        for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * index)) }
    }

    private mutating func append(_ parameter: Parameter) {
        switch parameter {
        case .int(let value?):
            append(Int32(8))
            append(value)
        case .text(let text?):
            append(Int32(text.utf8.count))
            bytes += text.utf8
        case .bytes(let part?):
            append(Int32(part.count))
            bytes += part
        case .int(nil), .text(nil), .bytes(nil): append(Int32(-1))
        }
    }

    private mutating func append(_ text: String) {
        precondition(!text.utf8.contains(0), "a text of the protocol ends with its first NUL")
        bytes += text.utf8
        bytes.append(0)
    }

    private mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
    }
}

/// A message from a server.
enum BackendMessage: Hashable, Sendable {
    case authenticated
    /// Names of mechanisms.
    case sasl([String])
    case saslContinue(ArraySlice<UInt8>)
    case saslFinal(ArraySlice<UInt8>)
    /// A method that this client does not have.
    case otherAuthentication(Int32)
    case parameter(name: String, value: String)
    /// The number of the server's process.
    case process(Int32)
    /// A statement is prepared.
    case parsed
    case row([ArraySlice<UInt8>?])
    /// Rows that a statement read or changed.
    case complete(count: Int)
    case error(ServerNotice)
    case notice(ServerNotice)
    /// The transaction is over, and the next statement may come.
    case ready
    /// One that changes nothing here.
    case other
}

/// An error or a notice of a server.
struct ServerNotice: Hashable, Sendable {
    /// ERROR, FATAL, PANIC, WARNING, NOTICE, DEBUG, INFO or LOG.
    var severity = ""
    /// SQLSTATE, five characters.
    var state = ""
    /// Safe to print.
    var text = ""

    fileprivate init?(_ reader: inout MessageReader) {
        while let field = reader.byte() {
            if field == 0 { return }
            guard let text = reader.text() else { return nil }
            switch field {
            case UInt8(ascii: "S") where severity.isEmpty, UInt8(ascii: "V"): severity = text.printable(upTo: 300)
            case UInt8(ascii: "C"): state = text.printable(upTo: 300)
            case UInt8(ascii: "M"): self.text = text.printable(upTo: 300)
            default: break
            }
        }
        return nil
    }

    /// The session is over.
    var isFatal: Bool { severity == "FATAL" || severity == "PANIC" }
}

/// Bytes that are no message of the protocol.
struct ProtocolViolation: Error, Hashable { var text: String }

/// Makes messages of the bytes of a connection, however they are split.
struct MessageDecoder: Sendable {
    private var bytes: [UInt8] = []
    /// Start of the next message.
    private var start = 0
    /// Bound of a row's length: a chunk and its place.
    static let longestRow = 320 << 20

    /// Bound of the length of all other messages.
    static let longest = 1 << 20
    /// Handled bytes that are kept in front of the others.
    private static let slack = 1 << 16

    mutating func append(_ part: some Sequence<UInt8>) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            start = 0
        } else if start > Self.slack, start > bytes.count / 2 {
            bytes.removeSubrange(..<start)
            start = 0
        }
        bytes.append(contentsOf: part)
    }

    /// The next message; nil until more bytes come.
    mutating func next() throws(ProtocolViolation) -> BackendMessage? {
        guard bytes.count - start >= 5 else { return nil }
        let type = bytes[start]
        let length = bytes[start + 1..<start + 5].reduce(0) { $0 << 8 | Int($1) }
        let bound = type == UInt8(ascii: "D") ? Self.longestRow : Self.longest
        guard (4...bound).contains(length) else {
            throw ProtocolViolation(text: "invalid message (type \(type), \(length) bytes): is this a PostgreSQL server?")
        }
        guard bytes.count - start > length else { return nil }
        var reader = MessageReader(rest: bytes[start + 5..<start + length + 1])
        guard let message = Self.message(type, &reader), reader.rest.isEmpty else {
            throw ProtocolViolation(text: "a message of type \(type) violates the protocol")
        }
        start += length + 1
        return message
    }

    private static func message(_ type: UInt8, _ reader: inout MessageReader) -> BackendMessage? {
        switch type {
        case UInt8(ascii: "R"): return authentication(&reader)
        case UInt8(ascii: "S"):
            guard let name = reader.text(), let value = reader.text() else { return nil }
            return .parameter(name: name, value: value)
        case UInt8(ascii: "D"): return row(&reader)
        case UInt8(ascii: "C"):
            guard let tag = reader.text() else { return nil }
            return .complete(count: tag.split(separator: " ").last.flatMap { Int($0) } ?? 0)
        case UInt8(ascii: "E"): return ServerNotice(&reader).map { .error($0) }
        case UInt8(ascii: "N"): return ServerNotice(&reader).map { .notice($0) }
        case UInt8(ascii: "Z"): return reader.byte().map { _ in .ready }
        case UInt8(ascii: "1"): return .parsed
        case UInt8(ascii: "K"):
            defer { reader.rest = [] }
            return reader.int32().map { .process($0) }
        // The result of binding, no data, an empty query; a notification, descriptions.
        case UInt8(ascii: "2"), UInt8(ascii: "n"), UInt8(ascii: "I"), UInt8(ascii: "A"), UInt8(ascii: "T"), UInt8(ascii: "t"):
            reader.rest = []
            return .other
        default: return nil
        }
    }

    private static func authentication(_ reader: inout MessageReader) -> BackendMessage? {
        guard let method = reader.int32() else { return nil }
        if method == 0 { return .authenticated }
        if method == 10 {
            var names: [String] = []
            while let name = reader.text(), !name.isEmpty { names.append(name) }
            return .sasl(names)
        }
        defer { reader.rest = [] }
        return method == 11 ? .saslContinue(reader.rest) : method == 12 ? .saslFinal(reader.rest) : .otherAuthentication(method)
    }

    private static func row(_ reader: inout MessageReader) -> BackendMessage? {
        guard let count = reader.int16(), count >= 0 else { return nil }
        var values: [ArraySlice<UInt8>?] = []
        for _ in 0..<count {
            guard let length = reader.int32() else { return nil }
            if length == -1 {
                values.append(nil)
            } else {
                guard let value = reader.take(Int(length)) else { return nil }
                values.append(value)
            }
        }
        return .row(values)
    }
}

/// Reads the fields of one message; nil where it is too short.
private struct MessageReader {
    var rest: ArraySlice<UInt8>

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func int16() -> Int16? { take(2).map { $0.reduce(0) { $0 << 8 | Int16($1) } } }
    mutating func int32() -> Int32? { take(4).map { $0.reduce(0) { $0 << 8 | Int32($1) } } }

    mutating func text() -> String? {
        guard let end = rest.firstIndex(of: 0) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return String(decoding: rest[..<end], as: UTF8.self)
    }
}
