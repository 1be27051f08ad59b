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
