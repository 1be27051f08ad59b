import Rules
import TableModel

/// What a client may ask.
public enum ClientMessage: Equatable, Sendable {
    /// Names the player. A token from an earlier login takes that player's chips and seat over.
    case login(name: String, token: String?, isBot: Bool, version: Int)
    /// Asks whether a name is free now.
    case available(name: String)
    /// Asks which tables there are; `follow` asks to be told of every change from then on, or no longer.
    case lobby(follow: Bool?)
    /// Asks for all rules of a table.
    case rules(table: String?)
    /// Takes a seat, a free one when none is named, and watches the table. Without a table: the only one, or any with a free seat.
    /// `pass` opens a table that has a pass phrase.
    case sit(table: String?, seat: Int?, pass: String? = nil)
    /// Asks for the table's snapshot and, from then on, its diffs.
    case watch(table: String?, pass: String? = nil)
    /// Asks for what has happened at the table since a revision of that epoch and, from then on, its diffs; `chat`, where given, for what
    /// was said since the line of that number.
    case resume(table: String?, epoch: String, revision: Int, chat: Int? = nil, pass: String? = nil)
    /// Bets chips on the next round; 0 takes the bet back. `round`, where given, is the round that the table must show.
    case bet(amount: Int, seat: Int?, round: Int? = nil)
    /// Answers what the player is asked. `amount` is for insuring or doubling for less; `turn`, where given, is the decision that must be
    /// asked.
    case act(Action, seat: Int?, hand: Int?, amount: Int?, turn: Int? = nil)
    /// Keeps the seat but is dealt no more rounds, until `sitIn`.
    case sitOut
    case sitIn
    /// Gives the seat up and stops watching.
    case leave
    /// Says goodbye: gives the seat up and the name back. The server forgets the player and closes the connection.
    case logout
    /// Says something to everybody at the table.
    case chat(text: String)
    /// Sets how this connection is served; what is nil stays as it is.
    case options(ConnectionOptions)
    /// Asks for the server's time, and shows that the client lives.
    case ping
    /// Answers the server's ping. The one request that gets no reply, whatever else stands in it.
    case pong

    /// The type of every message, in the order of the cases.
    public static let types = Catalog.requests.map(\.type)

    public var type: String {
        switch self {
        case .login: "login"
        case .available: "available"
        case .lobby: "lobby"
        case .rules: "rules"
        case .sit: "sit"
        case .watch: "watch"
        case .resume: "resume"
        case .bet: "bet"
        case .act: "act"
        case .sitOut: "sitOut"
        case .sitIn: "sitIn"
        case .leave: "leave"
        case .logout: "logout"
        case .chat: "chat"
        case .options: "options"
        case .ping: "ping"
        case .pong: "pong"
        }
    }

    /// Whether it changes something, so that a retry must not be carried out again: it gets the first result. What only asks is simply
    /// answered anew.
    public var changesSomething: Bool {
        switch self {
        case .login, .sit, .bet, .act, .sitOut, .sitIn, .leave, .chat: true
        case .available, .lobby, .rules, .watch, .resume, .options, .ping, .pong, .logout: false
        }
    }

    /// The fields that a message of this type may have, besides `type` and `id`.
    public var fields: [String] { Catalog.request(type)?.fields.map(\.name) ?? [] }
}

/// How a connection wants to be served; nil leaves things as they are.
public struct ConnectionOptions: Equatable, Sendable {
    /// Whether each diff carries the check value of the table after it.
    public var check: Bool?
    /// Whether what happens is also told in sentences, for people at `nc`.
    public var verbose: Bool?
    /// Whether fields that are not known are refused, for people who write a client.
    public var pedantic: Bool?
    /// After how many seconds without a word from the client the server asks whether it lives, 5…300; 0 for never.
    public var heartbeat: Int?

    public init(check: Bool? = nil, verbose: Bool? = nil, pedantic: Bool? = nil, heartbeat: Int? = nil) {
        self.check = check
        self.verbose = verbose
        self.pedantic = pedantic
        self.heartbeat = heartbeat
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

    /// What stands for a line of which nothing could be read.
    public static let unreadable = Request(refused: .json(.malformed(expected: "a value", at: 0)))

    private init(refused error: ProtocolError) {
        id = nil
        message = .failure(error)
    }

    /// Reads one line. Never throws: what is wrong is the result.
    /// - Parameter isPedantic: whether a field that the request does not have is refused rather than ignored.
    public init(line: UnsafeBufferPointer<UInt8>, isPedantic: Bool = false) {
        // Who wants to be told of fields that are not known does so while writing a client, and is in no hurry.
        if !isPedantic, let usual = try? ClientMessage.shortcut(line) {
            self.init(id: usual.id, usual.message)
        } else {
            self.init(readingGenerally: line, isPedantic: isPedantic)
        }
    }

    /// Reads a line the way that reads every line, whatever it looks like; for tests that compare it with the shortcut.
    package init(readingGenerally line: UnsafeBufferPointer<UInt8>, isPedantic: Bool = false) {
        self = .unreadable
        do {
            try JSONValue.read(line) { value throws(JSONError) in
                let object = try value.object()
                // It gets no answer, so nothing else in it can be wrong.
                if (try? object.find("type")?.string()) == "pong" {
                    self = Request(id: try? object.find("id").map { value throws(JSONError) in try RequestID(value) }, .pong)
                    return
                }
                id = try object.find("id").map { value throws(JSONError) in try RequestID(value) }
                let type = try object.required("type").string()
                self.type = type
                guard let message = try ClientMessage(type: type, object) else {
                    self.type = nil
                    message = .failure(.unknownType(type))
                    return
                }
                self.message = .success(message)
                guard isPedantic else { return }
                let known = ["type", "id"] + message.fields
                try object.eachMember { key, _ throws(JSONError) in
                    if !known.contains(key) { self.message = .failure(.unknownField(key, of: type)) }
                }
            }
        } catch {
            message = .failure(.json(error))
        }
    }
}
