/// One HTTP connection as a value: bytes in, bytes out, and when to close. No I/O.
struct HTTPConversation: Sendable {
    /// The actions after received bytes.
    struct Step: Sendable, Equatable {
        /// Bytes to send, possibly none.
        var output: [UInt8] = []
        /// True to close after sending.
        var closes = false
    }

    /// Requests per connection.
    static let requestLimit = 100
    /// Pipelined requests answered at once: bounds the output for a peer that does not read.
    static let pipelineLimit = 8

    private var parser = HTTPRequestParser()
    private var requests = 0
    private var isOver = false

    init() {}

    /// Receives bytes and answers complete requests.
    mutating func receive(_ bytes: some Collection<UInt8>, respond: (HTTPRequest) -> HTTPResponse) -> Step {
        var step = Step()
        guard !isOver else { return step }
        parser.append(bytes)
        do throws(HTTPRefusal) {
            var answered = 0
            while let request = try parser.next() {
                answered += 1
                requests += 1
                let isLast = answered == Self.pipelineLimit || requests == Self.requestLimit || !request.keepsAlive
                step.output += respond(request).encoded(hasBody: request.method != "HEAD", keepsAlive: !isLast)
                guard !isLast else {
                    close(&step)
                    return step
                }
            }
        } catch {
            refuse(error, &step)
        }
        return step
    }

    /// The request's deadline has passed.
    mutating func timeIsUp() -> Step {
        var step = Step()
        guard !isOver else { return step }
        // An idle connection closes without an answer.
        if parser.isInRequest { refuse(.requestTimeout, &step) } else { close(&step) }
        return step
    }

    private mutating func refuse(_ refusal: HTTPRefusal, _ step: inout Step) {
        step.output += HTTPResponse(refusal).encoded(hasBody: true, keepsAlive: false)
        close(&step)
    }

    private mutating func close(_ step: inout Step) {
        step.closes = true
        isOver = true
        parser = HTTPRequestParser()
    }
}

/// A request's method and path: the subset of HTTP/1.1 (RFC 9112) for scrapes and probes.
struct HTTPRequest: Sendable, Equatable {
    let method: String
    /// The path without its query.
    let path: String
    /// True when the connection stays open.
    let keepsAlive: Bool
}

/// Why a request is refused. The connection closes: the start of the next request is unreliable.
enum HTTPRefusal: Int, Error, Sendable {
    case badRequest = 400
    case requestTimeout = 408
    case contentTooLarge = 413
    case headerFieldsTooLarge = 431
    case versionNotSupported = 505
}

/// A response.
struct HTTPResponse: Sendable, Equatable {
    var status: Int
    var contentType: String
    var body: String
    /// Additional header fields.
    var fields: [(name: String, value: String)] = []

    init(status: Int = 200, contentType: String = "text/plain; charset=utf-8", body: String) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    init(_ refusal: HTTPRefusal) { self.init(status: refusal.rawValue, body: "\(Self.reason(refusal.rawValue))\n") }

    static func == (a: Self, b: Self) -> Bool {
        a.status == b.status && a.contentType == b.contentType && a.body == b.body
            && a.fields.map(\.name) == b.fields.map(\.name) && a.fields.map(\.value) == b.fields.map(\.value)
    }

    /// The encoded response.
    /// - Parameters:
    ///   - hasBody: false for HEAD: keeps the length, omits the body.
    ///   - keepsAlive: true when another request may follow.
    func encoded(hasBody: Bool, keepsAlive: Bool) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        head += "Content-Type: \(contentType)\r\nContent-Length: \(body.utf8.count)\r\nCache-Control: no-store\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        head += keepsAlive ? "\r\n" : "Connection: close\r\n\r\n"
        return Array(head.utf8) + (hasBody ? Array(body.utf8) : [])
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 431: "Request Header Fields Too Large"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}

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
