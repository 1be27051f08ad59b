/// A line from a client: its id, and the request or the reason why it is none. The id is read first, so that every refusal names its
/// request where possible.
public struct Request: Equatable, Sendable {
    public var id: RequestID?
    public var message: Result<ClientMessage, ProtocolError>
    /// The type as far as it could be read, for the reply.
    public var type: String?

    public init(id: RequestID?, _ message: ClientMessage) {
        self.id = id
        self.message = .success(message)
        type = message.type
    }

    /// A line of which nothing could be read.
    public static let unreadable = Request(refused: .json(.malformed(expected: "a value", at: 0)))

    private init(refused error: ProtocolError) {
        id = nil
        message = .failure(error)
    }

    /// Reads one line. Never throws: an error is in ``message``.
    /// - Parameter isPedantic: whether a field that the request does not have is refused rather than ignored.
    public init(line: UnsafeBufferPointer<UInt8>, isPedantic: Bool = false) {
        // The shortcut skips unknown fields, so a pedantic connection does without it.
        if !isPedantic, let usual = try? ClientMessage.shortcut(line) {
            self.init(id: usual.id, usual.message)
        } else {
            self.init(readingGenerally: line, isPedantic: isPedantic)
        }
    }

    /// Reads any line, without the shortcut; tests compare both.
    package init(readingGenerally line: UnsafeBufferPointer<UInt8>, isPedantic: Bool = false) {
        self = .unreadable
        do {
            try JSONValue.read(line) { value throws(JSONError) in
                let object = try value.object()
                // It gets no reply, so errors in its other fields are ignored.
                if (try? object.find("type")?.string()) == "pong" {
                    self = Request(
                        id: try? object.find("id").map { value throws(JSONError) in try RequestID.read(value, NoBounds()) }, .pong
                    )
                    return
                }
                id = try object.find("id").map { value throws(JSONError) in try RequestID.read(value, NoBounds()) }
                let type = try object.required("type").string()
                self.type = type
                guard var message = Catalog.blankRequests[type] else {
                    self.type = nil
                    self.message = .failure(.unknownType(type))
                    return
                }
                var fields = object
                try message.visit(&fields)
                self.message = .success(message)
                guard isPedantic else { return }
                let known = ["type", "id"] + (Catalog.request(type)?.fields.map(\.name) ?? [])
                try object.eachMember { key, _ throws(JSONError) in
                    if !known.contains(key) { self.message = .failure(.unknownField(key, of: type)) }
                }
            }
        } catch {
            message = .failure(.json(error))
        }
    }
}
