import TableModel

/// What a server says.
public enum ServerMessage: Equatable, Sendable {
    /// The first line of every connection.
    case hello(Hello)
    /// A request was carried out.
    case ok(id: RequestID?, Reply)
    /// A request was refused, and nothing was changed by it.
    case error(Refusal)
    /// A whole table. Another epoch is another table, even under the same name: its revisions have nothing to do with those before.
    /// `chat` is the number of the last line that was said there.
    case snapshot(table: String, epoch: String, revision: Int, TableSnapshot, chat: Int = 0)
    /// What turns the table at revision `from` into the one at `to`, whose check value may come along.
    case diff(from: Int, to: Int, check: UInt32?, TableDifference)
    /// What turns the lobby's list into the next one.
    case lobby(LobbyChange)
    /// Somebody at the table says something.
    case chat(ChatLine)
    /// The host has done something to somebody at the table.
    case notice(HostNotice)
    /// The server asks whether the client lives; it has the server's time.
    case ping(time: Int64)
    /// What has happened, in a sentence, for a connection that is verbose.
    case note(String)
    /// The server closes the connection: why, as a code and in words.
    case bye(code: String, message: String)
    /// A type that this version does not know; to be skipped.
    case unknown(type: String)
}

/// What comes with an `ok`, by the type of the request.
public enum Reply: Equatable, Sendable {
    case login(LoginReply)
    /// Whether the name is free.
    case available(Bool)
    /// The tables at that revision of the list, and how many there are in all: a long list is cut.
    case lobby(revision: Int, total: Int, [TableSummary])
    /// All rules of a table.
    case rules(table: String, TableRules)
    case sit(table: String, seat: Int, at: TableRevision)
    case watch(table: String)
    /// What follows: the missing diffs, one diff, or a snapshot.
    case resume(table: String, with: Resumption, Missed = Missed())
    /// How the connection is served now.
    case options(ConnectionOptions)
    /// The server's time in milliseconds since 1970.
    case ping(time: Int64)
    /// A request that is about a table was carried out: its type, and the revision that shows it.
    case applied(String, at: TableRevision)
    /// A request with nothing to tell but that it was done: its type.
    case done(String)

    /// The types of requests that are answered by ``applied(_:at:)``.
    static let appliedTypes = ["bet", "act", "sitOut", "sitIn", "leave"]

    /// The type of the request.
    public var type: String {
        switch self {
        case .login: "login"
        case .available: "available"
        case .lobby: "lobby"
        case .rules: "rules"
        case .sit: "sit"
        case .watch: "watch"
        case .resume: "resume"
        case .options: "options"
        case .ping: "ping"
        case .done(let type), .applied(let type, _): type
        }
    }
}

/// The revision at which a table shows what a request has done.
public struct TableRevision: Equatable, Sendable {
    public var number: Int
    /// Which table's; nil where it is the one that the client watches.
    public var epoch: String?

    public init(_ number: Int, epoch: String? = nil) {
        self.number = number
        self.epoch = epoch
    }
}

/// How a client is brought up to date.
public enum Resumption: String, CaseIterable, Sendable {
    /// It is: nothing has happened.
    case nothing
    /// Each diff that it has missed.
    case diffs
    /// All of them in one.
    case diff
    /// The whole table anew.
    case snapshot
}

/// Who the player is now.
public struct LoginReply: Equatable, Sendable {
    public var name: String
    /// What takes the player over on a later connection: another one after each login. To be kept secret.
    public var token: String
    /// Chips that are not at a table.
    public var chips: Int
    /// The table at which seats are held for the player, if any.
    public var table: String?
    /// The seats held.
    public var seats: [Int]

    public init(name: String, token: String, chips: Int, table: String? = nil, seats: [Int] = []) {
        self.name = name
        self.token = token
        self.chips = chips
        self.table = table
        self.seats = seats
    }
}

/// What turns a list of tables into the next one. The lists are applied in this order.
public struct LobbyChange: Equatable, Sendable {
    public var from: Int
    public var to: Int
    /// Tables that are gone.
    public var deleted: [String]
    /// New tables with their places in the list after the change, ascending.
    public var inserted: [Placed]
    /// What tables that were there show now.
    public var updated: [TableSummary]

    public struct Placed: Equatable, Sendable {
        public var index: Int
        public var table: TableSummary

        public init(index: Int, table: TableSummary) {
            self.index = index
            self.table = table
        }
    }

    public init(from: Int, to: Int, deleted: [String] = [], inserted: [Placed] = [], updated: [TableSummary] = []) {
        self.from = from
        self.to = to
        self.deleted = deleted
        self.inserted = inserted
        self.updated = updated
    }

    /// A list of tables after this change; nil when it does not fit.
    public func applied(to tables: [TableSummary]) -> [TableSummary]? {
        var result = tables.filter { !deleted.contains($0.name) }
        guard result.count == tables.count - deleted.count else { return nil }
        for placed in inserted {
            guard placed.index <= result.count, !result.contains(where: { $0.name == placed.table.name }) else { return nil }
            result.insert(placed.table, at: placed.index)
        }
        for table in updated {
            guard let index = result.firstIndex(where: { $0.name == table.name }) else { return nil }
            result[index] = table
        }
        return result
    }
}

/// Something that was said at a table.
public struct ChatLine: Equatable, Sendable {
    /// Counts the lines that were said at the table, from 1.
    public var sequence: Int
    /// The speaker's name.
    public var name: String
    public var text: String
    /// When, in milliseconds since 1970 on the server's clock.
    public var time: Int64

    public init(sequence: Int, name: String, text: String, time: Int64) {
        self.sequence = sequence
        self.name = name
        self.text = text
        self.time = time
    }
}
