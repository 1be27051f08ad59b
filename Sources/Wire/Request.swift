/// A line from a client: its id, and the request or the reason why it is none. The id is read first, so that every refusal names its
/// request where possible.
public struct Request: Equatable, Sendable {
    public var id: RequestID?
    public var message: Result<ClientMessage, ProtocolError>
    /// The table that a request at a table is about, where it names one.
    public var table: String?
    /// The type as far as it could be read, for the reply.
    public var type: String?

    public init(id: RequestID?, _ message: ClientMessage, at table: String? = nil) {
        self.id = id
        self.message = .success(message)
        self.table = table
        type = message.type
    }

    /// A line of which nothing could be read.
    public static let unreadable = Request(line: UnsafeBufferPointer(start: nil, count: 0))

    /// Reads one line. Never throws: an error is in ``message``.
    /// - Parameter isPedantic: whether a field that the request does not have is refused rather than ignored.
    public init(line: UnsafeBufferPointer<UInt8>, isPedantic: Bool = false) {
        message = .failure(.json(.malformed(expected: "a value", at: 0)))
        read(line, isPedantic)
    }

    private mutating func read(_ line: UnsafeBufferPointer<UInt8>, _ isPedantic: Bool) {
        do {
            try JSONValue.read(line) { value throws(JSONError) in try read(value.object(), isPedantic: isPedantic) }
        } catch {
            message = .failure(.json(error))
        }
    }

    private mutating func read(_ fields: JSONObject, isPedantic: Bool) throws(JSONError) {
        var fields = fields
        id = try fields.find("id").map { value throws(JSONError) in try RequestID.read(value, NoBounds()) }
        let name = try fields.required("type")
        guard let known = try name.withText({ Catalog.blankRequests.index(of: $0) }) else {
            message = .failure(.unknownType(try name.string()))
            return
        }
        type = Catalog.blankRequests.types[known]
        var request = Catalog.blankRequests.blanks[known]
        try request.visit(&fields)
        if request.mayNameTable { try Self.visitTable(&table, &fields) }
        if isPedantic, let unknown = try Catalog.requests[known].unknownField(in: fields) {
            message = .failure(.unknownField(unknown, of: Catalog.blankRequests.types[known]))
            return
        }
        message = .success(request)
    }
}

extension RequestDescription {
    fileprivate func unknownField(in object: JSONObject) throws(JSONError) -> String? {
        var unknown: String?
        try object.eachMember { key, _ throws(JSONError) in
            let key = try key.string()
            if key != "type", key != "id", !fields.contains(where: { $0.name == key }) { unknown = key }
        }
        return unknown
    }
}

extension Request {
    static func visitTable<V: FieldVisitor>(_ table: inout String?, _ visitor: inout V) throws(V.Failure) {
        try visitor.optional("table", &table, .table, "the table that you mean")
    }
}

/// The client's id of a request, which its reply repeats: a string of at most 64 bytes or a whole number.
public enum RequestID: Hashable, Sendable, CustomStringConvertible {
    /// The longest string, in bytes of UTF-8.
    public static let maximumBytes = 64

    case text(String)
    case number(Int)

    public var description: String {
        switch self {
        case .text(let text): text
        case .number(let number): String(number)
        }
    }

    /// Compares bytes: two spellings of `é` (one scalar or two) are two ids.
    public static func == (one: RequestID, other: RequestID) -> Bool {
        switch (one, other) {
        case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
        case (.number(let one), .number(let other)): one == other
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .text(let text):
            for byte in text.utf8 { hasher.combine(byte) }
        case .number(let number): hasher.combine(number)
        }
    }
}

/// Options of a connection, of `login` and of `options`; nil leaves an option as it is.
public struct ConnectionOptions: Equatable, Sendable {
    /// Whether the client takes part in the ceremonies of shoes.
    public var fair: Bool?
    /// Whether diffs say what happened.
    public var facts: Bool?
    /// Whether unknown fields are refused, for people who write a client.
    public var pedantic: Bool?
    /// Seconds without a line from the client after which it counts as lost, 5…300; 0: see ``Hello/idleSeconds``.
    public var silence: Int?
    /// Whether the account ends when the player leaves.
    public var brief: Bool?

    public init(fair: Bool? = nil, facts: Bool? = nil, pedantic: Bool? = nil, silence: Int? = nil, brief: Bool? = nil) {
        (self.fair, self.facts, self.pedantic, self.silence, self.brief) = (fair, facts, pedantic, silence, brief)
    }

    /// Takes over the options that are given.
    public mutating func take(_ given: Self) {
        self = Self(
            fair: given.fair ?? fair, facts: given.facts ?? facts, pedantic: given.pedantic ?? pedantic,
            silence: given.silence ?? silence, brief: given.brief ?? brief)
    }
}

extension ConnectionOptions: WireObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional(
            "fair", &fair, "you contribute to shoes: you answer each new `next` with `commit`, and its list with `reveal`")
        try visitor.optional("facts", &facts, "each diff has the facts that it results from")
        try visitor.optional(
            "pedantic", &pedantic,
            "an unknown field of a request, even `null`, is refused with `invalid_field`; for client development")
        try visitor.optional(
            "silence", &silence, .silence,
            "seconds without a line from you, once logged in, after which you are lost: `bye` (`idle`). Send a `ping` in time. 0: `idleSeconds` alone"
        )
        try visitor.optional(
            "brief", &brief, "your account ends, with its name and chips, when you leave the table and the connection is over")
    }
}

/// The table as a client has it; all nil for a client without one. The answer leads from there to the current revision.
public struct KnownTable: Equatable, Sendable {
    public var epoch: String?
    public var revision: Int?
    /// The number of the last line of chat.
    public var chat: Int?

    public init(epoch: String? = nil, revision: Int? = nil, chat: Int? = nil) {
        (self.epoch, self.revision, self.chat) = (epoch, revision, chat)
    }
}

extension KnownTable {
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.optional("epoch", &epoch, .epoch, "the epoch of the table as you have it, for changes alone")
        try visitor.optional("rev", &revision, .revision, "and its revision")
        try visitor.optional(
            "chat", &chat, .counter, "the `seq` of the last chat line that you have: later lines follow, too")
    }
}
