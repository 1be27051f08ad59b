import Rules
import TableModel

/// What a client may ask.
public enum ClientMessage: Equatable, Sendable {
    /// Names the player. A token from an earlier login takes that player's chips and seat over.
    case login(name: String, token: String?, isBot: Bool, version: Int)
    /// Asks whether a name is free now.
    case available(name: String)
    /// Asks which tables there are.
    case lobby
    /// Takes a seat, a free one when none is named, and watches the table. Without a table: the only one, or any with a free seat.
    case sit(table: String?, seat: Int?)
    /// Asks for the table's snapshot and, from then on, its diffs.
    case watch(table: String?)
    /// Bets chips on the next round; 0 takes the bet back.
    case bet(amount: Int, seat: Int?)
    /// Answers what the player is asked. `amount` is for insuring or doubling for less.
    case act(Action, seat: Int?, hand: Int?, amount: Int?)
    /// Keeps the seat but is dealt no more rounds, until `sitIn`.
    case sitOut
    case sitIn
    /// Gives the seat up and stops watching.
    case leave
    /// Says goodbye: gives the seat up and the name back. The server forgets the player and closes the connection.
    case logout
    /// Asks for the server's time, and shows that the client lives.
    case ping

    /// The type of every message, in the order of the cases.
    public static let types = [
        "login", "available", "lobby", "sit", "watch", "bet", "act", "sitOut", "sitIn", "leave", "logout", "ping",
    ]

    public var type: String {
        switch self {
        case .login: "login"
        case .available: "available"
        case .lobby: "lobby"
        case .sit: "sit"
        case .watch: "watch"
        case .bet: "bet"
        case .act: "act"
        case .sitOut: "sitOut"
        case .sitIn: "sitIn"
        case .leave: "leave"
        case .logout: "logout"
        case .ping: "ping"
        }
    }
}

/// A line from a client: the id it gave, and what it asks, or why that can't be understood. The id is known even then, if it could be
/// read, so that every refusal names its request.
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

    private init(refused error: ProtocolError) {
        id = nil
        message = .failure(error)
    }

    /// Reads one line. Never throws: what is wrong is the result.
    public init(line: UnsafeBufferPointer<UInt8>) {
        self.init(refused: .json(.malformed(expected: "a value", at: 0)))
        do {
            try JSONValue.read(line) { value throws(JSONError) in
                let object = try value.object()
                id = try object.find("id").map { value throws(JSONError) in try RequestID(value) }
                let type = try object.required("type").string()
                self.type = type
                guard let message = try ClientMessage(type: type, object) else {
                    self.type = nil
                    message = .failure(.unknownType(type))
                    return
                }
                self.message = .success(message)
            }
        } catch {
            message = .failure(.json(error))
        }
    }

    /// The request as a line, its end included.
    public func encoded() -> [UInt8] {
        guard case .success(let message) = message else { return [] }
        var bytes: [UInt8] = []
        JSONWriter.append(to: &bytes) { writer in
            writer.beginObject()
            writer.key("type")
            writer.string(message.type)
            if let id {
                writer.key("id")
                id.write(to: &writer)
            }
            message.writeFields(to: &writer)
            writer.endObject()
            writer.newline()
        }
        return bytes
    }
}

extension RequestID {
    init(_ value: JSONValue) throws(JSONError) {
        guard !value.isString else {
            self = .text(try value.string(maximum: Self.maximumBytes))
            return
        }
        guard let number = try? value.integer() else {
            throw value.mismatch("a string of at most \(Self.maximumBytes) bytes or a whole number")
        }
        self = .number(number)
    }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .text(let text): writer.string(text)
        case .number(let number): writer.integer(number)
        }
    }
}
