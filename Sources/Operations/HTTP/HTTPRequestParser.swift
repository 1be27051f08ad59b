/// Parses requests from a byte stream, independent of chunks; buffers one at most. Strict against smuggling: refuses a space before a colon,
/// folded lines, a bare carriage return, two lengths. Accepts a bare line feed, for requests typed by hand.
struct HTTPRequestParser: Sendable {
    /// Bytes per request.
    let limit: Int
    private var buffer: [UInt8] = []
    /// Scan position: no end of head before it.
    private var searched = 0
    /// Empty lines since the last request.
    private var blankLines = 0

    /// Empty lines skipped before a request: RFC 9112, 2.2 asks for at least one; more are refused.
    private static let blankLineLimit = 2

    init(limit: Int = 8192) { self.limit = limit }

    /// True within an incomplete request.
    var isInRequest: Bool { !buffer.isEmpty }

    /// Appends received bytes. Drops bytes far over the limit: ``next()`` refuses the request anyway.
    mutating func append(_ bytes: some Collection<UInt8>) { buffer.append(contentsOf: bytes.prefix(2 * limit)) }

    /// The next complete request, or nil.
    mutating func next() throws(HTTPRefusal) -> HTTPRequest? {
        try skipBlankLines()
        guard let end = endOfHead() else {
            guard buffer.count <= limit else { throw .headerFieldsTooLarge }
            return nil
        }
        guard end <= limit else { throw .headerFieldsTooLarge }
        let head = Array(buffer[..<end])
        buffer.removeFirst(end)
        searched = 0
        blankLines = 0
        return try Self.request(head)
    }

    private mutating func skipBlankLines() throws(HTTPRefusal) {
        guard searched == 0 else { return }
        var start = 0
        while start < buffer.count, buffer[start] == 0x0D || buffer[start] == 0x0A {
            let length = buffer[start] == 0x0A ? 1 : 2
            guard start + length <= buffer.count else { break }
            guard buffer[start + length - 1] == 0x0A, blankLines < Self.blankLineLimit else { throw .badRequest }
            blankLines += 1
            start += length
        }
        if start > 0 { buffer.removeFirst(start) }
    }

    /// Index after the empty line that ends the head.
    private mutating func endOfHead() -> Int? {
        var index = searched
        while index < buffer.count {
            if buffer[index] == 0x0A {
                if index + 1 < buffer.count, buffer[index + 1] == 0x0A { return index + 2 }
                if index + 2 < buffer.count, buffer[index + 1] == 0x0D, buffer[index + 2] == 0x0A { return index + 3 }
            }
            index += 1
        }
        searched = max(0, buffer.count - 2)
        return nil
    }

    private static func request(_ head: [UInt8]) throws(HTTPRefusal) -> HTTPRequest {
        var lines = head.split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { $0.last == 0x0D ? $0.dropLast() : $0 }
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard let first = lines.first, lines.allSatisfy({ $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }) else {
            throw .badRequest
        }
        let (method, target, minor) = try requestLine(first)
        let fields = try fields(lines.dropFirst())
        let hosts = fields.filter { $0.name == "host" }
        guard hosts.count == 1 || minor == 0 && hosts.isEmpty else { throw .badRequest }
        // No request has a body here; an accepted one would parse as the next request.
        guard !fields.contains(where: { $0.name == "transfer-encoding" }) else { throw .contentTooLarge }
        for field in fields where field.name == "content-length" {
            guard !field.value.isEmpty, field.value.allSatisfy({ $0.isASCII && $0.isNumber }) else { throw .badRequest }
            guard field.value.allSatisfy({ $0 == "0" }) else { throw .contentTooLarge }
        }
        let options = fields.filter { $0.name == "connection" }.map { $0.value.lowercased() }.joined(separator: ",")
            .split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
        let keepsAlive = !options.contains("close") && (minor > 0 || options.contains("keep-alive"))
        return HTTPRequest(method: method, path: target, keepsAlive: keepsAlive)
    }

    private static func requestLine(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> (String, path: String, minor: UInt8) {
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, isToken(words[0]) else { throw .badRequest }
        let version = Array(words[2])
        guard version.count == 8, version.starts(with: "HTTP/".utf8), isDigit(version[5]), version[6] == UInt8(ascii: "."),
            isDigit(version[7])
        else { throw .badRequest }
        guard version[5] == UInt8(ascii: "1") else { throw .versionNotSupported }
        let target = String(decoding: words[1], as: UTF8.self)
        var path = target[...]
        // Absolute form, as sent to proxies.
        if let scheme = ["http://", "https://"].first(where: { target.lowercased().hasPrefix($0) }) {
            path = target.dropFirst(scheme.count).drop { $0 != "/" && $0 != "?" }
            if path.first != "/" { path = "/" + path }
        }
        guard path.first == "/" || path == "*" else { throw .badRequest }
        path = path.prefix { $0 != "?" && $0 != "#" }
        return (String(decoding: words[0], as: UTF8.self), String(path), version[7] - UInt8(ascii: "0"))
    }

    private static func fields(_ lines: ArraySlice<ArraySlice<UInt8>>) throws(HTTPRefusal) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else { throw .badRequest }
            let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
            let end = value.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? value.startIndex
            fields.append(
                (
                    String(decoding: line[..<colon], as: UTF8.self).lowercased(),
                    String(decoding: value[..<end], as: UTF8.self)
                ))
        }
        return fields
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    /// A token of RFC 9110: methods and field names.
    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { isDigit($0) || (97...122).contains($0 | 0x20) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }
}
